"""A program from the cache is the one that would have been compiled, or there is none."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from ackproof.lang import Map, Range, System, action, frontend, require
from ackproof.lang.errors import SpecError
from ackproof.lang.frontend import compile_anew, compile_model
from ackproof.lang.kept import Answering, anew
from ackproof.lang.model import Design, Instance, Model
from ackproof.model import cache as cache_module
from ackproof.model import programs
from ackproof.model.cache import Cache
from ackproof.model.eras import eras_of
from ackproof.model.museum import museum
from ackproof.model.programs import origin, program_of
from ackproof.spec.model import MODEL

from tests.exploring import seeds
from tests.model import mailroom


def chosen() -> dict[str, Design | None]:
    """Return the base, and three designs."""
    designs = museum(MODEL)
    names = ("ack_after_write", *sorted(designs)[-2:])
    return {"base": None, **{name: designs[name] for name in names}}


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget programs at once."""
    monkeypatch.setattr(frontend, "_KEPT", 0)
    monkeypatch.setattr(frontend, "_LATEST", [])
    monkeypatch.setattr(frontend, "_BASES", [])


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("name", chosen())
def test_a_program_from_the_cache_is_the_one_that_is_compiled(tmp_path: Path, name: str) -> None:
    design = chosen()[name]
    compiled = compile_model(MODEL, design)
    program_of(MODEL, design, Cache(tmp_path))
    loaded = program_of(MODEL, design, Cache(tmp_path))
    assert loaded is not compiled
    assert repr(loaded) == repr(compiled)
    assert loaded == compiled
    assert loaded.players == compiled.players
    spans = [(a.name, a.span, a.doc) for a in loaded.actions]
    assert spans == [(a.name, a.span, a.doc) for a in compiled.actions]


@contextmanager
def elsewhere() -> Iterator[None]:
    """Know nothing that was read before, as another process does."""
    with pytest.MonkeyPatch.context() as patch, anew():
        patch.setattr(programs, "_BASES", set())
        yield


@pytest.mark.usefixtures("forgetful")
def test_a_design_is_read_after_its_base_in_another_process_as_it_is_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with elsewhere():
        program_of(MODEL, None, cache)
    known = [*chosen().values(), *(era.design for era in eras_of(MODEL))]
    for design in [d for seed in seeds(1) for d in random.Random(seed).sample(known, 3)]:
        with elsewhere():
            alone = compile_anew(MODEL, design)
        with elsewhere():
            after = program_of(MODEL, design, cache.without("programs"))
        assert repr(after) == repr(alone)
        assert after == alone
        spans = [(a.name, a.span, a.doc) for a in alone.actions]
        assert [(a.name, a.span, a.doc) for a in after.actions] == spans


@pytest.mark.usefixtures("forgetful")
def test_of_a_design_only_what_it_changes_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Answering] = []

    def listening(self: Answering, listen: Any = Answering.listening) -> Any:
        made.append(self)
        return listen(self)

    monkeypatch.setattr(Answering, "listening", listening)
    design, counts = chosen()["ack_after_write"], []
    for cache, change in ((None, design), (Cache(tmp_path), None), (Cache(tmp_path), design)):
        made.clear()
        with elsewhere():
            program_of(MODEL, change, cache)
        counts.append(len(made))
    alone, base, after = counts
    assert base > alone / 2
    assert 0 < after < alone / 5


@pytest.mark.usefixtures("forgetful")
def test_what_cannot_be_made_bytes_of_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dumps = pickle.dumps

    def dump(made: object, protocol: int) -> bytes:
        if isinstance(made, tuple):
            raise TypeError("cannot pickle this")
        return dumps(made, protocol)

    monkeypatch.setattr(pickle, "dumps", dump)
    design = chosen()["ack_after_write"]
    with elsewhere():
        program = program_of(MODEL, design, Cache(tmp_path))
    assert program == compile_anew(MODEL, design)
    assert [folder.name for folder in tmp_path.iterdir()] == ["programs"]


@pytest.mark.usefixtures("forgetful")
def test_a_program_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program_of(MODEL, None, Cache(tmp_path))
    monkeypatch.setattr(frontend, "compile_model", lambda *_: pytest.fail("compiled"))
    assert program_of(MODEL, None, Cache(tmp_path)).name == "confirms"


@pytest.mark.usefixtures("forgetful")
def test_without_a_cache_a_program_is_compiled() -> None:
    assert program_of(mailroom.MODEL).name == "mail room"


def test_what_a_model_is_made_of_is_part_of_its_origin() -> None:
    other = Design(claim="another", constants={"QueueProcess.durable": False})
    found = {
        origin(MODEL),
        origin(MODEL, other),
        origin(replace(MODEL, name="other")),
        origin(replace(MODEL, deadlock_free=True)),
        origin(replace(MODEL, properties=MODEL.properties[1:])),
        origin(mailroom.MODEL),
        *(origin(MODEL, design) for design in museum(MODEL).values()),
    }
    assert None not in found
    assert len(found) == 6 + len(museum(MODEL))


def test_instances_are_no_part_of_a_program() -> None:
    assert origin(MODEL) == origin(replace(MODEL, instances=MODEL.instances[1:]))


def test_nothing_is_known_of_a_class_that_a_function_made() -> None:
    class Room(mailroom.MODEL.system):  # type: ignore[name-defined, misc]
        """A room."""

    assert origin(Model("room", Room, (), ())) is None


def test_nothing_is_kept_of_a_file_that_is_newer_than_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cache_module, "_STARTED", 0.0)
    assert origin(replace(MODEL)) is None


_SHOP = '''"""A shop."""

from ackproof.lang import Instance, Model, Range, System, action, invariant, properties_in, require
from typing import Annotated
from prices import MOST


class Shop(System):
    """A shop that sells."""

    sold: Annotated[int, Range(0, 9)]

    @action
    def sell(self) -> None:
        """Sell one."""
        require(self.sold < MOST)
        self.sold += 1


@invariant
def Stocked(s: Shop) -> bool:
    """No more is sold than there is."""
    return s.sold <= 5


MODEL = Model("shop", Shop, properties_in(Stocked), (Instance("only", "the shop", {}),))
'''

_ASK = """
import sys, shop
from ackproof.model import cache as cache_module
from ackproof.model import programs
found = programs.origin(shop.MODEL)
print(found)
"""


def origin_in(folder: Path, **environment: str) -> str:
    """Return the origin of the shop in a process of its own, which is younger than the files."""
    for file in folder.glob("*.py"):
        os.utime(file, (1_000_000, 1_000_000))
    done = subprocess.run(
        [sys.executable, "-c", _ASK],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_change_of_one_line_of_any_source_file_changes_the_origin(tmp_path: Path) -> None:
    shop, prices = tmp_path / "shop.py", tmp_path / "prices.py"
    shop.write_text(_SHOP)
    prices.write_text("import os\n\nMOST = int(os.environ.get('MOST', '3'))\n")
    first = origin_in(tmp_path)
    assert len(first) == 64
    assert origin_in(tmp_path) == first
    shop.write_text(_SHOP.replace("<= 5", "<= 6"))
    second = origin_in(tmp_path)
    prices.write_text("import os\n\nMOST = int(os.environ.get('MOST', '4'))\n")
    third = origin_in(tmp_path)
    assert len({first, second, third}) == 3
    assert origin_in(tmp_path, MOST="4") == third
    assert origin_in(tmp_path, MOST="5") != third  # the same text, and another value


def test_what_a_module_has_computed_is_part_of_the_origin(tmp_path: Path) -> None:
    shop = _SHOP.replace("import MOST\n", "import MOST, TABLE\n")
    (tmp_path / "shop.py").write_text(shop)
    origins = []
    for said in ("3", "4"):
        (tmp_path / "said.txt").write_text(said)
        for computed in (
            "{'most': [n]}",
            "[{n, n + 1, 'a', 'b'}]",
            "enum.Enum('Kind', {'A': n}, module=__name__)",
        ):
            (tmp_path / "prices.py").write_text(
                f"import enum\nn = int(open('said.txt').read())\nTABLE = {computed}\n"
                "del n\nMOST = 5\n"
            )
            origins.append(origin_in(tmp_path))
    assert len(set(origins)) == 6
    assert origin_in(tmp_path, PYTHONHASHSEED="1") == origin_in(tmp_path, PYTHONHASHSEED="2")


class Crate(System):
    """A crate with room for three, in which a fourth thing is put."""

    held: Annotated[int, Range(0, 2)]
    full: Map[Annotated[int, Range(0, 2)], bool]

    @action
    def fill(self) -> None:
        """There is one thing more, wherever that is."""
        self.held += 1
        self.full[self.held] = True


class Barrel(Crate):
    """A crate that is put right."""

    @action
    def fill(self) -> None:
        """There is one thing more, if there is room."""
        require(self.held < 2)
        self.full[self.held] = True
        self.held += 1


@pytest.mark.usefixtures("forgetful")
def test_a_design_may_put_right_what_is_wrong_in_its_base(tmp_path: Path) -> None:
    model = Model("crate", Crate, (), (Instance("one", "a crate", {}),))
    design = Design("It is put right.", "test", replace=(Barrel,))
    with pytest.raises(SpecError):
        program_of(model, None, Cache(tmp_path))
    for _ in range(2):
        with anew():
            assert program_of(model, design, Cache(tmp_path)).actions[0].name == "fill"
