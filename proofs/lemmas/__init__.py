"""The lemmas of the specification of publisher confirms, by what they are about."""

from __future__ import annotations

from ackproof.proofs.lemma import Library
from ackproof.proofs.lemmas import (
    asking,
    causes,
    channel,
    durability,
    keeping,
    mirrors,
    newness,
    routing,
)

__all__ = ["LIBRARY"]

LIBRARY = Library.of(channel, routing, causes, asking, newness, mirrors, keeping, durability)
