"""Comparing the broker's system with its twin, variable by variable.

Whatever behaviour depends on must be the same on both sides, but for this:

* the broker keeps the order of a queue by other means, so what comes first of what is ready is
  compared, again and again until nothing is left;
* a message says itself whether it is persistent, and whether somebody waits for it;
* whether a message that has left a queue was handed out there, nobody asks;
* of a process that is out of its queue's record, nobody asks anything;
* a channel does not hear of the end of a process that it does not monitor (A5.7).

What a twin has forgotten is not compared (`remains`), nor what the broker has: the processes of a
queue that is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, get_args

from ackproof.impl.lockstep.twin import FAMILIES, Twin, in_words
from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.lang import Each, Process
from ackproof.lang.process import hints_of, split_marks
from ackproof.lang.values import CONST, GHOST, KEY
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Replica, Status

__all__ = ["differences"]

#: The elements that both sides speak of, by their sorts.
Known = Mapping[Any, AbstractSet[Any]]

#: What is known of a message by itself.
_OF_MESSAGES = ("persistent", "plain")


def differences(hosted: HostedSystem, twin: Twin) -> Iterator[str]:
    """Yield what is not the same on both sides, in words."""
    comparing = _Comparing({Msg: twin.messages, Replica: hosted.replicas.keys()})
    mine: Any = twin.system
    with twin.bound():
        listed = {key for key in mine.replicas if mine.listed(key)}
    for family in FAMILIES:
        for key, theirs in getattr(hosted, family).items():
            if family != "replicas" or key in listed:
                yield from comparing.processes(
                    getattr(mine, family)[key], theirs, f"{family}[{key}]"
                )
    for name in ("cluster", "multicast"):
        yield from comparing.processes(getattr(mine, name), getattr(hosted, name), name)
    yield from comparing.variables(mine, hosted, "")


class _Comparing:
    def __init__(self, known: Known) -> None:
        self._known = known

    def processes(self, mine: Process, theirs: Any, where: str) -> Iterator[str]:
        """Yield the differences between two processes and their parts."""
        yield from self.variables(mine, theirs, where)
        if isinstance(mine, QueueProcess) and mine.status is Status.RUNNING:
            ours, other = _in_order(mine), _in_order(theirs)
            if ours != other:
                yield _told(f"{where}.order", ours, other)
        for name in _declared(mine):
            part = getattr(mine, name)
            if isinstance(part, Process) and not isinstance(part, Arrivals):
                yield from self.processes(part, getattr(theirs, name), f"{where}.{name}")

    def variables(self, mine: Process, theirs: Any, where: str) -> Iterator[str]:
        """Yield the differences between the variables of two processes."""
        for name, declared in _declared(mine).items():
            hint, marks = split_marks(declared)
            one = getattr(mine, name)
            if marks & {GHOST, CONST, KEY} or name in _OF_MESSAGES or _is_family(one):
                continue
            known = self._known
            if name == "delivered":
                known = {**known, Msg: known[Msg] & (theirs.ready | theirs.pending)}
            elif name == "downs":
                known = {**known, Replica: theirs.monitored | theirs.downs.keys()}
            ours, other = _of(one, hint, known), _of(getattr(theirs, name), hint, known)
            if ours != other:
                yield _told(f"{where}.{name}".lstrip("."), ours, other)


def _declared(process: Any) -> Mapping[str, Any]:
    """Return what the class of a process declares, by name."""
    return hints_of(process.__class__)


def _is_family(value: Any) -> bool:
    return isinstance(value, Process | Each)


def _in_order(process: QueueProcess) -> list[Msg]:
    """Return what is ready in a queue, in the order in which it goes."""
    left, found = set(process.ready), []
    while left:
        first = process.order.first(left)
        assert first is not None
        found.append(first)
        left.discard(first)
    return [int(msg) for msg in found]  # type: ignore[call-overload]


def _of(value: Any, hint: Any, known: Known) -> Any:
    """Return what a value says of the elements that are known."""
    if isinstance(value, Mapping):
        key, item = get_args(hint)
        among = known.get(key, value)
        of = {k: _of(v, item, known) for k, v in value.items() if k in among}
        return {k: v for k, v in of.items() if v not in (set(), {})}
    if isinstance(value, set):
        (item,) = get_args(hint)
        return value & known.get(item, value)
    return value


def _told(what: str, specified: object, found: object) -> str:
    specification, broker = in_words(specified), in_words(found)
    return f"{what}: the specification has {specification}, the broker has {broker}"
