"""A design is checked where it can matter, and what it expects is looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ackproof.lang.model import Instance
from ackproof.model.difference import Affected, by_size

from tests.cli.checking import CORRIDOR, DIE_HARD, Run
from tests.models import peterson


def test_going_on_after_a_violation_still_tells_a_design_that_changes_nothing(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "first.py"
    file.write_text(FIRST_DECIDES)
    assert (
        run(str(file), "-i", "tiny", "--continue").stdout.splitlines()[-1].startswith("unchanged  ")
    )


FIRST_DECIDES = """
from ackproof.lang import Design, Set, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg, Replica

class FirstDecides(Channel):
    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        if replica in self.unconfirmed[seq]:
            self.release(seq, siblings)

design = Design(claim="One process is enough.", replace=(FirstDecides,))
"""

SAME_AS_EVER = """
from ackproof.lang import Design, Set, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg, Replica

class SameAsEver(Channel):
    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        super().settle(seq, replica, siblings)

design = Design(claim="It can be said in another way.", replace=(SameAsEver,))
"""


def test_a_design_that_acks_at_the_first_confirm_is_found_without_a_word_of_where(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "first.py"
    file.write_text(FIRST_DECIDES)
    result = run(str(file))
    assert result.exit_code == 1
    assert "\nviolated  AckMeansEveryMirror after " in result.stdout


def test_a_design_is_checked_where_it_expects_something(
    run: Run, careless: Callable[[int], str]
) -> None:
    result = run(careless(2), "--json")
    found = [
        (r["design"]["name"], r["instance"]["name"], r["expectation"])
        for r in json.loads(result.stdout)["results"]
    ]
    assert found == [
        (
            "careless2",
            "dry",
            {
                "text": "NothingIsLost breaks on dry after 2 steps",
                "came_true": True,
                "found": "it breaks after 2 steps",
            },
        ),
        (
            "careless2",
            "dry",
            {"text": "StepsAreDefined holds on dry", "came_true": True, "found": "it holds"},
        ),
        (
            "careless2",
            "dry",
            {
                "text": "ToldIsKept breaks on dry after 3 steps",
                "came_true": True,
                "found": "it breaks after 3 steps",
            },
        ),
    ]


def test_a_design_that_says_nothing_is_checked_on_the_smallest_instance_first(run: Run) -> None:
    result = run("docs/examples/hasty.py")
    assert result.exit_code == 1
    assert "confirms, hasty on tiny" in result.stdout
    assert result.stdout.endswith("\nviolated  ConfirmedByStoreIsSafe after 4 steps\n")


def test_a_design_that_is_met_nowhere_is_not_verified_and_says_what_was_not_looked_at(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "same.py"
    file.write_text(SAME_AS_EVER)
    result = run(str(file))
    assert result.exit_code == 3
    assert "\nunchanged  every property holds, but there are as many states" in result.stdout
    said = " ".join(result.stdout.split())
    left = re.search("too large, and not looked at: ([a-z_, ]*)", said)
    assert left is not None
    assert {"failover", "everything", "deep"} <= set(re.findall(r"\w+", left[1]))


#: A counter that goes further on some instances, and a design that matters on the largest.
COUNTING = """
from typing import Annotated
from ackproof.lang import Const, Design, Instance, Model, Range, System, action, require

class Counter(System):
    limit: Const[Annotated[int, Range(0, 9)]] = 0
    n: Annotated[int, Range(0, 9)] = 0

    @action
    def count(self) -> None:
        require(self.n < self.limit)
        self.n = self.n + 1

class Skipping(Counter):
    @action
    def count(self) -> None:
        require(self.n < self.limit)
        self.n = self.n + 2 if self.n == 5 else self.n + 1

def up_to(limit: int) -> Instance:
    return Instance(f"to_{limit}", "it counts", {}, constants={"Counter.limit": limit},
                    states=limit + 1)

MODEL = Model("counting", Counter, (), tuple(map(up_to, (2, 3, 8))))
design = Design(claim="Six is no number.", replace=(Skipping,))
"""


def test_instances_on_which_a_design_changes_nothing_come_in_one_line(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "skipping.py"
    file.write_text(COUNTING)
    result = run(str(file))
    assert result.exit_code == 0
    assert re.search(r"^ skipping +to_8 +verified +8 ", result.stdout, re.MULTILINE)
    assert "\nskipping is unchanged on 2 instances: to_2, to_3\n" in result.stdout
    assert result.stdout.endswith("\nverified  skipping on to_8\n")
    whole = run(str(file), "--verbose").stdout
    assert "skipping is unchanged on" not in whole
    assert re.search(r"^ skipping +to_2 +unchanged +3 ", whole, re.MULTILINE)


def test_an_interruption_between_two_instances_keeps_what_was_found(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "same.py"
    file.write_text(SAME_FLAG)
    smallest = by_size(peterson.MODEL)[0]

    def one_only(self: Affected) -> Iterator[Instance]:
        yield smallest
        raise KeyboardInterrupt

    monkeypatch.setattr(Affected, "__iter__", one_only)
    result = run(str(file), "--json")
    (found,) = json.loads(result.stdout)["results"]
    assert (result.exit_code, found["instance"]["name"]) == (3, smallest.name)
    assert found["note"].endswith("; interrupted before all of these were found")
    assert run(str(file)).stdout.splitlines()[-1].startswith("interrupted  ")


SAME_FLAG = """
from ackproof.lang import *
from tests.models import peterson
from tests.models.peterson import Peterson, Side

MODEL = peterson.MODEL


class SameFlag(Peterson):
    @action
    def raise_flag(self, p: Side) -> None:
        super().raise_flag(p)


design = Design(claim="It can be said in another way.", replace=(SameFlag,))
"""


BAKERY = """
from typing import Annotated
from ackproof.lang import *

class Bakery(System):
    loaves: Annotated[int, Range(0, 2)]
    open: Const[bool] = False

    @action
    def bake(self) -> None:
        require(self.loaves < 2)
        self.loaves += 1

    @action
    def sell(self) -> None:
        require(self.loaves > 0)
        self.loaves -= 1

class Closed(Bakery):
    @action
    def sell(self) -> None:
        require(%s)
        super().sell()

DAYS = (
    Instance("sunday", "nobody comes", {}),
    Instance("monday", "somebody comes", {}, constants={"Bakery.open": True}),
)
MODEL = Model("bakery", Bakery, (), DAYS, deadlock_free=False)
design = Design("Nobody wants bread.", replace=(Closed,))
"""


def test_a_design_under_which_a_step_is_never_taken_is_narrowed_and_the_step_is_named(
    run: Run, file: Callable[[str], str]
) -> None:
    mine = file(BAKERY % "False")
    result = run(mine, "-i", "sunday")
    assert result.exit_code == 3
    assert "\n  only without the design: sell\n" in result.stdout
    assert result.stdout.endswith(
        "\nnarrowed  every property holds, but what happens without the design never does with it: "
        "sell\n"
    )
    found = json.loads(run(mine, "-i", "sunday", "--json").stdout)
    assert (found["exit_code"], found["results"][0]["lost"]) == (3, ["sell"])


def test_a_step_that_is_taken_on_another_instance_is_not_missed(
    run: Run, file: Callable[[str], str]
) -> None:
    mine = file(BAKERY % "self.open and self.loaves == 2")
    assert run(mine, "-i", "sunday").exit_code == 3
    assert run(mine, "-i", "sunday", "-i", "monday").exit_code == 0


def test_an_expectation_that_does_not_come_true_is_told(
    run: Run, careless: Callable[[int], str]
) -> None:
    found = json.loads(run(careless(7), "--json").stdout)["results"][0]["expectation"]
    assert found == {
        "text": "NothingIsLost breaks on dry after 7 steps",
        "came_true": False,
        "found": "it breaks after 2 steps",
    }


EXPECTING = (
    CORRIDOR
    + """
design = Design("it is the same", replace=(Hall,), expect=(%s,))
"""
)


def test_what_is_expected_of_no_deadlock_is_checked(run: Run, file: Callable[[str], str]) -> None:
    mine = file(EXPECTING % 'Holds("one"), Breaks("NoDeadlock", "one", 2), Holds("one")')
    result = run(mine, "--json")
    assert [r["verdict"] for r in json.loads(result.stdout)["results"]] == [
        "unchanged",
        "violated",
        "unchanged",
    ]
    assert run(file(EXPECTING % 'Holds("one", "NoDeadlock")')).stdout.endswith(
        "\nnot as expected  NoDeadlock breaks after 2 steps\n"
    )


def test_a_hope_that_is_disappointed_fails_and_is_said_last(
    run: Run, file: Callable[[str], str]
) -> None:
    broken = 'Breaks("NoAssertionFails", "one", 1)'
    mine = file(EXPECTING % broken)
    result = run(mine)
    assert result.exit_code == 1
    assert result.stdout.endswith("\nnot as expected  it holds\n")
    found = run(mine, "--json")
    assert (found.exit_code, json.loads(found.stdout)["exit_code"]) == (1, 1)
    several = run(file(EXPECTING % f'Holds("one"), {broken}'))
    assert several.exit_code == 1
    assert several.stdout.endswith("\n1 of 2 expectations came true\n")
    assert run(file(EXPECTING % 'Holds("one")')).exit_code == 0


def test_what_was_not_looked_at_is_said(run: Run, file: Callable[[str], str]) -> None:
    said = "the first instance that the file brings; one was not looked at\n"
    own = CORRIDOR + 'instances = (Instance("dry", "it is mine", {}),)\n'
    assert f"  checked on dry, {said}" in run(file(own)).stdout
    assert "not looked at" not in run(file(own), "-i", "dry").stdout
    hoping = own + 'design = Design("x", replace=(Hall,), expect=(Holds("dry"),))\n'
    assert "checked on dry, which its expectations name; one was not looked at\n" in (
        run(file(hoping)).stdout
    )
    both = own + 'design = Design("x", (Hall,), expect=(Holds("dry"), Holds("one")))\n'
    assert "not looked at" not in run(file(both)).stdout


def test_a_design_that_is_named_twice_is_checked_once(run: Run) -> None:
    found = json.loads(run(DIE_HARD, "tests/models/die_hard.py", "--json").stdout)
    assert len(found["results"]) == 1
