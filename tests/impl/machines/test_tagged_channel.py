"""A channel finds what a client settles as the specification does, without a look at the rest."""

from __future__ import annotations

from typing import Any, cast

from ackproof.impl.machines.tagged_channel import TaggedChannel
from ackproof.lang import Event
from ackproof.spec.consumer import ConsumerChannel
from hypothesis import given
from hypothesis import strategies as st

ACTS = st.lists(
    st.tuples(st.just("deliver"))
    | st.tuples(st.just("settle"), st.integers(1, 12), st.booleans())
    | st.tuples(st.just("collect"), st.integers(1, 12), st.booleans())
    | st.tuples(st.sampled_from(["apply", "restore"])),
    max_size=30,
)


def ignore(_: Event) -> None:
    """Nobody is told."""


def act(machine: ConsumerChannel, what: str, *arguments: Any) -> None:
    """Let a channel do something, if its client names what is there."""
    if what in ("settle", "collect") and not machine.knows(*arguments):
        return
    if what == "deliver":
        machine.deliver(cast(Any, 1), cast(Any, "q"), cast(Any, 1), False, False)
    elif what == "settle":
        machine.settle(machine.named(*arguments))
    elif what == "collect":
        machine.collect(machine.named(*arguments), requeue=False)
    else:
        getattr(machine, what)()


@given(ACTS, st.none() | st.integers(0, 14), st.booleans())
def test_what_a_client_names_is_what_the_specification_says(
    acts: list[tuple[Any, ...]], tag: Any, multiple: bool
) -> None:
    ours, theirs = TaggedChannel(emit=ignore), ConsumerChannel(emit=ignore)
    for what in acts:
        act(ours, *what)
        act(theirs, *what)
    assert ours.unacked == theirs.unacked
    assert list(ours.unacked) == sorted(ours.unacked)
    if theirs.knows(tag, multiple):
        assert ours.named(tag, multiple) == theirs.named(tag, multiple)
