"""Publishers, and programs that publish again: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import COUNTED, NOT_RETRYING

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Confirming.named_by": {"has `m <= tag` for `m < tag`": COUNTED},
    "Retrying.publish_again": {
        "drops `self.retrying` from `self.retrying and copied in self.retrier.due`": NOT_RETRYING,
    },
}
