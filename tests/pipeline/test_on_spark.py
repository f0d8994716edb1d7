"""On Spark itself, where every level is a job, all is as the local engines find it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
from ackproof.lang import Design, Model
from ackproof.model.check import check
from ackproof.pipeline.search import explorer
from ackproof.pipeline.session import Session
from ackproof.spec.model import MODEL as CONFIRMS

from tests.exploring import sample
from tests.models import two_phase_commit
from tests.pipeline.searches import assert_same, folder_of, summary
from tests.pipeline.test_state_tables import printed, shown

#: Returns the folder of the search.
Find = Callable[..., Path]


@pytest.fixture
def find(session: Session, tmp_path: Path) -> Find:
    """Check on Spark, where every level is a job, and compare with the local engines."""

    def run(model: Model, instance: str, parts: int, design: Design | None = None) -> Path:
        chosen = model.instance(instance)
        assert chosen is not None
        with_spark = explorer(work=tmp_path, partitions=parts, small=1, share=1)
        found = check(model, chosen, design, engine=with_spark)
        with_spark.close()
        local = check(model, chosen, design)
        assert summary(found.outcome) == summary(local.outcome)
        assert (found.verdict, found.unwitnessed, found.dead) == (
            local.verdict,
            local.unwitnessed,
            local.dead,
        )
        assert found.results() == local.results()
        if found.outcome.violations:
            assert_same(found.bound, found.outcome)
        return folder_of(tmp_path).root

    return run


@pytest.mark.spark
@pytest.mark.parametrize("parts", sample([2, 7, 16], 1))
def test_core_is_the_same_on_spark_and_its_tables_are_those_of_the_page(
    parts: int, find: Find
) -> None:
    folder = find(CONFIRMS, "core", parts)
    assert printed(folder, "only-copy.sql") == shown("only-copy on core")


@pytest.mark.spark
@pytest.mark.parametrize("parts", [2, 7, 16])
def test_two_phase_commit_is_the_same_on_spark(parts: int, find: Find) -> None:
    find(two_phase_commit.MODEL, "rm7", parts)


#: Designs that break a property of steps, one of states, and one of runs, where they are small.
_BROKEN = (
    ("ack_after_write", 2),
    ("ack_after_write", 7),
    ("ack_after_write", 16),
    ("b13_remove_always_confirms", 7),
    ("b04_purge_forgets_confirms", 2),
)


@pytest.mark.spark
@pytest.mark.parametrize(("design", "parts"), _BROKEN)
def test_a_broken_design_breaks_the_same_on_spark(design: str, parts: int, find: Find) -> None:
    module = importlib.import_module(f"ackproof.spec.designs.{design}")
    find(CONFIRMS, "tiny", parts, module.design)
