"""A long program is compiled in modules, and does what it does in one."""

from __future__ import annotations

import re

import pytest
from ackproof.lang import Instance, Model, OrderedSort, System, action, require
from ackproof.lang.binding import bind
from ackproof.model.kernel.engine import explore
from ackproof.model.lower import compile as compiling
from ackproof.model.lower.compile import modules
from ackproof.model.lower.generate import generate


def test_a_short_program_is_one_module() -> None:
    assert list(modules("define i64 @f() {\n}\n")) == ["define i64 @f() {\n}\n"]


class Ticket(OrderedSort):
    """What is drawn."""


class Draw(System):
    """Tickets are drawn in order."""

    last: Ticket

    @action
    def draw(self, ticket: Ticket) -> None:
        """A later one."""
        require(self.last < ticket)
        self.last = ticket


MANY = Instance("many", "many choices", {Ticket: 700})
BOUND = bind(Model("draw", Draw, (), (MANY,)), MANY)


def test_each_function_is_in_one_module_and_declared_where_it_is_called() -> None:
    text = generate(BOUND)[0]
    assert text.count("define internal i64 @piece") > 1
    defined = re.compile(r"^define .*?@(\w+)\(", re.MULTILINE)
    found = list(modules(text, most=50_000))
    assert len(found) > 2
    assert [n for part in found for n in defined.findall(part)] == defined.findall(text)
    for part in found:
        declared = re.findall(r"^declare .*?@(\w+)\(", part, re.MULTILINE)
        called = set(re.findall(r"call .*?@(\w+)\(", part))
        assert called == {*declared} | (called & set(defined.findall(part)))
        assert len(declared) == len(set(declared))


def test_modules_do_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = explore(BOUND, max_depth=3)
    monkeypatch.setattr(compiling.modules, "__defaults__", (50_000,))
    apart = explore(BOUND, max_depth=3)
    assert (apart.level_sizes, dict(apart.per_action)) == (
        whole.level_sizes,
        dict(whole.per_action),
    )
