"""Class exchange: declare, delete, bind, unbind.

What a reply promises is on the disk before the reply is sent, as far as it is durable.
"""

from __future__ import annotations

from ackproof.impl.session.entity_names import without_line_ends
from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.impl.topology.definitions import Exchange
from ackproof.impl.topology.exchanges import refuse_default
from pamqp import base, commands

__all__ = ["METHODS"]


def _declare(channel: SessionChannel, method: commands.Exchange.Declare) -> None:
    name = without_line_ends(method.exchange)
    if method.passive:
        channel.vhost.topology.find_to_use(name)
        _answer(channel, method.nowait, commands.Exchange.DeclareOk(), on_disk=False)
        return
    asked = Exchange(
        channel.vhost.name,
        name,
        str(method.exchange_type),
        durable=bool(method.durable),
        auto_delete=bool(method.auto_delete),
        internal=bool(method.internal),
        arguments=method.arguments or {},
    )
    stored = channel.vhost.changed(channel.vhost.topology.declare(asked, channel.access))
    _answer(channel, method.nowait, commands.Exchange.DeclareOk(), on_disk=stored)


def _delete(channel: SessionChannel, method: commands.Exchange.Delete) -> None:
    topology = channel.vhost.topology
    name = without_line_ends(method.exchange)
    change = topology.delete(name, if_unused=bool(method.if_unused), access=channel.access)
    stored = channel.vhost.changed(change)
    _answer(channel, method.nowait, commands.Exchange.DeleteOk(), on_disk=stored)


def _bind(channel: SessionChannel, method: commands.Exchange.Bind) -> None:
    source, destination = _ends(channel, method)
    change = channel.vhost.topology.bind_exchange(
        source,
        destination,
        str(method.routing_key),
        method.arguments or {},
    )
    stored = channel.vhost.changed(change)
    _answer(channel, method.nowait, commands.Exchange.BindOk(), on_disk=stored)


def _unbind(channel: SessionChannel, method: commands.Exchange.Unbind) -> None:
    source, destination = _ends(channel, method)
    change = channel.vhost.topology.unbind_exchange(
        source,
        destination,
        str(method.routing_key),
        method.arguments or {},
    )
    stored = channel.vhost.changed(change)
    _answer(channel, method.nowait, commands.Exchange.UnbindOk(), on_disk=stored)


def _ends(
    channel: SessionChannel, method: commands.Exchange.Bind | commands.Exchange.Unbind
) -> tuple[str, str]:
    """Return the names of both ends of a binding, which the user may bind.

    Raises:
        SoftError: 403, the user may not write to where it leads, or not read where it comes from,
            or one of them is the default exchange.
    """
    source, destination = without_line_ends(method.source), without_line_ends(method.destination)
    channel.access.check_write("exchange", destination)
    refuse_default(destination)
    refuse_default(source)
    channel.access.check_read("exchange", source)
    return source, destination


def _answer(
    channel: SessionChannel, nowait: bool | None, reply: base.Frame, *, on_disk: bool
) -> None:
    def answer() -> None:
        if not nowait:
            channel.reply(reply)

    channel.answer(answer, on_disk=on_disk)


METHODS: Methods = {
    commands.Exchange.Declare: _declare,
    commands.Exchange.Delete: _delete,
    commands.Exchange.Bind: _bind,
    commands.Exchange.Unbind: _unbind,
}
