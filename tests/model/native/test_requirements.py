"""What a step requires is written out; what is required of all of something, as a loop."""

from __future__ import annotations

import ast

import pytest
from ackproof.model.native.requirements import raising


def written_out(required: str, before: str = "pass") -> str:
    """Return a step that requires something, as it is written in the end."""
    (tree,) = ast.parse(f"def step(self, q):\n    {before}\n    require({required})").body
    assert isinstance(tree, ast.FunctionDef)
    text = ast.unparse(ast.fix_missing_locations(raising(tree)))
    return text.split("pass\n", 1)[-1]


def test_a_condition_is_the_opposite_of_what_stops_the_step() -> None:
    assert written_out("self.open and q in self.all") == (
        "    if not self.open or q not in self.all:\n        raise NotEnabled"
    )


def test_what_all_must_be_is_looked_at_in_a_loop() -> None:
    found = written_out("self.open and all(all(p.up for p in self.of[x]) for x in q if x)")
    assert found.splitlines() == [
        "    if not self.open:",
        "        raise NotEnabled",
        "    for x in q:",
        "        if x:",
        "            for p in self.of[x]:",
        "                if not p.up:",
        "                    raise NotEnabled",
    ]


@pytest.mark.parametrize("before", ["x = 3", "self.told = {x for x in q}"])
def test_a_name_that_stands_for_something_else_too_is_left_in_a_generator(before: str) -> None:
    assert "not all((x.up for x in q))" in written_out("all(x.up for x in q)", before)


@pytest.mark.parametrize("up", [True, False])
def test_it_stops_the_step_as_before(up: bool) -> None:
    class NotEnabled(Exception):
        """The step is not enabled."""

    names: dict[str, object] = {"NotEnabled": NotEnabled}
    (tree,) = ast.parse("def step(q):\n    require(all(all(one) for one in q))").body
    assert isinstance(tree, ast.FunctionDef)
    exec(ast.unparse(ast.fix_missing_locations(raising(tree))), names)
    step = names["step"]
    assert callable(step)
    if up:
        step([[True], [True, True]])
    else:
        with pytest.raises(NotEnabled):
            step([[True], [True, False]])
