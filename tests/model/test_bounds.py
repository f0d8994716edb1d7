"""A bound program from the cache is the one that would have been bound, and is read when asked."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.lang.model import Design, Instance
from ackproof.model import bounds
from ackproof.model.bounds import bound_of
from ackproof.model.cache import Cache
from ackproof.model.check import check
from ackproof.model.museum import museum
from ackproof.model.plain_search import explore
from ackproof.spec.model import MODEL

from tests.model import mailroom

TINY = MODEL.instances[[i.name for i in MODEL.instances].index("tiny")]
ROOM = mailroom.MODEL.instances[0]


def kept(tmp_path: Path, instance: Instance = TINY, design: Design | None = None) -> Bound:
    """Bind, keep, and return what is read."""

    def again() -> Bound:
        return bind(MODEL, instance, design)

    cache = Cache(tmp_path)
    bound_of(again, MODEL, instance, design, None, cache)
    return bound_of(again, MODEL, instance, design, None, cache)


@pytest.mark.parametrize("name", [None, "ack_after_write"])
def test_a_bound_program_from_the_cache_is_the_one_that_is_bound(
    tmp_path: Path, name: str | None
) -> None:
    design = museum(MODEL)[name] if name else None
    found, wanted = kept(tmp_path, design=design), bind(MODEL, TINY, design)
    assert found is not wanted
    for field in fields(Bound):
        assert getattr(found, field.name) == getattr(wanted, field.name), field.name
    spans = [a.span for a in found.actions]
    assert spans == [a.span for a in wanted.actions]
    assert [p.body for p in found.properties] == [p.body for p in wanted.properties]
    assert found.program.players == wanted.program.players


def test_names_are_known_before_anything_is_bound(tmp_path: Path) -> None:
    wanted, cache = bind(MODEL, TINY), Cache(tmp_path)
    bound_of(lambda: wanted, MODEL, TINY, None, None, cache)
    found = bound_of(lambda: pytest.fail("bound"), MODEL, TINY, None, None, cache)
    assert [str(i) for i in found.instances()] == [str(i) for i in wanted.instances()]
    assert [p.name for p in found.properties] == [p.name for p in wanted.properties]
    assert [a.name for a in found.program.actions] == [a.name for a in wanted.program.actions]
    assert (found.budgets, found.constants) == (wanted.budgets, wanted.constants)


def test_what_is_written_from_the_cache_is_written_whole(tmp_path: Path) -> None:
    found = kept(tmp_path)
    action = pickle.loads(pickle.dumps(found.actions[0]))
    assert action == bind(MODEL, TINY).actions[0]
    assert replace(found.actions[0], doc="") == replace(action, doc="")


def others() -> Iterator[Instance]:
    """Yield instances that differ from `tiny` in one thing that they say to the program."""
    sort, size = next(iter(TINY.sizes.items()))
    yield replace(TINY, sizes={**TINY.sizes, sort: size + 1})
    yield replace(TINY, faults={**TINY.faults, "close": TINY.faults.get("close", 0) + 1})
    yield replace(TINY, constants={**TINY.constants, "QueueMaster.durable": False})


def test_what_an_instance_says_is_part_of_the_key(tmp_path: Path) -> None:
    made: list[Instance] = []

    def count(instance: Instance) -> Bound:
        made.append(instance)
        return bind(mailroom.MODEL, ROOM)

    said = [TINY, *others()]
    for instance in said * 2:
        bound_of(lambda: count(instance), MODEL, instance, None, None, Cache(tmp_path))  # noqa: B023
    assert made == said


def test_what_cannot_be_told_by_its_text_is_not_kept(tmp_path: Path) -> None:
    odd = replace(TINY, constants={"QueueMaster.durable": object()})
    wanted = bind(MODEL, TINY)
    found = bound_of(lambda: wanted, MODEL, odd, None, None, Cache(tmp_path))
    assert found is wanted
    assert not (tmp_path / "bounds").exists()


def test_an_entry_that_cannot_be_read_is_made_again(tmp_path: Path) -> None:
    cache, wanted = Cache(tmp_path), bind(MODEL, TINY)
    bound_of(lambda: wanted, MODEL, TINY, None, None, cache)
    (entry,) = (tmp_path / "bounds").iterdir()
    for data in (b"", b"no pickle", pickle.dumps("no bound program")):
        cache.put("bounds", entry.name.removesuffix(".entry"), data)
        assert bound_of(lambda: wanted, MODEL, TINY, None, None, cache) is wanted
    assert bound_of(lambda: wanted, MODEL, TINY, None, None, cache) is not wanted


def test_a_counterexample_is_replayed_on_what_is_read(tmp_path: Path) -> None:
    design = museum(MODEL)["ack_after_write"]
    cache = Cache(tmp_path)
    first, second = (
        check(MODEL, TINY, design, engine="plain", cache=cache.without("outcomes"))
        for _ in range(2)
    )
    assert [t.path for t in first.traces] == [t.path for t in second.traces]
    assert first.traces
    assert explore(second.bound).states == second.outcome.states


def test_every_field_that_is_left_out_is_one() -> None:
    for kind, names in bounds._LEFT_OUT.items():
        assert set(names) < {f.name for f in fields(kind)}
