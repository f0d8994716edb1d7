"""Explanations that are found by taking the steps that are needed, and no others.

Between two frames a broker takes many steps that nobody sees, in nearly any order; three messages
in two queues have some hundred thousand states.  But a step that is not needed yet may as well be
taken later.  So nothing is done ahead: given which messages the next frames settle, there is one
way for each of them, through queue, disk, and back, and one step in it drains or processes whatever
else is there.

Not everything can be put off; `tests.explain.preparing` and `tests.explain.crashing` say what
cannot.  When the disk is held, all must be settled.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ackproof.lang import Event
from ackproof.spec.sorts import TxMode
from ackproof.spec.wire import Ack, Nack

from tests.explain.crashing import Crashing
from tests.explain.explanations import LONGEST, Place
from tests.explain.machine import CHANNEL, Outcome, State
from tests.explain.operations import (
    Crash,
    Cut,
    Delete,
    Get,
    Operation,
    Purge,
    Restart,
    Settle,
)
from tests.explain.seen import ENDING

__all__ = ["Directed"]

_COMMITTING, _FAILED = TxMode.COMMITTING, TxMode.FAILED


class Directed(Crashing):
    """The places that explain what was seen, found by what was seen."""

    def following(self, place: Place) -> Iterator[Place]:
        """Yield the places next to one: an input taken, a flush seen, an operation done."""
        yield from self._take_input(place)
        if not place.held & {"flush", "muted"}:
            yield from self._see_flush(place)
        yield from self._see_end_of_transaction(place)
        yield from self._do_operation(place)
        yield from self._stop_reading(place)
        if not ENDING.isdisjoint(self.seen.fates.values()):
            yield from self.strike(place)
        yield from self._expire(place)

    def operated(self, state: State, held: frozenset[str], operation: Operation) -> Iterator[State]:
        """Yield the states after an operation, with all that had to happen before it."""
        if isinstance(operation, Restart):
            for written in self.written_everywhere(state):
                yield self.started_again(written, operation)
        elif isinstance(operation, Cut):
            for settled in self._settles(state, held, operation):
                yield self.cut(settled, operation)
        elif isinstance(operation, Crash):
            yield from self.crashed(state, held, operation.queue)
        elif isinstance(operation, Get | Settle | Purge | Delete):
            yield from self.prepared(state, held, operation, operation.queue)

    # -- flushes --------------------------------------------------------------------------------

    def _see_flush(self, place: Place) -> Iterator[Place]:
        """Yield the places after a flush that wrote the next frame, or the next few."""
        frames = self.seen.frames[place.written : place.written + LONGEST]
        for length, frame in enumerate(frames, 1):
            if not isinstance(frame, Ack | Nack):
                return
            goal = self._settled(place.state, frames[:length])
            if goal is None:
                return
            yield from self._flush(place, *goal)
        if frames and self._looking and place.written + len(frames) == len(self.seen.frames):
            for more in self._more(place.state, frames):
                yield from self._flush(place, *more)

    def _flush(self, place: Place, acked: set[Any], nacked: set[Any]) -> Iterator[Place]:
        key = place.state, place.held, frozenset(acked), frozenset(nacked)
        if key not in self.flushes:
            gathered = self.gather(place.state, place.held, acked, nacked)
            steps = [self.machine.step(state, "flush", CHANNEL) for state in gathered]
            self.flushes[key] = [step for step in steps if step is not None]
        for state, events in self.flushes[key]:
            yield from self.matched(place, state, events)

    def _more(self, state: State, frames: list[Event]) -> Iterator[tuple[set[Any], set[Any]]]:
        """Yield what a flush may settle that begins with these frames: more of them may come."""
        goal = self._settled(state, frames)
        assert goal is not None
        acked, nacked = goal
        get = self.machine.get
        known = get(state, "channels[ch1].confirmed") | get(state, "channels[ch1].rejected")
        others = sorted((set(get(state, "channels[ch1].unconfirmed")) | known) - acked - nacked)
        for fates in itertools.product((None, acked, nacked), repeat=len(others)):
            if any(fate is not None for fate in fates):
                each = list(zip(others, fates, strict=True))
                yield (
                    acked | {msg for msg, fate in each if fate is acked},
                    nacked | {msg for msg, fate in each if fate is nacked},
                )

    def _settled(self, state: State, frames: list[Event]) -> tuple[set[Any], set[Any]] | None:
        """Return which messages these frames ack and nack; None if any names a strange one."""
        get = self.machine.get
        unknown = get(state, "publishers[ch1].sent") - get(state, "publishers[ch1].confirmed")
        unknown = unknown - get(state, "publishers[ch1].nacked")
        acked: set[Any] = set()
        nacked: set[Any] = set()
        for one in frames:
            assert isinstance(one, Ack | Nack)
            if one.tag not in unknown:
                return None
            settled = {m for m in unknown if m <= one.tag} if one.multiple else {one.tag}
            unknown = unknown - settled
            if isinstance(one, Ack):
                acked |= settled
            else:
                nacked |= settled
        return acked, nacked

    def gather(
        self, state: State, held: frozenset[str], acked: set[int], nacked: set[int]
    ) -> Iterator[State]:
        """Yield the states in which the channel has got to know what it is about to tell."""
        self.count_try()
        confirmed = self.machine.get(state, "channels[ch1].confirmed")
        rejected = self.machine.get(state, "channels[ch1].rejected")
        if not (confirmed <= acked and rejected <= nacked):
            return
        waiting = self.machine.get(state, "channels[ch1].unconfirmed")
        for msg in sorted(acked - confirmed):
            if not waiting.get(msg):
                return
            nearer = self.nearer(state, held, msg, min(waiting[msg]))
            if nearer is not None:
                yield from self.gather(nearer, held, acked, nacked)
            return
        for msg in sorted(nacked - rejected):
            for replica in sorted(waiting.get(msg, ())):
                worse = self.worse(state, msg, replica)
                if worse is not None:
                    yield from self.gather(worse, held, acked, nacked)
            return
        yield state

    def _settles(self, state: State, held: frozenset[str], cut: Cut) -> Iterator[State]:
        """Yield the states in which a publish is settled, and told or not, before a cut."""
        get = self.machine.get
        ends = get(state, "transactions[ch1].mode") in (_COMMITTING, _FAILED)
        if cut.told:
            told = get(state, "publishers[ch1].confirmed") | get(state, "publishers[ch1].nacked")
            open_again = get(state, "transactions[ch1].mode") is TxMode.OPEN
            committed = open_again and not get(state, "transactions[ch1].batch")
            if cut.msg in told or committed or not get(state, "channels[ch1].open"):
                yield state
        elif ends:
            yield from (gathered for gathered, _ in self._completed(state, held))
        else:
            confirmed, rejected = (
                get(state, "channels[ch1].confirmed"),
                get(state, "channels[ch1].rejected"),
            )
            for acked, nacked in (({cut.msg}, set()), (set(), {cut.msg})):
                yield from self.gather(state, held, confirmed | acked, rejected | nacked)

    def _see_end_of_transaction(self, place: Place) -> Iterator[Place]:
        """Yield the places after a commit that was answered, or that has failed."""
        if "flush" in place.held:
            return
        if self.machine.get(place.state, "transactions[ch1].mode") not in (_COMMITTING, _FAILED):
            return
        for _, step in self._completed(place.state, place.held):
            yield from self._after(place, step)

    def _completed(self, state: State, held: frozenset[str]) -> Iterator[tuple[State, Outcome]]:
        """Yield the states in which a commit is about to be answered, and what the answer is."""
        get = self.machine.get
        known = get(state, "channels[ch1].confirmed") | get(state, "channels[ch1].rejected")
        waiting = set(get(state, "channels[ch1].unconfirmed")) | known
        for size in range(len(waiting) + 1):
            for chosen in itertools.combinations(sorted(waiting), size):
                rest = waiting - set(chosen)
                for gathered in self.gather(state, held, rest, set(chosen)):
                    step = self.machine.step(gathered, "complete", CHANNEL)
                    if step is not None:
                        yield gathered, step
