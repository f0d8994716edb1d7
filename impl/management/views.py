"""How the management shows what there is: queues, exchanges, bindings, connections, and so on.

The names of fields are RabbitMQ's.  What this broker does not count, rates for one, is not there.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from typing import Any

from ackproof.impl.administration.exporting import written_binding
from ackproof.impl.administration.json_tables import to_json
from ackproof.impl.broker import Broker
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.node import Node
from ackproof.impl.session.session import Session
from ackproof.impl.session.session_channel import SessionChannel
from ackproof.impl.topology.definitions import Binding, Destination, Exchange, Kind
from ackproof.impl.version import VERSION
from ackproof.impl.vhost.virtual_host import VirtualHost
from ackproof.impl.wire.tables import to_text

__all__ = [
    "NODE",
    "bindings",
    "channel",
    "connection",
    "consumers",
    "destination",
    "exchange",
    "node_view",
    "overview",
    "queue",
    "shown_binding",
    "vhost",
]

#: What the node is called.
NODE = "ackproof@localhost"
_EXCHANGE_TYPES = ("direct", "fanout", "headers", "topic")


def queue(one: HostedQueue) -> dict[str, Any]:
    """Return a queue, with how much is in it."""
    ready, unacked = len(one.machine.ready), len(one.machine.pending)
    owner = one.owner
    return {
        "name": one.name,
        "vhost": one.vhost,
        "durable": one.durable,
        "auto_delete": one.auto_delete,
        "exclusive": owner is not None,
        "owner_pid_details": {"name": owner.name} if isinstance(owner, Session) else None,
        "arguments": to_json(one.arguments),
        "type": "classic",
        "node": NODE,
        "state": "running" if one.running else "down",
        "policy": None,
        "messages": ready + unacked,
        "messages_ready": ready,
        "messages_unacknowledged": unacked,
        "consumers": len(one.consumers),
    }


def exchange(one: Exchange) -> dict[str, Any]:
    """Return an exchange."""
    return {
        "name": one.name,
        "vhost": one.vhost,
        "type": one.type,
        "durable": one.durable,
        "auto_delete": one.auto_delete,
        "internal": one.internal,
        "arguments": to_json(one.arguments),
        "policy": None,
    }


def bindings(host: VirtualHost) -> list[dict[str, Any]]:
    """Return all bindings of a virtual host, and one to each queue from the default exchange."""
    default = [
        {
            "source": "",
            "vhost": host.name,
            "destination": name,
            "destination_type": Kind.QUEUE.value,
            "routing_key": name,
            "arguments": {},
            "properties_key": name,
        }
        for name in host.queues
    ]
    return default + [shown_binding(one) for one in host.topology.bindings]


def shown_binding(one: Binding) -> dict[str, Any]:
    """Return a binding with the key that tells it from others between the same ends."""
    key = one.key or "~"
    if one.arguments:
        digest = zlib.crc32(to_text(one.arguments).encode()).to_bytes(4, "big")
        key = f"{one.key}~{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"
    return {**written_binding(one), "properties_key": key}


def destination(kind: str, name: str) -> Destination:
    """Return where a binding leads, by the letter of its kind."""
    return Destination(Kind.QUEUE if kind == "q" else Kind.EXCHANGE, name)


def vhost(host: VirtualHost) -> dict[str, Any]:
    """Return a virtual host, with how much is in it."""
    ready = sum(len(one.machine.ready) for one in host.queues.values())
    unacked = sum(len(one.machine.pending) for one in host.queues.values())
    metadata = {"description": host.description, "tags": list(host.tags)}
    return {
        "name": host.name,
        **metadata,
        "default_queue_type": "classic",
        "metadata": metadata,
        "tracing": False,
        "cluster_state": {NODE: "running"},
        "messages": ready + unacked,
        "messages_ready": ready,
        "messages_unacknowledged": unacked,
    }


def connection(session: Session) -> dict[str, Any]:
    """Return a connection that is open."""
    peer, port = _address(session.peer)
    here, local_port = _address(session.name.rpartition(" -> ")[2])
    return {
        "name": session.name,
        "user": session.user,
        "user_who_performed_action": session.user,
        "vhost": session.vhost.name,
        "user_provided_name": to_json(session.client.get("connection_name")),
        "peer_host": peer,
        "peer_port": port,
        "host": here,
        "port": local_port,
        "protocol": "AMQP 0-9-1",
        "type": "network",
        "node": NODE,
        "state": "blocked" if session.blocking.blocked else "running",
        "channels": len(session.channels),
        "channel_max": session.channels.most,
        "frame_max": session.frame_max,
        "timeout": session.heartbeat,
        "connected_at": round(session.since * 1000),
        "client_properties": to_json(session.client),
    }


def _address(text: str) -> tuple[str, int | None]:
    host, _, port = text.rpartition(":")
    return (host, int(port)) if port.isdigit() else (text, None)


def channel(session: Session, number: int, one: SessionChannel) -> dict[str, Any]:
    """Return a channel of a connection."""
    return {
        "name": f"{session.name} ({number})",
        "number": number,
        "user": session.user,
        "vhost": session.vhost.name,
        "node": NODE,
        "state": "running",
        "confirm": one.publishing.machine.confirming,
        "transactional": one.publishing.in_transaction(),
        "consumer_count": len(one.consuming.consumers),
        "prefetch_count": one.consuming.prefetch,
        "messages_unconfirmed": len(one.publishing.machine.unconfirmed),
        "messages_unacknowledged": len(one.consuming.machine.unsettled()),
        "connection_details": _details(session),
    }


def _details(session: Session) -> dict[str, Any]:
    peer, port = _address(session.peer)
    return {"name": session.name, "peer_host": peer, "peer_port": port}


def consumers(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    """Return the consumers of all channels."""
    return [
        {
            "consumer_tag": tag,
            "queue": {"name": one.queue.name, "vhost": one.queue.vhost},
            "ack_required": not one.machine.no_ack,
            "exclusive": one.exclusive,
            "active": True,
            "activity_status": "up",
            "arguments": {},
            "channel_details": {
                "name": f"{session.name} ({number})",
                "number": number,
                "node": NODE,
                "user": session.user,
                "connection_name": session.name,
            },
        }
        for session in sessions
        for number, channel in session.channels.items()
        for tag, one in channel.consuming.consumers.items()
    ]


def overview(node: Node) -> dict[str, Any]:
    """Return what there is altogether."""
    broker = node.broker
    hosts = broker.vhosts.values()
    version = broker.version or VERSION
    queues = [one for host in hosts for one in host.queues.values()]
    ready = sum(len(one.machine.ready) for one in queues)
    unacked = sum(len(one.machine.pending) for one in queues)
    sessions = node.sessions
    return {
        "management_version": version,
        "rabbitmq_version": version,
        "product_name": product(broker),
        "product_version": version,
        "erlang_version": "",
        "cluster_name": NODE,
        "node": NODE,
        "rates_mode": "none",
        "exchange_types": _exchange_types(),
        "message_stats": {},
        "queue_totals": {
            "messages": ready + unacked,
            "messages_ready": ready,
            "messages_unacknowledged": unacked,
        },
        "object_totals": {
            "connections": len(sessions),
            "channels": sum(len(session.channels) for session in sessions),
            "exchanges": sum(len(host.topology.graph.exchanges) for host in hosts),
            "queues": len(queues),
            "consumers": sum(len(one.consumers) for one in queues),
        },
        "listeners": [{"node": NODE, "protocol": "amqp", "port": node.port}],
        "contexts": [],
    }


def product(broker: Broker) -> str:
    """Return what the broker says it is."""
    return "ackproof" if broker.version is None else "RabbitMQ"


def _exchange_types() -> list[dict[str, Any]]:
    return [{"name": kind, "description": "", "enabled": True} for kind in _EXCHANGE_TYPES]


def node_view(node: Node) -> dict[str, Any]:
    """Return the node."""
    return {
        "name": NODE,
        "type": "disc",
        "running": True,
        "partitions": [],
        "mem_used": node.broker.memory.used,
        "mem_limit": node.options.limits.memory,
        "disk_free_limit": node.options.limits.disk_free,
        "exchange_types": _exchange_types(),
        "rates_mode": "none",
    }
