"""Queues and the order in them: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    ALL_COMING,
    ALL_LEAD,
    DRAINED,
    MACHINE,
    NO_PLACE,
    NO_SURPLUS,
    NOT_AWAITED,
    NOT_LENT,
    NOTHING,
    SENT_IN_ORDER,
    SWITCH,
    SYSTEM,
    TWO_IN_ONE,
    UNMARKED,
    UNUSED,
    all_of,
)

__all__ = ["EQUIVALENT"]


_RUNS_AND_HAS = "self.status == Status.RUNNING and (msg in self.ready or msg in self.pending)"
_RUNS_AND_ASIDE = "self.status == Status.RUNNING and msg in self.aside"
_LATER = "len({k for k in among if not self.before(k, m)})"

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "QueueMaster.set_aside": {
        **all_of(
            SYSTEM,
            f"drops `require({_RUNS_AND_HAS})`",
            f"drops `self.status == Status.RUNNING` from `{_RUNS_AND_HAS}`",
            f"drops `msg in self.ready or msg in self.pending` from `{_RUNS_AND_HAS}`",
        ),
    },
    "QueueMaster.pass_on": {
        **all_of(
            SYSTEM,
            f"drops `require({_RUNS_AND_ASIDE})`",
            f"drops `self.status == Status.RUNNING` from `{_RUNS_AND_ASIDE}`",
            f"drops `msg in self.aside` from `{_RUNS_AND_ASIDE}`",
        ),
    },
    "QueueMaster.displace": {
        **all_of(
            NO_PLACE,
            "drops `self.order.leave({m for m in msgs if self.store.level[m] == Level.ABSENT})`",
            "has `Level.BUFFERED` for `Level.ABSENT`",
        ),
    },
    "QueueMaster.overflows": {
        **all_of(
            NO_SURPLUS,
            (
                "drops `len(self.ready) > self.max_length` from `self.limited and "
                "len(self.ready) > "
                "self.max_length`"
            ),
            "has `len(self.ready) >= self.max_length` for `len(self.ready) > self.max_length`",
        ),
    },
    "QueueMaster.accept": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.RUNNING)`",
        ),
    },
    "QueueMaster.roomless": {
        **all_of(
            TWO_IN_ONE,
            "drops `self.limited` from `self.limited and self.max_length == 0`",
            "drops `self.max_length == 0` from `self.limited and self.max_length == 0`",
        ),
    },
    "QueueMaster.refuse": {"drops `require(self.status == Status.RUNNING)`": SYSTEM},
    "QueueMaster.take": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.RUNNING and msg in self.ready)`",
            "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and msg in "
            "self.ready`",
            "drops `msg in self.ready` from `self.status == Status.RUNNING and msg in self.ready`",
        ),
    },
    "QueueMaster.mark": {"takes `self.marking` for true": UNMARKED},
    "QueueMaster.pass_by": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.RUNNING and (not self.ready))`",
            "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and (not "
            "self.ready)`",
            "drops `not self.ready` from `self.status == Status.RUNNING and (not self.ready)`",
        ),
    },
    "QueueMaster.acknowledge": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.RUNNING and msg in self.pending)`",
            (
                "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and msg "
                "in self.pending`"
            ),
            (
                "drops `msg in self.pending` from `self.status == Status.RUNNING and msg in "
                "self.pending`"
            ),
        ),
    },
    "QueueMaster.requeue": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.RUNNING and msg in self.pending)`",
            (
                "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and msg "
                "in self.pending`"
            ),
            (
                "drops `msg in self.pending` from `self.status == Status.RUNNING and msg in "
                "self.pending`"
            ),
        ),
    },
    "QueueMaster.drop": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.RUNNING and msg in self.ready)`",
            (
                "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and msg "
                "in self.ready`"
            ),
            (
                "drops `msg in self.ready` from `self.status == Status.RUNNING and msg in "
                "self.ready`"
            ),
        ),
    },
    "QueueMaster.drain": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.RUNNING)`",
        ),
    },
    "QueueMaster.crash": {
        **all_of(
            NO_PLACE,
            "drops `self.order.keep(set(self.store.level))`",
        ),
    },
    "QueueMaster.lose_power": {
        **all_of(
            NO_PLACE,
            "drops `self.order.keep(set(self.store.level))`",
        ),
    },
    "QueueMaster.delete": {
        **all_of(
            NO_PLACE,
            "drops `self.order.keep(set())`",
        ),
    },
    "QueueMaster.recover": {
        **all_of(
            SYSTEM,
            "drops `require(self.status == Status.DOWN)`",
        ),
        **all_of(
            UNMARKED,
            "takes `self.marking` for true",
        ),
    },
    "Queueing.shorten": {
        "drops `self.replicas[replica].leads()` from `self.replicas[replica].leads() and "
        "self.replicas[replica].overflows()`": ALL_LEAD,
        **all_of(
            NO_PLACE,
            "drops `self.replicas[replica].displace(surplus)`",
        ),
    },
    "Queueing.drop": {
        **all_of(
            NO_PLACE,
            "drops `self.replicas[replica].displace({msg})`",
        ),
    },
    "Queueing.pass_by": {
        "drops `not self.replicas[replica].ready` from `not self.replicas[replica].ready and (not "
        "self.replicas[replica].recognises(msg))`": MACHINE,
        **all_of(
            SWITCH,
            (
                "drops `self.consumers` from `self.consumers and "
                "self.casts[Msg.owner(msg)].next_for(replica) == msg`"
            ),
        ),
    },
    "Queueing.acknowledge": {
        "drops `self.replicas[replica].leads()` from `self.consumers and "
        "self.replicas[replica].leads()`": NOT_LENT,
        **all_of(
            MACHINE,
            "drops `require(msg in self.replicas[replica].pending)`",
        ),
        **all_of(
            NO_PLACE,
            "drops `self.replicas[replica].displace({msg})`",
        ),
    },
    "Queueing.requeue": {
        "drops `self.replicas[replica].leads()` from `self.consumers and "
        "self.replicas[replica].leads()`": NOT_LENT,
        **all_of(
            MACHINE,
            "drops `require(msg in self.replicas[replica].pending)`",
        ),
    },
    "Renewing.name_is_free": {
        "drops `not self.replicas[replica].declared` from `not self.replicas[replica].declared and "
        "any((self.replicas[r].of == self.replicas[replica].after and self.replicas[r].status == "
        "Status.DELETED for r in Replica))`": NOTHING,
    },
    "Arrivals.leave": {
        "drops `self.ahead[msg].clear()`": NO_PLACE,
        **all_of(
            NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "takes `msg in msgs` for false",
            "drops `self.ahead[msg] -= msgs`",
            "has `self.ahead[msg] |= msgs` for `self.ahead[msg] -= msgs`",
        ),
    },
    "Arrivals.keep": {
        **all_of(
            NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "takes `msg in present` for true",
            "drops `self.ahead[msg] &= present`",
            "drops `self.ahead[msg].clear()`",
        ),
    },
    "Arrivals.arrive": {"drops the filter `Msg.owner(m) != Msg.owner(msg)`": SENT_IN_ORDER},
    "Announcements.arrive": {"drops the filter `Msg.owner(m) != Msg.owner(msg)`": SENT_IN_ORDER},
    "Announcements.first": {"has `self.ahead[m]` for `self.ahead[m] & among`": ALL_COMING},
    "Announcements.stand": {"drops `self.ahead[msg] = set(behind)`": UNUSED},
    "Announcements.surplus": all_of(
        UNUSED,
        f"drops the filter `{_LATER} > most`",
        f"has `{_LATER} >= most` for `{_LATER} > most`",
        "drops the filter `not self.before(k, m)`",
        "has `self.before(k, m)` for `not self.before(k, m)`",
        "swaps arguments: `self.before(m, k)`",
    ),
    "Announcements.leave": {
        **all_of(
            NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "takes `msg in msgs` for false",
            "drops `self.ahead[msg].clear()`",
            "drops `self.ahead[msg] -= msgs`",
            "has `self.ahead[msg] |= msgs` for `self.ahead[msg] -= msgs`",
        ),
    },
    "Announcements.keep": {
        **all_of(
            NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "takes `msg in present` for true",
            "drops `self.ahead[msg] &= present`",
            "drops `self.ahead[msg].clear()`",
        ),
    },
    "QueueProcess.join": {
        "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and "
        "self.born == Born.LATER and (not self.joined)`": (
            "Who joins after its end does nothing, and does not start again (C5.1, D7.2)."
        ),
    },
    "QueueProcess.drain": {
        "has `Seen.DISCARDED` for `Seen.CONFIRMED`": (
            "Of either the channel is told at once (D4.3), and in the same words."
        ),
    },
    "QueueProcess.remembers": {
        "has `all` for `any` in `any((self.seen[m] != Seen.CALLED for m in self.seen if "
        "Msg.owner(m) == channel))`": "What is CALLED is drained first, and the rest goes then.",
        "drops the filter `Msg.owner(m) == channel`": NOTHING,
    },
    "QueueProcess.forget_sender": {
        "takes `self.seen[msg] != Seen.CALLED` for true": (
            "The channel is gone, or has given the process up: it waits for no answer."
        ),
    },
    "QueueProcess.promote": {
        "drops `require(self.mirrors())`": SYSTEM,
        **all_of(
            DRAINED,
            "drops `for msg in set(self.seen):`",
            "takes `self.seen[msg] == Seen.CALLED` for false",
            "drops `self.seen[msg] = Seen.ABSENT`",
        ),
        "takes `self.marking` for true": UNMARKED,
    },
    "QueueProcess.accept_again": {
        **all_of(
            NOT_AWAITED,
            "drops `persistent` from `persistent and self.durable and (self.seen[msg] != "
            "Seen.PUBLISHED)`",
            "drops `self.durable` from `persistent and self.durable and (self.seen[msg] != "
            "Seen.PUBLISHED)`",
        ),
    },
}
