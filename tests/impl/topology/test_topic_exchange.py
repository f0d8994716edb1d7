"""Topic exchanges: words, `*` and `#`, compared with regular expressions."""

from __future__ import annotations

import re

import pytest
from ackproof.impl.topology.topic_exchange import Topic
from hypothesis import given
from hypothesis import strategies as st

from tests.impl.topology.letters import binding, letter

WORDS = st.sampled_from(["a", "b", "", "#", "*"])
KEYS = st.lists(WORDS, max_size=5).map(".".join)


def fits(pattern: str, key: str) -> bool:
    """Say by a regular expression whether a pattern fits: each word ends with a dot."""
    parts = {"*": r"[^.]*\.", "#": r"(?:[^.]*\.)*"}
    words = pattern.split(".") if pattern else []
    expression = "".join(parts.get(word, re.escape(word) + r"\.") for word in words)
    text = "".join(word + "." for word in key.split(".")) if key else ""
    return re.fullmatch(expression, text) is not None


def matches(topic: Topic, *keys: str) -> set[str]:
    """Return the patterns that fit one of the keys."""
    return {found.key for found in topic.match(letter(*keys))}


def with_patterns(*patterns: str) -> Topic:
    """Return a topic exchange with a binding for each pattern."""
    topic = Topic()
    for pattern in dict.fromkeys(patterns):
        topic.add(binding("t", "q", pattern))
    return topic


# Each of these was asked of RabbitMQ 3.10.8.
LIKE_RABBITMQ = [
    ("#", "", True),
    ("*", "", False),
    ("", "", True),
    ("a.#", "a", True),
    ("a.#", "a.", True),
    ("a.*", "a.", True),
    ("#.a", "a", True),
    ("#.#", "", True),
    ("a.#.b", "a.b", True),
    ("a.#.b", "a.x.y.b", True),
    ("*.#.*", "a.b", True),
    ("*.#.*", "a", False),
    (".", ".", True),
    ("*.*", ".", True),
    ("a.*", "a.*", True),
    ("a.#.#.b", "a.b", True),
    ("a", "A", False),
    ("#.a.#", "b.a.c", True),
    ("a.b", "a.#", False),
    ("a.b", "a.*", False),
    ("**", "**", True),
    ("a*", "ab", False),
]


@pytest.mark.parametrize(("pattern", "key", "fit"), LIKE_RABBITMQ)
def test_a_pattern_fits_as_it_does_in_rabbitmq(pattern: str, key: str, fit: bool) -> None:
    assert (matches(with_patterns(pattern), key) == {pattern}) is fit
    assert fits(pattern, key) is fit


@given(st.lists(KEYS, max_size=8), KEYS)
def test_the_tree_finds_what_regular_expressions_find(patterns: list[str], key: str) -> None:
    expected = {pattern for pattern in patterns if fits(pattern, key)}
    assert matches(with_patterns(*patterns), key) == expected


@given(st.lists(KEYS, max_size=8, unique=True), st.data())
def test_a_binding_that_was_removed_is_not_found(patterns: list[str], data: st.DataObject) -> None:
    topic = with_patterns(*patterns)
    removed = data.draw(st.sets(st.sampled_from(patterns))) if patterns else set()
    for pattern in removed:
        topic.remove(binding("t", "q", pattern))
    key = data.draw(KEYS)
    assert matches(topic, key) == {p for p in patterns if p not in removed and fits(p, key)}


def test_nothing_remains_of_bindings_that_were_removed() -> None:
    topic = with_patterns("a.b.c", "a.b", "a.#.d")
    for pattern in ("a.b", "a.b.c", "a.#.d"):
        topic.remove(binding("t", "q", pattern))
    assert not topic._root.children


def test_each_key_of_a_message_is_looked_up() -> None:
    assert matches(with_patterns("a.*", "b.*", "c.*"), "a.x", "c.x") == {"a.*", "c.*"}


def test_many_wildcards_in_one_pattern_do_not_multiply() -> None:
    topic = with_patterns(".".join(["#"] * 60 + ["end"]))
    assert matches(topic, ".".join(["a"] * 120)) == set()
