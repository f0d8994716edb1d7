"""Small mistakes of a program that publishes again what may be lost.

Each draws one conclusion too early, too late or not at all.
"""

from __future__ import annotations

from ackproof.lang import Design, action, handler, require
from ackproof.spec.retrier import Retrier
from ackproof.spec.sorts import ChannelId, Msg
from ackproof.spec.system import Confirms


class DiscouragedRetrier(Retrier):
    """Takes a nack for the last word (INV-A12)."""

    @handler
    def sees_nack(self, tag: Msg, multiple: bool) -> None:
        """Be done with what was refused."""
        self.pending -= self.named(tag, multiple)


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


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
RETRYING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(DiscouragedRetrier, "NothingIsGivenUp", "retried"),
        _case(TrustingRetrier, "NothingIsGivenUp", "retried_elsewhere"),
        _case(CheapCopies, "CopyIsAsPersistent", "retried_elsewhere"),
        _case(ImpatientConfirms, "RepeatedForACause", "retried"),
        _case(OnceAgainConfirms, "WhatIsDueIsRepeated", "retried"),
    )
}
