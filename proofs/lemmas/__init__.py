"""The lemmas of the specification of publisher confirms, by what they are about."""

from __future__ import annotations

from ackproof.proofs.lemma import Library
from ackproof.proofs.lemmas import (
    accepting,
    asking,
    awaiting,
    causes,
    channel,
    durability,
    hearing,
    keeping,
    mirrors,
    newness,
    routing,
)

__all__ = ["LIBRARY"]

LIBRARY = Library.of(
    channel,
    routing,
    causes,
    asking,
    newness,
    accepting,
    awaiting,
    mirrors,
    hearing,
    keeping,
    durability,
)
