"""Small changes that change nothing: why a mutant that nothing notices is no mistake.

`ackproof mutate` makes one mistake at a time.  What nothing notices either shows that a property or
an instance is missing, or stands here: by method, and by what the mutant is called, with the
reason.  A name says nothing of lines, so an entry lasts as long as the text that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

_GUARD = "self.open and (self.next_seq is not None or not self.takes_number(mandatory))"
_CUTOFF = "otherwise is not None and otherwise < still_open"

_EXISTS = (
    "all((self.replicas[r].status != Status.DELETED and self.replicas[r].begun() for r in Replica "
    "if self.replicas[r].of == queue))"
)

_SYSTEM = "The action that calls it requires the same."
_FEWER = "Outside of any mode an unroutable publish may go without a number; no frame differs."
_AT_ONCE = "A removal may reach the disk at once."
_IGNORED = "A queue that is told of a body that it does not wait for ignores that (C2.7)."
_NOTHING = "It is a step that changes nothing."
_NO_PLACE = "Nobody asks for the place of what has left, and what arrives has its place anew."
_NO_MEMORY = "What has ended has nothing in memory (`MemoryEndsWithItsProcess`)."
_MACHINE = "The process that it calls requires the same."
_NO_SURPLUS = "There is nothing over the limit then that could be dropped."
_UNMARKED = "Nobody asks for it where nothing is marked."
_KEEPS = (
    "A consumer without a name may keep a message as long as it likes; with one, it is noticed."
)
_SWITCH = "It switches on in an instance what is on in others."
_ONLY_MIRRORS = "Only mirrors are unsynchronised."
_HOOK = "It does nothing here; whoever keeps the answer goes on from it."
_CLIENTS_OWN = "A client says it, and nobody counts what clients say."
_STRICTER = "It asks for more than half of the nodes, and who confirms less breaks no promise."
_NOBODY = "A partition that cuts off nobody, or more than before, is a partition as well."
_ALONE = "It is asked for a process that does not run."
_NOT_OPEN = "A closed channel is in no mode (`ClosedHasNoTransaction`), nor asks for one."
_MARKED = "Nobody asks of a message that is routed nowhere whether it is persistent."
_COMMITTED = "Whether its queues are there is asked again at the commit (A5.4)."
_BOTH = "Both are tried in the same steps, and nobody is told which of the two it was."
_EXCUSES = "It is asked for a ghost only, and excuses nacks that nobody sends."
_HEARS = "A channel hears once more of somebody's end, and waits for nobody there."
_EITHER = "Two processes are on the same side, or on two, whichever is named first."
_NOT_ASKED = "Nobody asks for it where no process of the queue is waited for, and none is by then."


def _all(reason: str, *mutants: str) -> dict[str, str]:
    """Give several mutants of one method the same reason."""
    return dict.fromkeys(mutants, reason)


#: For each method, what a mutant does, and why nothing can notice it.
EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    "Parts.exists": {
        f"has `any` for `all` in `{_EXISTS}`": (
            "All processes of a queue are deleted at once, and all begin at once."
        ),
    },
    "Channel.select": {"drops `require(self.open)`": _SYSTEM},
    "Channel.publish": {
        f"drops `require({_GUARD})`": _SYSTEM,
        f"drops `self.open` from `{_GUARD}`": _SYSTEM,
        f"drops `self.next_seq is not None or not self.takes_number(mandatory)` from `{_GUARD}`": (
            _SYSTEM
        ),
        "drops `not self.takes_number(mandatory)` from `self.next_seq is not None or not "
        "self.takes_number(mandatory)`": _FEWER,
        "has `self.takes_number(mandatory)` for `not self.takes_number(mandatory)`": _FEWER,
    },
    "Channel.skip": {
        "drops `require(self.open and self.next_seq is not None)`": _SYSTEM,
        "drops `self.open` from `self.open and self.next_seq is not None`": _SYSTEM,
        "drops `self.next_seq is not None` from `self.open and self.next_seq is not None`": _SYSTEM,
    },
    "Channel.release": {
        "drops `self.vouched[seq] -= siblings`": _NOT_ASKED,
        "has `self.vouched[seq] |= siblings` for `self.vouched[seq] -= siblings`": _NOT_ASKED,
    },
    "Channel.reject": {"drops `self.vouched[seq].clear()`": _NOT_ASKED},
    "Channel.process_down": {
        "takes `replica in self.unconfirmed[seq]` for true": (
            "What is done for a message that does not wait for the process has no effect."
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
        "drops `require(bool(self.confirmed) or bool(self.rejected))`": _SYSTEM,
    },
    "Channel.send_acks": {
        "has `max` for `min` in `min(self.confirmed)`": "There is one element.",
    },
    "Channel.close": {
        "drops `self.vouched.clear()`": _NOT_ASKED,
    },
    "Store.remove": {
        "drops `self.level[msg] == Level.WRITTEN` from `self.level[msg] == Level.WRITTEN or "
        "self.level[msg] == Level.SYNCED`": _AT_ONCE,
        "drops `self.level[msg] == Level.SYNCED` from `self.level[msg] == Level.WRITTEN or "
        "self.level[msg] == Level.SYNCED`": _AT_ONCE,
        "has `Level.SYNCED` for `Level.WRITTEN`": _AT_ONCE,
        "has `Level.ABSENT` for `Level.SYNCED`": _AT_ONCE,
        "drops `self.lazy` from `self.lazy and written`": "A removal may take its time.",
    },
    "Bodies.keep": {
        "takes `self.level[msg] != Level.SYNCED` for true": _IGNORED,
        "has `Level.ABSENT` for `Level.SYNCED`": _IGNORED,
    },
    "Bodies.sync": {"drops `self.waiting[msg].clear()`": _IGNORED},
    "Bodies.release": {
        "drops `self.waiting[msg].discard(replica)`": _IGNORED,
        "has `add` for `discard` in `self.waiting[msg].discard(replica)`": _IGNORED,
    },
    "Bodies.forget": {
        "drops `self.waiting[msg].discard(replica)`": _IGNORED,
        "has `add` for `discard` in `self.waiting[msg].discard(replica)`": _IGNORED,
    },
    "Bodies.collect": {
        "drops `self.level[msg] != Level.ABSENT` from `self.level[msg] != Level.ABSENT and "
        "(not self.referring[msg])`": _NOTHING,
        "has `Level.BUFFERED` for `Level.ABSENT` (1 of 2)": (
            "A body in memory is collected when it has been written."
        ),
    },
    "Reader.sets_alarm": {
        "takes `self.state == ReaderState.BLOCKED` for true": (
            "A reader that is about to block has an alarm already (E4.1)."
        ),
    },
    "Reader.clears_alarm": {"drops `require(self.alarmed)`": _NOTHING},
    "Storing.write": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": _NO_MEMORY,
    },
    "Storing.sync": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": (
            "The kernel may write back what nobody has asked it to (C5)."
        ),
    },
    "Storing.forget": {
        "drops `require(self.replicas[replica].status == Status.RUNNING)`": _NO_MEMORY,
        "drops `self.replicas[replica].displace({msg})`": _NO_PLACE,
    },
    "Storing.drain": {
        "drops `require(bool(self.replicas[replica].store.confirmed))`": _NOTHING,
    },
    "Storing.part_from_bodies": {
        "drops `self.replicas[replica].displace(lost)`": _NO_PLACE,
        "drops `self.bodies.forget(msg, replica)`": _IGNORED,
        "has `entries` for `entries - lost`": (
            "A body that is lost is not there, whoever refers to it, and no message comes twice."
        ),
    },
    "Mirroring.join": {
        "swaps arguments: `self.linked(mirror, master)`": (
            "Two processes are on the same side, or on two, whichever is named first."
        ),
    },
    "Transaction.forget": {
        "drops `self.mandatory.clear()`": (
            "It is asked of the messages of a batch only, and none is in two batches."
        ),
    },
    "Arrivals.leave": {
        "drops `self.ahead[msg].clear()`": _NO_PLACE,
        **_all(
            _NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "goes by `msg not in msgs` for `msg in msgs`",
            "takes `msg in msgs` for true",
            "takes `msg in msgs` for false",
            "drops `self.ahead[msg] -= msgs`",
            "has `self.ahead[msg] |= msgs` for `self.ahead[msg] -= msgs`",
        ),
    },
    "Arrivals.keep": {
        **_all(
            _NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "takes `msg in present` for true",
            "drops `self.ahead[msg] &= present`",
            "drops `self.ahead[msg].clear()`",
        ),
    },
    "Announcements.leave": {
        **_all(
            _NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "goes by `msg not in msgs` for `msg in msgs`",
            "takes `msg in msgs` for true",
            "takes `msg in msgs` for false",
            "drops `self.ahead[msg].clear()`",
            "drops `self.ahead[msg] -= msgs`",
            "has `self.ahead[msg] |= msgs` for `self.ahead[msg] -= msgs`",
        ),
    },
    "Announcements.keep": {
        **_all(
            _NO_PLACE,
            "drops `for msg in set(self.ahead):`",
            "goes by `msg not in present` for `msg in present`",
            "takes `msg in present` for true",
            "takes `msg in present` for false",
            "drops `self.ahead[msg] &= present`",
            "has `self.ahead[msg] -= present` for `self.ahead[msg] &= present`",
            "drops `self.ahead[msg].clear()`",
        ),
    },
    "Closing.close": {
        **_all(
            _NOTHING,
            "drops `require(self.channels[channel].open)`",
        ),
    },
    "Closing.ack_unknown": {
        **_all(
            _CLIENTS_OWN,
            "drops `self.emit(ConsumerAck(channel, tag, multiple))`",
            "does `self.emit(ConsumerAck(channel, tag, multiple))` twice",
        ),
    },
    "Cluster.majority": {
        **_all(
            _STRICTER,
            (
                "drops `2 * len(self.lost) < self.size()` from `not self.lost or 2 * "
                "len(self.lost) "
                "< self.size()`"
            ),
            "has `2 * len(self.lost) <= self.size()` for `2 * len(self.lost) < self.size()`",
            "has 3 for 2",
        ),
    },
    "Cluster.outvoted": {
        **_all(
            _STRICTER,
            "has `2 * len(self.away) < self.size()` for `2 * len(self.away) <= self.size()`",
            "has 3 for 2",
            "has 1 for 2",
        ),
    },
    "Cluster.part": {
        **_all(
            _NOBODY,
            "drops `require(not self.away and bool(nodes))`",
            "drops `not self.away` from `not self.away and bool(nodes)`",
            "drops `bool(nodes)` from `not self.away and bool(nodes)`",
        ),
    },
    "Cluster.notice": {
        "drops `node not in self.lost` from `node in self.away and node not in self.lost`": (
            _NOTHING
        ),
    },
    "Cluster.heal": {
        **_all(
            _NOTHING,
            "drops `require(bool(self.away))`",
        ),
    },
    "Confirming.confirm_arrives": {
        **_all(
            _NOTHING,
            "drops `bool(confirms)` from `bool(confirms) and self.reaches(replica)`",
        ),
    },
    "Confirming.counts": {
        **_all(
            _ONLY_MIRRORS,
            (
                "drops `not self.mirrored(replica)` from `replica not in self.unsynced or not "
                "self.mirrored(replica)`"
            ),
        ),
    },
    "Confirming.reject_arrives": {
        **_all(
            _NOTHING,
            "drops `bool(rejects)` from `bool(rejects) and self.reaches(replica)`",
        ),
    },
    "Confirming.flush": {
        **_all(
            _MACHINE,
            (
                "drops `require(bool(self.channels[channel].confirmed) or "
                "bool(self.channels[channel].rejected))`"
            ),
        ),
        **_all(
            _HOOK,
            "drops `self.has_asked(channel)`",
        ),
    },
    "Confirming.complete": {
        **_all(
            _MACHINE,
            "drops `require(not self.transactions[channel].answers())`",
        ),
        **_all(
            _HOOK,
            "drops `self.has_asked(channel)`",
        ),
    },
    "Multicast.learnt": {"drops `self.order[replica].leave({msg})`": _NO_PLACE},
    "Multicast.join": {
        "drops `self.missed[replica].clear()`": "A process joins once, and has missed nothing yet.",
    },
    "Parts.alone": {
        **_all(
            _ALONE,
            "has `self.siblings(replica)` for `self.siblings(replica) - {replica}`",
        ),
    },
    "Parts.strangers": {
        **_all(
            _EITHER,
            "swaps arguments: `self.linked(master, r)`",
        ),
    },
    "Publishing.select": {
        "drops `self.channels[channel].open` from `self.channels[channel].open and "
        "self.transactions[channel].answers()`": _MACHINE,
    },
    "Publishing.tx_select": {
        "drops `self.transactional` from `self.transactional and "
        "self.readers[channel].reads()`": _SWITCH,
        "drops `self.transactions[channel].answers()` from `self.channels[channel].open and "
        "self.transactions[channel].answers()`": _MACHINE,
    },
    "Publishing.publish_unroutable": {
        "drops `self.channels[channel].open` from `self.channels[channel].open and (not "
        "self.channels[channel].confirming)`": _MACHINE,
    },
    "Publishing.publish_plain": {
        "drops `require(self.plain_publishes and bool(targets))`": _SWITCH,
        "drops `self.plain_publishes` from `self.plain_publishes and bool(targets)`": _SWITCH,
        "drops `bool(targets)` from `self.plain_publishes and bool(targets)`": _FEWER,
        "drops `self.channels[channel].open` from `self.channels[channel].open and (not "
        "self.channels[channel].confirming)`": _MACHINE,
    },
    "Publishing.publish": {
        "swaps arguments: `self.process_publish(msg, targets, persistent, mandatory)`": _BOTH,
    },
    "Publishing.process_publish": {
        "drops `self.channels[channel].open` from `self.channels[channel].open and "
        "self.channels[channel].confirming`": _MACHINE,
        "takes `self.retrying` for true": _SWITCH,
    },
    "Publishing.publish_in_tx": {
        "drops `self.transactional` from `self.transactional and "
        "self.readers[channel].reads_content()`": _MACHINE,
        "drops `require(self.transactions[channel].mode == TxMode.OPEN)`": _MACHINE,
        "drops `self.channels[channel].open` from `self.channels[channel].open and "
        "self.channels[channel].next_seq == msg`": _NOT_OPEN,
        "drops `require(self.all_exist(targets))`": _COMMITTED,
        "drops `targets` from `persistent and targets`": _MARKED,
        "goes by `not (persistent and targets)` for `persistent and targets`": _BOTH,
    },
    "Publishing.attended": {
        "has `all` for `any` in `any((self.replicas[r].of == queue and self.listed(r) and "
        "self.able(r) and (self.casts[channel].downs[r] is None) for r in Replica))`": _EXCUSES,
        "drops `self.replicas[r].of == queue` from `self.replicas[r].of == queue and "
        "self.casts[channel].downs[r] == Reason.ABNORMAL`": _EXCUSES,
        "drops `self.casts[channel].downs[r] == Reason.ABNORMAL` from `self.replicas[r].of == "
        "queue and self.casts[channel].downs[r] == Reason.ABNORMAL`": _EXCUSES,
        "has `self.casts[channel].downs[r] != Reason.ABNORMAL` for "
        "`self.casts[channel].downs[r] == Reason.ABNORMAL`": _EXCUSES,
    },
    "Publishing.sent_to": {
        "drops `there` from `there and queue in self.transactions[channel].routes[msg]`": _HEARS,
    },
    "Publishing.send_all": {"takes `msgs` for true": _HEARS},
    "Publishing.tx_commit": {
        "drops `self.transactional` from `self.transactional and "
        "self.readers[channel].reads()`": _SWITCH,
    },
    "Publishing.tx_rollback": {
        "drops `self.transactional` from `self.transactional and "
        "self.readers[channel].reads()`": _SWITCH,
    },
    "QueueMaster.is_present": {
        **_all(
            _NO_PLACE,
            "drops `msg in self.ready` from `msg in self.ready or msg in self.pending`",
            "drops `msg in self.pending` from `msg in self.ready or msg in self.pending`",
            "has `msg not in self.ready` for `msg in self.ready`",
            "has `msg not in self.pending` for `msg in self.pending`",
            "answers the opposite of `held or self.store.level[msg] != Level.ABSENT`",
            "drops `held` from `held or self.store.level[msg] != Level.ABSENT`",
            (
                "drops `self.store.level[msg] != Level.ABSENT` from `held or self.store.level[msg] "
                "!= Level.ABSENT`"
            ),
            (
                "has `self.store.level[msg] == Level.ABSENT` for `self.store.level[msg] != "
                "Level.ABSENT`"
            ),
            "has `Level.BUFFERED` for `Level.ABSENT`",
        ),
    },
    "QueueMaster.displace": {
        **_all(
            _NO_PLACE,
            "drops `self.order.leave({m for m in msgs if not self.is_present(m)})`",
            "drops the filter `not self.is_present(m)`",
            "has `self.is_present(m)` for `not self.is_present(m)`",
        ),
    },
    "QueueMaster.overflows": {
        **_all(
            _NO_SURPLUS,
            (
                "drops `len(self.ready) > self.max_length` from `self.limited and "
                "len(self.ready) > "
                "self.max_length`"
            ),
            "has `len(self.ready) >= self.max_length` for `len(self.ready) > self.max_length`",
        ),
    },
    "QueueMaster.accept": {
        **_all(
            _SYSTEM,
            "drops `require(self.status == Status.RUNNING)`",
        ),
    },
    "QueueMaster.pass_by": {
        **_all(
            _SYSTEM,
            "drops `not self.ready` from `self.status == Status.RUNNING and (not self.ready)`",
        ),
    },
    "QueueMaster.acknowledge": {
        **_all(
            _SYSTEM,
            "drops `require(self.status == Status.RUNNING and msg in self.pending)`",
            (
                "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and msg "
                "in self.pending`"
            ),
            (
                "drops `msg in self.pending` from `self.status == Status.RUNNING and msg in "
                "self.pending`"
            ),
        ),
    },
    "QueueMaster.requeue": {
        **_all(
            _SYSTEM,
            "drops `require(self.status == Status.RUNNING and msg in self.pending)`",
            (
                "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and msg "
                "in self.pending`"
            ),
            (
                "drops `msg in self.pending` from `self.status == Status.RUNNING and msg in "
                "self.pending`"
            ),
        ),
    },
    "QueueMaster.drop": {
        **_all(
            _SYSTEM,
            "drops `require(self.status == Status.RUNNING and msg in self.ready)`",
            (
                "drops `self.status == Status.RUNNING` from `self.status == Status.RUNNING and msg "
                "in self.ready`"
            ),
            (
                "drops `msg in self.ready` from `self.status == Status.RUNNING and msg in "
                "self.ready`"
            ),
        ),
    },
    "QueueMaster.drain": {
        **_all(
            _SYSTEM,
            "drops `require(self.status == Status.RUNNING)`",
        ),
    },
    "QueueMaster.crash": {
        **_all(
            _NO_PLACE,
            "drops `self.order.keep(set(self.store.level))`",
        ),
    },
    "QueueMaster.lose_power": {
        **_all(
            _NO_PLACE,
            "drops `self.order.keep(set(self.store.level))`",
        ),
    },
    "QueueMaster.delete": {
        **_all(
            _NO_PLACE,
            "drops `self.order.keep(set())`",
        ),
    },
    "QueueMaster.recover": {
        **_all(
            _SYSTEM,
            "drops `require(self.status == Status.DOWN)`",
        ),
        **_all(
            _UNMARKED,
            "takes `self.marking` for true",
        ),
    },
    "Queueing.shorten": {
        **_all(
            _NO_PLACE,
            "drops `self.replicas[replica].displace(surplus)`",
        ),
    },
    "Queueing.drop": {
        **_all(
            _NO_PLACE,
            "drops `self.replicas[replica].displace({msg})`",
        ),
    },
    "Queueing.pass_by": {
        **_all(
            _SWITCH,
            (
                "drops `self.consumers` from `self.consumers and "
                "self.casts[Msg.owner(msg)].next_for(replica) == msg`"
            ),
        ),
    },
    "Queueing.acknowledge": {
        **_all(
            _MACHINE,
            "drops `require(msg in self.replicas[replica].pending)`",
        ),
        **_all(
            _NO_PLACE,
            "drops `self.replicas[replica].displace({msg})`",
        ),
    },
    "Queueing.requeue": {
        **_all(
            _MACHINE,
            "drops `require(msg in self.replicas[replica].pending)`",
        ),
        **_all(
            _KEEPS,
            "drops `self.replicas[replica].requeue(msg)`",
        ),
    },
}
