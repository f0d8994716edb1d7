"""Small changes that change nothing: why a mutant that nothing notices is no mistake.

`ackproof mutate` makes one mistake at a time.  What nothing notices either shows that a property or
an instance is missing, or stands here: by method, and by what the mutant is called, with the
reason.  A name says nothing of lines, so an entry lasts as long as the text that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

_GUARD = "self.open and (self.next_seq is not None or not self.takes_number(mandatory))"
_CUTOFF = "otherwise is not None and otherwise < still_open"

_EXISTS = (
    "all((self.replicas[r].status != Status.DELETED and self.replicas[r].begun() for r in Replica "
    "if self.replicas[r].of == queue))"
)

_SYSTEM = "The action that calls it requires the same."
_FEWER = "Outside of any mode an unroutable publish may go without a number; no frame differs."
_AT_ONCE = "A removal may reach the disk at once."
_IGNORED = "A queue that is told of a body that it does not wait for ignores that (C2.7)."
_NOTHING = "It is a step that changes nothing."
_NO_PLACE = "Nobody asks for the place of what has left, and what arrives has its place anew."
_NO_MEMORY = "What has ended has nothing in memory (`MemoryEndsWithItsProcess`)."
_NOT_ASKED = "Nobody asks for it where no process of the queue is waited for, and none is by then."

#: For each method, what a mutant does, and why nothing can notice it.
EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Parts.exists": {
        f"has `any` for `all` in `{_EXISTS}`": (
            "All processes of a queue are deleted at once, and all begin at once."
        ),
    },
    "Channel.select": {"drops `require(self.open)`": _SYSTEM},
    "Channel.publish": {
        f"drops `require({_GUARD})`": _SYSTEM,
        f"drops `self.open` from `{_GUARD}`": _SYSTEM,
        f"drops `self.next_seq is not None or not self.takes_number(mandatory)` from `{_GUARD}`": (
            _SYSTEM
        ),
        "drops `not self.takes_number(mandatory)` from `self.next_seq is not None or not "
        "self.takes_number(mandatory)`": _FEWER,
        "has `self.takes_number(mandatory)` for `not self.takes_number(mandatory)`": _FEWER,
    },
    "Channel.skip": {
        "drops `require(self.open and self.next_seq is not None)`": _SYSTEM,
        "drops `self.open` from `self.open and self.next_seq is not None`": _SYSTEM,
        "drops `self.next_seq is not None` from `self.open and self.next_seq is not None`": _SYSTEM,
    },
    "Channel.release": {
        "drops `self.vouched[seq] -= siblings`": _NOT_ASKED,
        "has `self.vouched[seq] |= siblings` for `self.vouched[seq] -= siblings`": _NOT_ASKED,
    },
    "Channel.reject": {"drops `self.vouched[seq].clear()`": _NOT_ASKED},
    "Channel.process_down": {
        "takes `replica in self.unconfirmed[seq]` for true": (
            "What is done for a message that does not wait for the process has no effect."
        ),
    },
    "Channel.cutoff": {
        f"has `otherwise <= still_open` for `{_CUTOFF.partition(' and ')[2]}`": (
            "What is unconfirmed is not settled, so the two are never equal."
        ),
    },
    "Channel.coverable": {
        "has `seq <= limit` for `seq < limit`": (
            "The limit is unconfirmed or settled the other way, and so none of these."
        ),
    },
    "Channel.flush": {
        "drops `require(bool(self.confirmed) or bool(self.rejected))`": _SYSTEM,
    },
    "Channel.send_acks": {
        "has `max` for `min` in `min(self.confirmed)`": "There is one element.",
    },
    "Channel.close": {
        "drops `self.vouched.clear()`": _NOT_ASKED,
    },
    "Store.remove": {
        "drops `self.level[msg] == Level.WRITTEN` from `self.level[msg] == Level.WRITTEN or "
        "self.level[msg] == Level.SYNCED`": _AT_ONCE,
        "drops `self.level[msg] == Level.SYNCED` from `self.level[msg] == Level.WRITTEN or "
        "self.level[msg] == Level.SYNCED`": _AT_ONCE,
        "has `Level.SYNCED` for `Level.WRITTEN`": _AT_ONCE,
        "has `Level.ABSENT` for `Level.SYNCED`": _AT_ONCE,
        "drops `self.lazy` from `self.lazy and written`": "A removal may take its time.",
    },
    "Bodies.keep": {
        "takes `self.level[msg] != Level.SYNCED` for true": _IGNORED,
        "has `Level.ABSENT` for `Level.SYNCED`": _IGNORED,
    },
    "Bodies.sync": {"drops `self.waiting[msg].clear()`": _IGNORED},
    "Bodies.release": {
        "drops `self.waiting[msg].discard(replica)`": _IGNORED,
        "has `add` for `discard` in `self.waiting[msg].discard(replica)`": _IGNORED,
    },
    "Bodies.forget": {
        "drops `self.waiting[msg].discard(replica)`": _IGNORED,
        "has `add` for `discard` in `self.waiting[msg].discard(replica)`": _IGNORED,
    },
    "Bodies.collect": {
        "drops `self.level[msg] != Level.ABSENT` from `self.level[msg] != Level.ABSENT and "
        "(not self.referring[msg])`": _NOTHING,
        "has `Level.BUFFERED` for `Level.ABSENT` (1 of 2)": (
            "A body in memory is collected when it has been written."
        ),
    },
    "Storing.write": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": _NO_MEMORY,
    },
    "Storing.sync": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": (
            "The kernel may write back what nobody has asked it to (C5)."
        ),
    },
    "Storing.forget": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": _NO_MEMORY,
        "drops `self.replicas[replica].displace({msg})`": _NO_PLACE,
    },
    "Storing.drain": {
        "drops `require(bool(self.replicas[replica].store.confirmed))`": _NOTHING,
    },
    "Storing.part_from_bodies": {
        "drops `self.replicas[replica].displace(lost)`": _NO_PLACE,
        "drops `self.bodies.forget(msg, replica)`": _IGNORED,
        "has `entries` for `entries - lost`": (
            "A body that is lost is not there, whoever refers to it, and no message comes twice."
        ),
    },
    "Mirroring.join": {
        "swaps arguments: `self.linked(mirror, master)`": (
            "Two processes are on the same side, or on two, whichever is named first."
        ),
    },
    "Transaction.forget": {
        "drops `self.mandatory.clear()`": (
            "It is asked of the messages of a batch only, and none is in two batches."
        ),
    },
    "Arrivals.leave": {
        "drops `self.ahead[msg].clear()`": (
            "Nobody asks who was ahead of what has left, and what arrives has its place anew."
        ),
    },
}
