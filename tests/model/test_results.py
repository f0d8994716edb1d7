"""A search is repeated where something has changed that it depends on, and only there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang import Design, fault, invariant, properties_in, require
from ackproof.lang.binding import bind
from ackproof.lang.model import Instance, Model
from ackproof.model import check as check_module
from ackproof.model import results
from ackproof.model import trace as trace_module
from ackproof.model.cache import Cache
from ackproof.model.check import Engine, check
from ackproof.model.document import document
from ackproof.model.eras import Surveyor
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.plain import PlainMachine
from ackproof.model.report import Report
from ackproof.model.results import Question
from ackproof.model.trace import Trace

from tests.model.harbour import (
    ERAS,
    MODEL,
    PAIR,
    SINGLE,
    TRIO,
    UNBUILT,
    Crate,
    Harbour,
    Shed,
    shallow,
)


def key(
    instance: Instance = PAIR, design: Design | None = None, model: Model = MODEL, **more: Any
) -> str:
    """Return the key of a search with the kernel."""
    found = Question(bind(model, instance, design), "kernel", **more).key
    assert found is not None
    return found


# -- what a key depends on ------------------------------------------------------------------------


def claiming(function: Callable[..., bool]) -> Model:
    """Return the harbour with another ToldIsInside."""
    (changed,) = properties_in(function)
    others = tuple(p for p in MODEL.properties if p.name != "ToldIsInside")
    return replace(MODEL, properties=(*others, changed))


def _same() -> Any:
    @invariant
    def ToldIsInside(s: Harbour) -> bool:
        """The same in other words, and with a comment."""
        # It does not matter how this is written.
        inside = s.quay
        return not s.told & inside

    return ToldIsInside


def _other() -> Any:
    @invariant
    def ToldIsInside(s: Harbour) -> bool:
        """What its owner was told of never lies on the quay again."""
        return not s.told & s.quay or len(s.quay) == 2

    return ToldIsInside


class Gale(Harbour):
    """A harbour with worse storms."""

    @fault
    def storm(self) -> None:
        """What is on the quay is swept away, even where nothing is."""
        self.quay.clear()
        self.told.clear()


gale = Design(claim="The wind is stronger.", replace=(Gale,))
roofless = Design(claim="Nothing was built.", constants={"Shed.built": False})
CALM = replace(PAIR, faults={})


def test_the_text_of_a_property_is_in_the_key_where_it_can_be_false() -> None:
    assert key(model=claiming(_other())) != key()
    assert key(UNBUILT, model=claiming(_other())) == key(UNBUILT)


def test_other_words_for_the_same_are_not_in_the_key() -> None:
    assert key(model=claiming(_same())) == key()


def test_the_name_of_a_property_is_in_the_key() -> None:
    def ToldIsIndoors(s: Harbour) -> bool:
        """What its owner was told of never lies on the quay again."""
        return not s.told & s.quay

    assert key(model=claiming(invariant(ToldIsIndoors))) != key()


def test_the_body_of_an_action_is_in_the_key_where_it_can_be_taken() -> None:
    assert key(design=shallow) != key()
    assert key(UNBUILT, shallow) == key(UNBUILT)


def test_a_fault_is_in_the_key_where_it_may_happen() -> None:
    assert key(design=gale) != key()
    assert key(CALM, gale) == key(CALM) != key()


def test_a_constant_is_in_the_key_where_its_value_counts() -> None:
    assert key(design=roofless) != key()
    assert key(UNBUILT, roofless) == key(UNBUILT)


def test_sizes_and_faults_are_in_the_key_and_names_are_not() -> None:
    more = replace(PAIR, faults={"storm": 2})
    assert len({key(), key(TRIO), key(SINGLE), key(more)}) == 4
    assert key(replace(PAIR, name="two", purpose="another", states=7)) == key()


def test_how_far_a_search_goes_is_in_the_key() -> None:
    idle = replace(MODEL, deadlock_free=True)
    keys = {key(), key(max_depth=3), key(max_depth=4), key(model=idle)}
    assert len(keys) == 4


@pytest.mark.parametrize("survey", [False, True])
def test_where_nothing_is_violated_a_survey_and_a_search_answer_each_other(
    tmp_path: Path, survey: bool
) -> None:
    first, second = (
        check(MODEL, PAIR, survey=way, cache=Cache(tmp_path)) for way in (survey, not survey)
    )
    assert not first.outcome.violations
    assert (first.searched, second.searched is None) == (None, False)
    assert second.outcome == first.outcome
    alone = check(MODEL, PAIR, survey=not survey).outcome
    times = {"seconds": alone.seconds, "compile_seconds": alone.compile_seconds}
    assert replace(second.outcome, **times) == alone


@pytest.mark.parametrize("survey", [False, True])
def test_where_something_is_violated_they_do_not(tmp_path: Path, survey: bool) -> None:
    for way in (survey, not survey):
        report = check(MODEL, PAIR, shallow, survey=way, cache=Cache(tmp_path))
        assert report.outcome.violations
        assert report.searched is None


def test_the_engine_is_in_the_key(tmp_path: Path) -> None:
    searches = [check(MODEL, PAIR, engine=e, cache=Cache(tmp_path)) for e in ("kernel", "plain")]
    assert [report.searched for report in searches] == [None, None]


def test_the_sources_of_the_engines_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(results, "ENGINES", (*results.ENGINES, Path(__file__)))
    assert key() != before


def test_every_module_that_a_search_runs_through_is_among_the_sources() -> None:
    code = (
        "import sys, ackproof.model.kernel.engine, ackproof.model.kernel.runs\n"
        "import ackproof.model.plain_search\n"
        "found = [m.__file__ for n, m in sys.modules.items() if n.startswith('ackproof.')]\n"
        "print(*filter(None, found))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in done.stdout.split():
        file = Path(name)
        if file.name != "__init__.py":
            assert any(file == p or p in file.parents for p in results.ENGINES), file


# -- what is kept ---------------------------------------------------------------------------------


def same(one: Report, other: Report) -> bool:
    """Tell whether two reports say the same, but for the date."""
    first, second = (
        json.dumps({**document([r])["results"][0], "cached": None}) for r in (one, other)
    )
    return first == second


@pytest.mark.parametrize("engine", ["kernel", "plain"])
@pytest.mark.parametrize("instance", [PAIR, UNBUILT], ids=lambda i: i.name)
@pytest.mark.parametrize("design", [None, shallow], ids=["base", "shallow"])
@pytest.mark.parametrize("survey", [False, True])
def test_a_report_from_the_cache_says_what_the_search_said(
    tmp_path: Path, engine: Engine, instance: Instance, design: Design | None, survey: bool
) -> None:
    def ask() -> Report:
        return check(MODEL, instance, design, engine=engine, survey=survey, cache=Cache(tmp_path))

    first, second = ask(), ask()
    assert first.searched is None
    assert second.searched is not None
    assert same(first, second)
    assert second.outcome == first.outcome
    assert (second.verdict, second.traces) == (first.verdict, first.traces)
    assert second.results() == first.results()


def refuse(*_: Any, **__: Any) -> Any:
    pytest.fail("searched")


@pytest.fixture
def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """Return a cache that knows the pair, and let nothing be searched any more."""
    cache = Cache(tmp_path)
    assert check(MODEL, PAIR, engine="plain", cache=cache).searched is None
    monkeypatch.setattr(check_module, "explorer", lambda *_: refuse)
    return cache


def test_what_is_known_is_not_searched(searched: Cache) -> None:
    assert check(MODEL, PAIR, engine="plain", cache=searched).searched is not None


def test_without_a_cache_everything_is_searched(searched: Cache) -> None:
    with pytest.raises(pytest.fail.Exception):
        check(MODEL, PAIR, engine="plain")


def test_a_search_that_took_more_memory_than_is_allowed_now_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path)
    taken = check(MODEL, PAIR, cache=cache).outcome.memory
    assert taken > 0
    monkeypatch.setattr(check_module, "explorer", lambda *_: refuse)
    assert check(MODEL, PAIR, memory=taken, cache=cache).searched is not None
    with pytest.raises(pytest.fail.Exception):
        check(MODEL, PAIR, memory=taken - 1, cache=cache)


@pytest.mark.parametrize("limit", list(Limit))
def test_a_search_that_was_stopped_is_not_kept(tmp_path: Path, limit: Limit) -> None:
    done = Outcome("kernel", 1, 1, 1, (1,), {}, {}, frozenset(), limit, 0.0, 0.0, 0)
    question = Question(bind(MODEL, PAIR), "kernel", cache=Cache(tmp_path))
    question.keep(done, 0.0, 10)
    came_to_its_end = limit in (Limit.DEPTH, Limit.SYMMETRY)
    assert (question.answer(10) is not None) == came_to_its_end


def test_a_damaged_entry_is_searched_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    check(MODEL, PAIR, engine="plain", cache=cache)
    for file in (tmp_path / "outcomes").iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    again = check(MODEL, PAIR, engine="plain", cache=cache)
    assert again.searched is None
    assert check(MODEL, PAIR, engine="plain", cache=cache).searched is not None


def test_a_counterexample_from_the_cache_is_replayed(
    searched: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed, replay = [], trace_module._replayed

    def counted(machine: PlainMachine, name: str, *run: Any) -> Trace:
        replayed.append(name)
        return replay(machine, name, *run)

    monkeypatch.setattr(trace_module, "_replayed", counted)
    check(MODEL, PAIR, engine="plain", cache=searched)
    assert replayed == []
    monkeypatch.undo()
    monkeypatch.setattr(trace_module, "_replayed", counted)
    for _ in range(2):
        check(MODEL, PAIR, shallow, engine="plain", cache=searched)
    assert replayed == ["ToldIsKept", "ToldIsKept"]


def test_the_code_of_a_known_program_is_not_generated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(MODEL, PAIR, cache=Cache(tmp_path))
    monkeypatch.setattr(results, "_code", refuse)
    monkeypatch.setattr(results, "_idle", refuse)
    assert check(MODEL, PAIR, cache=Cache(tmp_path)).searched is not None


def test_what_an_instance_is_said_to_lack_is_not_taken_from_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    tolerant = replace(PAIR, lacks=("TwoStored",))
    first = check(MODEL, tolerant, shallow, engine="plain", survey=True, cache=cache)
    second = check(MODEL, PAIR, shallow, engine="plain", survey=True, cache=cache)
    assert second.searched is not None
    assert (first.unwitnessed, second.unwitnessed) == ((), ("TwoStored",))


def test_eras_are_searched_once_for_all_runs_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def runs() -> list[Any]:
        surveyor = Surveyor(engine="plain", cache=Cache(tmp_path))
        return [surveyor.run(era, i) for era in ERAS for i in era.instances]

    first = runs()
    monkeypatch.setattr(check_module, "explorer", lambda *_: refuse)
    second = runs()
    assert all(run.report.searched for run in second)
    assert [r.violations for r in first] == [r.violations for r in second]


def test_a_model_of_classes_that_a_function_made_is_searched_with_the_kernel_once(
    tmp_path: Path,
) -> None:
    class Hut(Shed):
        """A hut."""

        def take(self, crate: Crate) -> None:
            """Only what is first fits in."""
            require(not self.stored)
            super().take(crate)

    hut = Design(claim="A hut is enough.", replace=(Hut,))
    first, second = (check(MODEL, PAIR, hut, cache=Cache(tmp_path)) for _ in range(2))
    assert (first.searched is None, second.searched is None) == (True, False)
    plain = [check(MODEL, PAIR, hut, engine="plain", cache=Cache(tmp_path)) for _ in range(2)]
    assert [report.searched for report in plain] == [None, None]
