"""What is proved of a model, as the pages show it; through the cache.

A proof of everything takes a minute or so.  It is kept under a digest of the formulas' sources, of
the specification and its lemmas, and of the provers: a document as `ackproof prove --json` prints
it.  Which obligations are decided in time depends a little on the machine, and what was decided
once stays decided.
"""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import ackproof.proofs
from ackproof.lang.model import Model
from ackproof.model.cache import Cache, digest, sources
from ackproof.model.programs import LANGUAGE
from ackproof.model.resources import default_workers
from ackproof.proofs.attempt import prepare
from ackproof.proofs.document import document
from ackproof.proofs.library import lemma_library

__all__ = ["proof_document"]

#: What entries are called in the cache.
_KIND = "proofs"

#: Seconds for each obligation, as for the command.
_EACH = 20.0


def proof_document(model: Model, cache: Cache) -> dict[str, Any]:
    """Return what is proved of a model, proving it if that was not done before.

    Raises:
        LibraryError, SpecError: the lemmas or the model cannot be used.
    """
    attempt = prepare(model, lemma_library(model))
    provers = [f"{name} {_version(name)}" for name in ("z3-solver", "cvc5")]
    made_by = sources(LANGUAGE, Path(ackproof.proofs.__path__[0]))
    key = digest(attempt.digest(), made_by, repr((_EACH, *provers)))
    data = cache.get(_KIND, key)
    if data is None:
        proof = attempt.run(workers=default_workers(), limit=_EACH)
        if proof.interrupted:
            raise KeyboardInterrupt
        data = json.dumps(document([proof])).encode()
        cache.put(_KIND, key, data)
    found: dict[str, Any] = json.loads(data)
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not there"
