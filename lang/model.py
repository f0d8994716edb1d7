"""Models, instances and designs: what is checked, at which sizes, and with which changes.

A *model* is a system with its properties and its named instances.  An *instance* says how many
elements each sort has, what the constants are, and how often each fault may happen.  A *design*
is a change: process classes that override steps of the base, or other constants, with a claim,
its source, and what is expected of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ackproof.lang.errors import BindError
from ackproof.lang.process import Process, System
from ackproof.lang.properties import RANKED, SETTINGS, Property
from ackproof.lang.sorts import Sort

__all__ = ["Breaks", "Design", "Holds", "Instance", "Model"]


@dataclass(frozen=True)
class Instance:
    """Sizes, constants and fault budgets for one check.

    Args:
        name: how the command line calls it: `--instance core`.
        purpose: what it is for, in one line.
        sizes: number of elements of each sort, as in `{Msg: 2, Queue: 2}`; every sort that the
            model uses has to be there.
        faults: how often each fault may happen in a run, by the name of its method, as in
            `{"crash_queue": 1}`; a fault that is not named does not happen.
        constants: values for `Const` variables, by "Class.name", as in
            `{"QueueMaster.durable": True}`; for a process that belongs to a family, a mapping
            from its element to the value is allowed.  They come before a design's.
        states: the number of distinct states that the base is known to have on it, if they
            have been counted; what is shown while a search runs is measured against it.
        lacks: names of `@reachable` properties and of actions that these sizes and faults rule
            out; whatever else never comes up leaves a check `unwitnessed`.
        table: whether the table of eras is made on it, too; no for one that is large, and on
            which eras break nothing that they do not break on smaller ones.
    """

    name: str
    purpose: str
    sizes: Mapping[type[Sort], int]
    faults: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    states: int | None = None
    lacks: tuple[str, ...] = ()
    table: bool = True

    def __post_init__(self) -> None:
        """Refuse what is no mapping, before somebody looks something up in it.

        Raises:
            BindError: sizes, faults or constants are something else.
        """
        for name in ("sizes", "faults", "constants"):
            if not isinstance(getattr(self, name), Mapping):
                raise BindError(
                    f"instance {self.name}: {name} is {getattr(self, name)!r}; give a dict"
                )


@dataclass(frozen=True)
class Breaks:
    """Expectation of a design: a property is violated.

    Args:
        property: its name.
        instance: the name of the instance that it is checked on.
        steps: length of the shortest run to the violation, in steps.
    """

    property: str
    instance: str
    steps: int


@dataclass(frozen=True)
class Holds:
    """Expectation of a design: nothing is violated.

    Args:
        instance: the name of the instance that is checked.
        property: the name of the property that holds; all of them if it is None.
    """

    instance: str
    property: str | None = None


@dataclass(frozen=True)
class Design:
    """A change to a model.

    Args:
        claim: the idea in one line.
        source: where it comes from (a document, a RabbitMQ version, a bug number).
        replace: subclasses of the model's processes; each takes the place of the class it
            extends, wherever that is used.
        constants: values for `Const` variables, by "Class.name", as in
            `{"QueueMaster.durable": False}`; where an instance gives a value too, the instance's
            counts.
        expect: what a check must find; it then says whether it did.
        leaves_out: names of instances that the table of eras is not made on for this design, as
            they are about something that it does not have.
    """

    claim: str
    source: str = ""
    replace: tuple[type[Process], ...] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    expect: tuple[Breaks | Holds, ...] = ()
    leaves_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """A system, its properties and its instances.

    Args:
        name: how reports call it.
        system: the root process.
        properties: what shall be true, constraints, and what is true at first: functions that are
            decorated so; `properties_in(module)` collects those of a module.
        instances: the named instances; the first is the default.
        deadlock_free: with `deadlock_free=True` a state without any enabled action violates
            `NoDeadlock`; otherwise such a state is an end like any other, unless a check asks
            for that property by name.
        lemmas: the dotted name of the module that has its lemma library, as `LIBRARY`; it is
            imported where something is proved.  Empty if there is none.
        designs: the dotted name of a package whose modules are designs of this model, each with a
            `design`; empty if there is none.
        eras: the same, for designs that stand for versions of what is modelled.
        equivalents: the dotted name of a module that says of small changes why they change
            nothing, as `EQUIVALENT`: for each method, `{"Class.method": {"the change": "why"}}`;
            see `ackproof mutate`.  Empty if there is none.
        assumptions: the dotted name of a module whose `@assumption` functions, its own or imported,
            say which instances mean something.  Only those that a sweep makes are asked; empty if
            all mean something.
        clients: the names of the actions that clients take part in, each with the names of the
            arguments that its client knows, as in `{"publish": ("msg",)}`; `ackproof diff` compares
            designs by these steps, beside the events that they emit.
    """

    name: str
    system: type[System]
    properties: tuple[Property, ...]
    instances: tuple[Instance, ...]
    deadlock_free: bool = False
    lemmas: str = ""
    designs: str = ""
    eras: str = ""
    equivalents: str = ""
    assumptions: str = ""
    clients: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take decorated functions for the properties that they are.

        Raises:
            BindError: the system, a property or an instance is something else, or two instances
                have one name.
        """
        if not (isinstance(self.system, type) and issubclass(self.system, System)):
            raise self._refusal("system", self.system, "name a class that extends System")
        self._take("properties", Property, "give functions with @invariant, say, as in (One, Two)")
        self._take("instances", Instance, 'give some, as in (Instance("small", "…", {Msg: 2}),)')
        names = [instance.name for instance in self.instances]
        for name in names:
            if names.count(name) > 1:
                raise BindError(f"model {self.name}: two instances are called {name}; rename one")

    def _take(self, name: str, kind: type, instead: str) -> None:
        """Make several things a tuple of what they stand for."""
        several = getattr(self, name)
        if isinstance(several, str) or not isinstance(several, Iterable):
            raise self._refusal(name, several, instead)
        taken = tuple(getattr(one, "__ackproof_property__", one) for one in several)
        for one in taken:
            if not isinstance(one, kind):
                raise self._refusal(name, one, instead)
        object.__setattr__(self, name, taken)

    def _refusal(self, name: str, value: object, instead: str) -> BindError:
        shown = getattr(value, "__name__", repr(value))
        return BindError(f"model {self.name}: {name} cannot be or have {shown}; {instead}")

    @property
    def claims(self) -> tuple[Property, ...]:
        """What shall be true: the properties without constraints, and without `@initially`."""
        return tuple(p for p in self.properties if p.kind not in (*SETTINGS, *RANKED))

    def instance(self, name: str) -> Instance | None:
        """Return the instance of that name, or None."""
        return next((i for i in self.instances if i.name == name), None)
