"""Arithmetic on known operands gives a value, whatever they are; nothing of it is ever used."""

from __future__ import annotations

import pytest
from ackproof.model.lower.ops import Emitter

#: What unwrapping an option that is None gives.
NOTHING = -1


@pytest.mark.parametrize("name", ["left", "right", "test"])
def test_a_shift_by_the_code_of_nothing_folds(name: str) -> None:
    assert getattr(Emitter(), name)(1, NOTHING) in {0, 1}


def test_a_shift_of_an_unknown_word_by_the_code_of_nothing_is_within_the_word() -> None:
    ops = Emitter()
    ops.left("%a", NOTHING)
    ops.right("%b", NOTHING)
    ops.test("%c", NOTHING)
    assert "-1" not in "".join(ops.lines)
