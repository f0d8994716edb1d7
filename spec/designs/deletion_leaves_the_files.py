"""A deletion that leaves the files for later.

To remove the files of a queue takes time, and whoever deletes it waits for that.  So the process
ends at once here, and its files stay until somebody tidies up.  No confirm is wrong by that: what
waits for the queue is acked (A9.3).  But a queue of the same name finds the files.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.store import Store


class UntidyStore(Store):
    """A store that forgets what it was to confirm, and keeps the messages."""

    @handler
    def wipe(self) -> None:
        """Leave the files as they are."""
        self.leaving.clear()
        self.unconfirmed.clear()
        self.confirmed.clear()


design = Design(
    claim="A deleted queue need not remove its files at once.",
    source="by mutation: `Store.wipe` without the update of `level`",
    replace=(UntidyStore,),
    expect=(Breaks("DeletedLeavesNothing", "tiny", 4),),
)
