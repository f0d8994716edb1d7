"""A translated system takes the steps of the specification, and what nobody needs is gone."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from ackproof.lang import (
    Const,
    Each,
    Ghost,
    Instance,
    Map,
    Process,
    Set,
    Sort,
    System,
    action,
    handler,
    helper,
    require,
)
from ackproof.lang.binding import Bound, bind
from ackproof.model.beginnings import initial_states
from ackproof.model.museum import museum, museum_names
from ackproof.model.native.translate import Translation, translate, translate_instance
from ackproof.model.plain import PlainMachine
from ackproof.spec.model import MODEL as CONFIRMS

from tests.exploring import chance, sample, seeds
from tests.model import channels, coins, mailroom

# -- the same steps -------------------------------------------------------------------------------


def in_place(bound: Bound, translation: Translation) -> Bound:
    """Return a bound program whose classes are the translated ones."""
    players = {name: translation.classes[cls] for name, cls in bound.program.players.items()}
    return replace(bound, program=replace(bound.program, players=players))


def assert_same_steps(bound: Bound, seed: int, walks: int = 2, length: int = 20) -> None:
    """Walk at random, and compare what each action comes to: ghosts apart, it is the same."""
    drawn = random.Random(seed)
    kept = [i for i, at in enumerate(bound.locations) if not at.variable.ghost]
    translated = in_place(bound, translate_instance(bound))
    beginnings, taken = initial_states(bound), 0
    with PlainMachine(bound) as specified, PlainMachine(translated) as found:
        for _ in range(walks):
            state = drawn.choice(beginnings)
            for _ in range(length):
                every = range(len(specified.instances))
                following = []
                for number in drawn.sample(every, min(len(every), 100)):
                    one, other = specified.step(state, number), found.step(state, number)
                    what = f"seed {seed}: {specified.instances[number]} in {state}"
                    assert (one is None) == (other is None), what
                    if one is None or other is None:
                        continue
                    taken += 1
                    assert one.events == other.events, what
                    assert one.broken == other.broken, what
                    if one.after is not None and other.after is not None:
                        assert [one.after[i] for i in kept] == [other.after[i] for i in kept], what
                        following.append(one.after)
                if not following:
                    break
                state = drawn.choice(following)
    assert taken


@pytest.mark.parametrize("instance", sample(CONFIRMS.instances, 12), ids=lambda i: i.name)
@pytest.mark.parametrize("seed", seeds(1))
def test_a_translated_instance_takes_the_steps_of_the_specification(
    instance: Instance, seed: int
) -> None:
    assert_same_steps(bind(CONFIRMS, instance), seed)


@pytest.mark.parametrize("seed", seeds(4))
def test_a_translated_design_takes_the_steps_of_that_design(seed: int) -> None:
    design = museum(CONFIRMS)[chance("design", seed).choice(museum_names(CONFIRMS))]
    instance = CONFIRMS.instance(design.expect[0].instance)
    assert instance is not None
    assert_same_steps(bind(CONFIRMS, instance, design), seed, walks=1)


def test_another_model_is_translated_as_well() -> None:
    for instance in mailroom.MODEL.instances:
        assert_same_steps(bind(mailroom.MODEL, instance), 0)


@pytest.mark.parametrize("seed", range(4))
def test_what_may_start_with_anything_is_not_settled(seed: int) -> None:
    for instance in coins.MODEL.instances:
        assert_same_steps(bind(coins.MODEL, instance), seed)


@pytest.mark.parametrize("instance", channels.MODEL.instances, ids=lambda i: i.name)
@pytest.mark.parametrize("seed", seeds(4))
def test_each_member_starts_with_what_is_its_own_and_who_hears_changes_what_is_possible(
    instance: Instance, seed: int
) -> None:
    assert_same_steps(bind(channels.MODEL, instance), seed)


# -- what is left ---------------------------------------------------------------------------------


class Worker(Sort, prefix="w"):
    """Somebody who works."""


class Tool(Sort, prefix="t"):
    """Something to work with."""


class Bench(Process):
    """Where a worker works."""

    of: Const[Worker]
    wide: Const[bool] = True
    tools: Set[Tool]
    broken: bool = False
    wear: Map[Tool, Set[Worker]]
    used: Ghost[Set[Tool]]

    @handler
    def take(self, tool: Tool) -> None:
        """A tool is taken, if there is room for it."""
        require(not self.broken)
        if self.wide:
            self.tools.add(tool)
        else:
            self.tools.clear()
        self.used.add(tool)

    @handler
    def note(self, tool: Tool) -> None:
        """It is remembered that a tool was used."""
        earlier = set(self.used)
        self.used |= earlier | {tool}


class Workshop(System):
    """Workers at their benches."""

    benches: Each[Worker, Bench]
    lent: Set[Tool]
    open: bool = True

    @helper
    def worn(self, worker: Worker, tool: Tool) -> bool:
        """Tell whether a tool is worn."""
        return worker in self.benches[worker].wear[tool]

    @helper
    def at(self, worker: Worker) -> Set[Worker]:
        """Return the benches of a worker."""
        return {w for w in Worker if self.benches[w].of == worker}

    @action
    def work(self, worker: Worker, tool: Tool) -> None:
        """A worker takes a tool."""
        require(self.open and not self.worn(worker, tool))
        self.benches[worker].take(tool)
        self.benches[worker].note(tool)

    @action
    def tidy(self, worker: Worker) -> None:
        """The benches of a worker are tidied."""
        for one in self.at(worker):
            self.benches[one].tools.clear()

    @action
    def lend(self, tool: Tool) -> None:
        """A tool is lent to somebody, if any is worn."""
        require(any(self.worn(w, tool) for w in Worker))
        self.lent.add(tool)


def body(translation: Translation, cls: str, method: str) -> str:
    """Return the statements of a method in the text of a translation."""
    of_class = translation.text.split(f"class {cls}(")[1].split("\nclass ")[0]
    if f"def {method}(" not in of_class:
        return ""
    lines = of_class.split(f"def {method}(")[1].split("\n    def ")[0].splitlines()[1:]
    return "\n".join(line[8:] for line in lines if line.strip())


@pytest.fixture(scope="module")
def workshop() -> Translation:
    """Return the workshop as a program runs it."""
    return translate(Workshop)


def test_a_ghost_is_not_kept_nor_is_a_step_called_that_only_changes_ghosts(
    workshop: Translation,
) -> None:
    assert "used" not in workshop.text
    assert "note" not in workshop.text


def test_what_no_step_changes_is_what_it_was_at_first(workshop: Translation) -> None:
    assert "require" not in body(workshop, "Workshop", "work")
    assert "broken" not in workshop.text
    assert "wear" not in workshop.text


def test_an_action_that_nothing_enables_is_said_to_be_impossible(workshop: Translation) -> None:
    assert workshop.impossible == {"lend"}


def test_a_constant_decides_what_depends_on_it() -> None:
    wide = translate(Workshop, constants={"Bench.wide": True})
    assert body(wide, "Workshop", "work") == "self.benches[worker].tools.add(tool)"
    narrow = translate(Workshop, constants={"Bench.wide": False})
    assert body(narrow, "Workshop", "work") == "pass"


def test_a_loop_over_all_is_one_over_those_that_a_constant_selects(workshop: Translation) -> None:
    assert "in set(having(self.benches, 'of', worker)):" in body(workshop, "Workshop", "tidy")


def test_a_sort_without_elements_switches_off_what_is_done_for_them() -> None:
    nobody = translate(Workshop, empty=[Worker])
    assert body(nobody, "Workshop", "tidy") == "pass"


def test_a_fault_that_never_happens_leaves_alone_what_only_it_changes() -> None:
    idle = translate(Workshop, without=["work"])
    assert idle.impossible == {"work", "lend"}
    assert body(idle, "Workshop", "tidy") == "pass"


class Counting(Workshop):
    """A workshop that looks at all tools, of which nobody says which there are."""

    @action
    def lend(self, tool: Tool) -> None:
        """Lend all tools."""
        for one in Tool:
            self.lent.add(one)


def test_a_range_over_what_no_family_has_is_rejected() -> None:
    with pytest.raises(LookupError, match=r"Counting\.lend ranges over all of Tool") as caught:
        translate(Counting)
    assert "let it range over a set" in str(caught.value)


@pytest.mark.parametrize("name", ["Bench.width", "Shelf.wide", "wide"])
def test_a_constant_that_there_is_not_is_rejected(name: str) -> None:
    with pytest.raises(LookupError, match=f"there is no constant '{name}'"):
        translate(Workshop, constants={name: True})


class Unordered(Bench):
    """A bench that takes tools in another way."""

    def note(self, tool: Tool) -> None:
        """Nothing is remembered."""


def test_a_class_that_the_program_brings_is_called_where_it_does_something() -> None:
    left = body(translate(Workshop, replaced={Bench: Unordered}), "Workshop", "work")
    assert "bench.take(tool)" in left
    assert "note" not in left


class Careful(Workshop):
    """A workshop that looks whether a bench is broken."""

    @action
    def rest(self, worker: Worker) -> None:
        """Nobody rests at a bench that is not broken."""
        require(self.benches[worker].broken)


def test_what_a_class_that_the_program_brings_holds_may_be_anything() -> None:
    assert body(translate(Careful), "Careful", "rest") == "raise NotEnabled"
    brought = translate(Careful, replaced={Bench: Unordered})
    assert "self.benches[worker].broken" in body(brought, "Careful", "rest")
