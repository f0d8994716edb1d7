"""What the broker does are actions: nothing in it puts handlers of the specification together.

A handler is a part of an action.  To call one from outside is to say once more what happens, in
another place.  The broker may take actions, and ask.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from ackproof.lang import Each, Process
from ackproof.lang.process import hints_of, mark_of, split_marks
from ackproof.spec.system import Confirms

from tests.test_imports import ROOT

#: What modules of the broker call machines, besides the names that the specification has for them.
ALSO = {
    "system": "Confirms",
    "hosted": "Confirms",
    "machine": "Channel ConsumerChannel QueueProcess Subscription",
    "casts": "Casts",
    "transaction": "Transaction",
}


def parts(cls: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts and families of a process by name: the class of each, or of its members."""
    for name, hint in hints_of(cls).items():
        part, _ = split_marks(hint)
        member = get_args(part)[1] if get_origin(part) is Each else part
        if isinstance(member, type) and issubclass(member, Process):
            yield name, member


def machines(cls: Any, found: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the classes of a system by name."""
    found = {} if found is None else found
    found[cls.__name__] = cls
    for _, member in parts(cls):
        machines(member, found)
    return found


def receivers() -> Mapping[str, set[Any]]:
    """Return the classes of what an attribute or a name of the broker may stand for."""
    known = machines(Confirms)
    found: dict[str, set[Any]] = {n: {known[c] for c in of.split()} for n, of in ALSO.items()}
    for cls in known.values():
        for name, member in parts(cls):
            found.setdefault(name, set()).add(member)
    return found


MACHINES = receivers()


def is_handler(cls: Any, name: str) -> bool:
    """Tell whether a class has a handler of a name, which is no action."""
    mark = mark_of(getattr(cls, name, None))
    return mark is not None and mark.kind == "handler"


def handlers_called(text: str) -> Iterator[str]:
    """Yield the calls of handlers in a module, as they are written."""
    tree = ast.parse(text)
    local = {
        target.id: last_name(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = last_name(node.func.value)
            classes = MACHINES.get(name) or MACHINES.get(local.get(name, ""), set())
            if any(is_handler(cls, node.func.attr) for cls in classes):
                yield ast.unparse(node.func)


def last_name(node: ast.expr) -> str:
    """Return what an expression ends in: the attribute, or the family of a member."""
    if isinstance(node, ast.Subscript):
        return last_name(node.value)
    return re.split(r"\W", ast.unparse(node))[-1]


FILES = sorted((ROOT / "impl").rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_handler_is_called(file: Path) -> None:
    assert list(handlers_called(file.read_text())) == []


@pytest.mark.parametrize(
    "line",
    [
        "self.system.end_process(queue.key, reason)",
        "channel.machine.settle(msg, queue.key, set())",
        "queue.machine.crash()",
        "mirror.machine.store.wipe()",
        "system.multicast.equalise(mirrors)",
        "self.system.replicas[key].order.keep(set())",
        "self.cluster.heal()",
        "store = queue.machine.store\nstore.sync(msg)",
    ],
)
def test_one_that_is_called_is_found(line: str) -> None:
    assert list(handlers_called(line))


@pytest.mark.parametrize(
    "line",
    ["self.system.crash_queue(queue.key)", "queue.machine.leads()", "self.journal.removed(queue)"],
)
def test_actions_and_questions_are_allowed(line: str) -> None:
    assert not list(handlers_called(line))
