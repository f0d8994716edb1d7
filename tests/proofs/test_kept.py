"""What was proved is not proved again, until something that it depends on changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.lang import Design, action
from ackproof.lang.types import BOOL, EnumT, RecordT, SortT
from ackproof.model.cache import Cache
from ackproof.proofs import attempt as attempts
from ackproof.proofs.attempt import digest, prepare
from ackproof.proofs.discharge import PROVED, Outcome
from ackproof.proofs.kept import Kept
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.report import Proof
from ackproof.proofs.vacuity import Vacuity

from tests.proofs import closet


class Hasty(closet.Closet):
    """Somebody who enters in another way."""

    @action
    def enter(self, guest: closet.Guest) -> None:
        """They look twice."""
        if guest not in self.inside:
            super().enter(guest)


DESIGN = Design(claim="It is the same.", replace=(Hasty,))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "kept")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Obligation]:
    """Note which obligations a solver is asked about."""
    found: list[Obligation] = []
    discharge = attempts.discharge

    def noted(obligations, chosen, workers, limit) -> Iterator[Outcome]:  # type: ignore[no-untyped-def]
        found.extend(chosen)
        yield from discharge(obligations, chosen, workers, limit)

    monkeypatch.setattr(attempts, "discharge", noted)
    return found


def proved(cache: Cache, design: Design | None = None) -> Proof:
    return prepare(closet.MODEL, closet.LIBRARY, (), design).run(limit=5.0, cache=cache)


def test_what_was_proved_is_not_asked_again(cache: Cache, asked: list[Obligation]) -> None:
    first = proved(cache)
    done = {o.obligation for o in first.outcomes if o.status == PROVED}
    assert done <= set(asked)
    asked.clear()
    second = proved(cache)
    assert not done & set(asked)
    assert [o.status for o in second.outcomes] == [o.status for o in first.outcomes]
    assert {o.obligation for o in second.outcomes if o.kept} == done


def test_a_design_proves_what_it_touches(cache: Cache, asked: list[Obligation]) -> None:
    done = {o.obligation for o in proved(cache).outcomes if o.status == PROVED}
    asked.clear()
    proved(cache, DESIGN)
    assert {o.action for o in done & set(asked)} == {"enter"}


def test_what_is_not_proved_is_not_kept(cache: Cache) -> None:
    obligations = prepare(closet.MODEL, closet.LIBRARY).obligations
    (one, *_) = obligations.of_one("AloneInside")
    kept = Kept(obligations, cache)
    for status in ("unknown", "refuted"):
        kept.keep(Outcome(one, status, 1.0))
        assert not kept.known([one])
    kept.keep(Outcome(one, PROVED, 1.0))
    assert kept.known([one])[one].kept


def test_an_obligation_with_other_hypotheses_is_another_one(cache: Cache) -> None:
    obligations = prepare(closet.MODEL, closet.LIBRARY).obligations
    one = next(o for o in obligations.of_one("AloneInside") if len(o.hypotheses) > 1)
    Kept(obligations, cache).keep(Outcome(one, PROVED, 1.0))
    weaker = Obligation(one.goal, one.kind, one.action, one.hypotheses[:1], one.event)
    assert not Kept(obligations, cache).known([weaker])


def test_hypotheses_that_exclude_each_other_are_told_each_time(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = [Vacuity("initial", "AloneInside", "no state is like that")]
    monkeypatch.setattr(attempts, "vacuities", lambda *_: iter(wrong))
    assert list(proved(cache).vacuities) == wrong
    assert list(proved(cache).vacuities) == wrong
    monkeypatch.setattr(attempts, "vacuities", lambda *_: iter(()))
    assert not proved(cache).vacuities
    monkeypatch.setattr(attempts, "vacuities", lambda *_: iter(wrong))
    assert not proved(cache).vacuities, "it is known that there are none"
    assert list(proved(cache, DESIGN).vacuities) == wrong


def test_what_prints_alike_is_not_kept_for_one_another(cache: Cache) -> None:
    obligations = prepare(closet.MODEL, closet.LIBRARY).obligations
    (one, *_) = obligations.of_one("AloneInside")
    first, *others = obligations.program.variables
    keys = set()
    for kind in (
        EnumT("Kind", ("A",)),
        EnumT("Kind", ("A", "B")),
        RecordT("Kind", (("a", BOOL),)),
        RecordT("Kind", (("a", EnumT("A", ("X",))),)),
        SortT("Kind", ordered=False),
        SortT("Kind", ordered=True),
        SortT("Kind", ordered=False, owner=SortT("A", ordered=False)),
    ):
        variables = (replace(first, type=kind), *others)
        obligations.program = replace(obligations.program, variables=variables)
        keys.add(Kept(obligations, cache)._key(one))
        keys.add(digest(obligations, ["AloneInside"]))
    assert len(keys) == 2 * 7
