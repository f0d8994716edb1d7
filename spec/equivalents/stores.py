"""Stores, and the chapter about them: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    AT_ONCE,
    ENDS_NEXT,
    IGNORED,
    NO_MEMORY,
    NO_PLACE,
    NOT_APART,
    NOTHING,
)

__all__ = ["EQUIVALENT"]


EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Store.remove": {
        "drops `self.level[msg] == Level.WRITTEN` from `self.level[msg] == Level.WRITTEN or "
        "self.level[msg] == Level.SYNCED`": AT_ONCE,
        "drops `self.level[msg] == Level.SYNCED` from `self.level[msg] == Level.WRITTEN or "
        "self.level[msg] == Level.SYNCED`": AT_ONCE,
        "has `Level.SYNCED` for `Level.WRITTEN`": AT_ONCE,
    },
    "Store.needs_no_body": {
        "drops `self.apart` from `self.apart and self.level[msg] == Level.ABSENT`": NOT_APART,
    },
    "Store.save": {"has `Level.BUFFERED` for `Level.ABSENT`": ENDS_NEXT},
    "Mailbox.take": {"drops `self.order.leave({msg})`": NO_PLACE},
    "Mailbox.vanish": {"drops `self.order.keep(set())`": NO_PLACE},
    "Bodies.keep": {
        "takes `self.level[msg] != Level.SYNCED` for true": IGNORED,
        "has `Level.ABSENT` for `Level.SYNCED`": IGNORED,
    },
    "Bodies.sync": {"drops `self.waiting[msg].clear()`": IGNORED},
    "Bodies.release": {
        "drops `self.waiting[msg].discard(replica)`": IGNORED,
        "has `add` for `discard` in `self.waiting[msg].discard(replica)`": IGNORED,
    },
    "Bodies.forget": {
        "drops `self.waiting[msg].discard(replica)`": IGNORED,
        "has `add` for `discard` in `self.waiting[msg].discard(replica)`": IGNORED,
    },
    "Bodies.collect": {
        "drops `self.level[msg] != Level.ABSENT` from `self.level[msg] != Level.ABSENT and "
        "(not self.referring[msg])`": NOTHING,
        "has `Level.BUFFERED` for `Level.ABSENT` (1 of 2)": (
            "A body in memory is collected when it has been written."
        ),
    },
    "Storing.write": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": NO_MEMORY,
    },
    "Storing.sync": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": (
            "The kernel may write back what nobody has asked it to (C5)."
        ),
    },
    "Storing.forget": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": NO_MEMORY,
        "drops `self.replicas[replica].displace({msg})`": NO_PLACE,
    },
    "Storing.drain": {
        "drops `require(bool(self.replicas[replica].store.confirmed))`": NOTHING,
    },
    "Storing.part_from_bodies": {
        "drops `self.replicas[replica].displace(lost)`": NO_PLACE,
        "drops `self.bodies.forget(msg, replica)`": IGNORED,
        "has `entries` for `entries - lost`": (
            "A body that is lost is not there, whoever refers to it, and no message comes twice."
        ),
    },
}
