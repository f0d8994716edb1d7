"""Mirrors, the network between them and the cluster: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    ALONE,
    EITHER,
    HEARS,
    LEADS_FIRST,
    NO_PLACE,
    NOTHING,
    TOLD,
    UNMARKED,
    all_of,
)

__all__ = ["EQUIVALENT"]

_EXISTS = (
    "all((self.replicas[r].status != Status.DELETED and self.replicas[r].begun() for r in Replica "
    "if self.replicas[r].of == queue))"
)

_MIRRORS = "self.replicas[replica].mirrors()"
_HEARS = f"{_MIRRORS} and self.hears_master(replica)"
_LACKS = "mirror in self.unsynced and self.follows(mirror, master)"

_NO_MIRROR = "It is asked of a mirror, and a process that leads is none."

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Parts.exists": {
        f"has `any` for `all` in `{_EXISTS}`": (
            "All processes of a queue are deleted at once, and all begin at once."
        ),
    },
    "Parts.alone": {
        **all_of(
            ALONE,
            "has `self.siblings(replica)` for `self.siblings(replica) - {replica}`",
        ),
    },
    "Parts.was_last_master": {
        "drops `self.replicas[master].status == Status.DOWN` from `self.replicas[master].led() and "
        "self.replicas[master].status == Status.DOWN`": LEADS_FIRST,
    },
    "Parts.strangers": {
        **all_of(
            EITHER,
            "swaps arguments: `self.linked(master, r)`",
        ),
    },
    "Mirroring.master_tells": {f"drops `{_MIRRORS}` from `{_HEARS}`": TOLD},
    "Mirroring.learn": {"takes `fate == Seen.PUBLISHED` for true (1 of 2)": NO_PLACE},
    "Mirroring.master_removes": {
        f"drops `{_MIRRORS}` from `{_HEARS}`": TOLD,
        "drops `self.replicas[replica].displace({msg})`": NO_PLACE,
    },
    "Mirroring.dies_unseen": {"swaps arguments: `self.linked(mirror, master)`": EITHER},
    "Mirroring.hears_master": {"swaps arguments: `self.linked(replica, r)`": EITHER},
    "Mirroring.forget_sender": {
        f"drops `{_MIRRORS}` from `not self.channels[channel].open and {_MIRRORS}`": (
            "What a promoted process remembers it needs if the channel's copy comes; none does."
        ),
        "drops `require(self.replicas[replica].remembers(channel))`": NOTHING,
        "drops `self.multicast.silent(replica)` from `not self.casts[channel].publishes[replica] "
        "and self.multicast.silent(replica)`": (
            "What it is told afterwards it forgets in its turn; nobody waits for an answer."
        ),
    },
    "Mirroring.synchronise": {
        f"drops `mirror in self.unsynced` from `{_LACKS}`": (
            "A mirror that has all its master has, and has heard all, is given nothing."
        ),
        "drops `self.synchronised(mirror)`": "It has all then, and counts by the next step (D7.2).",
    },
    "Mirroring.take_order": {"drops `self.replicas[mirror].order.keep(held)`": NO_PLACE},
    "Mirroring.catch_up": {
        f"drops `mirror in self.unsynced` from `{_LACKS}`": "It counts as a copy already.",
    },
    "Mirroring.follows": {
        "swaps arguments: `self.linked(mirror, master)`": EITHER,
        "has `master <= mirror` for `master < mirror`": _NO_MIRROR,
    },
    "Mirroring.enlist": {
        "drops `self.replicas[r].joined` from `self.replicas[r].joined and self.runs(r) and "
        "(not self.listed(r))`": "Who was there from the start is in the record while it runs.",
    },
    "Mirroring.promote": {
        f"drops `{_MIRRORS}` from `{_MIRRORS} and self.leaderless(replica)`": (
            "Who is chosen is a mirror; said first, it spares a broker without mirrors the rest."
        ),
        "takes `self.replicas[replica].marking` for true": UNMARKED,
    },
    "Mirroring.passed_over": {"has `replica <= r` for `replica < r`": _NO_MIRROR},
    "Mirroring.stop_unsynchronised": {
        "drops `self.replicas[replica].store.wipe()`": (
            "It does not start again, and who joins in its place starts with nothing (C5.4, D7.2)."
        ),
        "drops `self.replicas[replica].order.keep(set())`": NO_PLACE,
    },
    "Mirroring.trim": {
        "drops `self.listed(replica)` from `self.replicas[replica].status == Status.DOWN and "
        "self.listed(replica)`": "Who is not in the record is not in it afterwards either.",
        "swaps arguments: `self.linked(replica, r)`": EITHER,
    },
    "Mirroring.join": {
        "swaps arguments: `self.linked(mirror, master)`": EITHER,
    },
    "Multicast.learnt": {"drops `self.order[replica].leave({msg})`": NO_PLACE},
    "Multicast.end": {"drops `self.order[replica].keep(set())`": NO_PLACE},
    "Multicast.vanish": all_of(
        NO_PLACE,
        "drops `for replica in Replica:`",
        "drops `self.order[replica].keep(set())`",
    ),
    "Multicast.equalise": {
        "drops `self.order[r].keep(set(self.coming(r)))`": (
            "What is lost stands before nothing that is kept, and has its place anew if it comes."
        ),
    },
    "Multicast.join": {
        "drops `self.missed[replica].clear()`": "A process joins once, and has missed nothing yet.",
    },
    "Cluster.part": {
        "drops `bool(nodes)` from `not self.away and bool(nodes)`": (
            "A partition that cuts off nobody changes nothing."
        ),
    },
    "Cluster.lose": {
        "drops `side != Side.NEITHER` from `self.losing == Side.NEITHER and side != "
        "Side.NEITHER`": NOTHING,
    },
    "Cluster.notice": {
        "drops `node not in self.lost` from `node in self.away and node not in self.lost`": HEARS,
    },
    "Cluster.heal": {
        **all_of(
            NOTHING,
            "drops `require(bool(self.away))`",
        ),
    },
}
