"""The plan of a sweep: which instances, in which order, and when it is enough.

Shapes come in order of their growth.  With all faults that a shape may have, each once, it does all
that it does with some of them; so one search decides every combination of faults.  Where that is
too much, or breaks, every two faults are looked at together; where two are, each alone; and where
one is, none.

No instance takes more than a share of all states; what has more is *cut*.  One that is not
searched, since it is the same as the base, takes time as well, and counts as some.  What is as
large as a cut one in everything, or as one that is broken, is not begun: it would be cut or broken,
too, and say nothing new.  That is exact for faults, and a guess for shapes, as a constant may make
a system smaller.  Nor is begun what came when all states were spent.

Where fewer faults than all were looked at together, three that break something only together may be
missed; the table shows where that is.

Whether a shape means anything is asked of the model's assumptions.  From one that does not, such as
a queue without a process, the step goes on to what keeps to more of them, until it means something:
the queue and its process come together.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.model import Model
from ackproof.lang.sorts import bound as sorts_bound
from ackproof.model.live import Live
from ackproof.model.sweep.growth import Growth, Shape
from ackproof.model.sweep.looking import Candidate, Fate, Found

__all__ = ["LEAST", "SHARE", "Entry", "Look", "Row", "Sweep", "share_of", "swept"]

#: One instance takes no more than this part of all states, but may always have some.
SHARE, LEAST = 50, 5_000

#: Where all faults are too many, so many are looked at together.
_TOGETHER = 2

#: So many shapes are looked at with all sets of faults before the next are made.
_AT_A_TIME = 64

#: Searches instances, and yields what it finds in their order.
Look = Callable[[Sequence[Candidate]], Iterator[Found]]


@dataclass(frozen=True)
class Entry:
    """An instance that was begun, and what became of it.

    Args:
        same: the name of an earlier one that comes to the same code.
    """

    candidate: Candidate
    found: Found
    same: str = ""


@dataclass
class Row:
    """The instances of one growth with so many faults together; a line of the table."""

    growth: int
    faults: int
    finished: int = 0
    same: int = 0
    as_base: int = 0
    cut: int = 0
    broken: int = 0
    refused: int = 0
    skipped: int = 0
    not_begun: int = 0
    states: int = 0


@dataclass
class Sweep:
    """What a sweep came to.

    Args:
        growth: what grew.
        budget: states to spend.
        start: the shape that others grew from.
        entries: the instances that were begun, in order.
        rows: the table.
        senseless: shapes that the assumptions exclude.
        spent: states that were searched, again or not; an instance without any counts as `LEAST`.
        whole: so many growths were looked at to the end, from the first on.
        interrupted: whether somebody ended it.
        ended: whether a violation did.
    """

    growth: Growth
    budget: int
    start: Shape
    entries: list[Entry] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    senseless: int = 0
    spent: int = 0
    whole: int = 0
    interrupted: bool = False
    ended: bool = False

    @property
    def states(self) -> int:
        """States that were found."""
        return sum(row.states for row in self.rows)

    @property
    def share(self) -> int:
        """States that one instance may have."""
        return share_of(self.budget)

    def of(self, *fates: Fate) -> list[Entry]:
        """Return the instances of which one of these became."""
        return [e for e in self.entries if e.found.fate in fates and not e.same]

    @property
    def never(self) -> list[str]:
        """Actions and situations that some finished instance has room for, and none has met."""
        met = {name for e in self.entries for name in e.found.met}
        missing = {name for e in self.entries for name in e.found.missing}
        return sorted(missing - met)


def share_of(budget: int) -> int:
    """Return how many states one instance may have."""
    return max(budget // SHARE, min(budget, LEAST))


def swept(
    growth: Growth, budget: int, look: Look, start: Shape | None = None, *, go_on: bool = False
) -> Sweep:
    """Look at instances in order of growth until so many states are spent.

    An interruption ends it, and what was found until then is returned.

    Args:
        growth: what grows.
        budget: states to spend; the last instance may go beyond them.
        look: searches.
        start: the shape that others grow from; the smallest if it is not given.
        go_on: whether a violation does not end it.
    """
    sweep = Sweep(growth, budget, start or growth.smallest())
    try:
        _Sweeping(sweep, look, go_on).run()
    except KeyboardInterrupt:
        sweep.interrupted = True
    sweep.rows.sort(key=lambda row: (row.growth, -row.faults))
    return sweep


@dataclass
class _Open:
    """A shape that is being looked at.

    Args:
        against: the numbers of the assumptions that it does not keep to.
        stopped: sets of faults with which it, or what it grew from, was cut or broken.
        done: sets of faults with which all of it is known.
    """

    shape: Shape
    against: frozenset[int]
    stopped: set[frozenset[str]]
    done: set[frozenset[str]] = field(default_factory=set)

    def wants(self, faults: frozenset[str]) -> bool:
        """Tell whether it is neither known nor hopeless what happens with these faults."""
        return not any(faults <= s for s in self.done) and not self.bars(faults)

    def bars(self, faults: frozenset[str]) -> bool:
        """Tell whether fewer faults were too many already."""
        return any(s <= faults for s in self.stopped)


class _Sweeping:
    """A sweep at work."""

    def __init__(self, sweep: Sweep, look: Look, go_on: bool) -> None:
        self._sweep = sweep
        self._look = look
        self._go_on = go_on
        self._faults = sweep.growth.faults
        self._codes: dict[str, Entry] = {}
        self._seen: set[Any] = set()
        self._known: dict[Shape, frozenset[int] | None] = {}
        self._taken: set[Shape] = set()
        self._assumptions = _assumptions(sweep.growth.model)
        self._names = [_names(f, sweep.growth.model.system) for f in self._assumptions]

    def run(self) -> None:
        """Look at one growth after the other, some shapes at a time."""
        sweep = self._sweep
        shapes = self._new([(sweep.start, set())])
        for growth in itertools.count():
            looked: list[_Open] = []
            while some := list(itertools.islice((o for o in shapes if not o.against), _AT_A_TIME)):
                looked += some
                for together in dict.fromkeys((len(self._faults), _TOGETHER, 1, 0)):
                    if together <= len(self._faults):
                        self._round(growth, together, some)
                if self._is_over():
                    break
            sweep.whole += bool(looked) and not self._is_over()
            if self._is_over() or not looked:
                return
            shapes = self._new([(new, o.stopped) for o in looked for new in self._larger(o)])

    def _is_over(self) -> bool:
        sweep = self._sweep
        return sweep.ended or sweep.interrupted or sweep.spent >= sweep.budget

    def _larger(self, one: _Open) -> Iterator[Shape]:
        """Yield what grows from a shape, unless it was too much without any fault."""
        if not one.bars(frozenset()):
            yield from self._sweep.growth.grown(one.shape)

    def _new(self, shapes: Iterable[tuple[Shape, set[frozenset[str]]]]) -> Iterator[_Open]:
        """Yield the shapes that are new, with those that mend what they have against them."""
        for shape, stopped in shapes:
            waiting = [self._opened(shape, stopped, None)]
            while waiting:
                one = waiting.pop(0)
                if one is not None:
                    yield one
                    if one.against:
                        larger = self._sweep.growth.grown(one.shape, self._read_by(one.against))
                        waiting += [self._opened(s, stopped, one.against) for s in larger]

    def _read_by(self, against: frozenset[int]) -> set[str]:
        """Return the names of what may be changed to keep to an assumption."""
        return {name for k in against for name in self._names[k]}

    def _opened(
        self, shape: Shape, stopped: set[frozenset[str]], below: frozenset[int] | None
    ) -> _Open | None:
        """Return a shape if it is new, whatever its elements are called.

        With `below`, it must keep to more of the assumptions.
        """
        if shape in self._taken:
            return None
        growth = self._sweep.growth
        if shape not in self._known:
            bound = growth.bound(shape)
            self._known[shape] = None if bound is None else self._against(bound)
        against = self._known[shape]
        if against is None or (below is not None and not against < below):
            return None
        self._taken.add(shape)
        bound = growth.bound(shape)
        assert bound is not None, "it has been looked at"
        same = growth.sameness(bound)
        if same in self._seen:
            return None
        self._seen.add(same)
        self._sweep.senseless += bool(against)
        return _Open(shape, against, set(stopped))

    def _against(self, bound: Bound) -> frozenset[int]:
        with sorts_bound(bound.sizes):
            system = Live(bound).root
            return frozenset(k for k, keeps in enumerate(self._assumptions) if not keeps(system))

    # -- a round: the shapes of one growth, so many faults together -----------------------------

    def _round(self, growth: int, together: int, shapes: Sequence[_Open]) -> None:
        row = self._row(growth, together)
        before = len(self._sweep.entries)
        wanted: list[tuple[_Open, Candidate]] = []
        for one in shapes:
            for faults in itertools.combinations(self._faults, together):
                if one.wants(frozenset(faults)) and self._has_come_to(one, frozenset(faults)):
                    name = f"swept_{before + len(wanted) + 1}"
                    wanted.append((one, Candidate(name, growth, one.shape, faults)))
                elif one.bars(frozenset(faults)):
                    row.skipped += 1
        if row not in self._sweep.rows and (wanted or row.skipped):
            self._sweep.rows.append(row)
        begun = 0 if self._is_over() else self._looked(row, wanted)
        row.not_begun += len(wanted) - begun

    def _has_come_to(self, one: _Open, faults: frozenset[str]) -> bool:
        """Tell whether more faults together were too many: else they are looked at first."""
        every = frozenset(self._faults)
        if faults == every:
            return True
        if len(faults) == _TOGETHER:
            return one.bars(every)
        return any(one.bars(faults | {other}) for other in every - faults)

    def _row(self, growth: int, together: int) -> Row:
        """Return the line of the table that there is, or a new one."""
        rows = self._sweep.rows
        same = (r for r in rows if (r.growth, r.faults) == (growth, together))
        return next(same, Row(growth, together))

    def _looked(self, row: Row, wanted: Sequence[tuple[_Open, Candidate]]) -> int:
        """Look at instances until it is enough; return how many were begun."""
        found = self._look([candidate for _, candidate in wanted])
        begun = 0
        for (one, candidate), result in zip(wanted, found, strict=False):
            begun += 1
            self._note(row, one, candidate, result)
            if self._is_over():
                break
        else:
            self._sweep.interrupted |= begun < len(wanted)
        close = getattr(found, "close", None)
        if close is not None:
            close()
        return begun

    def _note(self, row: Row, one: _Open, candidate: Candidate, found: Found) -> None:
        known = self._codes.get(found.code) if found.code else None
        entry = Entry(candidate, found, known.candidate.name if known else "")
        self._sweep.entries.append(entry)
        faults = frozenset(candidate.faults)
        (one.done if found.fate.whole else one.stopped).add(faults)
        self._sweep.spent += found.states or min(LEAST, self._sweep.share)
        if known is not None:
            row.same += 1
            return
        if found.code:
            self._codes[found.code] = entry
        name = found.fate.name.lower()
        setattr(row, name, getattr(row, name) + 1)
        row.states += found.states
        self._sweep.ended |= found.fate is Fate.BROKEN and not self._go_on


def _assumptions(model: Model) -> list[Callable[[Any], bool]]:
    """Return what says whether an instance of a model means anything."""
    if not model.assumptions:
        return []
    functions = vars(importlib.import_module(model.assumptions)).values()
    return [f for f in functions if hasattr(f, "__ackproof_assumption__")]


def _names(function: Any, system: type) -> set[str]:
    """Return the names that a function reads, with those that the system's helpers read for it."""
    found: set[str] = set()
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        waiting += [c for c in code.co_consts if isinstance(c, CodeType)]
        for name in {*code.co_names} - found:
            found.add(name)
            helper = getattr(getattr(system, name, None), "__code__", None)
            waiting += [helper] if helper else []
    return found
