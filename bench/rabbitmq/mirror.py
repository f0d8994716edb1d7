"""A mirror that is slow, at the moment we choose.

A mirror gets every message twice: from the publisher's channel, and by multicast from the master.
It takes multicast copies first (they have the higher priority), so when it was busy for a while
and its master dies meanwhile, it is promoted after it has seen the multicast copies and before it
has seen the direct ones.  To get there without luck its process is suspended, as a processor with
other things to do would, until its mailbox holds what the experiment is about; then it goes on.

Erlang resumes a process when the one that suspended it ends.  So the suspender waits on the node
for a word from us, under a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.process import Failed
from bench.rabbitmq.cluster import resource
from bench.rabbitmq.node import Node

__all__ = ["Mailbox", "SlowMirror"]

#: Milliseconds after which the suspender gives up, should nobody resume the mirror.
_LONGEST = 600_000

_SUSPEND = """
{{ok,Q}}=rabbit_amqqueue:lookup({queue}),
[P]=amqqueue:get_slave_pids(Q),
persistent_term:put(ackproof_mirror,P),
S=spawn(fun()->erlang:suspend_process(P),receive resume->ok after {longest}->ok end end),
register(ackproof_suspender,S),
node(P)=:=node().
"""

_MAILBOX = """
{messages,M}=process_info(persistent_term:get(ackproof_mirror),messages),
{length([x||{'$gen_cast',{gm,_}}<-M]),
 length([x||{'$gen_cast',{deliver,_,_}}<-M]),
 length([x||{'$gen_call',_,{gm_deaths,_}}<-M])}.
"""


@dataclass(frozen=True)
class Mailbox:
    """What waits for a mirror.

    Args:
        multicast: copies from its master.
        direct: copies from the channel.
        deaths: notices that its master is gone.
    """

    multicast: int
    direct: int
    deaths: int


class SlowMirror:
    """The mirror of a queue, on the node where it lives."""

    def __init__(self, node: Node, queue: str) -> None:
        self.node = node
        self.queue = queue

    def suspend(self) -> None:
        """Stop the mirror's process.

        Raises:
            Failed: there is no mirror on this node, or more than one.
        """
        erlang = _SUSPEND.format(queue=resource(self.queue), longest=_LONGEST)
        if self.node.eval(_line(erlang)) != "true":
            raise Failed(f"the mirror of {self.queue} is not on {self.node.name}")

    def mailbox(self) -> Mailbox:
        """Return what waits for the suspended process.

        Raises:
            Failed: it is gone.
        """
        said = self.node.eval(_line(_MAILBOX))
        found = re.fullmatch(r"\{(\d+), (\d+), (\d+)\}", said)
        if found is None:
            raise Failed(f"{self.node.name} was asked for counts and says {said!r}")
        multicast, direct, deaths = map(int, found.groups())
        return Mailbox(multicast, direct, deaths)

    def resume(self) -> None:
        """Let it go on.

        Raises:
            Failed: it was resumed already, or never suspended.
        """
        self.node.eval("ackproof_suspender ! resume.")


def _line(erlang: str) -> str:
    return " ".join(erlang.split())
