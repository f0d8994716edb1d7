"""A second key makes waiting shorter."""

from __future__ import annotations

from ackproof.lang import Breaks, Design, action, require

from tests.models.lock_server import Client, LockServer


class TwoKeys(LockServer):
    """Grants the lock although it is not there."""

    @action
    def grant(self, c: Client) -> None:
        """Whoever asks is granted the lock."""
        require(c in self.requests)
        self.free = False
        self.requests.discard(c)
        self.grants.add(c)


design = Design(
    claim="A second key makes waiting shorter.",
    replace=(TwoKeys,),
    expect=(Breaks("MutualExclusion", "c2", 6),),
)
