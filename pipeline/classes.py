"""Which states of a region a fair run may stay in, found by the parts, without a graph of steps.

Where a fair run stays is a strongly connected component of the region.  All states of one agree in
what measures are about (`ackproof.pipeline.measures`), and so they are of one *class*.  If there is
a fair instance that is enabled in every state of a class, and leads out of it, it would be put off
for ever: no fair run stays in that class.  (`ackproof.model.kernel.classes` says more.)

The driver learns measures from a sample.  Each part expands its states once, holds each step
against the measures, and notes of each class that it has a state of which fair instances do; then
classes are divided among the parts, and what all have noted comes together.  A step that shows that
a measure is none is sent back, and learnt from together with the sample.  Only classes are left of
which nothing was shown; the rest of the region is forgotten.  Nothing is held by the driver but the
sample and numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel.batches import Batches, States
from ackproof.model.kernel.graph_task import FAILS
from ackproof.model.kernel.search import DEADLOCK
from ackproof.pipeline.crew import Notes, Question
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.index import Run, read_run, read_table, write_run, write_table
from ackproof.pipeline.measures import Measure, changes, classes_of, learnt
from ackproof.pipeline.ordering import Fingerprints, Numbers, first_of
from ackproof.pipeline.places import Place

__all__ = ["Region", "left_over"]

#: States of the first sample, and how many times as many the next one has.
SAMPLE, _LARGER = 1 << 11, 1 << 3
#: After so many times that a step has shown something to be wrong, the sample is a larger one; and
#: steps of a part that show it, at most.
_PATIENCE, _LESSONS = 1 << 4, 1 << 6
#: Fair instances that are looked at: there is a bit for each.
_CODES = 64

Bits = npt.NDArray[np.uint64]

Ask = Callable[[Question, str], Notes]


@dataclass(frozen=True)
class Region:
    """A region as the parts have written it down.

    Args:
        folder: the search.
        name: what its files are called by.
        wanted: bits of the properties one of which is false in each of its states.
        sizes: how many states each part has.
        seals: of the files with the states.
        noted: of the files with what is noted of each.
    """

    folder: Folder
    name: str
    wanted: int
    sizes: tuple[int, ...]
    seals: tuple[str, ...]
    noted: tuple[str, ...]

    @staticmethod
    def named(folder: Folder, name: str, wanted: int) -> Region:
        """Return a region that is to be written down."""
        return Region(folder, name, wanted, (), (), ())

    def told(self, notes: Notes) -> Region:
        """Return it as the parts have written it down, by what they say."""
        found = (tuple(note[name] for note in notes) for name in ("states", "seal", "noted"))
        return Region(self.folder, self.name, self.wanted, *found)

    @property
    def states(self) -> int:
        """How many states it has."""
        return sum(self.sizes)

    def file(self, kind: str, part: int) -> Place:
        """Return where a part has written something down."""
        return self.folder.root / "region" / f"{kind}-{self.name}-{part:05d}.arrow"

    def run(self, part: int) -> Run:
        """Return the states of a part."""
        return read_run(self.file("states", part), self.seals[part])

    def states_of(self, part: int) -> States:
        """Return the states of a part, a row for each."""
        return np.stack(self.run(part).words, axis=1)

    def notes(self, part: int) -> Any:
        """Return what is noted of the states of a part."""
        return read_table(self.file("notes", part), self.noted[part])

    def write(self, part: int, run: Run, notes: dict[str, Numbers]) -> dict[str, Any]:
        """Write down the states of a part, and what is noted of them."""
        stored = write_run(self.file("states", part), run, lasting=False)
        noted = write_table(self.file("notes", part), notes, lasting=False)
        return {"states": len(run), "seal": stored.seal, "noted": noted.seal}


def left_over(region: Region, fair: frozenset[int], ask: Ask) -> Region:
    """Return what of a region a fair run may stay in, as far as that can be told.

    Args:
        region: where some property is false that must come true again and again.
        fair: the instances that must happen.
        ask: asks all parts something, which is described in words.
    """
    largest = int(np.argmax(region.sizes))
    kernel, sample, lessons, attempt = batches_of(region.folder), SAMPLE, list[Any](), 0
    while region.states:
        before, after, codes = _sample(kernel, region, largest, sample, fair)
        taught: States = np.array(lessons, np.uint64).reshape(-1, 2, before.shape[1])
        measures = learnt(
            np.concatenate([before, taught[:, 0]]), np.concatenate([after, taught[:, 1]])
        )
        classified = ask(_Classify(region, measures, codes), "the classes of the region")
        new = list(chain.from_iterable(answer["lessons"] for answer in classified))
        if not new:
            seals = tuple(answer["seal"] for answer in classified)
            settled = ask(_Settle(region, seals), "what classes have in common")
            if not any(answer["left"] for answer in settled):
                return Region.named(region.folder, "nothing", region.wanted)
            left = tuple(answer["seal"] for answer in settled)
            narrow = _Narrow(region, measures, left)
            return narrow.after.told(ask(narrow, "the classes that are left"))
        lessons, attempt = lessons + new, attempt + 1
        if attempt % _PATIENCE == 0:
            sample *= _LARGER
    return region


def _sample(
    kernel: Batches, region: Region, part: int, count: int, fair: frozenset[int]
) -> tuple[States, States, tuple[int, ...]]:
    """Return steps of some states that stay in the region, and the fair instances seen most."""
    states = region.states_of(part)
    some = states[:: max(1, len(states) // count)]
    steps = [_Steps.of(kernel, s, region.wanted) for s in _slices(some, kernel)]
    before = np.concatenate([step.before for step in steps])
    after = np.concatenate([step.after for step in steps])
    stays = np.concatenate([step.stays for step in steps])
    often = np.bincount(np.concatenate([step.instances for step in steps]), minlength=1)
    seen = [(int(often[n]) if n < len(often) else 0, n) for n in sorted(fair)]
    codes = tuple(n for _, n in sorted(seen, key=lambda pair: -pair[0])[:_CODES])
    return before[stays], after[stays], codes


def _slices(states: States, kernel: Batches) -> Iterator[States]:
    """Yield states in pieces, one at least."""
    for start in range(0, max(len(states), 1), kernel.slice):
        yield states[start : start + kernel.slice]


@dataclass(frozen=True)
class _Steps:
    """All steps of some states.

    Attributes:
        before: the state in which each begins.
        after: the one to which it leads.
        rows: the row of the first.
        instances: which instance makes it.
        failing: rows and instances of steps that fail.
        stays: whether it leads to where a property is false that is wanted.
    """

    before: States
    after: States
    rows: Numbers
    instances: Numbers
    failing: tuple[Numbers, Numbers]
    stays: npt.NDArray[np.bool_]

    @staticmethod
    def of(kernel: Batches, states: States, wanted: int) -> _Steps:
        made, rows, instances, records = kernel.steps(states)
        failing = records[((records[:, 2] & FAILS) != 0) & (records[:, 1] != DEADLOCK)]
        stays = (kernel.falsify(made) & wanted) != 0
        return _Steps(states[rows], made, rows, instances, (failing[:, 0], failing[:, 1]), stays)


@dataclass(frozen=True)
class _Classify:
    """What is asked of each part: which fair instances lead out of a class from all its states."""

    region: Region
    measures: tuple[Measure, ...]
    codes: tuple[int, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the classes of a part down; return the seal, or steps that are no lessons yet."""
        kernel, states = batches_of(self.region.folder), self.region.states_of(part)
        code = np.zeros(max(self.codes, default=0) + 1, np.uint64)
        code[list(self.codes)] = np.uint64(1) << np.arange(len(self.codes), dtype=np.uint64)
        found: list[tuple[Fingerprints, Bits]] = []
        for some in _slices(states, kernel):
            steps = _Steps.of(kernel, some, self.region.wanted)
            right, wrong = changes(self.measures, steps.before, steps.after)
            lessons = np.flatnonzero(wrong & steps.stays)[:_LESSONS]
            if len(lessons):
                pairs = np.stack([steps.before[lessons], steps.after[lessons]], axis=1)
                return {"lessons": pairs.tolist(), "seal": ""}
            bits = _enabled(len(some), steps, right | ~steps.stays, code)
            found.append(_together(classes_of(self.measures, some), bits))
        keys, bits = (np.concatenate(p) for p in zip(*found, strict=True))
        classes = dict(zip(("class", "bits"), _together(keys, bits), strict=True))
        stored = write_table(self.region.file("classes", part), classes, lasting=False)
        return {"lessons": [], "seal": stored.seal}


def _enabled(count: int, steps: _Steps, leaving: npt.NDArray[np.bool_], code: Bits) -> Bits:
    """Return for each state the bits of the fair instances that lead out of its class there."""
    bits = np.zeros(count, np.uint64)
    known = leaving & (steps.instances < len(code))
    np.bitwise_or.at(bits, steps.rows[known], code[steps.instances[known]])
    rows, instances = steps.failing
    known = instances < len(code)
    np.bitwise_or.at(bits, rows[known], code[instances[known]])
    return bits


def _together(keys: Fingerprints, bits: Bits) -> tuple[Fingerprints, Bits]:
    """Return each class once, in order, with the bits that all have that are of it."""
    if not len(keys):
        return keys, bits
    order = np.argsort(keys)
    keys, bits = keys[order], bits[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[starts], np.bitwise_and.reduceat(bits, starts)


@dataclass(frozen=True)
class _Settle:
    """What is asked then: in which classes of its own no instance is enabled everywhere."""

    region: Region
    seals: tuple[str, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write these down; return how many there are, and the seal."""
        parts = len(self.seals)
        found: list[tuple[Fingerprints, Bits]] = []
        for number, seal in enumerate(self.seals):
            table = read_table(self.region.file("classes", number), seal)
            keys, bits = (table.column(name).to_numpy() for name in ("class", "bits"))
            start = np.searchsorted(keys, first_of(part, parts))
            last = part + 1 == parts
            end = len(keys) if last else np.searchsorted(keys, first_of(part + 1, parts))
            found.append((keys[start:end], bits[start:end]))
        keys, bits = _together(*(np.concatenate(p) for p in zip(*found, strict=True)))
        left = keys[bits == 0]
        stored = write_table(self.region.file("open", part), {"class": left}, lasting=False)
        return {"left": len(left), "seal": stored.seal}


@dataclass(frozen=True)
class _Narrow:
    """What is asked at last: which of its states are of a class that is left."""

    region: Region
    measures: tuple[Measure, ...]
    seals: tuple[str, ...]

    def __call__(self, part: int) -> dict[str, Any]:
        """Write them down, as the region of which they are was."""
        run, states = self.region.run(part), self.region.states_of(part)
        left = np.concatenate([self._left(number) for number in range(len(self.seals))])
        kept = np.flatnonzero(np.isin(classes_of(self.measures, states), left))
        notes = self.region.notes(part).take(kept)
        columns = {name: notes.column(name).to_numpy() for name in notes.column_names}
        return self.after.write(part, Run.of(run.prints[kept], states[kept]), columns)

    @property
    def after(self) -> Region:
        """What of the region is left."""
        return Region.named(self.region.folder, "left", self.region.wanted)

    def _left(self, part: int) -> Sequence[int]:
        left = read_table(self.region.file("open", part), self.seals[part]).column("class")
        found: Sequence[int] = left.to_numpy()
        return found
