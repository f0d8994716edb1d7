"""Which of very many numbers has which rank, without sorting them or bringing them together.

Numbers are counted by their first 16 bits, those that share them with a wanted one by the next 16,
and so on: four times.  The order of the bits of a float is the order of floats, once those of
negative ones are turned around.  What comes back each time is a few thousand counts, and 65,536 for
each wanted rank at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from ackproof.pipeline.audit.tables import rows_in

__all__ = ["COUNTED", "COUNTED_SCHEMA", "Counting", "ranked"]

COUNTED = pa.schema([("bucket", pa.int64()), ("count", pa.int64())])
COUNTED_SCHEMA = "bucket bigint, count bigint"

_SHIFTS = (48, 32, 16, 0)
_STEP = 16
_MAGNITUDE = np.int64((1 << 63) - 1)

Keys = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Counting:
    """Counts packed rows of `latencies` by the first bits of their keys.

    Args:
        shift: how many bits are left out.
        within: of which first bits before only those are counted; None for all.
    """

    shift: int
    within: tuple[int, ...] | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield counts by bucket, which may come several times."""
        for rows in rows_in(batches):
            buckets, counts = self.count(keys_of(rows.column(0).to_numpy()))
            yield pa.record_batch([buckets, counts], schema=COUNTED)

    def count(self, keys: Keys) -> tuple[Keys, Keys]:
        """Return the buckets of keys, and how many are in each."""
        if self.within is not None:
            keys = keys[np.isin(keys >> (self.shift + _STEP), np.array(self.within, np.int64))]
        return np.unique(keys >> self.shift, return_counts=True)


def keys_of(numbers: npt.NDArray[np.float64]) -> Keys:
    """Return integers in the order of some floats."""
    # There are two zeros, which are the same number.
    bits = (numbers + 0.0).view(np.int64)
    return np.where(bits < 0, bits ^ _MAGNITUDE, bits)


def ranked(
    ranks: Sequence[int], counts_of: Callable[[Counting], Mapping[int, int]]
) -> dict[int, float]:
    """Return the numbers of some ranks, from 0.

    Args:
        ranks: the ranks, of which none is too large.
        counts_of: counts all numbers, by bucket.
    """
    # For each rank: the first bits of its number, and its rank among those that have them.
    found: dict[int, tuple[int | None, int]] = {rank: (None, rank) for rank in ranks}
    for shift in _SHIFTS:
        within = {bits for bits, _ in found.values() if bits is not None}
        counts = counts_of(Counting(shift, tuple(sorted(within)) or None))
        found = {rank: _inside(counts, *place) for rank, place in found.items()}
    keys = np.array([bits for bits, _ in found.values()], np.int64)
    bits: Any = np.where(keys < 0, keys ^ _MAGNITUDE, keys)
    return dict(zip(found, bits.view(np.float64).tolist(), strict=True))


def _inside(counts: Mapping[int, int], bits: int | None, rank: int) -> tuple[int, int]:
    """Return in which bucket a rank falls, and its rank in there."""
    for bucket in sorted(counts):
        if bits is None or bucket >> _STEP == bits:
            if rank < counts[bucket]:
                return bucket, rank
            rank -= counts[bucket]
    raise AssertionError("there are fewer numbers than ranks")
