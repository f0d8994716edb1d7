"""Credit flow: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

_NOBODY_GIVES = "Where nobody keeps credit none is given, and there is none to forget."

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Flow.pay": {
        "takes `self.credit` for true": (
            "Where nobody keeps credit nobody asks what a channel has paid for."
        ),
    },
    "Flow.reader_bumped": {"drops `require(self.credit)`": _NOBODY_GIVES},
    "Flow.process_bumped": {"drops `require(self.credit)`": _NOBODY_GIVES},
    "Flow.forget_credit": {"takes `self.credit` for true": _NOBODY_GIVES},
    "Flow.store_takes": {
        "drops `self.credit` from `self.credit and self.mailboxes[replica].next_write() == msg`": (
            "Where nobody keeps credit a store has what it is sent at once (`MailboxesAreEmpty`)."
        ),
    },
}
