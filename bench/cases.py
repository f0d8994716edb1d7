"""What is measured: a model with its instance, and its hand-written twins for SPIN and TLC.

A twin has the same states and the same steps as the model; that it does is checked in every cell
of the measurement, by its number of distinct states, and where the other program prints it
exactly, by the number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["CASES", "ROOT", "Case", "Sample"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Case:
    """One instance of one model.

    Args:
        name: how the tables call it.
        model: the model's file below the project's root, or None for the confirm specification.
        instance: the name of the instance.
        twin: the name of the twins in `bench/promela` and `bench/tla`.
        states: distinct states, which every program must count.
        generated: the initial state and all steps.
        defines: preprocessor constants of the Promela twin.
        constants: constants of the TLA+ twin.
        depth: room for SPIN's depth-first stack, in steps.
    """

    name: str
    model: str | None
    instance: str
    twin: str
    states: int
    generated: int
    defines: Mapping[str, int] = field(default_factory=dict, hash=False)
    constants: Mapping[str, int] = field(default_factory=dict, hash=False)
    depth: int = 10_000

    @property
    def module(self) -> str:
        """The Python module that defines the model as `MODEL`."""
        if self.model is None:
            return "ackproof.spec.model"
        return self.model.removesuffix(".py").replace("/", ".")

    @property
    def promela(self) -> Path:
        """The twin for SPIN."""
        return ROOT / "bench" / "promela" / f"{self.twin}.pml"

    @property
    def tla(self) -> Path:
        """The twin for TLC."""
        return ROOT / "bench" / "tla" / f"{self.twin}.tla"


@dataclass(frozen=True)
class Sample:
    """One run of one program on one case.

    Args:
        states: distinct states.
        generated: the initial state and all steps; None where it is printed rounded.
        whole: wall seconds of everything that a user starts: building and running.
        build: seconds of that before there is something to run (SPIN: `spin -a` and the C
            compiler; the kernel: lowering to LLVM and machine code).
        search: seconds of the search alone, as the program says itself.
        peak: bytes of resident memory at the peak.
        held: bytes that the states occupy with all that goes with them, where it is known.
    """

    states: int
    generated: int | None
    whole: float
    build: float
    search: float
    peak: int
    held: int | None = None


def _two_phase(managers: int, states: int, generated: int) -> Case:
    size = {"N": managers}
    return Case(
        f"two-phase {managers}",
        "tests/models/two_phase_commit.py",
        f"rm{managers}",
        "two_phase_commit",
        states,
        generated,
        defines=size,
        constants=size,
        depth=1_000,
    )


CASES = {
    case.name: case
    for case in (
        Case("peterson", "tests/models/peterson.py", "await", "peterson", 42, 77),
        _two_phase(3, 288, 1_146),
        _two_phase(5, 8_832, 58_146),
        _two_phase(7, 296_448, 2_744_706),
        _two_phase(8, 1_745_408, 18_507_778),
        _two_phase(9, 10_340_352, 123_558_402),
    )
}
