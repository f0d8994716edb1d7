"""`ackproof check --list` shows what there is to check, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.cli.checking import CORRIDOR, DIE_HARD, MAIL, Run


def test_list_can_be_narrowed_to_what_has_a_text(run: Run) -> None:
    result = run(MAIL, "--list", "--like", "FIRE")
    assert result.exit_code == 0
    assert "  pair  two boxes, two letters, one fire\n" in result.stdout
    assert "ToldIsKept" not in result.stdout
    assert "built in" not in result.stdout
    found = json.loads(run(MAIL, "--list", "--like", "toldiskept", "--json").stdout)
    assert [p["name"] for p in found["models"][0]["properties"]] == ["ToldIsKept"]
    assert found["models"][0]["instances"] == []
    whole = len(run("--list", "--verbose").stdout.splitlines())
    assert len(run("--list", "--like", "fsync").stdout.splitlines()) < whole / 10


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--list", "--like", "xyzzy"), "nothing has 'xyzzy' in its name or its description"),
        (("--like", "fire"), "--like chooses from what --list shows"),
    ],
)
def test_a_text_that_narrows_nothing_is_refused(
    run: Run, args: tuple[str, ...], problem: str
) -> None:
    result = run(MAIL, *args)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_list_shows_instances_properties_and_designs(run: Run) -> None:
    result = run(MAIL, "--list")
    assert result.exit_code == 0
    assert "  pair   two boxes, two letters, one fire\n" in result.stdout
    assert "2 Letter, 2 Box, burn ×1; states not counted yet" in result.stdout
    assert "ToldIsKept" in result.stdout
    assert "--verbose" not in result.stdout
    base = run("--list")
    assert base.exit_code == 0
    assert "designs" in base.stdout
    assert "ack_on_channel" in base.stdout


def test_where_there_is_much_instances_have_a_line_and_the_others_their_names(run: Run) -> None:
    found = json.loads(run("--list", "--json").stdout)
    short, whole = run("--list").stdout, run("--list", "--verbose").stdout
    (model,) = found["models"]
    classes = [{"name": step["class"]} for step in model["steps"]]
    for entry in (*model["instances"], *model["properties"], *classes, *found["designs"]):
        assert f"  {entry['name']} " in short.replace("\n", " ")
    lines = short.splitlines()
    assert len(lines) < len(whole.splitlines()) / 4
    assert "2 Queue, 2 Replica" not in short
    assert "2 Queue, 2 Replica" in whole
    assert lines[-1].startswith("--like TEXT shows")
    assert "--like TEXT" not in whole
    assert " core two messages, two queues, a crash" in " ".join(short.split())
    assert "Checked only with" in short


def test_list_as_json_has_the_same(run: Run) -> None:
    found = json.loads(run("--list", "--json").stdout)
    assert found["schema"] == "ackproof/list/2"
    (model,) = found["models"]
    assert model["name"] == "confirms"
    assert {"name", "purpose", "states", "sizes", "faults"} == set(model["instances"][0])
    assert "ack_on_channel" in [d["name"] for d in found["designs"]]


def test_the_list_says_when_no_deadlock_is_checked(run: Run, file: Callable[[str], str]) -> None:
    assert "NoDeadlock        Some action is enabled in every state. Checked only with" in (
        run(file(CORRIDOR), "--list").stdout
    )
    assert "Checked only with" not in run(DIE_HARD, "--list").stdout


def test_the_list_names_the_steps_that_a_design_may_replace(run: Run) -> None:
    found = json.loads(run("--list", "--like", "restart", "--json").stdout)
    steps = {(s["class"], s["name"]): s for s in found["models"][0]["steps"]}
    assert steps["Confirms", "restart"]["kind"] == "action"
    assert steps["Confirms", "restart"]["module"] == "ackproof.spec.system"
    shown = run("--list", "--like", "QueueProcess").stdout
    assert "\n  QueueProcess." in shown
    assert "handler: " in shown
    mail = run(MAIL, "--list").stdout
    assert "steps, by class" in mail
    assert "fault: " in mail
