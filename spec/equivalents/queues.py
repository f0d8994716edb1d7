"""Queues and the order in them: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    DRAINED,
    KEEPS,
    MACHINE,
    NO_PLACE,
    NO_SURPLUS,
    NOT_AWAITED,
    NOTHING,
    SWITCH,
    SYSTEM,
    TWO_IN_ONE,
    UNMARKED,
    all_of,
)

__all__ = ["EQUIVALENT"]


EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "QueueMaster.is_present": {
        **all_of(
            NO_PLACE,
            "drops `msg in self.ready` from `msg in self.ready or msg in self.pending`",
            "drops `msg in self.pending` from `msg in self.ready or msg in self.pending`",
            "has `msg not in self.ready` for `msg in self.ready`",
            "has `msg not in self.pending` for `msg in self.pending`",
            "drops `held` from `held or self.store.level[msg] != Level.ABSENT`",
            "has `Level.BUFFERED` for `Level.ABSENT`",
        ),
    },
    "QueueMaster.displace": {
        **all_of(
            NO_PLACE,
            "drops `self.order.leave({m for m in msgs if not self.is_present(m)})`",
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
        **all_of(
            SWITCH,
            (
                "drops `self.consumers` from `self.consumers and "
                "self.casts[Msg.owner(msg)].next_for(replica) == msg`"
            ),
        ),
    },
    "Queueing.acknowledge": {
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
        **all_of(
            MACHINE,
            "drops `require(msg in self.replicas[replica].pending)`",
        ),
        **all_of(
            KEEPS,
            "drops `self.replicas[replica].requeue(msg)`",
        ),
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
