"""A proof that was complete is shown again as it was, until something that it came from changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.lang import Design
from ackproof.lang.lemmas import Library
from ackproof.model.cache import Cache
from ackproof.proofs.attempt import prepare
from ackproof.proofs.contradiction import held_against
from ackproof.proofs.finished import Finished
from ackproof.proofs.report import Proof
from ackproof.proofs.vacuity import Vacuity

from tests.proofs import closet
from tests.proofs.test_kept import DESIGN

PROVED = ("AloneInside",)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "kept")


@pytest.fixture(scope="module")
def proof() -> Proof:
    attempt = prepare(closet.MODEL, closet.LIBRARY, PROVED)
    return held_against(attempt, attempt.run(limit=5.0))


def finished(
    cache: Cache, library: Library = closet.LIBRARY, design: Design | None = None
) -> Finished:
    return Finished(cache, closet.MODEL, library, PROVED, design)


def test_a_complete_proof_is_known_again(cache: Cache, proof: Proof) -> None:
    assert finished(cache).proof(5.0, 2) is None
    finished(cache).keep(proof)
    known = finished(cache).proof(7.0, 2)
    assert known is not None
    assert all(o.kept for o in known.outcomes)
    assert (known.limit, known.workers, known.seconds) == (7.0, 2, 0.0)
    assert [o.obligation for o in known.outcomes] == [o.obligation for o in proof.outcomes]
    assert known.verdict("AloneInside") == proof.verdict("AloneInside")
    assert (known.goals, known.restrictions) == (proof.goals, proof.restrictions)


def test_what_is_not_complete_is_not_kept(cache: Cache, proof: Proof) -> None:
    (first, *others) = proof.outcomes
    for spoiled in (
        replace(proof, outcomes=(replace(first, status="unknown"), *others)),
        replace(proof, interrupted=True),
        replace(proof, held=False),
        replace(proof, vacuities=(Vacuity("guard", "enter", "it can never hold"),)),
    ):
        finished(cache).keep(spoiled)
        assert finished(cache).proof(5.0, 1) is None


def test_what_it_came_from_has_changed(cache: Cache, proof: Proof) -> None:
    finished(cache).keep(proof)
    library = closet.LIBRARY
    assert library.proofs, "or nothing is changed below"
    name, by = next(iter(library.proofs.items()))
    weaker = replace(library, proofs={**library.proofs, name: by[:-1]})
    assert finished(cache, weaker).proof(5.0, 1) is None
    free = replace(library, restrictions={*library.restrictions, *library.assumptions})
    assert finished(cache, free).proof(5.0, 1) is None
    assert finished(cache, design=DESIGN).proof(5.0, 1) is None
    instances = tuple(replace(i, name=f"{i.name}-more") for i in closet.MODEL.instances)
    model = replace(closet.MODEL, instances=instances)
    assert Finished(cache, model, library, PROVED).proof(5.0, 1) is None
    assert Finished(cache, closet.MODEL, library, ()).proof(5.0, 1) is None
    assert finished(cache).proof(5.0, 1) is not None


def test_without_a_cache_nothing_is_known(proof: Proof) -> None:
    none = Finished(None, closet.MODEL, closet.LIBRARY, PROVED)
    none.keep(proof)
    assert none.proof(5.0, 1) is None
