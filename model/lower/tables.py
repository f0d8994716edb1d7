"""Tables: what the bits of the masks mean that generated functions write."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import assert_never

from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import ASSERTION, DEADLOCK, DEFINED
from ackproof.model.limits import MOST_OF_RUNS, MOST_PROPERTIES

__all__ = ["Tables", "tables_of"]


@dataclass
class Tables:
    """What the bits of the masks mean: violations of steps, of states, of runs, and witnesses.

    What leads to something has two bits among those of runs: that the answer is false, and, in
    `asked_bits`, that it is false where the trigger is true.
    """

    step_bits: dict[int, str] = field(default_factory=dict)
    state_bits: dict[int, str] = field(default_factory=dict)
    run_bits: dict[int, str] = field(default_factory=dict)
    asked_bits: dict[int, str] = field(default_factory=dict)
    seen_bits: dict[int, str] = field(default_factory=dict)

    @property
    def seen_words(self) -> int:
        """Words of witness bits."""
        return max(1, (len(self.seen_bits) + 63) // 64)


def _bits_of(prop: PropertyDecl, tables: Tables) -> dict[int, str]:
    """Return the table of the bits by which a property is judged."""
    match prop.claim:
        case "invariant":
            return tables.state_bits
        case "step":
            return tables.step_bits
        case "eventually" | "leads_to":
            return tables.run_bits
        case "reachable":
            return tables.seen_bits
        case _:
            assert_never(prop.claim)


def tables_of(bound: Bound, idle: Collection[str] = ()) -> Tables:
    """Return the tables of a bound program; where states are folded, runs are not looked at.

    Args:
        bound: the program.
        idle: the properties that nothing could make false; those of states and of steps get no bit.

    Raises:
        BindError: there are more properties of a kind than can be watched.
    """
    tables = Tables()
    steps = [ASSERTION, DEFINED]
    if bound.program.deadlock_free:
        steps.append(DEADLOCK)
    tables.step_bits = dict(enumerate(steps))
    judged = [p for p in bound.properties if not (bound.folded and p.of_runs)]
    for prop in judged:
        if prop.claim in ("invariant", "step") and prop.name in idle:
            continue
        bits = _bits_of(prop, tables)
        bits[len(bits)] = prop.name
    asking = (p.name for p in judged if p.trigger is not None)
    tables.asked_bits = dict(enumerate(asking, start=len(tables.run_bits)))
    of_runs = {**tables.run_bits, **tables.asked_bits}
    for what, bits, most in (
        ("states", tables.state_bits, MOST_PROPERTIES),
        ("steps", tables.step_bits, MOST_PROPERTIES),
        ("runs", of_runs, MOST_OF_RUNS),
    ):
        if len(bits) > most:
            raise BindError(
                f"instance {bound.instance.name}: there are {len(bits)} properties of {what}, and "
                f"{most} can be watched at once; check some at a time"
            )
    return tables
