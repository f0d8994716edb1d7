"""A property more: at most one message is settled, and not told."""

from dataclasses import replace

from ackproof.lang import invariant, properties_in
from ackproof.spec.model import MODEL as BASE
from ackproof.spec.sorts import ChannelId
from ackproof.spec.system import Confirms


@invariant
def FewUntold(s: Confirms) -> bool:
    """A channel tells of each message before it has two to tell of."""
    return all(len(s.channels[c].confirmed) <= 1 for c in ChannelId)


MODEL = replace(BASE, properties=(*BASE.properties, *properties_in(FewUntold)))
