"""What is measured: a model with its instance, and its hand-written twins for SPIN and TLC.

A twin has the same states and the same steps as the model; that it does is checked in every cell
of the measurement, by its number of distinct states, and by the number of steps where the other
program prints it exactly.

The twins of the confirm specification know queues of one process each: its instances with mirrors,
limits or partitions are measured without them, elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ackproof.lang import Instance
from ackproof.spec.instances import INSTANCES, OFF
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Queue, Replica

__all__ = ["CASES", "ROOT", "Case", "Sample"]

ROOT = Path(__file__).resolve().parent.parent

OF = "QueueProcess.of"
DURABLE = "QueueProcess.durable"
FAULTS = (
    "drop",
    "delete_queue",
    "crash_queue",
    "lose_node",
    "crash_node",
    "crash_machine",
    "close",
)


@dataclass(frozen=True)
class Case:
    """One instance of one model.

    Args:
        name: how the tables call it.
        model: the model's file below the project's root, or None for the confirm specification.
        instance: the name of the instance.
        twin: the name of the twins in `bench/promela` and `bench/tla`.
        states: distinct states, which every program must count.
        defines: preprocessor constants of the Promela twin.
        constants: constants of the TLA+ twin.
        depth: room for SPIN's depth-first stack, in steps.
    """

    name: str
    model: str | None
    instance: str
    twin: str
    states: int
    defines: Mapping[str, int] = field(default_factory=dict, hash=False)
    constants: Mapping[str, int | str] = field(default_factory=dict, hash=False)
    depth: int = 1_000

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
        whole: wall seconds of everything that a user starts, compilers included.
        process: wall seconds of the process that searches, from its start to its end.
        build: seconds of generating and compiling code, wherever that happens: SPIN in processes
            of their own, the kernel inside the one that searches.
        search: seconds of the search alone, as the program says itself.
        cpu: processor seconds of everything.
        peak: bytes of resident memory at the peak.
        held: bytes that the states occupy with all that goes with them, where it is known.
    """

    states: int
    generated: int | None
    whole: float
    process: float
    build: float
    search: float
    cpu: float
    peak: int
    held: int | None = None


def _two_phase(managers: int, states: int) -> Case:
    return Case(
        name=f"two-phase {managers}",
        model="tests/models/two_phase_commit.py",
        instance=f"rm{managers}",
        twin="two_phase_commit",
        states=states,
        defines={"N": managers},
        constants={"N": managers},
    )


def _known(instance: Instance) -> bool:
    """Tell whether the twins of the confirm specification say all that an instance does."""
    faults, constants = set(instance.faults), set(instance.constants)
    alone = instance.sizes[Queue] == instance.sizes[Replica]
    others_off = all(instance.sizes[sort] == size for sort, size in OFF.items())
    return alone and others_off and faults <= set(FAULTS) and constants <= {OF, DURABLE}


def _confirms(instance: Instance) -> Case:
    assert instance.states is not None, "the states have been counted"
    sizes = {"M": instance.sizes[Msg], "Q": instance.sizes[Queue]}
    budgets = {fault: instance.faults.get(fault, 0) for fault in FAULTS}
    durable = _durable(instance)
    return Case(
        name=instance.name,
        model=None,
        instance=instance.name,
        twin="confirms",
        states=instance.states,
        defines={
            **sizes,
            "DURABLE": sum(1 << number for number in durable),
            **{fault.upper(): n for fault, n in budgets.items()},
        },
        constants={
            **sizes,
            "Durable": "{" + ", ".join(str(number + 1) for number in durable) + "}",
            **{fault.title().replace("_", ""): n for fault, n in budgets.items()},
        },
    )


def _durable(instance: Instance) -> list[int]:
    """Return the numbers of the durable queues, from 0."""
    names = Replica.named(instance.sizes[Replica])
    given = instance.constants.get(DURABLE, QueueProcess.durable)
    return [
        i for i, name in enumerate(names) if (given[name] if isinstance(given, dict) else given)
    ]


CASES = {
    case.name: case
    for case in (
        Case("peterson", "tests/models/peterson.py", "await", "peterson", 42),
        _two_phase(3, 288),
        _two_phase(5, 8_832),
        _two_phase(7, 296_448),
        _two_phase(8, 1_745_408),
        _two_phase(9, 10_340_352),
        *(_confirms(instance) for instance in INSTANCES if _known(instance)),
    )
}
