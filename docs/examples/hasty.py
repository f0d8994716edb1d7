"""Waiting for the disk is slow; let a queue confirm what it has written."""

from ackproof.lang import Design, handler
from ackproof.spec.sorts import Msg
from ackproof.spec.store import Store


class HastyStore(Store):
    @handler
    def write(self, msg: Msg) -> None:
        super().write(msg)
        self.confirm(msg)


design = Design(claim="A message that was written is safe.", replace=(HastyStore,))
