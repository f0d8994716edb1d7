"""A campaign runs programs by their seeds, and makes those that break a rule small."""

from __future__ import annotations

import pytest
from ackproof.conform.kit.campaign import Campaign
from ackproof.conform.kit.drawing import draw

from tests.conform.kit.planted import PLANTED, serving

BROKEN = PLANTED["it acks twice"]


def test_runs_that_break_the_same_rule_are_one_violation() -> None:
    with serving(BROKEN) as setting:
        campaign = Campaign(setting)
        campaign.conduct(1, 8, None)
    assert [ran.seed for ran in campaign.ran] == list(range(1, 9))
    failed = [ran for ran in campaign.ran if "SettledOnce" in ran.result.names]
    violated = campaign.violated["SettledOnce"]
    assert (violated.runs, violated.seed) == (len(failed), failed[0].seed)
    assert violated.at == 1 + [ran.seed for ran in campaign.ran].index(failed[0].seed)
    assert violated.original == len(draw(violated.seed)) > len(violated.program)


def test_what_is_left_of_a_program_breaks_the_rule_when_it_is_run_again() -> None:
    with serving(BROKEN) as setting:
        campaign = Campaign(setting)
        campaign.conduct(1, 8, None)
        program = campaign.violated["SettledOnce"].program
        assert [str(operation.do) for operation in program] == ["confirm", "publish"]
        again = Campaign(setting)
        again.perform(program, 3)
    assert list(again.violated) == ["SettledOnce"]
    assert len(again.ran) == 1


def test_a_program_that_breaks_nothing_is_run_as_often_as_was_asked() -> None:
    with serving() as setting:
        campaign = Campaign(setting)
        campaign.perform(draw(1), 3)
    assert (len(campaign.ran), campaign.violated) == (3, {})


@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_no_run_begins_after_the_time(seconds: float) -> None:
    with serving() as setting:
        campaign = Campaign(setting)
        campaign.conduct(1, 100_000, seconds)
    assert len(campaign.ran) < 1000
    assert bool(campaign.ran) == bool(seconds)
