"""Consumers: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    CLIENTS_OWN,
    NO_PLACE,
    NOTHING,
    STARTED,
    SWITCH,
    TWO_IN_ONE,
    all_of,
)

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Consuming.heeds": {
        "drops `self.tagged` from `self.tagged and self.of_client(channel) and "
        "self.consuming[channel].open`": SWITCH,
    },
    "Consuming.hand_on": {
        "drops `no_ack or self.replicas[replica].roomless()` from "
        "`self.serves(replica, consumer) and (no_ack or self.replicas[replica].roomless())`": (
            TWO_IN_ONE
        ),
        "drops `require(not self.replicas[replica].ready)`": (
            "`pass_by` requires the same, and where there is no room nothing is ready "
            "(`LimitIsKept`)."
        ),
    },
    "Consuming.attached": {
        "drops `self.replicas[replica].leads()` from `self.replicas[replica].leads() and "
        "self.subscriptions[consumer].at == replica`": (
            "On this side of a partition consumers end with their master "
            "(`ConsumersEndWithTheirMaster`)."
        ),
    },
    "Consuming.acks_arrive": {
        "drops `require(bool(self.acks_across[replica]))`": NOTHING,
        "drops `self.separable(replica)` from `self.separable(replica) and "
        "self.reaches(replica)`": "Where no partition is possible no ack waits for its end.",
    },
    "Consuming.regain": {
        "drops `require(bool(self.abandoned(replica)))`": NOTHING,
        **all_of(
            "Who has no name may give back at any time (B7.5); and else only a partition leaves "
            "anything with nobody (`EachCopyHasOnePlace`).",
            "drops `require(self.tagged and self.separable(replica))`",
            "drops `self.tagged` from `self.tagged and self.separable(replica)`",
            "drops `self.separable(replica)` from `self.tagged and self.separable(replica)`",
        ),
    },
    "Consuming.consumer_hears": all_of(
        "It notices answers to methods that were not read, and here nobody gives any.",
        "drops `waits` from `waits or self.readers[channel].state == ReaderState.BLOCKED`",
        "drops `self.readers[channel].state == ReaderState.BLOCKED` from "
        "`waits or self.readers[channel].state == ReaderState.BLOCKED`",
    ),
    "Consuming.part_with": {"drops `self.replicas[replica].displace({msg})`": NO_PLACE},
    "Consuming.consume_all": {"drops `self.replicas[replica].displace(msgs)`": NO_PLACE},
    "Consuming.consumer_acks": {
        "does `self.emit(ConsumerAck(channel, tag, multiple))` twice": CLIENTS_OWN,
    },
    "Consuming.consumer_rejects": {
        "does `self.emit(ConsumerReject(channel, tag, multiple, requeue))` twice": CLIENTS_OWN,
    },
    "Subscription.start": {"drops `require(self.at is None)`": STARTED},
    "Consuming.recover": {
        "drops `bool(self.consuming[channel].unacked)` from "
        "`self.heeds(channel) and bool(self.consuming[channel].unacked)`": NOTHING,
    },
}
