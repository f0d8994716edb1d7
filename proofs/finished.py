"""A whole proof that was made before, and is shown again without translating anything.

To know which obligations there are, every step has to be made into formulas, which takes longer
than to look up that all of them are proved.  So a proof that was complete is kept as a whole, under
a digest of all that it came from: the sources of the specification and of its lemmas, what is
proved with what, the instances, the design, the front end, the prover, the solvers, and the engines
whose searches it was held against.  Where one of these has changed, obligations are made, and
looked up one by one (`ackproof.proofs.kept`).

Only a proof in which every obligation is proved, no hypothesis is inconsistent, and nothing is
contradicted is kept, once it was held against all that it is to be held against.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Model
from ackproof.model.cache import Cache, digest, sources
from ackproof.model.programs import origin
from ackproof.model.results import ENGINES
from ackproof.proofs.kept import solvers
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.report import Proof

__all__ = ["FINISHED", "Finished"]

#: What entries are called in the cache.
FINISHED = "proofs"


class Finished:
    """The proof of some properties, if it was complete before.

    Args:
        cache: where it is kept; None if nothing is.
        model: the model, without its lemmas.
        library: the lemmas, and what is proved with which.
        requested: the names of properties as they were asked for.
        design: a change to the model.
        name: what the design is called.
    """

    def __init__(
        self,
        cache: Cache | None,
        model: Model,
        library: Library,
        requested: Sequence[str] = (),
        design: Design | None = None,
        name: str | None = None,
    ) -> None:
        self._cache = cache
        source = None if cache is None else origin(with_lemmas(model, library), design)
        self._key = source and digest(
            source,
            solvers(),
            sources(*ENGINES),
            repr((tuple(requested), name, model.lemmas)),
            repr(model.instances),
            repr((design.claim, sorted(design.constants.items())) if design else None),
            _said(library),
        )

    def proof(self, limit: float, workers: int) -> Proof | None:
        """Return the proof, as one that took no time; None if it is not known."""
        data = self._cache.get(FINISHED, self._key) if self._cache and self._key else None
        if data is None:
            return None
        found: Proof = pickle.loads(data)  # it is the user's own, and whole
        outcomes = tuple(replace(o, kept=True) for o in found.outcomes)
        return replace(found, outcomes=outcomes, limit=limit, workers=workers, seconds=0.0)

    def keep(self, proof: Proof) -> None:
        """Keep a proof, if it is complete."""
        wrong = proof.unproved or proof.vacuities or proof.contradictions
        complete = proof.held and not (wrong or proof.failing or proof.interrupted)
        if self._cache is not None and self._key and complete:
            self._cache.put(FINISHED, self._key, pickle.dumps(proof, pickle.HIGHEST_PROTOCOL))


def _said(library: Library) -> str:
    """Return what a library says is proved with what, as a text."""
    lemmas = [
        (name, one.by, sorted(one.steps.items()), one.everywhere)
        for name, one in library.lemmas.items()
    ]
    ranked = [
        (name, one.by, sorted(one.steps.items()), one.everywhere, getattr(one, "action", ""))
        for name, one in library.ranked.items()
    ]
    others = (library.proofs, library.follows, library.rankings, sorted(library.restrictions))
    return repr((lemmas, ranked, list(library.assumptions), others))
