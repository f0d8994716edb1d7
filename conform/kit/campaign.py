"""The campaign: many runs by their seeds, and for each rule that is broken one small program.

A run has a seed of its own, so each can be had again.  Runs that break the same rule are one
violation: the first of them is minimised, the others are counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.ledger import Finding
from ackproof.conform.kit.minimising import Program, minimised
from ackproof.conform.kit.operations import Operation
from ackproof.conform.kit.running import Result, Setting, run

__all__ = ["Campaign", "Ran", "Violated"]

#: How often a smaller program is tried before it counts as harmless.
_TRIES = 4


@dataclass(frozen=True)
class Ran:
    """One run: its seed, how long its program was, what came of it, how many seconds it took."""

    seed: int
    operations: int
    result: Result
    seconds: float


@dataclass
class Violated:
    """A rule that was broken.

    Attributes:
        finding: what the program shows.
        seed: of the run in which it was.
        at: which run that was, from 1.
        program: a small program that breaks it.
        original: how many operations the program had that was drawn.
        runs: in how many runs it was.
    """

    finding: Finding
    seed: int
    at: int
    program: list[Operation]
    original: int
    runs: int = 1


@dataclass
class Campaign:
    """Runs programs, and keeps what they have shown.

    Args:
        setting: the broker, and what runs have in common.
        shrink: seconds to minimise one violation.
        hear: is told of each run.

    Attributes:
        ran: what was run.
        violated: what was found, by rule.
        operations: what programs had, how often.
        counts: what came of them, how often.
        interrupted: it was ended before its time.
    """

    setting: Setting
    shrink: float = 60.0
    hear: Callable[[Ran], None] = lambda ran: None
    ran: list[Ran] = field(default_factory=list)
    violated: dict[str, Violated] = field(default_factory=dict)
    operations: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False

    def conduct(self, first: int, runs: int, seconds: float | None) -> None:
        """Run programs of the seeds from `first` on, so many, and for so long at most."""
        control = self.setting.control
        faults = () if control is None else control.faults
        begun = time.monotonic()
        for seed in range(first, first + runs):
            if seconds is not None and time.monotonic() - begun > seconds:
                return
            self._take(draw(seed, faults), seed)

    def perform(self, program: Program, runs: int) -> None:
        """Run one program until it breaks a rule, so many times at most."""
        for number in range(1, runs + 1):
            result = self._run(program, number)
            for finding in result.findings:
                self._enter(finding, program, number, len(program))
            if result.findings:
                return

    def _run(self, program: Program, seed: int) -> Result:
        begun = time.monotonic()
        result = run(program, self.setting)
        ran = Ran(seed, len(program), result, time.monotonic() - begun)
        self.ran.append(ran)
        self.operations.update(str(operation.do) for operation in program)
        self.counts.update(result.counts)
        self.hear(ran)
        return result

    def _take(self, program: Program, seed: int) -> None:
        result = self._run(program, seed)
        for name in sorted(result.names):
            finding = next(one for one in result.findings if one.name == name)
            if name in self.violated:
                self.violated[name].runs += 1
            else:
                self._enter(*self._minimised(program, finding), seed, len(program))

    def _enter(self, finding: Finding, program: Program, seed: int, operations: int) -> None:
        if finding.name not in self.violated:
            at = len(self.ran)
            violated = Violated(finding, seed, at, list(program), operations)
            self.violated[finding.name] = violated

    def _minimised(self, program: Program, finding: Finding) -> tuple[Finding, Program]:
        """Return a small program that breaks the same rule, and how it does."""
        latest = finding

        def fails(candidate: Program) -> bool:
            nonlocal latest
            for _ in range(_TRIES):
                for found in run(candidate, self.setting).findings:
                    if found.name == finding.name:
                        latest = found
                        return True
            return False

        small = minimised(program, fails, self.shrink)[0]
        return latest, small

    @property
    def incomplete(self) -> list[Ran]:
        """Return the runs that were not brought to their end."""
        return [ran for ran in self.ran if ran.result.incomplete]
