"""A specification in Promela says what it says in Python, in SPIN's own words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.export.mark import is_translation
from ackproof.export.promela.model import promela_model
from ackproof.lang.binding import bind
from ackproof.lang.errors import BindError
from ackproof.spec.model import MODEL as CONFIRMS

from tests.export.tla.test_module import WORKSHOP
from tests.model.loading import module_of
from tests.models import alternating_bit, die_hard, ewd840, numbered_arrivals

LEND = r"""
/* Lend a tool to everybody who needs it. */
inline lend(tool, jobs) {
  d_step { ((benches_job[0] == None_Job) || (benches_job[1] == None_Job)) || (jobs == 0) ->
    remember();
    printf("lend(tool = %d, jobs = %d)\n", tool, jobs);
    if
    :: !(line_len < 2) || (jobs == 0) -> StepsAreDefined = false
    :: else ->
       t = 0;
       do
       :: t < 2 ->
          job = benches_job[t];
          if
          :: (job != None_Job) && HAS(jobs, job) ->
             benches_tools[t] = benches_tools[t] | BIT(tool);
          :: else
          fi;
          t++
       :: else -> break
       od;
       line[line_len] = LEAST_2(jobs);
       line_len++;
       t = 0;
       job = 0;
    fi
  }
}
"""

POUR = r"""
    poured = ((small <= (5 - big)) -> small : (5 - big));
    small = small - poured;
    big = big + poured;
    poured = 0;
    if
    :: ((0 <= small) && (small <= 3)) && ((0 <= big) && (big <= 5))
    :: else -> StepsAreDefined = false; undo();
    fi;
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The workshop in Promela."""
    model = module_of(WORKSHOP, tmp_path_factory.mktemp("workshop"))
    return promela_model(bind(model, model.instances[0])).text


def test_a_step_is_one_step_whose_guard_is_at_its_beginning(workshop: str) -> None:
    assert LEND in workshop


def test_a_step_is_undone_where_a_number_leaves_its_range() -> None:
    said = promela_model(bind(die_hard.MODEL, die_hard.MODEL.instances[0]))
    assert POUR in said.text
    assert "inline undo() {\n  small = before_small;\n  big = before_big;\n}" in said.text
    assert said.claims["NeverFourGallons"] == "NeverFourGallons"


@pytest.mark.parametrize(
    "line",
    [
        "/* Tool: t1, t2 */",
        "/* Not here, since it speaks of events: Told. */",
        "byte benches_job[2] = None_Job;",
        "byte left_drop = 1;",
        "byte before_vars[2];",
        "  d_step { left_drop > 0 ->",
        "    left_drop--;",
        "    benches_tools[tool] = 0;",
        "  before_vars[1] = vars[1];",
        "  Small = (vars[0] < 2) && (vars[1] < 2);",
        "  assert(Small); Small = true;",
        "     Grows = (before_vars[0] <= vars[0]) && (before_vars[1] <= vars[1]);",
        "  Busy = line_len == 2;",
        "  assert(!Busy); Busy = false;",
        "       :: lend(1, 3);  /* lend(tool=t2, jobs={1, 2}) */",
        "end:  /* that nothing can go on is allowed */",
        "proctype lend_process(byte tool_2; byte jobs_2) {",
        "  :: atomic { drop(0); d_step { check_step(); look() } }",
        "  Answered_t1_asked = benches_job[0] != None_Job;",
        "  :: _pid >= 0  /* it may also do nothing */",
        "ltl Served { [] (<> Served_holds) }",
        "ltl Answered_t1 { [] (Answered_t1_asked -> (<> Answered_t1_holds)) }",
    ],
)
def test_each_construct_has_its_own(line: str, workshop: str) -> None:
    assert line in workshop.splitlines()


def test_what_nothing_reads_is_read_once_or_spin_would_leave_it_out(workshop: str) -> None:
    assert "  d_step { true || line[0] > 0; check_state() };\n" in workshop


def test_what_may_start_with_anything_is_chosen_first() -> None:
    text = promela_model(bind(alternating_bit.MODEL, alternating_bit.MODEL.instances[0])).text
    assert "    if :: send_bit = false :: send_bit = true fi;\n" in text
    meant = "(send_bit == ack_bit) && (ack_bit == receive_bit)"
    assert f"    :: {meant} -> d_step {{ true || received > 0; check_state() }}\n" in text
    assert "goto beginning\n" in text


def test_an_element_that_is_owned_knows_its_owner() -> None:
    instance = numbered_arrivals.MODEL.instances[0]
    text = promela_model(bind(numbered_arrivals.MODEL, instance)).text
    assert "senders_next_message[message / 2] == message" in text
    assert "byte senders_next_message[2] = {0, 2};" in text


def test_words_of_promela_are_no_names() -> None:
    text = promela_model(bind(ewd840.MODEL, ewd840.MODEL.instances[0])).text
    assert "byte active_2;" in text


@pytest.mark.parametrize(
    ("model", "why"), [("strong", "SPIN has no strong fairness"), ("cut", "SPIN would go on")]
)
def test_why_properties_of_runs_are_left_out_is_said(model: str, why: str, tmp_path: Path) -> None:
    changed = {
        "strong": ('fair="weak"', 'fair="strong"'),
        "cut": ("@invariant", "@constraint"),
    }[model]
    found = module_of(WORKSHOP.replace(*changed), tmp_path)
    said = promela_model(bind(found, found.instances[0]))
    assert said.runs == {}
    assert "#ifdef RUNS" not in said.text
    assert f"/* Not here, since it is about runs, and {why}" in said.text


def test_a_step_behind_a_constraint_is_not_taken(tmp_path: Path) -> None:
    found = module_of(WORKSHOP.replace("@invariant", "@constraint"), tmp_path)
    text = promela_model(bind(found, found.instances[0])).text
    assert "#define Within ((vars[0] < 2) && (vars[1] < 2))" in text
    assert "  d_step { Within && (left_drop > 0) ->" in text


def test_a_set_that_is_too_wide_is_refused(tmp_path: Path) -> None:
    wide = module_of(WORKSHOP.replace("{Tool: 2,", "{Tool: 32,"), tmp_path)
    with pytest.raises(BindError) as error:
        promela_model(bind(wide, wide.instances[0]))
    assert str(error.value) == (
        "instance two: benches.tools may have 32 elements, and a set is an integer of SPIN, "
        "which has 31 bits\n  instead: choose smaller sizes, or use a map to bool"
    )


def test_what_is_remembered_has_names_of_its_own(tmp_path: Path) -> None:
    text = WORKSHOP.replace("    line:", "    before_vars: bool\n    line:")
    model = module_of(text, tmp_path)
    said = promela_model(bind(model, model.instances[0])).text
    assert "bool n_before_vars;" in said
    assert "byte before_vars[2];" in said


def test_what_was_written_here_is_known_again(tmp_path: Path) -> None:
    file = tmp_path / "jugs.pml"
    file.write_text(promela_model(bind(die_hard.MODEL, die_hard.MODEL.instances[0])).text)
    assert is_translation(file)


def test_a_system_without_steps_never_goes_on() -> None:
    bound = bind(die_hard.MODEL, die_hard.MODEL.instances[0])
    assert "  do\n  :: false\n  od\n" in promela_model(replace(bound, actions=())).text


def test_confirms_need_no_more_room_than_spin_has() -> None:
    instance = CONFIRMS.instance("tiny")
    assert instance is not None
    said = promela_model(bind(CONFIRMS, instance))
    assert said.vector is None
    assert set(said.runs.values()) >= {"EveryPublishSettles", "NoCreditDeadlock"}
