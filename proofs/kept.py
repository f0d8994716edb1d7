"""What was proved before, and need not be proved again.

An obligation depends on its action, or on what is true at first; on its goal and on what is assumed
of the state before; for a property of runs, on its ranking; on the variables and sorts that there
are; and on what makes formulas of them and decides these.  All of
that is in the digest under which it is kept, so a design proves again only what it touches.

Kept is that an obligation is proved.  One that is refuted or was not decided is asked again, for
another limit or a second solver may find more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache as once
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ackproof.model.cache import Cache, digest, sources
from ackproof.model.programs import LANGUAGE
from ackproof.proofs.content import content
from ackproof.proofs.discharge import PROVED, Outcome
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations

__all__ = ["KINDS", "Kept", "solvers"]

#: What entries are called in the cache.
_KIND, _CONSISTENT = KINDS = "obligations", "consistent"


class Kept:
    """What is kept of the obligations of a model.

    Args:
        obligations: translates them.
        cache: where it is kept.
    """

    def __init__(self, obligations: Obligations, cache: Cache) -> None:
        self._cache = cache
        program = obligations.program
        self._common = digest(solvers(), content((program.sorts, program.variables)))
        self._beginning = digest(content(program.initially))
        self._actions = {a.name: digest(content(a)) for a in program.actions}
        self._claims = {n: digest(content(p)) for n, p in obligations.properties.items()}
        rule, rankings = obligations.rule, obligations.library.rankings
        self._rankings = {name: digest(content(rule.made_of(name))) for name in rankings}

    def known(self, todo: Iterable[Obligation]) -> Mapping[Obligation, Outcome]:
        """Return those obligations that were proved before."""
        found = {}
        for obligation in todo:
            data = self._cache.get(_KIND, self._key(obligation))
            if data is not None:
                said = json.loads(data)
                found[obligation] = Outcome(
                    obligation, PROVED, said["seconds"], solver=said["solver"], kept=True
                )
        return found

    def keep(self, outcome: Outcome) -> None:
        """Keep that an obligation is proved, if it is."""
        if outcome.status == PROVED:
            said = {"seconds": outcome.seconds, "solver": outcome.solver}
            self._cache.put(_KIND, self._key(outcome.obligation), json.dumps(said).encode())

    def consistent(self, attempt: str) -> bool:
        """Tell whether it is known of an attempt, by its digest, that no hypotheses exclude it."""
        return self._cache.get(_CONSISTENT, digest(self._common, attempt)) is not None

    def keep_consistent(self, attempt: str) -> None:
        """Keep that nothing was found that excludes the hypotheses of an attempt."""
        self._cache.put(_CONSISTENT, digest(self._common, attempt), b"")

    def _key(self, obligation: Obligation) -> str:
        action = self._actions.get(obligation.action, "")
        if obligation.kind == "initiation":
            action = self._beginning
        claims = [self._claims[n] for n in (obligation.goal, *obligation.hypotheses)]
        ranking = self._rankings.get(obligation.goal, "")
        return digest(self._common, repr(obligation), action, ranking, *claims)


@once
def solvers() -> str:
    """Return a digest of what makes formulas and decides them."""
    versions = [f"{name} {_version(name)}" for name in ("z3-solver", "cvc5")]
    return digest(sources(LANGUAGE, Path(__file__).parent), *versions)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not there"
