"""Packed states hold what the state is made of, and refuse what does not fit."""

import pytest
from ackproof.lang import Instance, Map, Model, OrderedSort, Set, System, action
from ackproof.lang.binding import Bound, bind
from ackproof.lang.data import domain
from ackproof.lang.errors import BindError
from ackproof.lang.types import IntT, MapT, RecordT, SeqT, SetT, Type
from ackproof.model.lower.layout import OCCUPIED, Layout
from hypothesis import given
from hypothesis import strategies as st

from tests.model.kernel.workshop import MODEL

BOUND = bind(MODEL, MODEL.instances[1])


def values(bound: Bound, t: Type) -> st.SearchStrategy[object]:
    """All plain data of a type."""
    if isinstance(t, SetT):
        return st.frozensets(st.sampled_from(domain(t.elem, bound.elements)))
    if isinstance(t, SeqT):
        return st.lists(values(bound, t.elem), max_size=t.cap).map(tuple)
    if isinstance(t, RecordT):
        return st.tuples(*(values(bound, inner) for _, inner in t.fields))
    if isinstance(t, MapT):
        keys = domain(t.key, bound.elements)
        default = Layout(bound).leaves.default(t.value)
        return st.tuples(*(values(bound, t.value) for _ in keys)).map(
            lambda items: frozenset(
                (k, v) for k, v in zip(keys, items, strict=True) if v != default
            )
        )
    return st.sampled_from(domain(t, bound.elements))


def states(bound: Bound) -> st.SearchStrategy[tuple[object, ...]]:
    """All states of a bound program, reachable or not."""
    types = [location.variable.type for location in bound.locations]
    budgets = [IntT(0, budget) for budget in bound.budgets.values()]
    return st.tuples(*(values(bound, t) for t in [*types, *budgets]))


@given(states(BOUND))
def test_unpacking_gives_back_what_was_packed(state: tuple[object, ...]) -> None:
    layout = Layout(BOUND)
    words = layout.pack(state)
    assert len(words) == layout.words
    assert all(0 <= word < 1 << 64 for word in words)
    assert words[-1] & OCCUPIED
    assert layout.unpack(words) == state


@given(states(BOUND), states(BOUND))
def test_different_states_have_different_words(
    one: tuple[object, ...], other: tuple[object, ...]
) -> None:
    layout = Layout(BOUND)
    assert (layout.pack(one) == layout.pack(other)) == (one == other)


def test_no_leaf_shares_a_bit_or_lies_across_words() -> None:
    layout = Layout(BOUND)
    taken: set[tuple[int, int]] = {(layout.words - 1, 63)}
    for piece in (piece for slot in layout.slots.values() for piece in slot.pieces):
        bits = {(piece.word, piece.shift + i) for i in range(piece.width)}
        assert all(bit < 64 for _, bit in bits)
        assert not taken & bits
        taken |= bits
    assert len(taken) == layout.bits + 1


class Item(OrderedSort):
    """Something to be held."""


class Holder(System):
    """Holds sets of items in a map."""

    held: Map[Item, Set[Item]]

    @action
    def hold(self, one: Item, other: Item) -> None:
        """Take an item."""
        self.held[one].add(other)


def holder(size: int) -> Bound:
    """A bound holder of that many items."""
    model = Model("holder", Holder, (), (Instance("it", "some items", sizes={Item: size}),))
    return bind(model, model.instances[0])


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 15, 31])
def test_states_take_as_few_words_as_their_sets_allow(size: int) -> None:
    layout = Layout(holder(size))
    in_a_word = 64 // size
    full = -(-size // in_a_word)
    # The bit that is always set may need a word of its own.
    assert layout.words == full + (size % in_a_word == 0 and size * in_a_word == 64)


def test_what_does_not_fit_is_refused_with_the_widest_variables() -> None:
    with pytest.raises(BindError, match=r"instance it: a state takes 1,024 bits, .* held with"):
        Layout(holder(32))


def test_a_full_last_word_gets_another_for_the_mark() -> None:
    layout = Layout(holder(8))
    assert (layout.bits, layout.words) == (64, 2)
    everything = frozenset((i, frozenset(range(1, 9))) for i in range(1, 9))
    assert layout.unpack(layout.pack((everything,))) == (everything,)
    assert layout.pack((everything,))[1] == OCCUPIED


def test_the_initial_state_is_packed_as_any_other() -> None:
    initial = BOUND.initial()
    assert Layout(BOUND).unpack(Layout(BOUND).pack(initial)) == initial
