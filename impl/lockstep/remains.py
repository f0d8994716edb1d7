"""What nobody speaks of any more, and a twin can forget.

A twin has a ghost for every message, so that its steps cost more with each one.  A message that is
settled and in no queue is over: what is claimed of it was asked, and no step will speak of it.  So
is a channel that the broker has forgotten, when no message of it is left; and a process of a queue
that is gone, and a consumer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ackproof.impl.lockstep.twin import Twin
from ackproof.impl.lockstep.walking import families, forget, variables, within
from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Queue, Replica

__all__ = ["drop", "gone"]

#: Variables that speak of messages for as long as somebody asks for these, and no longer.
_FOLLOWING = ("persistent", "plain", "delivered", "missed", "ahead")


def gone(hosted: HostedSystem, twin: Twin) -> Mapping[Any, frozenset[Any]]:
    """Return what a twin can forget, by its sort."""
    spoken: dict[Any, set[Any]] = {sort: set() for sort in (Msg, Consumer, Replica, Queue)}
    for process, name, hint in variables(twin.system):
        if name not in _FOLLOWING:
            for sort, elements in spoken.items():
                elements.update(within(getattr(process, name), hint, sort))
    system = twin.system
    next_ones = {c.next_seq for c in system.channels.values()}
    msgs = twin.messages - spoken[Msg] - next_ones
    channels = system.channels.keys() - hosted.channels.keys()
    channels -= {Msg.owner(msg) for msg in twin.messages - msgs}
    replicas = system.replicas.keys() - hosted.replicas.keys() - spoken[Replica]
    replicas -= {r for r, p in system.replicas.items() if p.of in spoken[Queue]}
    left = {p.of for r, p in system.replicas.items() if r not in replicas}
    queues = {p.of for p in system.replicas.values()} - left
    consumers = system.subscriptions.keys() - hosted.subscriptions.keys() - spoken[Consumer]
    found: dict[Any, Any] = {
        Msg: msgs,
        ChannelId: channels,
        Replica: replicas,
        Queue: queues,
        Consumer: consumers,
    }
    return {sort: frozenset(elements) for sort, elements in found.items() if elements}


def drop(twin: Twin, elements: Mapping[Any, frozenset[Any]]) -> None:
    """Let a twin forget elements, with the members of families that are theirs."""
    system = twin.system
    for family, sort in list(families(system)):
        for element in elements.get(sort, ()):
            family.remove(element)
    for process, name, hint in list(variables(system, ghosts=True)):
        forget(getattr(process, name), hint, lambda of, one: one in elements.get(of, ()))
    twin.messages -= elements.get(Msg, frozenset())
