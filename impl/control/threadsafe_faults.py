"""Faults, asked for in one thread of a broker that runs in another.

What each of them does, and what it takes, is said where the fault is (`ackproof.impl.faults.faults`
and its parts, and `ackproof.impl.node`); here a request is handed over, and its answer waited for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ackproof.impl.faults.calling import by_name
from ackproof.impl.faults.faults import Faults
from ackproof.impl.node import Node

__all__ = ["ThreadsafeFaults"]

P = ParamSpec("P")
T = TypeVar("T")


def _handed_over(
    fault: Callable[Concatenate[Any, P], object], name: str | None = None
) -> Callable[Concatenate[ThreadsafeFaults, P], None]:
    """Return a method that hands a fault over: same arguments, same words, another thread.

    Args:
        fault: what is asked of a broker or a node.
        name: what the fault is called, if not as that function is.
    """
    called = name or fault.__name__

    @wraps(fault)
    def ask(self: ThreadsafeFaults, /, *args: P.args, **named: P.kwargs) -> None:
        arguments = by_name(fault, args, named)
        self._wait_for(lambda node: node.fault(called, arguments))

    return ask


class ThreadsafeFaults(ABC):
    """Everything that can be asked to go wrong, from another thread."""

    @abstractmethod
    def _call(self, question: Callable[[Node], T]) -> T:
        """Call a function with the node, in its thread; return what it returns."""

    @abstractmethod
    def _wait_for(self, work: Callable[[Node], Coroutine[Any, Any, T]]) -> T:
        """Do something that takes its time, in the thread of the node; return what it returns."""

    crash_queue = _handed_over(Faults.crash_queue)
    delete_queue = _handed_over(Faults.delete_queue)
    crash_next = _handed_over(Faults.crash_next)
    delete_next = _handed_over(Faults.delete_next)
    nack_next = _handed_over(Faults.nack_next)

    kill_replica = _handed_over(Faults.kill_replica)
    restart_replica = _handed_over(Faults.restart_replica)
    slow_replica = _handed_over(Faults.slow_replica)
    release_replica = _handed_over(Faults.release_replica)

    partition = _handed_over(Faults.partition)
    notice_partition = _handed_over(Faults.notice_partition)
    pause_minority = _handed_over(Faults.pause_minority)
    heal = _handed_over(Faults.heal)

    hold_fsync = _handed_over(Faults.hold_fsync)
    release_fsync = _handed_over(Faults.release_fsync)
    fail_writes = _handed_over(Faults.fail_writes)

    withhold_confirms = _handed_over(Faults.withhold_confirms)
    delay_confirms = _handed_over(Faults.delay_confirms)
    reorder_confirms = _handed_over(Faults.reorder_confirms)
    release_confirms = _handed_over(Faults.release_confirms)
    drop_connection = _handed_over(Faults.drop_connection)

    close_connection = _handed_over(Faults.close_connection)
    close_channel = _handed_over(Faults.close_channel)
    cut_connection = _handed_over(Faults.cut_connection)
    cancel_consumer = _handed_over(Faults.cancel_consumer)
    refuse_login = _handed_over(Faults.refuse_login)
    lose_acks = _handed_over(Faults.lose_acks)
    silence = _handed_over(Faults.silence)
    end_silence = _handed_over(Faults.end_silence)
    slow_output = _handed_over(Faults.slow_output)

    restart_node = _handed_over(Node.restart, "restart_node")
    block = _handed_over(Node.block)
    unblock = _handed_over(Node.unblock)
    clear_faults = _handed_over(Node.clear_faults, "clear")

    def armed(self) -> list[dict[str, Any]]:
        """Return the faults that wait for something, or have waited: how often each struck."""
        return self._call(lambda node: node.broker.faults.armed())

    def unstruck(self) -> list[str]:
        """Return the faults that were asked for and have never struck, as they were asked for."""
        return self._call(lambda node: node.unstruck())
