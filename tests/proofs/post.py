"""A post office: parcels are handed in, loaded and delivered; small, and never at rest.

That what was handed in arrives takes fairness, for nobody has to load or deliver.  Customers hand
in parcels and ring the bell as they like; only so many parcels exist, but the bell rings for ever.
The designs below each break one thing that the proof of it stands on.
"""

from __future__ import annotations

import sys

from ackproof.lang import (
    Design,
    Instance,
    Model,
    Ranking,
    Set,
    Sort,
    System,
    action,
    eventually,
    fault,
    helpful,
    lemma,
    measure,
    properties_in,
    require,
)
from ackproof.lang.lemmas import Library


class Parcel(Sort, prefix="p"):
    """What somebody sends."""


class Post(System):
    """The post office, and its van."""

    ringing: bool = False
    seen: Set[Parcel]
    waiting: Set[Parcel]
    loaded: Set[Parcel]
    lost: Set[Parcel]

    @action
    def hand_in(self, parcel: Parcel) -> None:
        """A customer brings a parcel, which nobody has seen before."""
        require(parcel not in self.seen)
        self.seen.add(parcel)
        self.waiting.add(parcel)

    @action
    def ring(self) -> None:
        """The bell is rung, or stops."""
        self.ringing = not self.ringing

    @action(fair="weak")
    def load(self, parcel: Parcel) -> None:
        """A parcel is put into the van."""
        require(parcel in self.waiting)
        self.waiting.discard(parcel)
        self.loaded.add(parcel)

    @action(fair="weak")
    def deliver(self, parcel: Parcel) -> None:
        """A parcel arrives."""
        require(parcel in self.loaded)
        self.loaded.discard(parcel)

    @fault
    def break_down(self) -> None:
        """The van breaks down, and everything is back in the office."""
        require(bool(self.loaded))
        self.waiting |= self.loaded
        self.loaded.clear()


# -- what must happen --------------------------------------------------------------------------


@eventually
def NothingIsLeft(s: Post) -> bool:
    """Again and again there is nothing to be delivered."""
    return not s.waiting and not s.loaded and not s.lost


@eventually
def OfficeIsEmpty(s: Post) -> bool:
    """Again and again nothing waits in the office."""
    return not s.waiting


@eventually
def ParcelArrives(s: Post, parcel: Parcel) -> bool:
    """Each parcel arrives."""
    return parcel not in s.waiting and parcel not in s.loaded and parcel not in s.lost


@eventually
def BellRings(s: Post) -> bool:
    """Somebody rings: nothing makes them."""
    return s.ringing


# -- why it does -------------------------------------------------------------------------------


@lemma()
def NothingIsLost(s: Post) -> bool:
    """No parcel gets lost."""
    return not s.lost


@measure()
def Unseen(s: Post, item: Parcel) -> bool:
    """Parcels that nobody has handed in."""
    return item not in s.seen


@measure()
def Waiting(s: Post, item: Parcel) -> bool:
    """Parcels in the office."""
    return item in s.waiting


@measure()
def Loaded(s: Post, item: Parcel) -> bool:
    """Parcels in the van."""
    return item in s.loaded


@helpful("load")
def MayBeLoaded(s: Post, parcel: Parcel) -> bool:
    """What waits is loaded."""
    return parcel in s.waiting


@helpful("deliver")
def MayBeDelivered(s: Post, parcel: Parcel) -> bool:
    """What is loaded is delivered."""
    return parcel in s.loaded


@measure()
def IsUnseen(s: Post, parcel: Parcel) -> bool:
    """The parcel, as long as nobody has handed it in."""
    return parcel not in s.seen


@measure()
def IsWaiting(s: Post, parcel: Parcel) -> bool:
    """The parcel, in the office."""
    return parcel in s.waiting


@measure()
def IsLoaded(s: Post, parcel: Parcel) -> bool:
    """The parcel, in the van."""
    return parcel in s.loaded


@helpful("load")
def MayBeLoadedQuietly(s: Post, parcel: Parcel) -> bool:
    """What waits is loaded while the bell is silent."""
    return parcel in s.waiting and not s.ringing


@helpful("ring")
def MayBeSilenced(s: Post) -> bool:
    """The bell rings, and will stop."""
    return s.ringing


HELP = ("MayBeLoaded", "MayBeDelivered")

RANKINGS = {
    "NothingIsLeft": Ranking(("Unseen", "Waiting", "Loaded"), HELP, by=("NothingIsLost",)),
    "ParcelArrives": Ranking(("IsUnseen", "IsWaiting", "IsLoaded"), HELP, by=("NothingIsLost",)),
}

FOLLOWS = {"OfficeIsEmpty": ("NothingIsLeft",)}

MODEL = Model(
    "post",
    Post,
    properties_in(NothingIsLeft, OfficeIsEmpty, ParcelArrives, BellRings),
    (Instance("two", "two parcels, and a van that breaks down", {Parcel: 2}, {"break_down": 1}),),
    lemmas=__name__,
)

LIBRARY = Library.of(sys.modules[__name__])


# -- what goes wrong ---------------------------------------------------------------------------


class Idle(Post):
    """Nobody has to load anything."""

    @action
    def load(self, parcel: Parcel) -> None:
        """A parcel is put into the van, if somebody likes to."""
        require(parcel in self.waiting)
        self.waiting.discard(parcel)
        self.loaded.add(parcel)


class Returning(Post):
    """What is loaded may be taken out again."""

    @action
    def ring(self) -> None:
        """Whoever rings gets back what is in the van."""
        self.ringing = not self.ringing
        self.waiting |= self.loaded
        self.loaded.clear()


class Distracted(Post):
    """Nothing is loaded while the bell rings, and it rings again and again."""

    @action(fair="weak")
    def ring(self) -> None:
        """The bell must be rung, and must stop."""
        self.ringing = not self.ringing

    @action(fair="weak")
    def load(self, parcel: Parcel) -> None:
        """A parcel is put into the van when it is quiet."""
        require(parcel in self.waiting and not self.ringing)
        self.waiting.discard(parcel)
        self.loaded.add(parcel)


class Copying(Post):
    """A parcel that is loaded stays in the office, too."""

    @action(fair="weak")
    def load(self, parcel: Parcel) -> None:
        """A copy is put into the van."""
        require(parcel in self.waiting)
        self.loaded.add(parcel)


class Locked(Post):
    """Nobody has the key of the van."""

    @action(fair="weak")
    def deliver(self, parcel: Parcel) -> None:
        """A parcel would arrive, if it were waiting, too."""
        require(parcel in self.loaded and parcel in self.waiting)
        self.loaded.discard(parcel)


class Losing(Post):
    """Parcels fall out of the van."""

    @action(fair="weak")
    def deliver(self, parcel: Parcel) -> None:
        """A parcel is lost."""
        require(parcel in self.loaded)
        self.loaded.discard(parcel)
        self.lost.add(parcel)


idle = Design("Somebody will load it.", replace=(Idle,))
returning = Design("Customers may have their parcels back.", replace=(Returning,))
distracted = Design("Whoever rings comes first.", replace=(Distracted,))
copying = Design("Two are safer than one.", replace=(Copying,))
locked = Design("A van must be locked.", replace=(Locked,))
losing = Design("Nobody will notice.", replace=(Losing,))
