"""The mutants of the specification, made once for all the tests that look at them."""

from __future__ import annotations

from ackproof.model.mutation.mutants import mutants_of
from ackproof.spec.model import MODEL

__all__ = ["MUTANTS"]

MUTANTS = mutants_of(MODEL)
