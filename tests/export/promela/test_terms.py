"""Terms fold what is known, and are wholes."""

from __future__ import annotations

import pytest
from ackproof.export.promela.terms import (
    Named,
    Term,
    add,
    all_of,
    any_of,
    bare,
    both,
    choose,
    equal,
    expanded,
    first_of,
    has,
    last_of,
    negation,
    set_of,
    show,
    sub,
    times,
    without,
    wrapped,
)

RED = Named(1, "RED")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (all_of("a", True, "b", "a"), "(a && b)"),
        (all_of("a", False), "false"),
        (any_of("a", "b", False), "(a || b)"),
        (any_of("a", True), "true"),
        (negation("(a == b)"), "(a != b)"),
        (negation("(a && b)"), "!(a && b)"),
        (negation("!(a && b)"), "(a && b)"),
        (equal(RED, "x"), "(x == RED)"),
        (equal("x", False), "!x"),
        (equal(RED, 1), "true"),
        (choose("c", "a", "b"), "(c -> a : b)"),
        (choose("c", True, False), "c"),
        (choose("c", False, "b"), "(!c && b)"),
        (choose("c", "a", "a"), "a"),
        (add("x", 0), "x"),
        (add("x", -2), "(x - 2)"),
        (sub(3, 5), "(-2)"),
        (times("x", 1), "x"),
        (has("s", 2), "HAS(s, 2)"),
        (has(4, 2), "true"),
        (has(0, "x"), "false"),
        (both("s", 7, 7), "s"),
        (without("s", 1, 7), "(s & 6)"),
        (without("s", "t", 7), "(s & ~t)"),
        (set_of([(0, "a"), (1, True), (2, "b")]), "(a | (b << 2) | 2)"),
        (first_of("s", 3), "LEAST_3(s)"),
        (first_of(0, 3), "3"),
        (last_of(6, 3), "2"),
    ],
)
def test_what_is_known_is_not_written(term: Term, text: str) -> None:
    assert show(term) == text


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("(a && b)", "a && b"),
        ("(a) && (b)", "(a) && (b)"),
        ("(c -> a : b)", "(c -> a : b)"),
        ("((c -> a : b) + 1)", "(c -> a : b) + 1"),
    ],
)
def test_only_brackets_that_say_nothing_are_left_out(term: Term, text: str) -> None:
    assert bare(term) == text


def test_what_is_long_has_a_line_for_each_part() -> None:
    one, other = f"({'a' * 50} && {'b' * 50})", "(c || d)"
    assert wrapped(f"({one} || {other})", 4) == (
        f"({'a' * 50} &&\n     {'b' * 50}) ||\n    (c || d)"
    )


def test_macros_are_longer_than_they_look() -> None:
    assert expanded("x + y") == 5
    inner = expanded("HAS(t, 0)")
    assert expanded("a || LEAST_3(HAS(t, 0)) == 1") > 3 * inner + 10
