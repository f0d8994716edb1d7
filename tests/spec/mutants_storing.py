"""Small mistakes of the store, of the files of a node, and of those who use them.

Each is one step that forgets something, or remembers what it should not, and some property notices
it in a small instance.
"""

from __future__ import annotations

from ackproof.lang import Design, action, handler, require
from ackproof.spec.sorts import Level, Msg, Replica, Status
from ackproof.spec.store import Bodies, Mailbox, Store
from ackproof.spec.system import Confirms


class ForgetfulStore(Store):
    """Does not confirm what leaves before it was written (C2.3)."""

    @handler
    def remove(self, msg: Msg) -> None:
        """Forget it, and that somebody waits."""
        self.level[msg] = Level.ABSENT
        self.unconfirmed.discard(msg)


class IndexIsEnough(Store):
    """Confirms what is in the index, wherever its body is (C2.4)."""

    @handler
    def sync(self, msg: Msg) -> None:
        """Look at the entry only."""
        super().sync(msg)
        self.confirm(msg)


class BodyIsEnough(Store):
    """Confirms what has its body on the disk, whether or not the index knows of it (C2.2)."""

    @handler
    def hear_of_body(self, msg: Msg) -> None:
        """Look at the body only."""
        self.confirm(msg)


class UncountedBodies(Bodies):
    """Lets a body go although somebody refers to it (C5.1)."""

    @handler
    def collect(self, msg: Msg) -> None:
        """Do not look who does."""
        require(self.level[msg] != Level.ABSENT)
        self.level[msg] = Level.ABSENT


class SparingStore(Store):
    """Crashes, and has in memory what it had (C5)."""

    @handler
    def crash(self) -> None:
        """Tell nobody of anything, and keep all."""
        self.leaving.clear()
        self.silence()


class RememberingStore(Store):
    """Does not forget the body of what it has confirmed (C2.2)."""

    @handler
    def confirm(self, msg: Msg) -> None:
        """Confirm, and that is all."""
        if msg in self.unconfirmed:
            self.unconfirmed.discard(msg)
            self.confirmed.add(msg)


class RestlessStore(Store):
    """Removes the same entry again and again (C5.2)."""

    @handler
    def forget(self, msg: Msg) -> None:
        """Remove it, and go on to."""
        require(msg in self.leaving)
        self.level[msg] = Level.ABSENT


class ClingingStore(Store):
    """Says that it has removed an entry (C5.2)."""

    @handler
    def forget(self, msg: Msg) -> None:
        """Leave it where it is."""
        require(msg in self.leaving)
        self.leaving.discard(msg)


class LastingBodies(Bodies):
    """Goes down with its node, and loses nothing (C5)."""

    @handler
    def crash(self) -> None:
        """Keep all."""


class ConjuringBodies(Bodies):
    """Writes bodies that it never got (C3.1)."""

    @handler
    def sync(self, msg: Msg) -> None:
        """Do not look what there is to write."""
        self.level[msg] = Level.SYNCED
        self.waiting[msg].clear()


class HoardingBodies(Bodies):
    """Removes nothing (C5.1)."""

    @handler
    def collect(self, msg: Msg) -> None:
        """Look, and go on."""
        require(self.level[msg] != Level.ABSENT and not self.referring[msg])


class ForesightedConfirms(Confirms):
    """Writes what its store has not taken yet (C2.1)."""

    @action(fair="weak")
    def sync(self, msg: Msg, replica: Replica) -> None:
        """Do not look into the mailbox."""
        require(self.replicas[replica].status == Status.RUNNING)
        self.replicas[replica].store.sync(msg)


class ShuffledMailbox(Mailbox):
    """Has a store take whatever comes first to hand (O1)."""

    @handler
    def send(self, msg: Msg) -> None:
        """Do not note what was sent before."""
        self.writes.add(msg)


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
STORING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(ForgetfulStore, "AwaitedIsUnderWay", "drops"),
        _case(IndexIsEnough, "NoAckBeforeDurable", "bodies"),
        _case(BodyIsEnough, "NoAckBeforeDurable", "bodies"),
        _case(UncountedBodies, "EntriesHaveBodies", "bodies"),
        _case(SparingStore, "MemoryEndsWithItsProcess", "tiny"),
        _case(RememberingStore, "KnownBodyIsSynced", "bodies"),
        _case(RestlessStore, "LeavingIsWritten", "recovery"),
        _case(ClingingStore, "RemovedIsForgotten", "recovery"),
        _case(LastingBodies, "MemoryEndsWithItsNode", "bodies"),
        _case(ConjuringBodies, "NoBodyFromNowhere", "bodies"),
        _case(HoardingBodies, "NeedlessBodyGoes", "bodies"),
        _case(ShuffledMailbox, "StoreTakesInOrder", "storing_credit"),
        _case(ForesightedConfirms, "MailIsUnwritten", "late_credit"),
    )
}
