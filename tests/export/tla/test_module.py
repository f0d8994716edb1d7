"""A specification in TLA+ says what it says in Python, with names that are free."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.export.mark import is_translation
from ackproof.export.tla.module import tla_module
from ackproof.export.tla.names import tla_names
from ackproof.lang.binding import bind
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model.loading import module_of
from tests.models import alternating_bit, die_hard

FILL = r"""
\* Fill the small jug at the fountain.
FillSmall ==
  /\ small' = 3
  /\ UNCHANGED <<big>>
"""

WORKSHOP = '''
"""A workshop."""
from __future__ import annotations
import enum, sys
from typing import Annotated
from ackproof.lang import *

class Tool(Sort):
    """A tool."""

class Job(OrderedSort):
    """A job."""

class Done(Event):
    """It is done."""
    job: Job

class Bench(Process):
    """A place to work."""
    wide: Const[bool] = False
    tools: Set[Tool]
    job: Option[Job]

class Shop(System):
    """Benches."""
    benches: Each[Tool, Bench]
    vars: Map[Job, Annotated[int, Range(0, 2)]]
    line: Annotated[Seq[Job], 2]

    @action(fair="weak")
    def lend(self, tool: Tool, jobs: Set[Job]) -> None:
        """Lend a tool to everybody who needs it."""
        require(any(self.benches[t].job is None for t in Tool) or not jobs)
        for t in Tool:
            job = self.benches[t].job
            if job is not None and job in jobs:
                self.benches[t].tools.add(tool)
        self.line.append(min(jobs))

    @fault
    def drop(self, tool: Tool) -> None:
        """Drop a tool."""
        self.benches[tool].tools.clear()

@invariant
def Small(s: Shop) -> bool:
    """Numbers are small."""
    return all(s.vars[j] < 2 for j in Job)

@step_property
def Grows(before: Shop, after: Shop) -> bool:
    """Nothing is taken away."""
    return all(before.vars[j] <= after.vars[j] for j in Job)

@step_property
def Told(before: Shop, after: Shop, done: Done) -> bool:
    """Who is told."""
    return done.job in after.line

@eventually
def Served(s: Shop) -> bool:
    """Somebody has a tool."""
    return any(s.benches[t].tools for t in Tool)

@leads_to
def Answered(s: Shop, tool: Tool) -> tuple[bool, bool]:
    """A job gets a tool."""
    return s.benches[tool].job is not None, bool(s.benches[tool].tools)

@leads_to
def Offered(s: Shop) -> tuple[bool, bool]:
    """Of no state and of each."""
    return False, len(Tool) == 2

@invariant
def Two(s: Shop) -> bool:
    """There are two tools."""
    return len(Tool) == 2

@reachable
def Busy(s: Shop) -> bool:
    """The line is full."""
    return len(s.line) == 2

MODEL = Model("shop", Shop, properties_in(sys.modules[__name__]),
    (Instance("two", "two tools", {Tool: 2, Job: 2}, faults={"drop": 1},
        constants={"Bench.wide": {"t1": True}}),))
'''


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The workshop in TLA+."""
    model = module_of(WORKSHOP, tmp_path_factory.mktemp("workshop"))
    return tla_module(bind(model, model.instances[0]), "workshop").module


def test_a_step_is_an_action_and_what_it_leaves_alone_is_unchanged() -> None:
    bound = bind(die_hard.MODEL, die_hard.MODEL.instances[0])
    said = tla_module(bound, "jugs")
    assert said.module.startswith("------------------------------- MODULE jugs ")
    assert FILL in said.module
    assert "INVARIANT NeverFourGallons\n" in said.configuration


def test_what_may_start_with_anything_is_in_a_set() -> None:
    bound = bind(alternating_bit.MODEL, alternating_bit.MODEL.instances[0])
    text = tla_module(bound, "bits").module
    assert "  /\\ send_bit \\in BOOLEAN\n" in text
    assert (
        "  /\\ ((send_bit = ack_bit) /\\ (ack_bit = receive_bit))  \\* AllAgreeOnTheBit\n" in text
    )


@pytest.mark.parametrize(
    "line",
    [
        "Tool == 1..2  \\* t1, t2",
        "benches_wide == [t \\in Tool |-> IF t = 1 THEN TRUE ELSE FALSE]",
        "VARIABLES vars_2, line, benches_tools, benches_job, left_drop",
        "  /\\ vars_2 = [k \\in Job |-> 0]",
        "  /\\ left_drop > 0 /\\ left_drop' = left_drop - 1",
        "  \\/ \\E tool \\in Tool, jobs \\in (SUBSET Job) : Lend(tool, jobs)",
        "  /\\ \\A tool \\in Tool, jobs \\in (SUBSET Job) : WF_vars(Lend(tool, jobs))",
        "  /\\ line' = Append(line, Least(jobs))",
        "Small == (\\A j \\in Job : (vars_2[j] < 2))",
        "Grows == [][(\\A j \\in Job : (vars_2[j] <= vars_2'[j]))]_vars",
        "\\* Told speaks of an event, and is not here: Who is told.",
        "Served == []<>(\\E t \\in Tool : ~(benches_tools[t] = {}))",
        "Answered_t1 == ~(benches_job[1] = None) ~> ~(benches_tools[1] = {})",
        "Offered == (FALSE /\\ vars = vars) ~> ((Cardinality(Tool) = 2) /\\ vars = vars)",
        "Two == ((Cardinality(Tool) = 2) /\\ vars = vars)",
        "Busy == (Len(line) = 2)",
        "  /\\ vars_2 \\in [Job -> (0..2)]",
    ],
)
def test_each_construct_has_its_own(line: str, workshop: str) -> None:
    assert line in workshop.splitlines()


def test_a_guard_with_a_choice_is_one_guard(workshop: str) -> None:
    (guard,) = (
        line for line in workshop.splitlines() if "benches_job[t] = None" in line and "/\\" in line
    )
    assert guard.endswith(" = TRUE")


def test_a_loop_goes_through_its_set_one_by_one(workshop: str) -> None:
    loop = workshop[workshop.index("RECURSIVE loop(_, _)") :]
    assert "t_2 == CHOOSE y \\in left : TRUE" in loop
    assert "after == loop(Tool, <<benches_tools, TRUE>>)" in loop


def test_no_name_is_declared_twice_in_a_definition() -> None:
    instance = CONFIRMS.instance("tiny")
    assert instance is not None
    text = tla_module(bind(CONFIRMS, instance), "confirms").module
    for definition in text.split("\n\n"):
        declared = re.findall(r"^ +(\w+) ==", definition, re.MULTILINE)
        assert len(declared) == len(set(declared))


def test_a_name_that_is_taken_gets_a_number() -> None:
    names = tla_names()
    assert [names.new(n) for n in ("Next", "a.b", "a_b", "x_7", "7", "WF_x")] == [
        "Next_2",
        "a_b",
        "a_b_2",
        "x",
        "n_7",
        "n_WF_x",
    ]
    inner = names.inside()
    assert (inner.new("x"), inner.new("y"), names.new("y")) == ("x_2", "y", "y")


def test_what_was_written_here_is_known_again(tmp_path: Path) -> None:
    bound = bind(die_hard.MODEL, die_hard.MODEL.instances[0])
    said, file = tla_module(bound, "jugs"), tmp_path / "jugs.tla"
    for text, known in ((said.module, True), (said.configuration, True), ("", True), ("x", False)):
        file.write_text(text)
        assert is_translation(file) is known
    assert not is_translation(tmp_path / "none.tla")


def test_a_system_without_steps_has_one_that_never_happens() -> None:
    bound = bind(die_hard.MODEL, die_hard.MODEL.instances[0])
    text = tla_module(replace(bound, actions=()), "still").module
    assert "Next ==\n  \\/ FALSE /\\ UNCHANGED vars\n" in text
