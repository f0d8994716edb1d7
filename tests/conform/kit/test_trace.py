"""What comes before what: by the channel that it was said on, or by what was known when."""

from __future__ import annotations

from math import inf

from ackproof.conform.events import Event, Kind
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.trace import Delivery, Said

ANY = Operation(Do.PUBLISH)


def said(session: int, at: int, known: float = inf) -> Said:
    """Something that was said."""
    return Said(ANY, session, at, known)


def test_on_one_channel_the_first_comes_first() -> None:
    assert said(1, 1).before(said(1, 2))
    assert not said(1, 2).before(said(1, 1))


def test_on_two_channels_what_was_known_by_then_comes_first() -> None:
    assert said(1, 1, known=2).before(said(2, 3))
    assert not said(1, 1, known=4).before(said(2, 3))
    assert not said(1, 1).before(said(2, 3))


def test_it_may_be_that_neither_of_two_comes_first() -> None:
    one, other = said(1, 1, known=9), said(2, 2, known=8)
    assert not one.before(other)
    assert not other.before(one)


def delivery(no_ack: bool = False, final: bool = True, effective: Said | None = None) -> Delivery:
    """A delivery that was settled."""
    content = Event(Kind.DELIVER)
    return Delivery(content, 1, "q", said(1, 1), 2, 1, no_ack, said(1, 3), final, effective)


def test_what_was_acked_is_consumed_for_certain_once_that_is_known() -> None:
    cases = {
        (True, True): delivery(effective=said(1, 3, known=4)),
        (True, False): delivery(effective=said(1, 3)),
        (False, False): delivery(effective=None),  # in a transaction that is open
        (True, True, "no ack"): delivery(no_ack=True, final=False),
        (False, False, "requeued"): delivery(final=False, effective=said(1, 3, known=4)),
    }
    for (perhaps, surely, *_), one in cases.items():
        assert (one.perhaps_consumed(), one.surely_consumed()) == (perhaps, surely)
