"""`ackproof diff` says whether a client can tell two designs apart, and by what."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
DIE_HARD = str(ROOT / "tests/models/die_hard.py")


def diff(*args: str) -> Result:
    result = CliRunner().invoke(app, ["diff", *args], env={"COLUMNS": "80"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def test_a_design_that_tells_otherwise_is_different_both_ways() -> None:
    result = diff("always_multiple")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[:2] == ["always_multiple and confirms on tiny", "  seen: frames, what clients do"]
    for name, multiple in (("always_multiple", True), ("confirms", False)):
        at = lines.index(f"only {name} can show this, in a run of 5 steps:")
        assert lines[at + 1 : at + 5] == [
            "  select(channel=ch1)",
            "  SelectOk(channel=ch1)",
            "  publish(msg=1, targets={q1}, mandatory=False, persistent=False)",
            f"  Ack(channel=ch1, tag=1, multiple={multiple})",
        ]
    assert lines[-1] == "different  a client can tell the two apart"


def test_frames_may_be_all_that_is_seen() -> None:
    result = diff("always_multiple", "--frames-only")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[1:3] == [
        "  seen: frames",
        "  not seen: crash_queue, lose_node, delete_queue (--also)",
    ]
    at = lines.index("only always_multiple can show this, in a run of 3 steps:")
    assert lines[at + 1 : at + 3] == [
        "  SelectOk(channel=ch1)",
        "  Ack(channel=ch1, tag=1, multiple=True)",
    ]


def test_a_design_that_differs_inside_only_is_alike() -> None:
    result = diff("b10", "-i", "tiny")
    assert result.exit_code == 0
    assert "  not seen: crash_queue, lose_node (--also)\n" in result.stdout
    assert result.stdout.splitlines()[-1] == "alike  what is seen does not tell them apart on tiny"


def test_it_is_different_where_more_is_seen() -> None:
    faults = ("crash_queue", "lose_node")
    result = diff("b10", "-i", "tiny", *(part for name in faults for part in ("--also", name)))
    assert result.exit_code == 1
    assert "  seen: frames, what clients do, crash_queue, lose_node\n" in result.stdout
    assert "not seen" not in result.stdout
    assert "  delete_queue(queue=q1)\n  Nack(channel=ch1, tag=1, multiple=True)\n" in result.stdout
    assert "only b10_deletion_nacks can show this, in a run of 5 steps:\n" in result.stdout
    assert "all that confirms can show, b10_deletion_nacks can show, too\n" in result.stdout


def test_two_models_of_ones_own_may_be_compared_where_both_have_an_instance() -> None:
    assert diff(DIE_HARD, DIE_HARD).exit_code == 0
    result = diff(DIE_HARD, "b10")
    assert result.exit_code == 2
    assert "there is no instance 'jugs'" in result.stderr


def test_what_takes_more_states_than_allowed_is_not_decided() -> None:
    result = diff("b10", "-i", "tiny", "--states", "100")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("undecided  not decided within 100 states")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("b99",), "there is no design 'b99'"),
        (("b10", "b99"), "there is no design 'b99'"),
        (("b10", "-i", "enormous"), "there is no instance 'enormous'"),
        (("b10", "--also", "sing"), "there is no action 'sing'"),
        ((DIE_HARD,), "die_hard is no design of confirms"),
    ],
)
def test_wrong_input_is_one_message(args: tuple[str, ...], said: str) -> None:
    result = diff(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "instead:" in result.stderr
