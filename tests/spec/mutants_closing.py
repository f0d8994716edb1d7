"""Small mistakes as transactions and channels come to their ends.

Each keeps something for longer than it should, takes something else along, or speaks too soon.
"""

from __future__ import annotations

from ackproof.lang import Design, action, handler, require
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import ChannelId, Consumer, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.transaction import Transaction
from ackproof.spec.wire import Complaint, TxSelectOk


class RetentiveTransaction(Transaction):
    """Lets go of its messages, and not of where they were to go (A13.6)."""

    @handler
    def forget(self) -> None:
        """Keep the routes."""
        self.batch.clear()
        self.mandatory.clear()


class OutlivingTransaction(Transaction):
    """Keeps its messages when the channel closes (A13.7)."""

    @handler
    def close(self) -> None:
        """End, and forget nothing."""
        self.mode = TxMode.NONE
        self.abandoned |= self.batch
        self.committing.clear()


class SociableClosing(Confirms):
    """Ends the consumers' own channel with the publisher's (F3.2)."""

    @handler
    def close_channel(self, channel: ChannelId) -> None:
        """Ask nobody whether they share one."""
        self.shut_down(channel)
        self.end_consumers(channel)


class SilentClosing(Confirms):
    """Stops consumers on their own channel with the publisher's, and tells nobody (F3.2)."""

    @handler
    def close_channel(self, channel: ChannelId) -> None:
        """Stop who consumes, and leave the channel open."""
        super().close_channel(channel)
        for consumer in Consumer.of(channel):
            self.subscriptions[consumer].stop()


class SwappedEnds(Confirms):
    """Rolls back where a client commits, and the other way round (A1.4)."""

    @handler
    def end_transaction(self, channel: ChannelId, committed: bool) -> None:
        """Do the other thing."""
        super().end_transaction(channel, not committed)


class MistakenAnswer(Transaction):
    """Answers a rollback as if a transaction had been asked for (A1.5)."""

    @handler
    def roll_back(self) -> None:
        """Say tx.select-ok."""
        require(self.mode == TxMode.OPEN)
        self.abandoned |= self.batch
        self.forget()
        self.emit(TxSelectOk(self.channel))


class MistakenCommit(Transaction):
    """Answers a commit as if a transaction had been asked for (A1.5)."""

    @handler
    def complete(self) -> None:
        """Say tx.select-ok."""
        require(self.mode == TxMode.COMMITTING)
        self.mode = TxMode.OPEN
        self.committed |= self.committing
        self.committing.clear()
        self.emit(TxSelectOk(self.channel))


class MistakenMode(Channel):
    """Answers confirm.select as if a transaction had been asked for (A1.5)."""

    @handler
    def select(self) -> None:
        """Say tx.select-ok."""
        require(self.open)
        self.confirming = True
        self.emit(TxSelectOk(self.channel))


class CommittingMinority(Confirms):
    """Answers a commit whoever is to be seen (A12.6)."""

    @action(fair="weak")
    def complete(self, channel: ChannelId) -> None:
        """Do not ask the cluster."""
        require(not self.transactions[channel].answers())
        require(not self.channels[channel].unconfirmed)
        require(self.transactions[channel].mode == TxMode.COMMITTING)
        self.channels[channel].confirmed.clear()
        self.transactions[channel].complete()


class FailingMinority(Confirms):
    """Says that a commit has failed whoever is to be seen (A12.6)."""

    @action(fair="weak")
    def complete(self, channel: ChannelId) -> None:
        """Ask the cluster for commit-ok only."""
        require(not self.transactions[channel].answers())
        require(not self.channels[channel].unconfirmed)
        if self.transactions[channel].mode == TxMode.FAILED:
            self.complain(channel, Complaint.PARTIAL_COMPLETION)
        else:
            require(self.may_tell(channel))
            self.channels[channel].confirmed.clear()
            self.transactions[channel].complete()


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
CLOSING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(RetentiveTransaction, "OverIsForgotten", "modes"),
        _case(OutlivingTransaction, "OverIsForgotten", "shared_limit"),
        _case(SociableClosing, "SeparateEndsAlone", "separate"),
        _case(SilentClosing, "SeparateEndsAlone", "separate"),
        _case(SwappedEnds, "EachAnswerIsAskedFor", "commit_refused"),
        _case(MistakenAnswer, "EachAnswerIsAskedFor", "modes"),
        _case(MistakenCommit, "EachAnswerIsAskedFor", "modes"),
        _case(MistakenMode, "EachAnswerIsAskedFor", "tiny"),
        _case(CommittingMinority, "NoCommitFromMinority", "commit_across"),
        _case(FailingMinority, "NoFailureFromMinority", "commit_across"),
    )
}
