"""Properties: what shall be true of states, steps and runs, written as ordinary functions.

    @invariant
    def NoPhantomConfirm(s: Confirms) -> bool:
        '''Only what was published is confirmed (INV-A6).'''
        return s.acked <= s.published

    @step_property
    def ReturnPrecedesAck(before: Confirms, after: Confirms, ack: Ack) -> bool:
        ...

A step property is a function of the state before and after a step, and may take one event more:
it is then asked of every event of that class that the step emitted.  `@reachable` takes either
shape, and says that the situation must come up: a run in which it never does has proved nothing
about it, and is not green.

    @step_property(of="publish")
    def PersistentAsAsked(before: Confirms, after: Confirms, msg: Msg, persistent: bool) -> bool:
        ...

A property of the steps of one action may ask for its arguments, by name: for what was asked, which
the state need not remember, and which a design that changes the action cannot change.  Of several
actions, `of=("publish", "publish_plain")`, it takes arguments that all of them have.

    @eventually
    def EveryPublishSettles(s: Confirms) -> bool:
        '''Whatever was published is settled in the end.'''
        return not s.channel.unconfirmed

`@eventually` is about whole runs: every infinite run that is fair comes again and again to a state
in which the function is true.  Elements of sorts may be its further parameters: `(s, channel)` says
it of each channel by itself, where `all(… for c in ChannelId)` would ask for a moment at which it
is true of all of them.  Fair is a run that does not for ever put off a step that must
happen: one of an action declared `fair="weak"`, for the same arguments, if it is enabled from some
point on without a break, and of one declared `fair="strong"` if it is enabled again and again.  An
instance of an action is enabled where its step changes something.  Faults, and actions that are not
fair, need never happen; where nothing is enabled that must happen, a run may stay for ever.

    @leads_to
    def EveryJobIsDone(s: Farm, job: Job) -> tuple[bool, bool]:
        '''Whatever is asked for is done.'''
        return job in s.asked, job in s.done

`@leads_to` is about whole runs, too, and returns two answers, of which the first is the *trigger*:
whenever it is true, the second is true in the same state or comes true later, in every fair run.
That is `P ~> Q` in TLA+.  The trigger need not last: who asked once is answered.

    @constraint
    def FewSent(s: Confirms) -> bool:
        '''At most three messages are under way.'''
        return s.sent - s.received <= 3

`@constraint` is no claim: it says how far a search goes in a system that has no end, or too late
a one.  A state where it is false is *cut*: it is kept and counted, the properties of states are
looked at there, and those of steps on the steps that lead there; but no step is taken from it.
That is what TLC makes of CONSTRAINT, but that TLC does not count such states among the distinct
ones.  With several constraints, one that is false is enough.  What a check finds is a run of the
system without constraints, too; what it verifies, it verifies up to there.  A run that goes on for
ever is looked for among the states that are not cut: how it goes on behind a cut nobody knows.

    @initially
    def OneToken(s: Ring) -> bool:
        '''One node has the token, whichever it is.'''
        return len(s.having) == 1

`@initially` is no claim either: it says with which values a system may start, of those that the
declarations leave open (`having: Set[Node] = anything()`).  Each choice in which all such functions
are true is an initial state, and a search begins in all of them.  TLA+ says it in `Init`, where
`anything()` stands for membership in the set of all values, and a function `@initially` for what
else is demanded there.

`ackproof check` adds two properties of its own: `NoAssertionFails` (no `assert` of the
specification fails) and `StepsAreDefined` (no bounded integer leaves its range, no `min` is
taken of an empty set, no bounded sequence overflows).  A model may ask for `NoDeadlock` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any, Literal, TypeVar, assert_never, get_args, overload

__all__ = [
    "ASSERTION",
    "BUILT_IN",
    "CLAIMS",
    "DEADLOCK",
    "DEFINED",
    "OF_RUNS",
    "RANKED",
    "SETTINGS",
    "Claim",
    "Kind",
    "Lemma",
    "Property",
    "assumption",
    "constraint",
    "eventually",
    "heading_of",
    "helped_by",
    "initially",
    "invariant",
    "leads_to",
    "lemma",
    "properties_in",
    "reachable",
    "restriction",
    "stated_by",
    "step_property",
]

F = TypeVar("F", bound=Callable[..., bool])
Pair = TypeVar("Pair", bound=Callable[..., tuple[bool, bool]])
Stated = TypeVar("Stated", bound=Callable[..., Any])

ASSERTION = "NoAssertionFails"
DEFINED = "StepsAreDefined"
DEADLOCK = "NoDeadlock"

#: What a step breaks that fails: it leads nowhere.
FAILURES = (ASSERTION, DEFINED)

#: Kinds of properties.  Whoever judges them has a `match` that ends with `assert_never`, so that
#: the type checker names what knows nothing of a new kind.
Claim = Literal["invariant", "step", "eventually", "leads_to", "reachable"]

#: Kinds of what is written like a property and claims nothing: it says what is searched.
Setting = Literal["constraint", "initially"]

#: Kinds of what claims nothing either: it says why something happens (`ackproof.lang.rankings`).
Ranked = Literal["measure", "helpful"]

Kind = Claim | Setting | Ranked

CLAIMS: tuple[Claim, ...] = get_args(Claim)
SETTINGS: tuple[Setting, ...] = get_args(Setting)
RANKED: tuple[Ranked, ...] = get_args(Ranked)

#: Kinds of claims about whole runs: no state and no step shows that one is false.
OF_RUNS: tuple[Claim, ...] = ("eventually", "leads_to")

BUILT_IN = {
    ASSERTION: "No assertion of the specification fails.",
    DEFINED: "Every step is defined: integers stay in range, min and max have elements.",
    DEADLOCK: "Some action is enabled in every state.",
}


def stated_by(name: str) -> str:
    """Return the name of the function that states a property: without the elements it is about."""
    return name.partition("[")[0]


def heading_of(kind: Kind) -> str:
    """Return what a list of the properties of a kind is headed by."""
    match kind:
        case "invariant":
            return "properties of states"
        case "step":
            return "properties of steps"
        case "eventually" | "leads_to":
            return "what must happen"
        case "reachable":
            return "situations that must be reachable"
        case "constraint":
            return "constraints: no step is taken from where one is false"
        case "initially":
            return "what is true of every initial state"
        case "measure" | "helpful":
            return "why something happens"
        case _:
            assert_never(kind)


@dataclass(frozen=True)
class Property:
    """A named property: `kind` is one of `Claim`.

    What a search is bounded by ("constraint") and where it begins ("initially") are none, see
    `Setting`: they stand among them because they are written beside them.

    Attributes:
        of: the actions of the system that a property of steps is about, none if about all steps.
    """

    kind: Kind
    function: Callable[..., Any]
    of: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that reports use: the function's."""
        return self.function.__name__

    @property
    def doc(self) -> str:
        """The property in words: the function's docstring."""
        return (self.function.__doc__ or "").strip()


def _marked(kind: Kind, function: Stated, of: tuple[str, ...] = ()) -> Stated:
    function.__ackproof_property__ = Property(kind, function, of)  # type: ignore[attr-defined]
    return function


def invariant(function: F) -> F:
    """Mark a property of every state."""
    return _marked("invariant", function)


@dataclass(frozen=True)
class Lemma:
    """An invariant that helps to prove others.

    Attributes:
        property: the invariant itself.
        by: the names of what it is proved with.
        steps: those names of `by` that are needed for some steps, by action.
        everywhere: those that are needed for all steps, though some step names them again.
    """

    property: Property
    by: tuple[str, ...]
    steps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    everywhere: tuple[str, ...] = ()

    def needs(self, action: str) -> tuple[str, ...]:
        """Return the names of what it is proved with, for one action."""
        some = {name for names in self.steps.values() for name in names} - {*self.everywhere}
        here = self.steps.get(action, ())
        return tuple(name for name in self.by if name not in some or name in here)


def helped_by(by: tuple[str, ...], steps: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the names of all that something is proved with, for whatever step."""
    return tuple(dict.fromkeys((*by, *(name for names in steps.values() for name in names))))


def lemma(*by: str, **steps: tuple[str, ...]) -> Callable[[F], F]:
    """Mark an invariant that nobody asked for, and that helps to prove others.

    Args:
        by: the names of the properties and lemmas that it is proved with, itself aside.
        steps: by action, the names of what else it takes to show that this action preserves it.
    """

    def marked(function: F) -> F:
        known = Lemma(Property("invariant", function), helped_by(by, steps), steps, by)
        function.__ackproof_lemma__ = known  # type: ignore[attr-defined]
        return function

    return marked


def assumption(function: F) -> F:
    """Mark what proofs assume of constants; they are about the instances that meet it."""
    known = Property("invariant", function)
    function.__ackproof_assumption__ = known  # type: ignore[attr-defined]
    return function


def restriction(function: F) -> F:
    """Mark an assumption that not every instance meets: proofs that need it are about the others.

    What is proved with it is named with it wherever it is reported.
    """
    function.__ackproof_restriction__ = True  # type: ignore[attr-defined]
    return assumption(function)


@overload
def step_property(function: F) -> F: ...
@overload
def step_property(*, of: str | tuple[str, ...]) -> Callable[[F], F]: ...
def step_property(
    function: F | None = None, *, of: str | tuple[str, ...] = ()
) -> F | Callable[[F], F]:
    """Mark a property of every step, or of every step of some actions.

    Args:
        function: states it.
        of: names of actions of the system, whose arguments the function may take.

    Raises:
        TypeError: `of` is neither a name nor a tuple of some.
    """
    if function is not None and callable(function):
        return _marked("step", function)
    names = (of,) if isinstance(of, str) else of
    fits = isinstance(names, tuple) and all(isinstance(name, str) and name for name in names)
    if function is not None or not (fits and names):
        raise TypeError(
            f"step_property does not take {function or of!r}; write @step_property, or the names "
            'of actions: @step_property(of="publish"), @step_property(of=("publish", "get"))'
        )
    return partial(_marked, "step", of=names)


def eventually(function: F) -> F:
    """Mark what comes true, of one state, again and again in every fair run."""
    return _marked("eventually", function)


def leads_to(function: Pair) -> Pair:
    """Mark two answers of which the first, wherever it is true, is followed by the second."""
    return _marked("leads_to", function)


def reachable(function: F) -> F:
    """Mark a situation that must be witnessed."""
    return _marked("reachable", function)


def constraint(function: F) -> F:
    """Mark what bounds a search: no step is taken from a state where it is false."""
    return _marked("constraint", function)


def initially(function: F) -> F:
    """Mark what is true of every initial state: of what may be anything, only that is chosen."""
    return _marked("initially", function)


def properties_in(
    *places: ModuleType | type[Any] | Callable[..., bool],
) -> tuple[Property, ...]:
    """Return the properties defined in modules or classes, in order of definition.

    A decorated function may stand for itself.
    """
    found = []
    for place in places:
        for value in (place, *vars(place).values()):
            prop = getattr(value, "__ackproof_property__", None)
            if isinstance(prop, Property) and prop not in found:
                found.append(prop)
    return tuple(found)
