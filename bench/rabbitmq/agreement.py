"""Whether RabbitMQ did what the model says, point by point.

The model has one message or two and RabbitMQ had a burst, so what is compared is what became of a
message, not how many there were:

* are the messages settled, and how;
* is what is not settled in the queue of the promoted process all the same;
* does an assertion fail in that process.

One property does not say everything, and what it leaves open is expected by a rule instead; each
point tells which of the two it rests on.  A counterexample ends with the step that fails: what
follows a crash is that the channel learns of an abnormal death, and nacks what it waits for (A9).
Without an accident, what a queue took in is acked (A8).
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.rabbitmq.frames import settled
from bench.rabbitmq.model import ModelTrace
from bench.rabbitmq.observation import Observation

__all__ = ["Agreement", "Point", "compare"]

_MODEL = "the model"


@dataclass(frozen=True)
class Point:
    """One thing that both sides say something about.

    Args:
        about: the question.
        by: who has the answer: the model, or a rule.
        expected: the answer.
        seen: what RabbitMQ did.
        agrees: whether that is the same.
    """

    about: str
    by: str
    expected: str
    seen: str
    agrees: bool


@dataclass(frozen=True)
class Agreement:
    """All points of one experiment."""

    points: tuple[Point, ...]

    @property
    def agrees(self) -> bool:
        """Whether every point does."""
        return all(point.agrees for point in self.points)

    def __str__(self) -> str:
        if self.agrees:
            return "agrees: " + "; ".join(f"{p.about}: {p.seen}" for p in self.points)
        wrong = [p for p in self.points if not p.agrees]
        said = (f"{p.about}: {p.by} says {p.expected}, RabbitMQ {p.seen}" for p in wrong)
        return "differs: " + "; ".join(said)


def compare(seen: Observation, model: ModelTrace) -> Agreement:
    """Compare what was observed with what the model says of the same situation."""
    points = [_settling(seen, model), _waiting(seen, model), _crashing(seen, model)]
    if seen.later is not None:
        points.append(_going_on(seen))
    if model.violated and not model.fails:
        points.append(_holding(seen, model))
    return Agreement(tuple(points))


def _settling(seen: Observation, model: ModelTrace) -> Point:
    """What became of the burst."""
    by, fate = _fate(model)
    became = settled(seen.frames, seen.published)
    fates = [became.get(tag, _NEVER) for tag in range(1, seen.published + 1)]
    counts = ", ".join(f"{fates.count(one)} {_WORDS[one]}" for one in _WORDS if one in fates)
    said = _WORDS.get(fate, fate)
    return Point("the messages", by, said, counts, set(fates) == {fate})


_NEVER = "never"
_WORDS = {"ack": "acked", "nack": "nacked", _NEVER: "never settled"}


def _fate(model: ModelTrace) -> tuple[str, str]:
    """Return what becomes of a message, after the word for who says so."""
    if model.fails:
        return "rule A9", "nack"
    if not model.violated:
        return "rule A8", "ack"
    became = model.settled()
    fates = sorted({became.get(tag, _NEVER) for tag in model.published()})
    return _MODEL, " or ".join(fates) or "none is published"


def _waiting(seen: Observation, model: ModelTrace) -> Point:
    """Whether the broker's channel itself still waits."""
    for_ever = model.violated and not model.fails
    by = _MODEL if for_ever else "rule A9" if model.fails else "rule A8"
    said = "for ever" if for_ever else "for nothing"
    waits = f"for {seen.unconfirmed}" if seen.unconfirmed else "for nothing"
    expected = seen.published if for_ever else 0
    return Point("the channel waits", by, said, waits, seen.unconfirmed == expected)


def _crashing(seen: Observation, model: ModelTrace) -> Point:
    """Whether an assertion fails in the process that was promoted."""
    said = f"an assertion fails: {model.reason}" if model.fails else "no assertion fails"
    crash = "no crash" if seen.crash is None else f"crash, {seen.crash}"
    return Point("the queue", _MODEL, said, crash, model.fails == (seen.crash is not None))


def _going_on(seen: Observation) -> Point:
    """Whether a later message is acked: nobody was just slow."""
    later = seen.later
    assert later is not None
    right = later.kind == "ack"
    return Point("a later message", "rule A8", "acked", str(later), right)


def _holding(seen: Observation, model: ModelTrace) -> Point:
    """Whether what is never settled is in the promoted process's queue all the same."""
    unsettled = model.published() - model.settled().keys()
    held = bool(unsettled) and unsettled <= model.held_by_promoted()
    said = "all are in the new master's queue" if held else "not all are in the new master's queue"
    later = 1 if seen.later is not None and seen.later.kind == "ack" else 0
    there = seen.promoted and seen.queue_length == seen.published + later
    where = "new master's" if seen.promoted else "master's"
    return Point(
        "and yet", _MODEL, said, f"{seen.queue_length} are in the {where} queue", held == there
    )
