"""The system of the specification as this broker runs it.

It is translated for a broker (`ackproof.model.native`): consumers have names and share the channels
of publishers, there is no credit and no alarm, since sockets have those here, and nobody keeps
ghosts.  What a broker with one process for each queue never does is gone, too.  Sorts grow: a
channel, a queue and a consumer are there when somebody has opened, declared or started it.

The order of messages in a queue is by place (`queue_order`), and messages carry their contents
(`publication`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ackproof.lang
import ackproof.spec
from ackproof.impl.machines.counted_cluster import CountedCluster
from ackproof.impl.machines.message_sets import PersistentMessages, PlainMessages
from ackproof.impl.machines.monitoring_casts import MonitoringCasts
from ackproof.impl.machines.queue_order import QueueOrder
from ackproof.impl.machines.tagged_channel import TaggedChannel
from ackproof.impl.machines.told_order import ToldOrder
from ackproof.lang import Event, Process
from ackproof.model.cache import default_cache
from ackproof.model.native.families import assemble, growing
from ackproof.model.native.kept import kept_classes
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.cluster import Cluster
from ackproof.spec.consumer import ConsumerChannel
from ackproof.spec.network import Announcements, Casts
from ackproof.spec.sorts import Born, ChannelId, Node
from ackproof.spec.system import Confirms
from ackproof.spec.wire import ConsumerAck, ConsumerReject

if TYPE_CHECKING:
    from ackproof.model.native.translate import Translation

__all__ = [
    "HANDLES",
    "PLAYERS",
    "HostedSystem",
    "hosted_system",
    "leave",
    "may",
    "translated",
    "wake",
]

#: The system, whose families grow.
HostedSystem = Confirms

#: What is on and off in every broker.
_CONSTANTS: dict[str, Any] = {
    "Confirms.credit": False,
    "Confirms.consumers": False,
    "Confirms.shared": True,
    "Confirms.tagged": True,
    "Confirms.transactional": True,
    "Confirms.plain_publishes": True,
    "Confirms.retrying": False,
    "Channel.carries_for": None,
    "QueueProcess.dead_of": None,
    "QueueProcess.after": None,
    "QueueProcess.marking": True,
    "Store.apart": False,
    "Store.lazy": False,
}

#: What a broker does by other means: it numbers arrivals, and knows how many nodes there are.
_REPLACED: dict[type[Process], type[Process]] = {
    Arrivals: QueueOrder,
    Announcements: ToldOrder,
    Cluster: CountedCluster,
}

#: What does the same in a broker at less cost.
PLAYERS: dict[type[Process], type[Process]] = {
    ConsumerChannel: TaggedChannel,
    Casts: MonitoringCasts,
}

#: What the broker asks, and what it tells, besides the actions that it takes.
_BESIDES = (
    *("apart", "chosen", "divided", "fallen_out", "given_up", "has_room", "must_stop", "linked"),
    *("abandoned", "serves"),
    *("Casts.monitor", "Casts.demonitor"),
)

#: The actions that happen by themselves when they are possible, and what each is known by.  What
#: waits for a clock is not among them, nor for the disk: the specification knows neither.
HANDLES: dict[str, tuple[str, ...]] = {
    "master_tells": ("replica",),
    "master_removes": ("replica",),
    "deliver": ("Msg.owner(msg)", "replica"),
    "deliver_to_mirror": ("Msg.owner(msg)", "replica"),
    "drain": ("replica",),
    "confirm_arrives": ("replica",),
    "reject_arrives": ("replica",),
    "down_arrives": ("channel", "replica"),
    "promote": ("replica",),
    "synchronise": ("mirror",),
    "forget_sender": ("channel", "replica"),
    "restart": ("replica",),
    "hand_out": ("Consumer.owner(consumer)", "replica"),
    "flush": ("channel",),
    "complete": ("channel",),
}

#: The modules here that say what is translated, and into what.
_WRITTEN_IN = (
    "hosted_system",
    "queue_order",
    "told_order",
    "counted_cluster",
    "tagged_channel",
    "monitoring_casts",
)

#: What a broker never does: alarms are a matter of its sockets, unnamed consumers and shared bodies
#: of none.
_NEVER = (
    *("alarm", "alarm_clears", "publish_waits", "channel_bumped", "crash_node", "crash_machine"),
    *("write_body", "sync_body", "collect_body", "publish_again"),
    *("expire", "dead_letter", "let_go"),
)


def hosted_system(replicas: int, complain: Callable[[Event], None] | None = None) -> HostedSystem:
    """Return a system with nothing in it.

    Args:
        replicas: how many processes each durable queue has.
        complain: called with what the system itself says: why it closes a channel.
    """
    system = assemble(Confirms, {**_classes(replicas > 1), **_REPLACED}, complain)
    system.persistent, system.plain = PersistentMessages(), PlainMessages()
    wake(system, _Nobody())
    return system


class _Nobody:
    """Waits for nothing."""

    def __getattr__(self, action: str) -> Callable[..., None]:
        return lambda *_: None


def wake(system: HostedSystem, told: object) -> None:
    """Let the system tell what may have become possible.

    Args:
        system: of a broker.
        told: has a method for each action of `HANDLES`, which is called with the handles of the
            action; a handle is None for any.
    """
    vars(system)["wake"] = told


def may(system: HostedSystem, action: str) -> Callable[..., bool] | None:
    """Return what tells of an action of `HANDLES` whether it may be possible; None if it never is.

    It is called with the handles of the action.
    """
    found: Callable[..., bool] | None = getattr(system, f"may_{action}", None)
    return found


def leave(system: HostedSystem, channel: ChannelId) -> None:
    """A channel is closed, nothing of it is on its way, and nobody asks for it any more."""
    growing(system.channels).remove(channel)
    growing(system.transactions).remove(channel)
    growing(system.casts).remove(channel)
    growing(system.consuming).remove(channel)


@cache
def _classes(mirrored: bool) -> Mapping[type[Process], type[Process]]:
    folders = [Path(package.__path__[0]) for package in (ackproof.lang, ackproof.spec)]
    here = Path(__file__)
    files = [here.with_name(f"{name}.py") for name in _WRITTEN_IN]
    made = kept_classes(
        lambda: translated(mirrored), f"mirrored: {mirrored}", (*folders, *files), default_cache()
    )
    return {**made, **{cls: made[player] for cls, player in PLAYERS.items()}}


def translated(mirrored: bool, players: Mapping[str, type[Process]] | None = None) -> Translation:
    """Translate the system for a broker whose queues have mirrors, or have none.

    Args:
        mirrored: they have.
        players: classes that a design puts in the place of others, by the names of those.
    """
    from ackproof.model.native.translate import translate  # only if it is not kept
    from ackproof.model.native.triggers import waking
    from ackproof.model.programs import program_of
    from ackproof.spec.model import MODEL

    others = {cls.__name__: player for cls, player in PLAYERS.items()}
    constants = _CONSTANTS if mirrored else {**_CONSTANTS, "QueueProcess.born": Born.MASTER}
    return translate(
        Confirms,
        players={**others, **(players or {})},
        constants=constants,
        empty=() if mirrored else [Node],
        without=_NEVER,
        growing=True,
        replaced=_REPLACED,
        besides=_BESIDES,
        unheard=(ConsumerAck, ConsumerReject),
        waking=waking(program_of(MODEL), HANDLES),
    )
