"""Class tx: select, commit, rollback (A1, A13)."""

from __future__ import annotations

from ackproof.impl.errors import SoftError
from ackproof.impl.session.session_channel import Methods, SessionChannel
from ackproof.spec.sorts import TxMode
from ackproof.spec.wire import Complaint
from pamqp import commands

__all__ = ["METHODS"]


def _select(channel: SessionChannel, _: commands.Tx.Select) -> None:
    channel.broker.steps.tx.tx_select(channel.publishing)


def _commit(channel: SessionChannel, _: commands.Tx.Commit) -> None:
    _check_transactional(channel)
    channel.broker.commit(channel.publishing, channel.consuming)


def _rollback(channel: SessionChannel, _: commands.Tx.Rollback) -> None:
    _check_transactional(channel)
    channel.broker.steps.tx.tx_rollback(channel.publishing, channel.consuming)


def _check_transactional(channel: SessionChannel) -> None:
    if channel.publishing.transaction.mode == TxMode.NONE:
        raise SoftError(406, Complaint.NOT_TRANSACTIONAL.value)


METHODS: Methods = {
    commands.Tx.Select: _select,
    commands.Tx.Commit: _commit,
    commands.Tx.Rollback: _rollback,
}
