"""What clients do: the steps that somebody at the other end of a connection takes part in.

A client knows what it has sent and what has come to it, and nothing of what goes on behind.  So
each of these steps stands here with the arguments that its client knows: who asks for a message
knows neither which one it will be nor the process that answers.  What ends a queue or a channel is
among them, as clients delete queues and close channels; what crashes, expires or falls apart is
not.

`ackproof diff` compares designs by this, and by the frames that they emit.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CLIENTS"]

CLIENTS: Mapping[str, tuple[str, ...]] = {
    # publishers
    "select": ("channel",),
    "tx_select": ("channel",),
    "publish": ("msg", "targets", "mandatory", "persistent"),
    "publish_again": ("msg", "copied"),
    "publish_plain": ("msg", "targets", "persistent"),
    "publish_unroutable": ("channel", "mandatory"),
    "publish_in_tx": ("msg", "targets", "mandatory", "persistent"),
    "publish_waits": ("channel",),
    "tx_commit": ("channel",),
    "tx_rollback": ("channel",),
    # consumers of whom it is not told who they are
    "take": ("msg",),
    "pass_by": ("msg",),
    "acknowledge": ("msg",),
    "requeue": ("msg",),
    # consumers with names and tags
    "consume": ("consumer",),
    "cancel": ("consumer",),
    "get": ("channel", "no_ack"),
    "get_empty": ("channel",),
    "consumer_acks": ("channel", "tag", "multiple"),
    "consumer_rejects": ("channel", "tag", "multiple", "requeue"),
    "recover": ("channel",),
    "ack_unknown": ("channel", "tag", "multiple"),
    # channels and queues
    "close": ("channel",),
    "close_consumers": ("channel",),
    "reopen": ("channel",),
    "declare": ("queue",),
    "delete_queue": ("queue",),
}
