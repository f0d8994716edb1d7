"""Numbers by rank, of many that are nowhere together, are those of a sorted list."""

from __future__ import annotations

import numpy as np
import pytest
from ackproof.conform.document import latency_of, ranks_of
from ackproof.pipeline.audit.ranks import Counting, keys_of, ranked

from tests.exploring import chance


def numbers(count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Numbers as they come, some equal, some negative, some far from the others."""
    rng = chance(f"ranks of {count}")
    kinds = [lambda: rng.gauss(0, 1), lambda: 0.5, lambda: -0.0, lambda: 10.0 ** rng.randrange(9)]
    return np.array([rng.choice(kinds)() for _ in range(count)])


@pytest.mark.parametrize("count", [1, 2, 3, 10, 101, 5000])
def test_ranks_are_those_of_a_sorted_list(count: int) -> None:
    found = numbers(count)

    def counts_of(counting: Counting) -> dict[int, int]:
        buckets, counts = counting.count(keys_of(found))
        return dict(zip(buckets.tolist(), counts.tolist(), strict=True))

    ranks = ranks_of(count)
    by_rank = ranked(ranks, counts_of)
    assert [by_rank[rank] for rank in ranks] == np.sort(found)[ranks].tolist()
    percentiles = np.percentile(found, [50, 95, 99, 100]) * 1000
    expected = pytest.approx([round(p, 3) for p in percentiles.tolist()], abs=1e-3)
    assert list(latency_of(count, by_rank.__getitem__).values()) == expected


def test_keys_are_in_the_order_of_their_numbers() -> None:
    found = numbers(1000)
    assert (np.argsort(keys_of(found), kind="stable") == np.argsort(found, kind="stable")).all()
