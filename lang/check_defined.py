"""Pass: whether a step is defined does not hang on what Python happens to look at first.

`min` and `max` of an empty set, the head of an empty sequence, and a sequence that overflows make
a step undefined; a failed `assert` and a failed `require` end it too.  Which of them comes first
matters, and so:

* a property has a value in every state: it takes `min(…, default=None)`;
* so do `all` and `any`, which stop at the first answer, and sets have no first element;
* the iterations of an unordered loop end a step in one way only;
* nothing that is computed from ghosts can fail, for ghosts may be switched off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ackproof.lang import ir
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Node
from ackproof.lang.kept import once
from ackproof.lang.program import Program, PropertyDecl

__all__ = ["check_defined", "partial"]


def partial(node: Node) -> Iterator[Node]:
    """Yield the parts of an expression that are undefined in some states."""
    for part in ir.walk(node):
        if isinstance(part, ir.Head) or (isinstance(part, ir.Extreme) and not part.optional):
            yield part


def check_defined(program: Program) -> Program:
    """Reject what may or may not fail depending on an order that nobody stated.

    Raises:
        SpecError: at the expression or statement that may fail.
    """
    for prop in program.stated:
        once(_check_property, prop)
    for action in program.actions:
        once(_check, action.body)
    return program


def _check_property(prop: PropertyDecl) -> None:
    for part in (part for said in prop.parts for part in partial(said)):
        raise SpecError(
            part.span,
            "a property has a value in every state, and this may have none",
            _INSTEAD,
        )


_INSTEAD = "write min(s, default=None) and test for None; test the length of a sequence"


def _shown(node: Node) -> str:
    if isinstance(node, ir.Extreme):
        return f"the {node.op} of an empty set is undefined"
    return "the head of an empty sequence is undefined"


def _check(body: Iterable[Node]) -> None:
    for stmt in body:
        for node in ir.walk(stmt):
            if isinstance(node, ir.Forall | ir.Exists):
                for part in partial(node):
                    raise SpecError(
                        part.span,
                        f"{_shown(part)}, and whether `all` or `any` gets there depends on the "
                        "order of a set",
                        _INSTEAD,
                    )
            elif isinstance(node, ir.For) and not node.ordered:
                _check_loop(node)


def _check_loop(loop: ir.For) -> None:
    """Reject an unordered loop in which steps may end in more than one way."""
    first: str | None = None
    for stmt in loop.body:
        for node in ir.walk(stmt):
            kind = _ending(node)
            if kind is None or kind == first:
                continue
            if first is not None:
                raise SpecError(
                    node.span,
                    f"one iteration may end the step because {kind}, another because {first}, "
                    "and nothing says which comes first",
                    "say before the loop what all its iterations need: require(all(…))",
                )
            first = kind


def _ending(node: Node) -> str | None:
    match node:
        case ir.Require():
            return "a `require` fails"
        case ir.Assert():
            return "an `assert` fails"
        case ir.Push() | ir.Pop() | ir.Head() | ir.Extreme(optional=False):
            return "something is undefined"
    return None
