"""Scenarios on plain objects: a live system, and the frames its clients have seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args, get_origin

from ackproof.spec.lang import Design, Each, Event, Process, Sort, bound
from ackproof.spec.lang.process import constants_of, hints_of, mark_of
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Born, Consumer, Level, Msg, Node, Queue, Replica, Tag
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack, Return

C = TypeVar("C", bound=Process)


@dataclass
class Scenario:
    """A system of live objects; `frames` is what its channel has sent, in order."""

    system: Confirms
    frames: list[Event] = field(default_factory=list)

    def publish(
        self, msg: int, *queues: str, mandatory: bool = False, persistent: bool = True
    ) -> None:
        """Publish the next message, routed to these queues."""
        targets: set[Queue] = set(map(queue_named, queues))
        self.system.publish(message(msg), targets, mandatory, persistent)

    def deliver(self, msg: int, *processes: str) -> None:
        """Let the message arrive at these processes: masters, or mirrors."""
        for name in processes:
            if self.process(name).mirrors():
                self.system.deliver_to_mirror(message(msg), replica(name))
            else:
                self.system.deliver(message(msg), replica(name))

    def told_by_master(self, msg: int, *mirrors: str) -> None:
        """Let these mirrors hear what their master did with a message."""
        for name in mirrors:
            self.system.master_tells(message(msg), replica(name))

    def synced(self, msg: int, *processes: str) -> None:
        """Let the message reach the disk of these processes, and their confirms the channel."""
        for name in processes:
            self.system.sync(message(msg), replica(name))
            self.system.drain(replica(name))
            self.system.confirm_arrives(replica(name))

    def stored(self, msg: int, *processes: str) -> None:
        """Let the message arrive at these processes, reach the disk, and be confirmed by them."""
        for name in processes:
            self.deliver(msg, name)
            self.synced(msg, name)

    def process(self, name: str) -> QueueProcess:
        """Return the process of that name."""
        return self.system.replicas[replica(name)]

    def level(self, msg: int, name: str) -> Level:
        """Return how far a message has come in the store of a process."""
        return self.process(name).store.level[message(msg)]

    def told(self) -> list[Event]:
        """Flush, and return what that sent."""
        before = len(self.frames)
        self.system.flush()
        return self.frames[before:]


def message(number: int) -> Msg:
    """Return the message with this sequence number."""
    element: Any = number
    assert isinstance(element, int)
    return element  # type: ignore[no-any-return]


def messages(*numbers: int) -> set[Msg]:
    """Return the messages with these sequence numbers."""
    return set(map(message, numbers))


def queue_named(name: str) -> Queue:
    """Return the queue of this name."""
    element: Any = name
    return element  # type: ignore[no-any-return]


def replica(name: str) -> Replica:
    """Return the process of this name."""
    element: Any = name
    return element  # type: ignore[no-any-return]


def replicas(*names: str) -> set[Replica]:
    """Return the processes of these names."""
    return set(map(replica, names))


def node(name: str) -> Node:
    """Return the node of this name."""
    element: Any = name
    return element  # type: ignore[no-any-return]


def ack(tag: int, multiple: bool = False) -> Ack:
    """Return an ack frame."""
    return Ack(message(tag), multiple)


def nack(tag: int, multiple: bool = False) -> Nack:
    """Return a nack frame."""
    return Nack(message(tag), multiple)


def returned(tag: int | None) -> Return:
    """Return a return frame."""
    return Return(None if tag is None else message(tag))


@contextmanager
def running(
    msgs: int = 3,
    queues: Iterable[str] = ("q1", "q2"),
    design: Design | None = None,
    **constants: Any,
) -> Iterator[Scenario]:
    """Give a system in confirm mode; each queue has one process: r1 is of the first queue.

    Args:
        msgs: how many messages there are.
        queues: the names of the queues.
        design: what is different from the base specification.
        constants: of the processes, or of the system.
    """
    names = tuple(queues)
    processes = {
        replica(f"r{number}"): {"of": queue_named(name)} for number, name in enumerate(names, 1)
    }
    sizes = {Msg: msgs, Queue: len(names), Replica: len(names), Node: 0}
    with _live(sizes, processes, design, constants) as scenario:
        yield scenario


@contextmanager
def mirrored(
    born: Iterable[Born] = (Born.MASTER, Born.MIRROR),
    msgs: int = 3,
    nodes: bool = False,
    design: Design | None = None,
    **constants: Any,
) -> Iterator[Scenario]:
    """Give a system in confirm mode with one queue, q1, of several processes: r1, r2, and so on.

    Args:
        born: what each process is at first.
        msgs: how many messages there are.
        nodes: whether each process has a node: n1, n2, and so on.  The channel is on the last.
        design: what is different from the base specification.
        constants: of the processes, or of the system.
    """
    roles = tuple(born)
    processes: dict[Replica, dict[str, Any]] = {
        replica(f"r{number}"): {
            "of": queue_named("q1"),
            "born": role,
            "node": node(f"n{number}") if nodes else None,
        }
        for number, role in enumerate(roles, 1)
    }
    count = len(roles)
    if nodes:
        constants = {"home": node(f"n{count}"), **constants}
    sizes = {Msg: msgs, Queue: 1, Replica: count, Node: count if nodes else 0}
    with _live(sizes, processes, design, constants) as scenario:
        yield scenario


def _latest(cls: type[C], changed: Iterable[type]) -> type[C]:
    """Return the class that a design puts in the place of another."""
    return next((new for new in changed if issubclass(new, cls)), cls)


def _families(system_class: type[Confirms]) -> Iterator[tuple[str, type[Sort], type[Process]]]:
    """Give the parts of a system of which there is one for each element of a sort."""
    for name, hint in hints_of(system_class).items():
        if get_origin(hint) is Each:
            sort, cls = get_args(hint)
            yield name, sort, cls


@contextmanager
def _live(
    sizes: Mapping[Any, int],
    processes: Mapping[Replica, Mapping[str, Any]],
    design: Design | None,
    constants: Mapping[str, Any],
) -> Iterator[Scenario]:
    """Give a system in confirm mode; `frames` starts after the select-ok."""
    frames: list[Event] = []
    changed = design.replace if design is not None else ()
    system_class, process_class = _latest(Confirms, changed), _latest(QueueProcess, changed)
    listeners = {
        mark.event: name
        for name in dir(system_class)
        if (mark := mark_of(getattr(system_class, name))) is not None and mark.event is not None
    }

    def show(event: Event) -> None:
        frames.append(event)
        if type(event) in listeners:
            getattr(system, listeners[type(event)])(event)

    known = constants_of(process_class)
    shared = {name: value for name, value in constants.items() if name in known}
    own = {name: value for name, value in constants.items() if name not in known}
    with bound({Consumer: 0, Tag: 1, **sizes}):
        system = system_class(emit=show, ghosts=True, **own)
        for name, sort, cls in _families(system_class):
            for element in sort.elements:
                getattr(system, name)[element] = cls(emit=show, ghosts=True)
        for key, given in processes.items():
            system.replicas[key] = process_class(emit=show, ghosts=True, **given, **shared)
        for holder in (system, *system.replicas.values()):
            for name, part in list(vars(holder).items()):
                if isinstance(part, Process) and _latest(type(part), changed) is not type(part):
                    setattr(holder, name, _latest(type(part), changed)(emit=show, ghosts=True))
        system.select()
        frames.clear()
        yield Scenario(system, frames)
