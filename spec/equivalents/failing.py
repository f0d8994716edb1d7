"""Failures, and what is mended after them: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    ANYTIME,
    HEARS,
    MACHINE,
    NAMELESS,
    SEPARATE,
    STILLBORN,
)

__all__ = ["EQUIVALENT"]

_PRESENT = "self.replicas[replica].status == Status.RUNNING and self.present(replica)"

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Failing.delete_queue": {
        "drops the filter `self.replicas[r].leads()`": (
            "Only a ghost hangs on it: without it less is excused, and nothing is nacked for that."
        ),
        "takes `self.replicas[replica].status == Status.RUNNING` for true": HEARS,
    },
    "Failing.crash_queue": {f"drops `self.present(replica)` from `{_PRESENT}`": STILLBORN},
    "Failing.lose_node": {
        f"drops `self.present(replica)` from `{_PRESENT}`": STILLBORN,
        "drops `require(not self.replicas[replica].store.apart)`": SEPARATE,
    },
    "Failing.stop_node": {
        f"drops `self.present(replica)` from `{_PRESENT}`": STILLBORN,
        "drops `require(not self.replicas[replica].store.apart)`": SEPARATE,
    },
    "Failing.stop_broker": {
        "drops `require(any((self.replicas[r].status == Status.RUNNING for r in Replica)))`": (
            ANYTIME
        ),
    },
    "Failing.restart": {
        "drops `self.replicas[replica].status == Status.DOWN` from "
        "`self.replicas[replica].status == Status.DOWN and self.replicas[replica].led()`": MACHINE,
    },
    "Failing.begin_anew": {
        "drops `self.replicas[replica].silence()`": (
            "A channel that has heard of the end of a process waits for nothing of it."
        ),
    },
    "Failing.crash_node": {
        "drops `require(any((self.replicas[r].status == Status.RUNNING for r in Replica)))`": (
            ANYTIME
        ),
    },
    "Failing.crash_machine": {
        "drops `require(any((self.replicas[r].status != Status.DELETED for r in Replica)))`": (
            ANYTIME
        ),
    },
    "Failing.vanish": {
        "takes `self.tagged` for true": NAMELESS,
    },
    "Partitioning.give_up": {
        "takes `self.replicas[replica].mirrors()` for true": (
            "Nobody asks what a master remembers of messages that will not come to it any more."
        ),
    },
    "Partitioning.halt": {
        "drops `require(not self.replicas[replica].store.apart)`": SEPARATE,
    },
    "Partitioning.pause": {
        "drops `require(self.connected(channel))`": (
            "A connection may break at any time, and whoever consumes may lose his, too (A14)."
        ),
        "takes `self.channels[channel].open` for true": (
            "What a closed channel forgets it has forgotten already."
        ),
        "takes `self.tagged` for true": NAMELESS,
    },
    "Partitioning.one_side_left": {
        "has `all` for `any` in `any((self.connected(c) for c in ChannelId))`": (
            "It takes two channels: `channels_parted` notices it, and has more states than are "
            "looked at here."
        ),
    },
    "Partitioning.fallen_out": {
        "drops `self.runs(r)` from `self.runs(r) and self.given_up(r) and self.keeps_some(r)`": (
            "A partition may last longer than it has to."
        ),
    },
}
