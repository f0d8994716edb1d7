"""What is proved of a model, as the pages show it; through the cache.

It is a document as `ackproof prove --json` prints it.  What the command has proved is not proved
again for the pages, and the other way round.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang.model import Model
from ackproof.model.cache import Cache
from ackproof.model.resources import default_workers
from ackproof.proofs.attempt import prepare
from ackproof.proofs.contradiction import held_against
from ackproof.proofs.document import document
from ackproof.proofs.library import lemma_library

__all__ = ["proof_document"]

#: Seconds for each obligation, as for the command.
_EACH = 20.0


def proof_document(model: Model, cache: Cache) -> dict[str, Any]:
    """Return what is proved of a model, proving what was not proved before.

    Raises:
        LibraryError, SpecError: the lemmas or the model cannot be used.
    """
    attempt = prepare(model, lemma_library(model))
    workers = default_workers()
    proof = attempt.run(workers=workers, limit=_EACH, cache=cache)
    proof = held_against(attempt, proof, workers=workers, cache=cache)
    if proof.interrupted:
        raise KeyboardInterrupt
    return document([proof])
