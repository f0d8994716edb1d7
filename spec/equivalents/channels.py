"""Channels, their modes and their way back to the publisher: mutants that change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents.reasons import (
    CLIENTS_OWN,
    DELETION,
    FEWER,
    FOUND,
    HEARS,
    HOOK,
    MACHINE,
    MARKED,
    NO_COPY,
    NOT_ASKED,
    NOT_OPEN,
    NOT_RETRYING,
    NOTHING,
    ONLY_MIRRORS,
    OWN_CHANNEL,
    SWITCH,
    SYSTEM,
    all_of,
)

__all__ = ["EQUIVALENT"]

_GUARD = "self.open and (self.next_seq is not None or not self.takes_number(mandatory))"

_OWN = "self.tagged and (not self.shared) and self.consuming[channel].open"

_CUTOFF = "otherwise is not None and otherwise < still_open"

EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Channel.select": {"drops `require(self.open)`": SYSTEM},
    "Channel.publish": {
        f"drops `self.next_seq is not None or not self.takes_number(mandatory)` from `{_GUARD}`": (
            SYSTEM
        ),
        "drops `not self.takes_number(mandatory)` from `self.next_seq is not None or not "
        "self.takes_number(mandatory)`": FEWER,
        "has `self.takes_number(mandatory)` for `not self.takes_number(mandatory)`": FEWER,
    },
    "Channel.skip": {
        "drops `require(self.open and self.next_seq is not None)`": SYSTEM,
        "drops `self.open` from `self.open and self.next_seq is not None`": SYSTEM,
        "drops `self.next_seq is not None` from `self.open and self.next_seq is not None`": SYSTEM,
    },
    "Channel.release": {
        "drops `self.vouched[seq] -= siblings`": NOT_ASKED,
        "has `self.vouched[seq] |= siblings` for `self.vouched[seq] -= siblings`": NOT_ASKED,
    },
    "Channel.reject": {"drops `self.vouched[seq].clear()`": NOT_ASKED},
    "Channel.note": {
        "takes `replica in self.unconfirmed[seq]` for true": (
            "Of a queue that is not waited for nobody vouches, and there is nothing to reject."
        ),
    },
    "Channel.process_down": {
        "takes `replica in self.unconfirmed[seq]` for true": (
            "What does not wait for the process waits on, or its queue is deleted (A9.3)."
        ),
    },
    "Channel.cutoff": {
        f"has `otherwise <= still_open` for `{_CUTOFF.partition(' and ')[2]}`": (
            "What is unconfirmed is not settled, so the two are never equal."
        ),
    },
    "Channel.coverable": {
        "has `seq <= limit` for `seq < limit`": (
            "The limit is unconfirmed or settled the other way, and so none of these."
        ),
    },
    "Channel.flush": {
        "drops `require(bool(self.confirmed) or bool(self.rejected))`": SYSTEM,
    },
    "Channel.send_acks": {
        "has `max` for `min` in `min(self.confirmed)`": "There is one element.",
    },
    "Channel.close": {
        "drops `self.vouched.clear()`": NOT_ASKED,
    },
    "Reader.sets_alarm": {
        "takes `self.state == ReaderState.BLOCKED` for true": (
            "A reader that is about to block has an alarm already (E4.1)."
        ),
    },
    "Reader.clears_alarm": {"drops `require(self.alarmed)`": NOTHING},
    "Transaction.select": {"drops `require(self.answers())`": SYSTEM},
    "Transaction.publish": {"drops `require(self.mode == TxMode.OPEN)`": SYSTEM},
    "Transaction.commit": {"drops `require(self.mode == TxMode.OPEN)`": SYSTEM},
    "Transaction.fail": {"drops `require(self.mode == TxMode.COMMITTING)`": SYSTEM},
    "Transaction.complete": {"drops `require(self.mode == TxMode.COMMITTING)`": SYSTEM},
    "Transaction.roll_back": {"drops `require(self.mode == TxMode.OPEN)`": SYSTEM},
    "Publishing.select": {
        "drops `self.channels[channel].open` from `self.channels[channel].open and "
        "self.transactions[channel].answers()`": MACHINE,
    },
    "Publishing.tx_select": {
        "drops `self.transactional` from `self.of_client(channel) and self.transactional and "
        "self.readers[channel].reads()`": SWITCH,
        "drops `self.transactions[channel].answers()` from `self.channels[channel].open and "
        "self.transactions[channel].answers()`": MACHINE,
    },
    "Publishing.publish_unroutable": {
        "drops `self.channels[channel].open` from `self.channels[channel].open and (not "
        "self.channels[channel].confirming)`": MACHINE,
    },
    "Publishing.publish_plain": {
        "drops `require(self.plain_publishes and bool(targets))`": SWITCH,
        "drops `self.plain_publishes` from `self.plain_publishes and bool(targets)`": SWITCH,
        "drops `bool(targets)` from `self.plain_publishes and bool(targets)`": FEWER,
        "drops `self.channels[channel].open` from `self.channels[channel].open and (not "
        "self.channels[channel].confirming)`": MACHINE,
    },
    "Publishing.process_publish": {
        "drops `self.channels[channel].open` from `self.channels[channel].open and "
        "self.channels[channel].confirming`": MACHINE,
        "takes `self.retrying` for true": SWITCH,
    },
    "Publishing.enter": {"drops the filter `self.found(q)`": FOUND},
    "Publishing.publish_in_tx": {
        "drops `self.transactional` from `self.transactional and "
        "self.readers[channel].reads_content()`": MACHINE,
        "drops `require(self.transactions[channel].mode == TxMode.OPEN)`": MACHINE,
        "drops `self.channels[channel].open` from `self.channels[channel].open and "
        "self.channels[channel].next_seq == msg`": NOT_OPEN,
        "drops `targets` from `persistent and targets`": MARKED,
    },
    "Publishing.sent_to": {
        "drops `there` from `there and queue in self.transactions[channel].routes[msg]`": HEARS,
        "drops `self.exists(queue)` from `self.exists(queue) and self.found(queue)`": HEARS,
        "drops `self.found(queue)` from `self.exists(queue) and self.found(queue)`": FOUND,
    },
    "Publishing.register": {"drops the filter `self.found(q)`": FOUND},
    "Publishing.route": {"drops `targets` from `persistent and targets`": MARKED},
    "Publishing.send_all": {"takes `msgs` for true": HEARS},
    "Publishing.end_transaction": {
        "drops `self.transactional` from `self.of_client(channel) and self.transactional and "
        "self.readers[channel].reads()`": SWITCH,
        "drops `self.transactions[channel].answers()` from `self.channels[channel].open and "
        "self.transactions[channel].answers()`": MACHINE,
    },
    "Closing.shut_down": {"takes `self.retrying` for true": NOT_RETRYING},
    "Closing.close_consumers": {
        **all_of(
            OWN_CHANNEL,
            f"drops `self.tagged` from `{_OWN}`",
        ),
        **all_of(
            NOTHING,
            f"drops `self.consuming[channel].open` from `{_OWN}`",
        ),
    },
    "Closing.reopen": {
        "drops `self.tagged` from `self.tagged and (not self.shared) and (not "
        "self.consuming[channel].open)`": OWN_CHANNEL,
    },
    "Closing.close": {
        "drops `self.channels[channel].open` from `self.of_client(channel) and "
        "self.channels[channel].open`": NOTHING,
    },
    "Closing.ack_unknown": {
        **all_of(
            CLIENTS_OWN,
            "drops `self.emit(ConsumerAck(channel, tag, multiple))`",
            "does `self.emit(ConsumerAck(channel, tag, multiple))` twice",
        ),
    },
    "Confirming.confirm_arrives": {
        **all_of(
            NOTHING,
            "drops `bool(confirms)` from `bool(confirms) and self.reaches(replica)`",
        ),
    },
    "Confirming.counts": {
        **all_of(
            ONLY_MIRRORS,
            (
                "drops `not self.mirrored(replica)` from `replica not in self.unsynced or not "
                "self.mirrored(replica)`"
            ),
        ),
    },
    "Confirming.reject_arrives": {
        **all_of(
            NOTHING,
            "drops `bool(rejects)` from `bool(rejects) and self.reaches(replica)`",
        ),
    },
    "Confirming.down_arrives": {
        "drops `self.replicas[replica].status == Status.DELETED` from `reason == Reason.NORMAL "
        "and self.replicas[replica].status == Status.DELETED`": DELETION,
    },
    "Confirming.sees_ack": {
        "takes `self.retrying` for true": NOT_RETRYING,
        "takes `not self.of_client(ack.channel)` for true": NO_COPY,
    },
    "Confirming.sees_nack": {
        "takes `self.retrying` for true": NOT_RETRYING,
        "takes `not self.of_client(nack.channel)` for true": NO_COPY,
    },
    "Confirming.flush": {
        **all_of(
            MACHINE,
            (
                "drops `require(bool(self.channels[channel].confirmed) or "
                "bool(self.channels[channel].rejected))`"
            ),
        ),
        **all_of(
            HOOK,
            "drops `self.has_asked(channel)`",
        ),
    },
    "Confirming.complete": {
        **all_of(
            MACHINE,
            "drops `require(not self.transactions[channel].answers())`",
        ),
        **all_of(
            HOOK,
            "drops `self.has_asked(channel)`",
        ),
    },
}
