"""Properties of runs in Promela: formulas of LTL, under SPIN's weak fairness.

SPIN is fair to processes: one that can go on, from some point on without a break, does.  So each
step that must not be put off for ever, an action that is fair with its arguments, is a process of
its own, and all others are one process, which may also do nothing: it can always go on, and nothing
of it need ever happen.  A step that changes nothing is a step for SPIN, too, and makes no
difference: a run that takes it is at a state in which nothing is owed.

What a formula speaks of is a truth value that is brought up to date after each step, so it makes no
more states.  All this is asked for with `spin -a -DRUNS`; the model has it beside the one process
that is there for what is claimed of states.  SPIN has no strong fairness, and at most 255
processes: where there would be more, properties of runs are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ackproof.export.names import Names
from ackproof.export.promela.codes import Codes
from ackproof.export.promela.terms import Term, wrapped
from ackproof.export.promela.variables import holding
from ackproof.lang.binding import Bound
from ackproof.lang.ir import Expr
from ackproof.lang.program import Action, PropertyDecl

__all__ = ["VECTOR", "Choices", "Runs", "why_not"]

#: Processes of a model, but for those that begin and that do the rest.
_MOST = 250

#: Bytes of a state that a process takes, about.
_PROCESS = 24

#: Bytes of a state that a verifier has room for if nothing is said, roughly.
VECTOR = 900


@dataclass(frozen=True)
class Choices:
    """An action that may be enabled, with all choices of its arguments.

    Args:
        action: the action.
        name: what it is called in the model.
        given: the arguments of each choice, as the model says them.
        said: the choices as we say them.
    """

    action: Action
    name: str
    given: tuple[str, ...]
    said: tuple[str, ...]

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """The choices: as the model says them, and as we do."""
        return zip(self.given, self.said, strict=True)

    @property
    def options(self) -> Iterator[str]:
        """What calls it, in each way."""
        for given, said in self.pairs:
            yield f"{self.name}({given});  /* {said} */"


def why_not(choices: list[Choices], *, cut: bool) -> str:
    """Return why a model has no properties of runs; "" if it has them.

    Args:
        choices: the actions that may be enabled.
        cut: whether the search ends at constraints.
    """
    if any(one.action.fair == "strong" for one in choices):
        return "SPIN has no strong fairness"
    if cut:
        return "SPIN would go on behind what is cut"
    if _count(choices) > _MOST:
        return "SPIN has no more than 255 processes"
    return ""


def _count(choices: list[Choices]) -> int:
    return sum(len(one.given) for one in choices if one.action.fair)


class Runs:
    """Writes what is claimed of runs.

    Args:
        bound: the program.
        codes: says what stands for a value.
        names: those of the model.
        said: writes a condition on a state.
    """

    def __init__(
        self,
        bound: Bound,
        codes: Codes,
        names: Names,
        said: Callable[[PropertyDecl, Expr], Term],
    ) -> None:
        self.bound, self.codes, self.names, self.said = bound, codes, names, said
        #: What a formula is called, and the property that it is.
        self.claims: dict[str, str] = {}
        self._told: dict[str, Term] = {}

    def commands(self, file: str, choices: list[Choices], vector: int) -> tuple[str, str]:
        """Return how the first formula is asked: what makes a verifier, and what runs it.

        Args:
            file: where the model is.
            choices: the actions that may be enabled.
            vector: how many bytes the variables of a state take.
        """
        parts = (_count(choices) + 9) // 4  # four processes have room in one, but for two
        size = vector + _PROCESS * _count(choices)
        room = f" -DVECTORSZ={2 * size}" if size > VECTOR else ""
        return (
            f"spin -a -DRUNS {file} && gcc -O2 -DNFAIR={parts}{room} -o pan pan.c",
            f"./pan -m1000000 -a -f -A -E -N {next(iter(self.claims))}",
        )

    def written(self, choices: list[Choices], begin: list[str], vector: int) -> Iterator[str]:
        """Yield the processes and formulas.

        Args:
            choices: the actions that may be enabled.
            begin: what is done first, if values are to be chosen.
            vector: how many bytes the variables of a state take.
        """
        formulas = [self._formula(prop) for prop in self.bound.properties if prop.of_runs]
        fair = [one for one in choices if one.action.fair]
        others = [one for one in choices if not one.action.fair]
        first, *rest = self.commands("FILE", choices, vector)
        yield f"/* {first} && \\"
        yield from (f" * {line}" for line in rest)
        yield " */"
        yield from (f"bool {name};" for name in self._told)
        yield ""
        yield "inline look() {"
        yield from (f"  {name} = {wrapped(term, 4)};" for name, term in self._told.items())
        yield "}"
        started = [line for one in fair for line in self._process(one)]
        yield from started[::2]
        yield from self._others(others)
        yield ""
        yield "init {"
        yield "  atomic {"
        yield from begin
        yield "    d_step { look() };"
        yield from started[1::2]
        yield "    run Others()"
        yield "  }"
        yield "}"
        yield ""
        yield from formulas

    def _process(self, one: Choices) -> Iterator[str]:
        """Yield a process for an action with its arguments, and then what starts each of it."""
        own = self.names.new(f"{one.name}_process")
        params = [self.names.new(p.name) for p in one.action.params]
        ranges = (self.codes.range(p.type, p.name) for p in one.action.params)
        declared = "; ".join(f"{holding(*r)} {p}" for r, p in zip(ranges, params, strict=True))
        step = _step(f"{one.name}({', '.join(params)});")
        yield f"\nproctype {own}({declared}) {{\n  do\n  :: {step}\n  od\n}}"
        yield "\n".join(f"    run {own}({given});  /* {said} */" for given, said in one.pairs)

    def _others(self, others: list[Choices]) -> Iterator[str]:
        yield from (
            "",
            "/* What need never happen. */",
            "proctype Others() {",
            "  do",
            "  :: _pid >= 0  /* it may also do nothing */",
        )
        for one in others:
            yield from (f"  :: {_step(f'{one.name}({given});')}" for given in one.given)
        yield from ("  od", "}")

    def _formula(self, prop: PropertyDecl) -> str:
        """Return the formula of a property, and remember what it speaks of."""
        own = self.names.new(prop.name)
        self.claims[own] = prop.name
        holds = self.names.new(f"{own}_holds")
        self._told[holds] = self.said(prop, prop.body)
        if prop.trigger is None:
            return f"ltl {own} {{ [] (<> {holds}) }}"
        asked = self.names.new(f"{own}_asked")
        self._told[asked] = self.said(prop, prop.trigger)
        return f"ltl {own} {{ [] ({asked} -> (<> {holds})) }}"


def _step(call: str) -> str:
    return f"atomic {{ {call} d_step {{ check_step(); look() }} }}"
