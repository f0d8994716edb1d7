"""`ackproof explore` does what is written line by line, and shows what comes of it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
DIE_HARD = str(ROOT / "tests/models/die_hard.py")
MAIL = str(ROOT / "tests/model/mailroom.py")


def talk(*lines: str, args: tuple[str, ...] = (DIE_HARD,)) -> Result:
    text = "".join(f"{line}\n" for line in lines)
    result = CliRunner().invoke(app, ["explore", *args], input=text, env={"COLUMNS": "80"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def said(*lines: str, args: tuple[str, ...] = (DIE_HARD,)) -> list[str]:
    """Return the lines after the last line that was written."""
    result = talk(*lines, args=args)
    assert result.exit_code == 0
    _, _, last = result.stdout.rpartition(f"> {lines[-1]}\n")
    return [line for line in last.splitlines() if line not in ("", "> ")]


def refused(*lines: str, args: tuple[str, ...] = (DIE_HARD,)) -> str:
    result = talk(*lines, args=args)
    assert result.exit_code == 2
    return result.stderr


START = """\
die hard on jugs
  three and five gallons

in the initial state
   1  fill_small()
   2  fill_big()
   3  empty_small()   changes no state
   4  empty_big()   changes no state
   5  small_to_big()   changes no state
   6  big_to_small()   changes no state

> """


def test_it_begins_with_the_steps_that_are_possible_and_ends_with_the_input() -> None:
    result = talk()
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(START)


def test_a_number_takes_a_step_and_shows_what_it_changes() -> None:
    assert said("2")[:5] == [
        "     DieHard",
        "        │",
        "  1     ●    fill_big()",
        "        │      big  0 → 5",
        "after 1 step",
    ]


def test_several_numbers_take_several_steps() -> None:
    assert "  2     ●    big_to_small()" in said("2 6")
    assert "after 2 steps" in said("2 6")


def test_the_beginning_of_a_step_takes_it_if_no_other_begins_so() -> None:
    assert "  1     ●    fill_big()" in said("fill_b")
    assert said("fill") == ["in the initial state", "   1  fill_small()", "   2  fill_big()"]


def test_what_a_step_breaks_is_said_with_its_smallest_part() -> None:
    found = said("fill_big()", *["big_to", "empty_small", "big_to", "fill_big", "big_to"])
    assert "NeverFourGallons is false here" in found
    assert "  s.big == 4   is True and must not be" in found


def test_the_run_is_gone_back_and_forth() -> None:
    assert said("2", "6", "back")[-7] == "after 1 step, with 1 step ahead"
    assert said("2", "6", "back 9")[0] == "in the initial state, with 2 steps ahead"
    assert "  2     ●    big_to_small()" in said("2", "6", "back 2", "forth 2")
    assert "the run is at its end; there is nothing to go forth to" in refused("forth")
    assert "the run is at its beginning" in refused("back")


def test_the_trace_is_the_run_up_to_here() -> None:
    assert said("2", "6", "3", "back", "trace") == [
        "     DieHard",
        "        │",
        "  1     ●    fill_big()",
        "        │      big  0 → 5",
        "  2     ●    big_to_small()",
        "        │      small  0 → 3",
        "        │      big  5 → 2",
    ]


def test_the_state_is_shown_and_what_may_still_happen() -> None:
    assert said("2", "state") == ["  big = 5"]
    assert said("2", "state small") == ["  small = 0"]
    assert "  burn ×1 may still happen" in said("state", args=(MAIL, "-i", "pair"))
    burnt = ("hand_in(letter=1, targets={box1})", "burn", "state")
    assert "  burn ×0 may still happen" in said(*burnt, args=(MAIL, "-i", "pair"))


def test_random_steps_are_drawn_by_a_seed_and_change_the_state() -> None:
    first = said("random 8 3")
    assert said("random 8 3") == first
    assert said("random 8 4") != first
    below = [after for line, after in pairwise(first) if "●" in line]
    assert len(below) == 8
    assert all("→" in line for line in below)
    assert "after 8 steps" in first


def test_it_begins_at_the_end_of_the_run_that_breaks_a_property() -> None:
    args = (DIE_HARD, "--to", "NeverFourGallons")
    start = talk(args=args).stdout
    assert "  6     ●    big_to_small()" in start
    assert "NeverFourGallons is false here" in start
    assert "after 6 steps\n" in start
    assert "after 5 steps, with 1 step ahead" in said("back", args=args)


def test_a_property_that_nothing_breaks_leads_nowhere() -> None:
    assert refused(args=(DIE_HARD, "--to", "StepsAreDefined")) == (
        "error: nothing breaks StepsAreDefined on jugs, as far as was searched\n"
        "  instead: leave out --to, or name another instance\n"
    )


def test_remarks_and_empty_lines_do_nothing_and_quit_ends_it() -> None:
    result = talk("# a remark", "", "quit", "nonsense")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("in the initial state") == 2


def test_help_has_each_command() -> None:
    text = "\n".join(said("help"))
    for command in ("list", "back", "forth", "trace", "state", "random", "quit"):
        assert f"\n  {command}" in text


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("7", "there is no step 7 here, where 6 are possible"),
        ("0", "there is no step 0 here"),
        ("jump", "'jump' is neither a command nor the beginning of a step that is possible here"),
        ("back x", "'x' is no number"),
        ("random 1 2 3", "'2 3' is no number"),
    ],
)
def test_a_line_of_a_file_that_cannot_be_done_ends_it_with_its_number(
    line: str, problem: str
) -> None:
    assert refused("2", line, "quit").startswith(f"error: line 2: {problem}")


COINS = (str(ROOT / "tests/model/coins.py"), "-i", "two")


def test_of_several_initial_states_it_begins_in_the_first_and_shows_the_others() -> None:
    listed = said("begin", args=COINS)
    assert len(listed) == 8
    assert (
        listed[2]
        == "   3  below = {c2: 2}, eye = c2, coins[c1].heads = False, coins[c2].heads = True"
    )
    first, *_ = said("begin 3", args=COINS)
    assert first.startswith("in initial state 3 of 8, below = {c2: 2}, eye = c2")


def test_a_run_that_was_begun_anew_is_shown_from_there() -> None:
    shown = " ".join(said("begin 3", "look()", "trace", args=COINS))
    assert "at first below = {c2: 2}, eye = c2" in shown


def test_an_initial_state_that_there_is_not_is_refused() -> None:
    assert "there is no initial state 9; the last one is 8" in refused("begin 9", args=COINS)
    assert "there is no initial state 2; the last one is 1" in refused("begin 2")
    assert said("begin") == ["  there is one initial state"]
