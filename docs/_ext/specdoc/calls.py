"""The calls of a step as a tree, flattened into the rows of a sequence chart.

A row is one arrow: a handler that is called, an event that is emitted, or an observer that the
event wakes.  Calls inside branches and loops are there with a mark, since the chart is of the
text and not of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ackproof.lang import ir
from ackproof.lang.program import Method, Program
from ackproof.lang.types import ProcT, RecordT

__all__ = ["WIRE", "Row", "callers", "rows_of"]

#: The lane that events are shown on.
WIRE = "the wire"


@dataclass(frozen=True)
class Row:
    """One arrow from lane to lane.

    Args:
        maybe: inside a branch.
        each: the variable of the loop it is in, if any.
        observed: caused by an event's observer.
    """

    source: str
    target: str
    label: str
    kind: str
    maybe: bool = False
    each: str = ""
    observed: bool = False


def rows_of(program: Program, owner: str, method: Method) -> tuple[Row, ...]:
    """Return the rows of a step, in the order in which its text makes them happen.

    Observers are shown for what may happen by itself; to a handler they are somebody else's.
    """
    rows = _rows(program, owner, method.body, False, "")
    whole = method.kind in {"action", "fault"}
    return tuple(r for r in rows if whole or not r.observed)


def _rows(
    program: Program, owner: str, body: Iterable[ir.Stmt], maybe: bool, each: str
) -> Iterator[Row]:
    for statement in body:
        match statement:
            case ir.Call():
                yield from _call(program, owner, statement, maybe, each)
            case ir.Emit(event):
                assert isinstance(event.type, RecordT)
                yield Row(owner, WIRE, event.type.name, "emit", maybe, each)
                yield from _observers(program, event.type, maybe, each)
            case ir.If(_, then, orelse):
                yield from _rows(program, owner, (*then, *orelse), True, each)
            case ir.For(binder, inner):
                yield from _rows(program, owner, inner, maybe, binder.name.partition(".")[0])
            case _:
                pass


def _call(program: Program, owner: str, call: ir.Call, maybe: bool, each: str) -> Iterator[Row]:
    assert isinstance(call.obj.type, ProcT)
    target = call.obj.type.name
    yield Row(owner, target, call.method, "call", maybe, each)
    found = next(
        (
            m
            for m in program.process(target).methods
            if m.name == call.method and m.owner == call.owner
        ),
        program.process(target).method(call.method),
    )
    if found is not None:
        yield from _rows(program, target, found.body, maybe, each)


def _observers(program: Program, event: RecordT, maybe: bool, each: str) -> Iterator[Row]:
    for process in program.processes:
        for method in process.methods:
            if method.event == event:
                yield Row(WIRE, process.name, method.name, "observe", maybe, each, True)
                for row in _rows(program, process.name, method.body, maybe, each):
                    yield replace(row, observed=True)


def callers(program: Program) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return for each method that is called the steps that call it by name, as `Class.method`.

    A step that extends another and calls that is not meant.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for process in program.processes:
        for method in reversed(process.methods):
            for statement in method.body:
                for node in ir.walk(statement):
                    if isinstance(node, ir.Call) and isinstance(node.obj.type, ProcT):
                        key = (node.obj.type.name, node.method)
                        if key != (process.name, method.name):
                            found.setdefault(key, {}).setdefault(f"{method.owner}.{method.name}")
    return {key: tuple(names) for key, names in found.items()}
