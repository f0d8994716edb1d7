"""Code from a record is the code that would be written, and little is written anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from ackproof.lang import Design, Instance
from ackproof.lang.binding import Bound, bind
from ackproof.lang.kept import anew
from ackproof.model import written
from ackproof.model.cache import Cache
from ackproof.model.eras import eras_of
from ackproof.model.lower.generate import generate
from ackproof.model.lower.tree import Tree
from ackproof.model.museum import museum
from ackproof.model.symmetry import folded
from ackproof.model.written import generated
from ackproof.spec.model import MODEL

from tests.exploring import seeds
from tests.models import simple_allocator

ERAS = [era.design for era in eras_of(MODEL) if era.design is not None]


def instance(name: str) -> Instance:
    """Return the instance of that name."""
    found = MODEL.instance(name)
    assert found is not None
    return found


def code(bound: Bound) -> tuple[object, ...]:
    """Return the code of a program, written anew."""
    with anew():
        return plain(generate(bound))


def plain(made: tuple[object, ...]) -> tuple[object, ...]:
    """Return what was generated as what can be compared."""
    text, layout, tables, fanout = made
    return text, layout.slots, layout.fixed, tables, fanout  # type: ignore[attr-defined]


class Process:
    """As many processes as are asked for, one after the other, with one cache."""

    def __init__(self, folder: Path) -> None:
        self.cache = Cache(folder)

    def code(self, bound: Bound) -> tuple[object, ...]:
        """Return the code of a program as a new process comes by it."""
        with pytest.MonkeyPatch.context() as patch, anew():
            patch.setattr(written, "_KNOWN", {})
            return plain(generated(bound, self.cache, "1"))


@pytest.fixture
def process(tmp_path: Path) -> Process:
    """Processes with an empty cache."""
    return Process(tmp_path)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the actions whose code is written."""
    names: list[str] = []
    write = Tree.generate

    def noted(tree: Tree) -> None:
        names.append(tree.action.name)
        write(tree)

    monkeypatch.setattr(Tree, "generate", noted)
    return names


def designs() -> list[Design]:
    """Return designs and eras."""
    return [*ERAS, *museum(MODEL).values()]


def test_code_from_a_record_is_what_is_written_anew(tmp_path: Path) -> None:
    for number, seed in enumerate(seeds(1)):
        draw, process = random.Random(seed), Process(tmp_path / str(number))
        where = instance(
            draw.choice(["tiny", "small", "mirrors", "drops", "redeclared", "channels"])
        )
        drawn = [draw.choice([None, *ERAS]), *draw.sample(designs(), 3)]
        for design in drawn:
            bound = bind(MODEL, where, design)
            assert process.code(bound) == code(bound), (where.name, design)


def test_a_process_writes_only_what_the_record_lacks(process: Process, steps: list[str]) -> None:
    base, era = bind(MODEL, instance("mirrors")), bind(MODEL, instance("mirrors"), ERAS[-1])
    process.code(base)
    assert {"publish", "write", "flush"} <= set(steps)
    steps.clear()
    process.code(era)
    bodies = {a.name: a.body for a in base.actions}
    changed = {a.name for a in era.actions if a.body is not bodies.get(a.name)}
    assert steps
    assert set(steps) <= changed
    steps.clear()
    process.code(base)
    assert steps == []


def test_the_record_of_a_design_serves_the_next_one(process: Process, steps: list[str]) -> None:
    one, other = (bind(MODEL, instance("small"), design) for design in ERAS[-2:])
    process.code(one)
    every = len(steps)
    steps.clear()
    process.code(other)
    assert 0 < len(steps) < every / 2


def test_other_sizes_and_another_writer_have_records_of_their_own(
    process: Process, steps: list[str]
) -> None:
    small = bind(MODEL, instance("small"))
    process.code(small)
    steps.clear()
    process.code(bind(MODEL, instance("tiny")))
    assert "publish" in steps
    steps.clear()
    with anew():
        generated(small, process.cache, "2")
    assert "publish" in steps


def test_a_record_that_is_damaged_is_written_again(process: Process, steps: list[str]) -> None:
    bound = bind(MODEL, instance("tiny"))
    fresh = process.code(bound)
    [file] = (process.cache.folder / "written").iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    steps.clear()
    assert process.code(bound) == fresh
    assert "publish" in steps
    steps.clear()
    process.code(bound)
    assert steps == []


def test_what_is_folded_is_not_kept(process: Process) -> None:
    bound = folded(bind(simple_allocator.MODEL, simple_allocator.MODEL.instances[0]))
    assert process.code(bound) == code(bound)
    assert not (process.cache.folder / "written").exists()
