"""Consumers: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import CLIENTS_OWN, NO_PLACE, NOTHING, SWITCH

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Subscription.start": {"drops `require(not self.active)`": NOTHING},
    "Consuming.heeds": {
        "drops `self.tagged` from `self.tagged and self.consuming[channel].open and "
        "self.free(channel) and reads`": SWITCH,
    },
    "Consuming.cancel": {
        "drops `self.subscriptions[consumer].active` from "
        "`self.heeds(Consumer.owner(consumer)) and self.subscriptions[consumer].active`": (
            "Who cancels a consumer that is not there is told that it is not there (F3.1)."
        ),
    },
    "Consuming.hand_on": {
        "drops `no_ack or self.replicas[replica].roomless()` from "
        "`self.serves(replica, consumer) and (no_ack or self.replicas[replica].roomless())`": (
            "Where there is room it is two steps in one, `deliver` and `hand_out` (B3.2)."
        ),
        "drops `require(not self.replicas[replica].ready)`": (
            "`pass_by` requires the same, and where there is no room nothing is ready "
            "(`LimitIsKept`)."
        ),
    },
    "Consuming.part_with": {"drops `self.replicas[replica].displace({msg})`": NO_PLACE},
    "Consuming.consume_all": {"drops `self.replicas[replica].displace(msgs)`": NO_PLACE},
    "Consuming.consumer_acks": {
        "does `self.emit(ConsumerAck(channel, tag, multiple))` twice": CLIENTS_OWN,
    },
    "Consuming.consumer_rejects": {
        "does `self.emit(ConsumerReject(channel, tag, multiple, requeue))` twice": CLIENTS_OWN,
    },
    "Consuming.recover": {
        "drops `bool(self.consuming[channel].unacked)` from "
        "`self.heeds(channel) and bool(self.consuming[channel].unacked)`": NOTHING,
    },
}
