"""Small mistakes of a program that publishes again what may be lost.

Each draws one conclusion too early, too late or not at all.
"""

from __future__ import annotations

from ackproof.lang import Design, Set, action, handler, helper, require
from ackproof.spec.retrier import Retrier
from ackproof.spec.sorts import ChannelId, Msg, Queue
from ackproof.spec.system import Confirms


class DiscouragedRetrier(Retrier):
    """Takes a nack for the last word (INV-A12)."""

    @handler
    def sees_nack(self, named: Set[Msg]) -> None:
        """Be done with what was refused."""
        self.pending -= named


class ForgetfulRetrier(Retrier):
    """Does not remember who wants to hear of messages without a queue (A6.2)."""

    @handler
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool) -> None:
        """Remember all but that."""
        super().publish(msg, targets, False)


class ConfidentRetrier(Retrier):
    """Takes it that what has a queue will have it the next time, too (A5.4, A6.2)."""

    @handler
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool) -> None:
        """Remember the wish of what had none."""
        super().publish(msg, targets, mandatory and not targets)


class ObstinateRetrier(Retrier):
    """Waits for an answer to what it has published again, too (C5.3)."""

    @handler
    def repeat(self, msg: Msg, copied: Msg) -> None:
        """Go on waiting."""
        super().repeat(msg, copied)
        self.pending.add(copied)


class LiteralRetrier(Confirms):
    """Has programs take an ack for that of one message, whatever it covers (A11.5)."""

    @helper
    def named_by(self, tag: Msg, multiple: bool) -> Set[Msg]:
        """Look at the one that is named."""
        return {tag}


class AlarmedRetrier(Retrier):
    """Takes the end of one channel for that of all (A14.3)."""

    @handler
    def loses(self, channel: ChannelId) -> None:
        """See to all that is not answered."""
        self.due |= self.pending


class TrustingRetrier(Retrier):
    """Takes it that what was published on a channel that has ended is safe (A14.3)."""

    @handler
    def loses(self, channel: ChannelId) -> None:
        """Be done with what was not answered."""
        self.pending -= {m for m in Msg if Msg.owner(m) == channel}


class ImpatientConfirms(Confirms):
    """Publishes again what takes its time (A14.3)."""

    @action(fair="weak")
    def publish_again(self, msg: Msg, copied: Msg) -> None:
        """Do not wait for bad news."""
        require(self.retrying and copied in self.retrier.pending)
        targets = {q for q in self.retrier.routes[copied] if self.exists(q)}
        mandatory = copied in self.retrier.mandatory
        self.process_publish(msg, targets, mandatory, copied in self.persistent)
        self.retrier.repeat(msg, copied)


class OnceAgainConfirms(Confirms):
    """Publishes again what nothing was published after (C5.3)."""

    @action(fair="weak")
    def publish_again(self, msg: Msg, copied: Msg) -> None:
        """Go by the last number."""
        require(msg == Msg.succ(copied))
        super().publish_again(msg, copied)


class CheapCopies(Confirms):
    """Publishes copies without a word of the disk (C5.3)."""

    @action(fair="weak")
    def publish_again(self, msg: Msg, copied: Msg) -> None:
        """Take every copy for transient."""
        require(self.retrying and copied in self.retrier.due)
        targets = {q for q in self.retrier.routes[copied] if self.exists(q)}
        self.process_publish(msg, targets, copied in self.retrier.mandatory, False)
        self.retrier.repeat(msg, copied)


class UnaskedCopies(Confirms):
    """Publishes copies as if nobody had asked whether there is a queue for them (A6.2)."""

    @action(fair="weak")
    def publish_again(self, msg: Msg, copied: Msg) -> None:
        """Take every copy for one that need not come back."""
        require(self.retrying and copied in self.retrier.due)
        targets = {q for q in self.retrier.routes[copied] if self.exists(q)}
        self.process_publish(msg, targets, False, copied in self.persistent)
        self.retrier.repeat(msg, copied)


class BlindCopies(Confirms):
    """Publishes copies to queues that are gone (A5.4)."""

    @action(fair="weak")
    def publish_again(self, msg: Msg, copied: Msg) -> None:
        """Go where the message was to go."""
        require(self.retrying and copied in self.retrier.due)
        mandatory = copied in self.retrier.mandatory
        self.process_publish(
            msg, set(self.retrier.routes[copied]), mandatory, copied in self.persistent
        )
        self.retrier.repeat(msg, copied)


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
RETRYING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(DiscouragedRetrier, "NothingIsGivenUp", "retried"),
        _case(TrustingRetrier, "NothingIsGivenUp", "retried_elsewhere"),
        _case(CheapCopies, "CopyIsAsPersistent", "retried_elsewhere"),
        _case(UnaskedCopies, "CopyIsAsMandatory", "retried_elsewhere"),
        _case(BlindCopies, "OnlyWhatExistsIsRoutedTo", "retried_deleted"),
        _case(ForgetfulRetrier, "MandatoryIsRemembered", "retried_elsewhere"),
        _case(ConfidentRetrier, "MandatoryIsRemembered", "retried_deleted"),
        _case(ObstinateRetrier, "OneOfThemIsAwaited", "retried"),
        _case(LiteralRetrier, "AckedIsDone", "retried"),
        _case(AlarmedRetrier, "AckedIsDone", "retried_elsewhere"),
        _case(ImpatientConfirms, "RepeatedForACause", "retried"),
        _case(OnceAgainConfirms, "WhatIsDueIsRepeated", "retried"),
    )
}
