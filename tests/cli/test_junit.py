"""JUnit has a suite for each check, and a case for each of its properties."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

from tests.cli.checking import DEPOT, DIE_HARD, DINING, MAIL, ROOT, Run

#: A model with a property of runs, whose elements are alike.
GUESTS = '''
"""Guests."""
from ackproof.lang import Instance, Model, Set, Sort, System, action, eventually, require


class Guest(Sort):
    """A guest."""


class House(System):
    """A house."""

    here: Set[Guest]

    @action(fair="weak")
    def come(self, guest: Guest) -> None:
        """A guest comes."""
        require(guest not in self.here)
        self.here.add(guest)


@eventually
def Full(s: House) -> bool:
    """All are here."""
    return s.here == set(Guest)


MODEL = Model("guests", House, (Full,), (Instance("three", "three guests", {Guest: 3}),))
'''


def suites(file: Path) -> list[ET.Element]:
    return ET.fromstring(file.read_bytes()).findall("testsuite")


def cases(suite: ET.Element) -> dict[str, str]:
    """Return the kind of what is said of each test case, by its name; "" if it passed."""
    return {
        case.attrib["name"]: next((said.tag for said in case), "")
        for case in suite.findall("testcase")
    }


def test_junit_has_a_suite_for_each_check_and_a_case_for_each_property(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "found.xml"
    assert run(DIE_HARD, DINING, DEPOT, "--junit", str(file)).exit_code == 1
    broken, fine, off = suites(file)
    assert cases(broken)["NeverFourGallons"] == "failure"
    assert [broken.attrib[name] for name in ("name", "failures", "errors")] == [
        "die_hard on jugs",
        "1",
        "0",
    ]
    failure = broken.find("testcase/failure")
    assert failure is not None
    assert failure.attrib["message"] == "false after 6 steps"
    assert "  6     ●    big_to_small()" in str(failure.text)
    assert set(cases(fine).values()) == {""}
    assert cases(off)["Burnt"] == cases(off)["PaidOnce"] == "skipped"


def test_junit_has_what_never_happened_as_a_failure_and_an_unfinished_search_as_an_error(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "found.xml"
    run(MAIL, "-i", "small", "-p", "Impossible", "--junit", str(file))
    assert cases(suites(file)[0])["Impossible"] == "failure"
    run(DINING, "--depth", "3", "--junit", str(file))
    (bounded,) = suites(file)
    assert cases(bounded)["search"] == "error"
    assert "failure" not in cases(bounded).values()
    assert "skipped" in cases(bounded).values()


def test_junit_says_of_runs_that_were_not_judged_that_every_state_was_seen(
    run: Run, tmp_path: Path
) -> None:
    (model := tmp_path / "guests.py").write_text(GUESTS)
    file = tmp_path / "found.xml"
    assert run(str(model), "--symmetry", "--junit", str(file)).exit_code == 3
    skipped = {said.attrib["message"] for said in suites(file)[0].findall("testcase/skipped")}
    assert skipped == {"undecided: every state was seen, and its runs were not judged"}


def test_junit_has_a_case_for_each_expectation(
    run: Run, careless: Callable[[int], str], tmp_path: Path
) -> None:
    file = tmp_path / "found.xml"
    run(careless(2), "--junit", str(file))
    assert [kind for suite in suites(file) for kind in cases(suite).values()] == ["", "", ""]
    run(careless(7), "--junit", str(file))
    first = cases(suites(file)[0])
    assert first == {"NothingIsLost breaks on dry after 7 steps": "failure"}


def test_junit_that_has_no_place_is_refused_before_the_search(run: Run, tmp_path: Path) -> None:
    result = run(DINING, "--junit", str(tmp_path / "none" / "found.xml"))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --junit ")
    assert ": there is no directory " in result.stderr


def test_junit_says_within_which_constraints_a_verdict_holds(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "found.xml"
    counting = str(ROOT / "tests/model/counting.py")
    run(counting, "-p", "WithinOneOfTheConstraints", "-p", "Cut", "--junit", str(file))
    (suite,) = suites(file)
    (out,) = suite.findall("testcase[@name='search']/system-out")
    assert str(out.text).startswith("within SmallSum and NotAhead; what lies behind ")
    run(DIE_HARD, "--junit", str(file))
    assert suites(file)[0].findall("testcase/system-out") == []
