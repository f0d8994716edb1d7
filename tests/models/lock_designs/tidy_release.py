"""A client that does not hold the lock any more asks for nothing."""

from __future__ import annotations

from ackproof.lang import Design, Holds, action

from tests.models.lock_server import Client, LockServer


class TidyRelease(LockServer):
    """Forgets requests of a client that sends the lock back."""

    @action
    def release(self, c: Client) -> None:
        """A client sends the lock back, and wants it no more."""
        super().release(c)
        self.requests.discard(c)


design = Design(
    claim="Who has had the lock does not need it again at once.",
    replace=(TidyRelease,),
    expect=(Holds("c2"), Holds("c3", "MutualExclusion")),
)
