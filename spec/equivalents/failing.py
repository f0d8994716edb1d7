"""Failures, and what is mended after them: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import ANYTIME, HEARS, MACHINE, STILLBORN

__all__ = ["EQUIVALENT"]

_PRESENT = "self.replicas[replica].status == Status.RUNNING and self.present(replica)"

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Failing.delete_queue": {
        "takes `self.replicas[replica].status == Status.RUNNING` for true": HEARS,
    },
    "Failing.news": {"has `Reason.ABNORMAL` for `Reason.BENIGN`": HEARS},
    "Failing.crash_queue": {f"drops `self.present(replica)` from `{_PRESENT}`": STILLBORN},
    "Failing.lose_node": {f"drops `self.present(replica)` from `{_PRESENT}`": STILLBORN},
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
        "takes `self.tagged` for true": (
            "Where no consumer has a name nobody asks whether their channels are open."
        ),
    },
}
