"""Credit flow: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Flow.pay": {
        "takes `self.credit` for true": (
            "Where nobody keeps credit nobody asks what a channel has paid for."
        ),
    },
    "Flow.store_takes": {
        "drops `self.credit` from `self.credit and self.mailboxes[replica].next_write() == msg`": (
            "Where nobody keeps credit a store has what it is sent at once (`MailboxesAreEmpty`)."
        ),
    },
}
