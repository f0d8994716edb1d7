"""Searches that were made before: what each of them depends on, and how it is kept.

What a search finds depends on its *question*: the program at the sizes of an instance, the engine,
and how far it is to go.  It does not depend on the number of workers, and on the memory allowed
only where that ran out; a search that was stopped is not kept.

A question has two names in the cache.  Its *key* is made of what the search is given, and no more.
For the kernel that is the generated code, where it starts, and what the bits stand for: whatever
an instance switches off, or a folded condition rules out, is not in it, so neither comments nor
another helper, fault, constant or property that plays no part here changes the key.  The plain
engine runs the specification itself; its key has the sources.

To generate code takes a moment.  So the cache also knows the key by the *origin* of the program
(see `programs`), with what is said of an instance besides: a run with the same sources reads both
and generates nothing.

What is kept is an outcome.  Where nothing is violated it is the outcome of a survey and of a search
that would end at a violation alike, and answers both.  Counterexamples are kept as paths, and are
replayed in plain Python whenever they are shown.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.model.cache import OUTCOMES, Cache, digest, sources
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.programs import LANGUAGE

if TYPE_CHECKING:
    from ackproof.model.lower.compile import Generated, Kernel

__all__ = ["ENGINES", "Idle", "Known", "Question", "origin_of"]

#: The ends of searches whose outcomes are kept.
_KEPT = (None, Limit.DEPTH, Limit.SYMMETRY)

#: What entries are called in the cache.
_KEYS = "keys"

_HERE = Path(__file__).parent

#: What the engines are made of, wherever a search may run through it.
ENGINES = (
    LANGUAGE,
    *(_HERE / name for name in ("kernel", "lower")),
    *(
        _HERE / f"{name}.py"
        for name in (
            "beginnings",
            "components",
            "fairness",
            "limits",
            "live",
            "liveness",
            "outcome",
            "renaming",
        )
    ),
    *(_HERE / f"{name}.py" for name in ("plain", "plain_liveness", "plain_search", "widths")),
    Path(__file__),
)


@dataclass(frozen=True)
class Idle:
    """What has no part in an instance, by name.

    Args:
        dead: actions that no reachable state enables.
        off: `@reachable` situations that no state or step can be.
        vacuous: other properties that nothing could make false.
    """

    dead: frozenset[str]
    off: frozenset[str]
    vacuous: frozenset[str]


@dataclass(frozen=True)
class Known:
    """The outcome of an earlier search.

    Args:
        outcome: what it found.
        seconds: how long everything took then.
        memory_limit: bytes at which it would have stopped.
        searched: when that was, as ISO 8601, to the second, in UTC.
    """

    outcome: Outcome
    seconds: float
    memory_limit: int
    searched: str


@dataclass(frozen=True)
class Question:
    """One search: what is to be searched, and where outcomes are kept.

    Args:
        bound: the program at the sizes of an instance.
        engine: the name of the engine.
        survey: whether the search goes on after a violation.
        max_depth: levels after which it stops.
        origin: a digest of all that `bound` comes from, if that can be told; see `origin_of`.
        cache: where outcomes are kept, if anywhere.
    """

    bound: Bound
    engine: str
    survey: bool = False
    max_depth: int | None = None
    origin: str | None = None
    cache: Cache | None = None

    @property
    def key(self) -> str | None:
        """A digest of all that the outcome depends on besides `survey`; None if that is unknown."""
        return self._names[0]

    @property
    def idle(self) -> Idle:
        """What has no part in the instance."""
        return self._names[1]

    @cached_property
    def _names(self) -> tuple[str | None, Idle]:
        name = self._near_name()
        data = self.cache.get(_KEYS, name) if self.cache and name else None
        if data is not None:
            said = json.loads(data)
            key = said.pop("key")
            return key, Idle(**{what: frozenset(names) for what, names in said.items()})
        key, idle = self._computed_key(), _idle(self.bound)
        if self.cache and name and key:
            parts = {what: sorted(names) for what, names in asdict(idle).items()}
            self.cache.put(_KEYS, name, json.dumps({"key": key, **parts}).encode())
        return key, idle

    def _near_name(self) -> str | None:
        """Return a digest of where the question comes from, and of how it is turned into a key."""
        if self.origin is None:
            return None
        return digest(self.origin, sources(*ENGINES), *self._manner)

    @property
    def _manner(self) -> tuple[str, ...]:
        return (self.engine, repr(self.max_depth))

    def _computed_key(self) -> str | None:
        if self.engine == "kernel":
            import llvmlite

            version: str = llvmlite.__version__
            return digest(
                sources(*ENGINES), version, *self._manner, *_code(self.bound, self._generated)
            )
        # What the specification's own Python does is not all in its typed program.
        return self._near_name()

    def kernel(self) -> Kernel:
        """Return the compiled program; from the cache, if there is one, and if it is there.

        Raises:
            BindError: a state of this instance does not fit.
        """
        from ackproof.model.kernels import kernel_of
        from ackproof.model.lower.compile import compile_kernel, is_small

        if self.cache is None:
            return compile_kernel(self.bound, self._generated, quick=is_small(self.bound))
        whence = self.origin and digest(self.origin, sources(*ENGINES))
        return kernel_of(self.bound, whence, self.cache, lambda: self._generated)

    @cached_property
    def _generated(self) -> Generated:
        from ackproof.model.written import generated

        return generated(self.bound, self.cache, sources(*ENGINES))

    def answer(self, memory: int) -> Known | None:
        """Return what an earlier search found, unless it took more memory than is allowed now."""
        if self.cache is None or self.key is None:
            return None
        names = (self.key, self._violated(self.key))
        data = next((found for name in names if (found := self.cache.get(OUTCOMES, name))), None)
        known = None if data is None else _read(json.loads(data))
        return known if known is not None and known.outcome.memory <= memory else None

    def keep(self, outcome: Outcome, seconds: float, memory_limit: int) -> None:
        """Keep what a search found, if it came to the end that it was to come to."""
        if self.cache is None or self.key is None or outcome.limit not in _KEPT:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        known = Known(outcome, seconds, memory_limit, now)
        name = self._violated(self.key) if outcome.violations else self.key
        self.cache.put(OUTCOMES, name, json.dumps(_written(known)).encode())

    def _violated(self, key: str) -> str:
        """Return the name of an outcome with violations, of which a survey finds more."""
        return digest(key, repr(self.survey))


def origin_of(program: str | None, bound: Bound) -> str | None:
    """Return a digest of what a bound program comes from, None if that cannot be told.

    Args:
        program: that of the program, as `programs.origin` has it.
        bound: the program at the sizes of an instance, with some properties chosen.
    """
    if program is None:
        return None
    sizes = [(sort.__module__, sort.__name__, n) for sort, n in bound.sizes.items()]
    constants = [(*at, repr(value)) for at, value in bound.constants.items()]
    chosen = [p.name for p in bound.properties]
    said = (sizes, constants, bound.budgets, chosen, bound.program.deadlock_free, bound.folded)
    return digest(program, repr(said))


def _idle(bound: Bound) -> Idle:
    from ackproof.model.lower.fixed import fixed
    from ackproof.model.widths import refuse_wide_types

    try:
        refuse_wide_types(bound)
    except BindError:  # plain Python may search it all the same
        return Idle(frozenset(), frozenset(), frozenset())
    parts = fixed(bound)
    return Idle(parts.dead, parts.off, parts.vacuous)


def _code(bound: Bound, generated: Generated) -> list[str]:
    """Return all that the kernel is given: its code, where it starts, and what bits stand for."""
    text, layout, tables, _ = generated
    fairness = [(a.name, a.fair) for a in bound.actions]
    eventually = [p for p in bound.properties if p.of_runs]
    return [
        text,
        repr(layout.initials),
        repr(tables),
        repr([str(i) for i in bound.instances()]),
        repr((fairness, eventually, bound.program.deadlock_free)),
    ]


def _written(known: Known) -> dict[str, Any]:
    """Return a known outcome as JSON."""
    outcome = known.outcome
    assert outcome.kept is None, "searches in a folder keep what they find themselves"
    return {
        **asdict(known),
        "outcome": {
            **asdict(replace(outcome, witnessed=frozenset(), limit=None)),
            "witnessed": sorted(outcome.witnessed),
            "limit": outcome.limit.value if outcome.limit else None,
        },
    }


def _read(written: dict[str, Any]) -> Known:
    """Return what `_written` was given."""
    outcome = dict(written["outcome"])
    outcome["level_sizes"] = tuple(outcome["level_sizes"])
    outcome["witnessed"] = frozenset(outcome["witnessed"])
    outcome["limit"] = Limit(outcome["limit"]) if outcome["limit"] else None
    for paths in ("violations", "cycles"):
        outcome[paths] = {name: tuple(path) for name, path in outcome[paths].items()}
    return Known(**{**written, "outcome": Outcome(**outcome)})
