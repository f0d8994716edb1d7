"""What has no room is refused by name before anything is computed of it, and what has is not."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ackproof.lang import Instance, Model
from ackproof.lang.binding import Bound, bind
from ackproof.lang.data import default_data
from ackproof.lang.errors import BindError
from ackproof.lang.types import BOOL, IntT, OptionT, RecordT
from ackproof.model.check import check
from ackproof.model.limits import CODE_BITS, MOST_CHOICES, MOST_ELEMENTS
from ackproof.model.lower.generate import generate

from tests.model.loading import module_of

_SOURCE = '''
"""A model whose sizes a test chooses."""
import sys
from typing import Annotated
from ackproof.lang import (
    Each, Instance, Map, Model, Option, OrderedSort, Process, Range, Record, Seq, Set, System,
    action, fault, invariant,
)
from ackproof.lang.properties import properties_in


class A(OrderedSort):
    """A sort."""


class Empty(OrderedSort):
    """A sort that an instance leaves empty."""


Wide = Annotated[int, Range(0, {wide})]


class Pair(Record):
    """Two numbers."""

    one: Wide
    other: Wide


class Part(Process):
    """One of a family."""

    seen: Map[A, bool]


class Root(System):
    """Goes nowhere."""

    n: Wide
    {variable}

    @action
    def stay(self) -> None:
        """Something happens."""
        self.n = 1

    @action
    def choose(self, chosen: Set[A], nobody: Empty) -> None:
        """Nothing happens: there is nobody."""
        self.n = 1

    @fault
    def fail(self) -> None:
        """Something goes wrong."""
        self.n = 0


@invariant
def Inv(s: Root) -> bool:
    """What a test asks."""
    return {condition}


MODEL = Model("wide", Root, properties_in(sys.modules[__name__]),
              (Instance("it", "x", {{A: {size}, Empty: 0}}, faults={{"fail": {faults}}}),))
'''


def model_of(folder: Path, size: int = 2, faults: int = 0, **parts: object) -> Model:
    """A model with this variable and condition."""
    usual = {"wide": 1, "variable": "m: bool", "condition": "s.n >= 0"}
    text = _SOURCE.format(**{**usual, **parts, "size": size, "faults": faults})
    return module_of(text, folder)


def bound_of(folder: Path, size: int = 2, faults: int = 0, **parts: object) -> Bound:
    """A bound model with this variable and condition."""
    model = model_of(folder, size, faults, **parts)
    return bind(model, model.instances[0])


def refusal(bound: Bound) -> str:
    """What the compiled engine says to it."""
    with pytest.raises(BindError) as caught:
        generate(bound)
    return str(caught.value)


_TIGHTER = "give its integers tighter ranges, or make the sorts smaller"
_MOST = f"{MOST_ELEMENTS:,}"


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        (
            "m: Set[Wide]",
            f"a set with 5,001 possible elements of type int from 0 to 5000, where {_MOST}",
        ),
        ("m: Map[Wide, bool]", f"a map with 5,001 keys of type int from 0 to 5000, where {_MOST}"),
        ("m: Annotated[Seq[A], 5_000]", f"a sequence of 5,000 elements, where {_MOST} can be held"),
        ("m: Set[Pair]", f"a set with 25,010,001 possible elements of type Pair, where {_MOST}"),
        (
            "m: Map[A, Map[A, bool]]",
            "a map, or of a family, with 90,000 entries in all, where 65,536",
        ),
        ("m: Each[A, Part]", None),
    ],
)
def test_a_variable_without_room_is_named(tmp_path: Path, variable: str, said: str | None) -> None:
    bound = bound_of(tmp_path, size=300, wide=5000, variable=variable)
    name = "Part.seen" if said is None else "Root.m"
    said = said or "a map, or of a family, with 90,000 entries in all, where 65,536"
    assert refusal(bound).startswith(f"instance it: {name} is {said}")


@pytest.mark.parametrize("bits", [CODE_BITS - 1, CODE_BITS])
def test_an_option_has_room_as_long_as_its_code_has(tmp_path: Path, bits: int) -> None:
    bound = bound_of(tmp_path, wide=2**bits - 1, variable="m: Option[Wide]")
    if bits < CODE_BITS:
        assert generate(bound)[1].types
    else:
        assert f"Root.m is of type Option[int from 0 to {2**bits - 1}]" in refusal(bound)


def test_an_integer_without_room_is_named(tmp_path: Path) -> None:
    assert "Root.n is an integer from 0 to 9,223,372,036,854,775,808" in refusal(
        bound_of(tmp_path, wide=2**63)
    )


def test_a_budget_without_room_is_named(tmp_path: Path) -> None:
    assert "the budget of fail is an integer" in refusal(bound_of(tmp_path, faults=10**30))


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("len({s.n, 0}) > 0", "`{s.n, 0}` is a set with 5,001 possible elements"),
        ("all(x >= 0 for x in {s.n})", "`{s.n}` is a set with 5,001 possible elements"),
        ("s.n < 1_000_000_000_000_000_000_000", "`1_000_000_000_000_000_000_000` is an integer"),
    ],
)
def test_an_expression_without_room_is_named_with_its_place(
    tmp_path: Path, condition: str, place: str
) -> None:
    said = refusal(bound_of(tmp_path, wide=5000, condition=condition))
    assert place in said
    line = int(said.split(".py:")[1].split(":")[0])
    file = next(tmp_path.glob("*.py"))
    assert condition in file.read_text().splitlines()[line - 1]


@pytest.mark.parametrize("condition", ["s.n in {0, 1, 5000}", "max({s.n, 7}, default=None) == 7"])
def test_a_display_that_is_only_asked_needs_no_room(tmp_path: Path, condition: str) -> None:
    model = model_of(tmp_path, wide=2**40, condition=condition)
    for engine in ("plain", "kernel"):
        report = check(model, model.instances[0], engine=engine)  # type: ignore[arg-type]
        assert report.results()["Inv"] == "holds"


def test_plain_python_has_room_for_what_the_compiled_engine_has_not(tmp_path: Path) -> None:
    model = model_of(tmp_path, wide=5000, condition="len({s.n, 0}) == 2")
    report = check(model, model.instances[0], engine="plain")
    assert report.results()["Inv"] == "violated"


def test_the_default_of_a_wide_option_is_found_without_its_values() -> None:
    wide = IntT(5, 10**15)
    record = RecordT("R", (("a", OptionT(wide)), ("b", wide), ("c", BOOL)))
    assert default_data(record, {}) == (None, 5, False)


def test_subsets_beside_an_empty_sort_are_not_listed(tmp_path: Path) -> None:
    bound = bound_of(tmp_path, size=40)
    assert [str(i) for i in bound.instances()] == ["stay()"]


# -- programs with many choices ---------------------------------------------------------------

_MANY = '''
"""A model with many choices."""
import sys
from ackproof.lang import Instance, Model, OrderedSort, System, action, require


class A(OrderedSort):
    """A sort."""


class Root(System):
    """Remembers the last one."""

    last: A

    @action
    def go(self, one: A) -> None:
        """Go on."""
        require(self.last != one)
        self.last = one


MODEL = Model("many", Root, (), (Instance("it", "x", {A: 10}),))
'''


def longest_function(model: Model, size: int) -> int:
    """The number of lines of the longest function."""
    sort = next(iter(model.instances[0].sizes))
    text = generate(bind(model, Instance("it", "x", {sort: size})))[0]
    bodies = itertools.chain.from_iterable(part.split("\n}\n") for part in text.split("define "))
    return max(body.count("\n") for body in bodies)


def test_no_function_is_longer_where_choices_are_more(tmp_path: Path) -> None:
    model = module_of(_MANY, tmp_path)
    assert longest_function(model, 2500) <= longest_function(model, 300) * 1.2


def test_more_choices_than_the_most_are_refused(tmp_path: Path) -> None:
    model = model_of(tmp_path, size=MOST_CHOICES.bit_length(), variable="m: Set[A]")
    instance = Instance("it", "x", {s: n or 1 for s, n in model.instances[0].sizes.items()})
    with pytest.raises(BindError, match=f"where {MOST_CHOICES:,} in all can be tried"):
        check(model, instance)
