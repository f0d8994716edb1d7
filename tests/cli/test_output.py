"""What a report finds is said in a phrase."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ackproof.cli.output import finding
from ackproof.model.check import check
from ackproof.model.outcome import Limit
from ackproof.model.verdict import Verdict

from tests.model import liveness_models as live


@pytest.mark.parametrize(
    ("limit", "needed", "why"),
    [
        (Limit.MEMORY, 12 << 30, ", for that needs 12.0 GiB of memory, and 3.0 GiB are allowed"),
        (Limit.MEMORY, 0, ", for the memory limit was reached"),
        (Limit.INTERRUPTED, 0, ", for it was interrupted"),
        (Limit.SYMMETRY, 0, " up to the names of elements"),
    ],
)
def test_where_all_states_were_seen_the_properties_of_runs_are_named_that_are_not_judged(
    limit: Limit, needed: int, why: str
) -> None:
    report = check(live.LINE, live.LINE.instances[0], engine="plain", memory=3 << 30)
    open_ = replace(report.outcome, limit=limit, needed=needed, violations={}, cycles={})
    verdict = Verdict.of(open_, witnessed=True)
    assert finding(replace(report, outcome=open_, verdict=verdict)) == (
        f"TheSenderGoesOn is not judged{why}; no property of states and steps is false"
    )
