"""Publishers, programs that publish again, and couriers: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import COUNTED, MACHINE, NO_PLACE, NOT_RETRYING, TOGETHER

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Courier.sees_ack": {"has `named` for `named - self.nacked`": TOGETHER},
    "Courier.sees_nack": {"has `named` for `named - self.acked`": TOGETHER},
    "DeadLettering.expire": {
        "drops `self.replicas[replica].leads()` from `self.dead_letters(replica) and "
        "self.replicas[replica].leads()`": MACHINE,
    },
    "DeadLettering.dead_letter": {
        "drops `require(self.transactions[channel].mode == TxMode.NONE)`": (
            "Nobody asks for a transaction there (`EachAnswerIsAskedFor`)."
        ),
        "has True for False": "A copy is sent to a queue at least, and nothing comes back.",
    },
    "DeadLettering.let_go": {
        "drops `require(dead in self.replicas[replica].aside)`": MACHINE,
        "drops `self.replicas[replica].displace({dead})`": NO_PLACE,
    },
    "Confirming.named_by": {"has `m <= tag` for `m < tag`": COUNTED},
    "Retrying.publish_again": {
        "drops `self.retrying` from `self.retrying and copied in self.retrier.due`": NOT_RETRYING,
    },
}
