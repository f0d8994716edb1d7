"""`ackproof check --symmetry` says up to which names it counted, and what it does not judge."""

from __future__ import annotations

import json

import jsonschema
import pytest
from ackproof.model.document import schema

from tests.cli.checking import TWO_PHASE, Run


def test_a_report_says_of_which_elements_the_names_do_not_count(run: Run) -> None:
    result = run(TWO_PHASE, "-i", "rm4", "--symmetry")
    assert result.exit_code == 0
    assert "  states       166 distinct up to the names of Manager\n" in result.stdout
    assert result.stdout.endswith("\nverified  every property holds in the whole state space\n")


def test_a_document_says_which_sorts_were_folded(run: Run) -> None:
    found = json.loads(run(TWO_PHASE, "-i", "rm3", "--symmetry", "--json").stdout)
    jsonschema.validate(found, schema())
    assert (found["results"][0]["folded"], found["results"][0]["states"]) == (["Manager"], 80)
    usual = json.loads(run(TWO_PHASE, "-i", "rm3", "--json").stdout)
    assert (usual["results"][0]["folded"], usual["results"][0]["states"]) == ([], 288)


def test_where_elements_are_told_apart_the_error_says_by_what(run: Run) -> None:
    result = run("--symmetry", "-i", "small")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: instance small: there is nothing to fold; of Msg, they belong to elements of "
        "ChannelId, in order; leave symmetry out\n"
    )


@pytest.mark.parametrize(
    ("options", "other"),
    [
        (("--museum",), "--museum"),
        (("--sweep", "1000"), "--sweep"),
        (("--engine", "spark", "--work", "here"), "--engine spark"),
    ],
)
def test_symmetry_is_refused_where_it_has_no_effect(
    run: Run, options: tuple[str, ...], other: str
) -> None:
    result = run("--symmetry", *options)
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: --symmetry has no effect with {other}; leave out one of the two\n"
    )
