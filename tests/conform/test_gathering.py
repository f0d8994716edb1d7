"""What is said of the same message and queue is put together, as a dictionary would do it."""

from __future__ import annotations

from collections import Counter

import numpy as np
from ackproof.conform.judging.following import DELIVERED
from ackproof.conform.judging.gathering import COUNTS, gathered, grouped, in_groups, summed

from tests.exploring import chance, examples


def test_rows_with_the_same_numbers_are_one_group() -> None:
    rng = chance("groups")
    for _ in range(examples(20)):
        # Few numbers, so that two messages share half of what they are known by.
        rows = [tuple(rng.randrange(-2, 3) for _ in range(3)) for _ in range(rng.randrange(200))]
        low, high, queue = np.array(rows, np.int64).reshape(-1, 3).T
        groups, firsts = grouped(low, high, queue)
        numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
        assert groups.tolist() == [numbers[row] for row in rows]
        assert [rows[first] for first in firsts] == list(numbers)
        order, starts = in_groups(groups, len(firsts))
        assert order.tolist() == sorted(range(len(rows)), key=lambda row: groups[row])
        assert np.diff(starts).tolist() == [rows.count(row) for row in numbers]
        sums = summed(np.array([low, high]), groups, len(firsts))
        assert sums.T.tolist() == [[n * rows.count(row) for n in row[:2]] for row in numbers]


def test_facts_are_counted_by_message_and_the_queue_of_a_delivery() -> None:
    rng = chance("facts")
    for _ in range(examples(20)):
        told = [[rng.randrange(n) for n in (5, 3, 3, 2, 2)] for _ in range(rng.randrange(100))]
        found = gathered(np.array(told, np.int64).reshape(-1, 5)).T.tolist()
        expected: Counter[tuple[int, int, int, int]] = Counter()
        for what, low, high, other, more in told:
            delivered = what == DELIVERED
            column = what + 1 if delivered and more else what
            expected[low, high, other if delivered else 0, column] += 1
        counted = {(*row[:3], c): row[3 + c] for row in found for c in range(COUNTS) if row[3 + c]}
        assert counted == expected
        assert len({tuple(row[:3]) for row in found}) == len(found)
