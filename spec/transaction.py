"""The transaction: what a channel keeps for its client until tx.commit.

A transactional channel holds what is published back, and lets go of it all at the commit.  Where
a message goes is looked up when it is published (A13.1); what is kept is the message, the names of
the queues that were found, and whether its publisher wants it back if none of them is left.

Being committed is being published in confirm mode, with one answer for all: the channel waits until
every queue has taken responsibility, and says commit-ok then (A13.4, L6.20).  So a transactional
channel counts its messages as a confirming one does (A4.4), and cannot be one as well (A1.2, A1.3).

    NONE --tx.select--> OPEN --tx.commit--> COMMITTING --> OPEN    commit-ok
                          tx.rollback: OPEN         FAILED --> NONE    the channel closes

A transaction is no more than that.  It is not isolated, since each queue serves a message as soon
as it arrives; and it is not atomic: if one message is refused, the commit has failed, the channel
closes, and what the other queues have stored remains (A13.5).
"""

from __future__ import annotations

from ackproof.lang import Ghost, Key, Map, Process, Set, handler, helper, require
from ackproof.spec.sorts import ChannelId, Msg, Queue, TxMode
from ackproof.spec.wire import CommitOk, RollbackOk, TxSelectOk

__all__ = ["Transaction"]


class Transaction(Process):
    """The transaction of one channel (A1, A13)."""

    channel: Key[ChannelId]

    mode: TxMode
    batch: Set[Msg]
    routes: Map[Msg, Set[Queue]]
    mandatory: Set[Msg]

    committing: Ghost[Set[Msg]]  # the messages that a commit waits for
    committed: Ghost[Set[Msg]]  # those of commits that were answered
    abandoned: Ghost[Set[Msg]]  # those that were rolled back

    @helper
    def answers(self) -> bool:
        """Tell whether the channel takes methods: not while it owes a commit-ok (A1.5)."""
        return self.mode == TxMode.NONE or self.mode == TxMode.OPEN

    @handler
    def select(self) -> None:
        """Become transactional and say so; again is answered again, and changes nothing (A1.3)."""
        require(self.answers())
        self.mode = TxMode.OPEN
        self.emit(TxSelectOk(self.channel))

    @handler
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool) -> None:
        """Keep a message, and where it shall go (A13.1)."""
        require(self.mode == TxMode.OPEN)
        self.batch.add(msg)
        self.routes[msg] = set(targets)
        if mandatory:
            self.mandatory.add(msg)

    @handler
    def commit(self) -> None:
        """All messages have gone to their queues; wait for them (A13.3)."""
        require(self.mode == TxMode.OPEN)
        self.mode = TxMode.COMMITTING
        self.committing |= self.batch
        self.forget()

    @handler
    def fail(self) -> None:
        """A message was refused, and there is nothing left to hope for (A13.5)."""
        require(self.mode == TxMode.COMMITTING)
        self.mode = TxMode.FAILED

    @handler
    def complete(self) -> None:
        """Everything is accepted: answer, and begin the next transaction (A13.4)."""
        require(self.mode == TxMode.COMMITTING)
        self.mode = TxMode.OPEN
        self.committed |= self.committing
        self.committing.clear()
        self.emit(CommitOk(self.channel))

    @handler
    def roll_back(self) -> None:
        """Forget what was published, and begin the next transaction (A13.6)."""
        require(self.mode == TxMode.OPEN)
        self.abandoned |= self.batch
        self.forget()
        self.emit(RollbackOk(self.channel))

    @handler
    def close(self) -> None:
        """The channel closes: as a rollback, but for the answer (A13.7)."""
        self.mode = TxMode.NONE
        self.abandoned |= self.batch
        self.committing.clear()
        self.forget()

    @handler
    def forget(self) -> None:
        """Let go of the messages that were kept (A13.3, A13.6)."""
        self.batch.clear()
        self.routes.clear()
        self.mandatory.clear()
