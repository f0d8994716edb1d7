"""Models of which it is known what must happen in them, and under which fairness.

Peterson's algorithm lets everybody in who wants to if only nobody stops; philosophers starve
though nobody stops, unless a fork that is free again and again is taken in the end; a message gets
over a line that loses messages only if what is received again and again is received. A kettle comes
to rest too early, and a lamp that blinks has to be switched off at last. Of several lamps one at a
time is lit: each is lit again and again, and no two ever are at once.
"""

from __future__ import annotations

from ackproof.lang import (
    Design,
    Each,
    Instance,
    Key,
    Model,
    Option,
    OrderedSort,
    Process,
    Set,
    System,
    action,
    eventually,
    fault,
    handler,
    properties_in,
    require,
)

from tests.models import alternating_bit, dining, peterson
from tests.models.alternating_bit import AllAgreeOnTheBit, AlternatingBit
from tests.models.dining import Doing, Seat, Table
from tests.models.peterson import Peterson, Place, Side

# -- Peterson: nobody stops, and that is enough ------------------------------------------------


class Going(Peterson):
    """Nobody stops between being interested and being done."""

    @action(fair="weak")
    def raise_flag(self, p: Side) -> None:
        super().raise_flag(p)

    @action(fair="weak")
    def yield_turn(self, p: Side) -> None:
        super().yield_turn(p)

    @action(fair="weak")
    def enter(self, p: Side) -> None:
        super().enter(p)

    @action(fair="weak")
    def leave(self, p: Side) -> None:
        super().leave(p)

    @action(fair="weak")
    def lower_flag(self, p: Side) -> None:
        super().lower_flag(p)


@eventually
def EverybodyGetsIn(s: Peterson) -> bool:
    """Whoever is interested gets in."""
    return s.at[Side.LEFT] == Place.IDLE or s.at[Side.LEFT] == Place.CRITICAL


PETERSON = Model("peterson", Peterson, properties_in(EverybodyGetsIn), peterson.MODEL.instances)
GOING = Design(claim="Nobody stops.", replace=(Going,))

# -- philosophers: nobody stops, and one starves -----------------------------------------------


class Moving(Table):
    """Nobody stops, and a fork that stays free is taken."""

    @action(fair="weak")
    def take_first(self, p: Seat) -> None:
        super().take_first(p)

    @action(fair="weak")
    def take_second(self, p: Seat) -> None:
        super().take_second(p)

    @action(fair="weak")
    def eat(self, p: Seat) -> None:
        super().eat(p)

    @action(fair="weak")
    def return_own(self, p: Seat) -> None:
        super().return_own(p)

    @action(fair="weak")
    def return_next(self, p: Seat) -> None:
        super().return_next(p)


class Patient(Moving):
    """A fork that is free again and again is taken, too."""

    @action(fair="strong")
    def take_first(self, p: Seat) -> None:
        super().take_first(p)

    @action(fair="strong")
    def take_second(self, p: Seat) -> None:
        super().take_second(p)


@eventually
def TheFirstEats(s: Table) -> bool:
    """The first philosopher eats again and again."""
    return s.doing[Seat.first()] == Doing.EAT


DINING = Model("dining", Table, properties_in(TheFirstEats), dining.MODEL.instances[:2])
MOVING = Design(claim="Nobody stops.", replace=(Moving,))
PATIENT = Design(claim="Nobody waits for ever for a fork.", replace=(Patient,))

# -- alternating bit: a line that may lose everything ------------------------------------------


class Unlucky(AlternatingBit):
    """What arrives again and again may be lost every time before it is taken."""

    @action(fair="weak")
    def receive_packet(self) -> None:
        super().receive_packet()

    @action(fair="weak")
    def receive_ack(self) -> None:
        super().receive_ack()


@eventually
def TheSenderGoesOn(s: AlternatingBit) -> bool:
    """Whatever was sent is acknowledged."""
    return s.send_bit == s.ack_bit


LINE = Model(
    "line",
    AlternatingBit,
    properties_in(AllAgreeOnTheBit, TheSenderGoesOn),
    alternating_bit.MODEL.instances,
)
UNLUCKY = Design(claim="Lines are good enough.", replace=(Unlucky,))

# -- small ones --------------------------------------------------------------------------------


class Cup(OrderedSort):
    """A cup of tea."""


class Kettle(System):
    """Somebody pours tea, as long as there is water."""

    hot: bool
    dry: bool
    full: Set[Cup]

    @action(fair="weak")
    def heat(self) -> None:
        """Switch it on."""
        require(not self.hot and not self.dry)
        self.hot = True

    @action(fair="weak")
    def pour(self, cup: Cup) -> None:
        """Fill a cup; it must be hot."""
        require(self.hot and cup not in self.full)
        self.full.add(cup)

    @fault
    def leak(self) -> None:
        """The water runs out, and nobody notices."""
        self.hot = False
        self.dry = True


@eventually
def EveryCupIsFull(s: Kettle) -> bool:
    """Tea for everybody."""
    return s.full == set(Cup)


KETTLE = Model(
    "kettle",
    Kettle,
    properties_in(EveryCupIsFull),
    (
        Instance("sound", "two cups", {Cup: 2}),
        Instance("leaking", "two cups, and a hole", {Cup: 2}, faults={"leak": 1}),
    ),
)


class Lamp(System):
    """A lamp that blinks until somebody switches it off."""

    on: bool
    off: bool

    @action(fair="weak")
    def blink(self) -> None:
        """Light goes on and off."""
        require(not self.off)
        self.on = not self.on

    @action(fair="weak")
    def switch_off(self) -> None:
        """It is enabled as long as the lamp blinks, so that it must happen."""
        require(not self.off)
        self.off = True

    @action
    def look(self) -> None:
        """Nothing changes, which is no step."""


class Dim(Lamp):
    """A lamp that can be switched off only while it is dark."""

    @action(fair="weak")
    def switch_off(self) -> None:
        require(not self.on)
        super().switch_off()


class Sure(Lamp):
    """A lamp that somebody tries to switch off who does not give up."""

    @action(fair="strong")
    def switch_off(self) -> None:
        require(not self.on)
        super().switch_off()


@eventually
def TheLampIsOff(s: Lamp) -> bool:
    """It is dark in the end."""
    return s.off


LAMP = Model("lamp", Lamp, properties_in(TheLampIsOff), (Instance("one", "a lamp", {}),))
DIM = Design(claim="It can be switched off.", replace=(Dim,))
SURE = Design(claim="It is switched off.", replace=(Sure,))


# -- lamps: each of them in its turn, and never all at once -------------------------------------


class Corner(OrderedSort, prefix="c"):
    """Where a lamp stands."""


class CornerLamp(Process):
    """One of several lamps, which keeps its name while it is lit."""

    corner: Key[Corner]
    lit: Option[Corner]

    @handler
    def turn(self, lit: bool) -> None:
        """It goes on or off."""
        self.lit = self.corner if lit else None


class Lamps(System):
    """Lamps of which one is lit at a time."""

    lamps: Each[Corner, CornerLamp]

    @action(fair="weak")
    def light(self, corner: Corner) -> None:
        """A dark lamp goes on and the others go off; no lamp stays dark for ever."""
        require(self.lamps[corner].lit is None)
        for each in Corner:
            self.lamps[each].turn(each == corner)


@eventually
def IsLit(s: Lamps, corner: Corner) -> bool:
    """True: each lamp is lit again and again."""
    return s.lamps[corner].lit == corner


@eventually
def AllAreLit(s: Lamps) -> bool:
    """False of two lamps or more: there is no moment at which all are lit."""
    return all(s.lamps[corner].lit == corner for corner in Corner)


@eventually
def IsLitAfterTheFirst(s: Lamps, corner: Corner) -> bool:
    """False of the first lamp alone."""
    return s.lamps[corner].lit == corner and corner != Corner.first()


LAMPS = Model(
    "lamps",
    Lamps,
    properties_in(IsLit, AllAreLit, IsLitAfterTheFirst),
    (
        Instance("lamps1", "one lamp", {Corner: 1}),
        Instance("lamps2", "two lamps", {Corner: 2}),
        Instance("lamps3", "three lamps", {Corner: 3}),
    ),
)
