"""What can be said to be wrong from the history alone.

The broker's steps are the specification's, so none of this should ever be found.  It is looked for
all the same, by other means: nothing here knows of machines, only of what was taken down.

* Each publish is settled at most once: what an ack or a nack names must be outstanding (INV-A5).
* Nothing is settled that was not published (INV-A6).
* A return comes before what settles the message, and only for what was routed nowhere (INV-A2).
* A nack has a cause: one of the message's queues crashed, was down, or refused it, or its channel
  had still to hear of a crash when it published (INV-A12).
* A persistent message in durable queues is acked when a commit has brought it to the disk, for
  each of them, or it has left that queue, or the queue was deleted (INV-B5).
* A node that sees no majority of the cluster settles nothing (A12).

Entries are looked at as they come, and what is known of a message is forgotten when it is settled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Check"]

#: Given which entries matter, tells them.
Story = Callable[[Callable[[dict[str, Any]], bool]], str]


#: Complaints that are kept; what follows from the first ones teaches nobody anything.
_COMPLAINTS = 100


@dataclass(slots=True)
class _Publish:
    """What is known of a publish that is not settled.

    Attributes:
        owed: numbers of the queues that must have it on the disk, and have not.
        queues: numbers of those it was routed to.
        blamed: something has happened that it may be nacked for.
    """

    message: str
    queues: frozenset[int]
    owed: set[int]
    blamed: bool


@dataclass(slots=True)
class _Channel:
    """What is known of a channel: its last number, and what is outstanding, oldest first."""

    last: int = 0
    outstanding: dict[int, _Publish] = field(default_factory=dict)


class Check:
    """Finds what is wrong in the entries of a history, as they come.

    Attributes:
        complaints: what was found, each with the entries that show it; the first 100.
    """

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self._channels: dict[tuple[int, int], _Channel] = {}
        self._messages: dict[str, _Publish] = {}
        self._nodes = 1
        self._given_up = 0

    def passed(self) -> None:
        """Say whether everything was right.

        Raises:
            AssertionError: something was not; the text tells what, and how it came to it.
        """
        if self.complaints:
            raise AssertionError("\n\n".join(self.complaints))

    def take(self, kind: str, facts: dict[str, Any], story: Story) -> None:
        """Look at one entry."""
        look = _KINDS.get(kind)
        wrong = look(self, facts) if look is not None else None
        if wrong is not None and len(self.complaints) < _COMPLAINTS:
            place = {name: facts[name] for name in ("connection", "channel") if name in facts}
            where = ", ".join(f"{name} {number}" for name, number in place.items())
            told = story(lambda entry: all(entry.get(n, v) == v for n, v in place.items()))
            self.complaints.append(f"{where}: {wrong}\nWhat happened:\n{told}")

    def _channel(self, facts: dict[str, Any]) -> _Channel:
        key = (facts.get("connection", 0), facts.get("channel", 0))
        return self._channels.setdefault(key, _Channel())

    # -- entries --------------------------------------------------------------------------------

    def _publish(self, facts: dict[str, Any]) -> str | None:
        seq = facts["seq"]
        if seq is None:
            return None
        channel = self._channel(facts)
        if seq != channel.last + 1:
            return f"publish {channel.last + 1} has the sequence number {seq}"
        channel.last = seq
        publish = _Publish(
            facts["message"],
            frozenset(facts["numbers"]),
            set(facts["stored_by"]),
            bool(facts["down"]),
        )
        channel.outstanding[seq] = publish
        self._messages[publish.message] = publish
        return None

    def _return(self, facts: dict[str, Any]) -> str | None:
        seq = facts["seq"]
        if seq is None:
            return None
        publish = self._channel(facts).outstanding.get(seq)
        if publish is None:
            return f"publish {seq} is returned after it was settled"
        if publish.queues:
            return f"publish {seq} is returned although it was routed to a queue"
        return None

    def _ack(self, facts: dict[str, Any]) -> str | None:
        settled, wrong = self._settle("acked", facts)
        wrong = wrong or self._guarded(f"publish {facts['tag']} is acked")
        for seq, publish in settled.items():
            if publish.owed:
                missing = ", ".join(map(str, sorted(publish.owed)))
                wrong = wrong or (
                    f"publish {seq} is acked before the disk has it: no commit had message "
                    f"{publish.message} for queue number {missing}"
                )
        return wrong

    def _nack(self, facts: dict[str, Any]) -> str | None:
        settled, wrong = self._settle("nacked", facts)
        wrong = wrong or self._guarded(f"publish {facts['tag']} is nacked")
        for seq, publish in settled.items():
            if not publish.blamed:
                wrong = wrong or (
                    f"publish {seq} is nacked without a cause: none of its queues has crashed, "
                    "was down, or refused it"
                )
        return wrong

    def _settle(self, how: str, facts: dict[str, Any]) -> tuple[dict[int, _Publish], str | None]:
        channel = self._channel(facts)
        tag, multiple = facts["tag"], facts["multiple"]
        if not 1 <= tag <= channel.last:
            return {}, f"publish {tag} is {how} and was never published"
        if tag not in channel.outstanding:
            return {}, f"publish {tag} is {how} and was settled before"
        tags = [seq for seq in channel.outstanding if seq <= tag] if multiple else [tag]
        settled = {seq: channel.outstanding.pop(seq) for seq in tags}
        for publish in settled.values():
            self._messages.pop(publish.message, None)
        return settled, None

    def _commit(self, facts: dict[str, Any]) -> None:
        for message, queue in facts["stored"]:
            publish = self._messages.get(message)
            if publish is not None:
                publish.owed.discard(queue)

    def _left(self, facts: dict[str, Any]) -> None:
        publish = self._messages.get(facts["message"])
        if publish is not None:
            publish.owed.discard(facts["queue_number"])

    def _refused(self, facts: dict[str, Any]) -> None:
        publish = self._messages.get(facts["message"])
        if publish is not None:
            publish.blamed = True

    def _queue_crashed(self, facts: dict[str, Any]) -> None:
        for publish in self._messages.values():
            if facts["queue_number"] in publish.queues:
                publish.blamed = True

    def _queue_deleted(self, facts: dict[str, Any]) -> None:
        for publish in self._messages.values():
            publish.owed.discard(facts["queue_number"])

    def _replica_lost(self, facts: dict[str, Any]) -> None:
        self._queue_crashed(facts)
        self._queue_deleted(facts)

    def _partitioned(self, facts: dict[str, Any]) -> None:
        if facts["fault"] == "partition":
            self._nodes = facts["nodes"]

    def _node_given_up(self, _: dict[str, Any]) -> None:
        self._given_up += 1

    def _whole(self, _: dict[str, Any]) -> None:
        self._given_up = 0

    def _completed(self, _: dict[str, Any]) -> str | None:
        return self._guarded("a transaction is completed")

    def _guarded(self, what: str) -> str | None:
        if not self._given_up or 2 * self._given_up < self._nodes:
            return None
        return f"{what} by a node that sees no majority of the cluster"

    def _channel_closed(self, facts: dict[str, Any]) -> None:
        key = (facts.get("connection", 0), facts.get("channel", 0))
        closed = self._channels.pop(key, _Channel())
        for publish in closed.outstanding.values():
            self._messages.pop(publish.message, None)

    def _restarted(self, facts: dict[str, Any]) -> None:
        self._channels.clear()
        self._messages.clear()
        self._given_up = 0


_KINDS: dict[str, Callable[[Check, dict[str, Any]], str | None]] = {
    "publish": Check._publish,
    "return": Check._return,
    "ack": Check._ack,
    "nack": Check._nack,
    "commit": Check._commit,
    "commitok": Check._completed,
    "dropped": Check._left,
    "acknowledged": Check._left,
    "passed_by": Check._left,
    "mirror_released": Check._left,
    "refused": Check._refused,
    "queue_crashed": Check._queue_crashed,
    "queue_deleted": Check._queue_deleted,
    "replica_deleted": Check._queue_deleted,
    "replica_lost": Check._replica_lost,
    "replica_given_up": Check._replica_lost,
    "replica_halted": Check._replica_lost,
    "fault": Check._partitioned,
    "node_given_up": Check._node_given_up,
    "network_whole": Check._whole,
    "channel_closed": Check._channel_closed,
    "node_restarted": Check._restarted,
}
