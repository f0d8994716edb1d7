"""Mirrors, the network between them and the cluster: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    ALONE,
    EITHER,
    NO_PLACE,
    NOBODY,
    NOTHING,
    STRICTER,
    all_of,
)

__all__ = ["EQUIVALENT"]

_EXISTS = (
    "all((self.replicas[r].status != Status.DELETED and self.replicas[r].begun() for r in Replica "
    "if self.replicas[r].of == queue))"
)

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
    "Parts.strangers": {
        **all_of(
            EITHER,
            "swaps arguments: `self.linked(master, r)`",
        ),
    },
    "Mirroring.join": {
        "swaps arguments: `self.linked(mirror, master)`": (
            "Two processes are on the same side, or on two, whichever is named first."
        ),
    },
    "Multicast.learnt": {"drops `self.order[replica].leave({msg})`": NO_PLACE},
    "Multicast.join": {
        "drops `self.missed[replica].clear()`": "A process joins once, and has missed nothing yet.",
    },
    "Cluster.majority": {
        **all_of(
            STRICTER,
            (
                "drops `2 * len(self.lost) < self.size()` from `not self.lost or 2 * "
                "len(self.lost) "
                "< self.size()`"
            ),
            "has `2 * len(self.lost) <= self.size()` for `2 * len(self.lost) < self.size()`",
            "has 3 for 2",
        ),
    },
    "Cluster.outvoted": {
        **all_of(
            STRICTER,
            "has `2 * len(self.away) < self.size()` for `2 * len(self.away) <= self.size()`",
            "has 3 for 2",
            "has 1 for 2",
        ),
    },
    "Cluster.part": {
        **all_of(
            NOBODY,
            "drops `require(not self.away and bool(nodes))`",
            "drops `not self.away` from `not self.away and bool(nodes)`",
            "drops `bool(nodes)` from `not self.away and bool(nodes)`",
        ),
    },
    "Cluster.notice": {
        "drops `node not in self.lost` from `node in self.away and node not in self.lost`": (
            NOTHING
        ),
    },
    "Cluster.heal": {
        **all_of(
            NOTHING,
            "drops `require(bool(self.away))`",
        ),
    },
}
