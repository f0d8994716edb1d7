"""Calls are replaced by what they do."""

from __future__ import annotations

from ackproof.lang import (
    Const,
    Each,
    Map,
    Model,
    Option,
    OrderedSort,
    Process,
    Set,
    Sort,
    System,
    action,
    fault,
    handler,
    require,
)


class A(OrderedSort):
    """An ordered sort."""


class Msg(OrderedSort):
    """An ordered sort."""


class Node(Sort):
    """An unordered sort."""


class Disk(Process):
    """A part of a part."""

    written: Set[Msg]
    ok: bool = True

    @handler
    def write(self, msg: Msg, sure: bool) -> None:
        """A step."""
        require(self.ok)
        if sure:
            self.written.add(msg)


class Queue(Process):
    """A member of a family."""

    durable: Const[bool]
    disk: Disk
    ready: Set[Msg]
    latest: Option[Msg]

    @handler
    def accept(self, msg: Msg, targets: Set[Node]) -> None:
        """A step that calls another."""
        self.ready.add(msg)
        self.disk.write(msg, self.durable and bool(targets))
        self.latest = msg

    @action
    def forget(self, msg: Msg) -> None:
        """A step of a member of a family."""
        require(msg in self.ready)
        self.ready.discard(msg)

    @fault
    def crash(self) -> None:
        """A fault of a member of a family."""
        self.disk.ok = False


class Root(System):
    """The system."""

    queues: Each[Node, Queue]
    first: Map[Msg, Option[Node]]

    @action
    def publish(self, msg: Msg, node: Node) -> None:
        """A process has a name of its own."""
        queue = self.queues[node]
        require(queue.disk.ok)
        queue.accept(msg, set(Node))
        require_free = queue.latest is None
        if require_free:
            queue.disk.write(sure=False, msg=msg)

    @action
    def to_first(self, msg: Msg) -> None:
        """The key that leads to a process is looked up once, before the step."""
        node = self.first[msg]
        if node is not None:
            self.queues[node].accept(msg, {node})


MODEL = Model("handlers", Root, (), ())
