"""Definitions of a broker, written down as RabbitMQ does it.

Only what is everybody's goes out: no exclusive queues, and not the exchanges that every virtual
host begins with.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ackproof.impl.access.directory import User
from ackproof.impl.access.passwords import Password
from ackproof.impl.administration.json_tables import to_json
from ackproof.impl.broker import Broker
from ackproof.impl.topology.definitions import Binding, Kind
from ackproof.impl.version import VERSION
from ackproof.impl.vhost.virtual_host import VirtualHost

__all__ = ["written", "written_binding", "written_user"]


def written(broker: Broker, vhost: str | None = None) -> dict[str, Any]:
    """Return the document of a broker, or of one of its virtual hosts."""
    version = broker.version or VERSION
    if vhost is not None:
        content = _contents([broker.vhosts[vhost]])
        for entry in (entry for entries in content.values() for entry in entries):
            del entry["vhost"]
        return {"rabbit_version": version, "parameters": [], "policies": [], **content}
    return {
        "rabbit_version": version,
        "rabbitmq_version": version,
        "product_name": "ackproof" if broker.version is None else "RabbitMQ",
        "product_version": version,
        "users": [written_user(user) for user in broker.directory.users.values()],
        "vhosts": [
            {"name": host.name, "description": host.description, "tags": list(host.tags)}
            for host in broker.vhosts.values()
        ],
        "permissions": [
            {
                "user": user,
                "vhost": name,
                "configure": permissions.configure,
                "write": permissions.write,
                "read": permissions.read,
            }
            for name, user, permissions in broker.directory.permissions
        ],
        "topic_permissions": [],
        "parameters": [],
        "global_parameters": [],
        "policies": [],
        **_contents(broker.vhosts.values()),
    }


def written_user(user: User) -> dict[str, Any]:
    """Return what there is to know of a user, the hash of the password included."""
    password = user.password
    return {
        "name": user.name,
        "password_hash": "" if password is None else password.hashed,
        "hashing_algorithm": Password.algorithm if password is None else password.algorithm,
        "tags": list(user.tags),
        "limits": {},
    }


def _contents(among: Iterable[VirtualHost]) -> dict[str, list[dict[str, Any]]]:
    hosts = list(among)
    queues = [q for host in hosts for q in host.queues.values() if q.owner is None]
    kept = {(q.vhost, q.name) for q in queues}
    exchanges = [x for host in hosts for x in host.topology.graph.exchanges.values()]
    bindings = [b for host in hosts for b in host.topology.bindings]
    return {
        "queues": [
            {
                "name": q.name,
                "vhost": q.vhost,
                "durable": q.durable,
                "auto_delete": q.auto_delete,
                "arguments": to_json(q.arguments),
            }
            for q in queues
        ],
        "exchanges": [
            {
                "name": x.name,
                "vhost": x.vhost,
                "type": x.type,
                "durable": x.durable,
                "auto_delete": x.auto_delete,
                "internal": x.internal,
                "arguments": to_json(x.arguments),
            }
            for x in exchanges
            if x.number
        ],
        "bindings": [
            written_binding(b)
            for b in bindings
            if b.destination.kind is Kind.EXCHANGE or (b.vhost, b.destination.name) in kept
        ],
    }


def written_binding(binding: Binding) -> dict[str, Any]:
    """Return what a binding says."""
    return {
        "source": binding.source,
        "vhost": binding.vhost,
        "destination": binding.destination.name,
        "destination_type": binding.destination.kind.value,
        "routing_key": binding.key,
        "arguments": to_json(binding.arguments),
    }
