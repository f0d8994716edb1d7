"""Families that grow: the processes of a program, by the element that each belongs to.

An instance has a process for each element of a sort from the beginning.  A program gets its
elements one by one.  Where it says what a member is like (its constants), it adds it; a member that
is asked for without that is as its class declares it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from ackproof.lang.process import Process, keys_of, split_marks
from ackproof.lang.sorts import NUMBER_BITS, OwnedSort
from ackproof.lang.values import Each, Event
from ackproof.model.native.classes import declarations

__all__ = ["GrowingFamily", "assemble", "growing", "having"]

K = TypeVar("K", bound=Hashable)
P = TypeVar("P", bound=Process)


class GrowingFamily(Each[K, P]):
    """One process for every element that there is by now.

    Args:
        make: builds a member, of the values of its constants.
        key: what its class calls the element that it belongs to; None if it does not ask.
        owned: its elements are integers that say their owners (`ackproof.lang.sorts.OwnedSort`).

    Attributes:
        listed: the elements by what their processes were given: name of a constant, and value.
    """

    def __init__(
        self, make: Callable[..., P], key: str | None = None, *, owned: bool = False
    ) -> None:
        super().__init__()
        self._make = make
        self._key = key
        self._owned: dict[int, dict[K, None]] | None = {} if owned else None
        self.listed: defaultdict[str, dict[Any, dict[K, None]]] = defaultdict(dict)
        self._given: dict[K, dict[str, Any]] = {}

    def __missing__(self, element: K) -> P:
        return self.add(element)

    def add(self, element: K, emit: Callable[[Event], None] | None = None, **constants: Any) -> P:
        """Add the process of an element.

        Args:
            element: is not there yet.
            emit: called with the events of the process; by default, what gets all events.
            constants: of the process; they can be asked for by `having`.
        """
        known = {self._key: element} if self._key else {}
        heard = {"emit": emit} if emit is not None else {}
        member = self._make(**heard, **known, **constants)
        self[element] = member
        self._given[element] = constants
        if self._owned is not None:
            self._owned.setdefault(_owner(element), {})[element] = None
        for name, value in constants.items():
            self.listed[name].setdefault(value, {})[element] = None
        return member

    def settle(self, element: K, **constants: Any) -> None:
        """A member that is there is given constants that it had by default so far."""
        given = self._given[element]
        for name, value in constants.items():
            if name in given:
                self._unlist(element, name, given[name])
            setattr(self[element], name, value)
            given[name] = value
            self.listed[name].setdefault(value, {})[element] = None

    def remove(self, element: K) -> None:
        """A process is gone, and nothing speaks of it any more."""
        if self.pop(element, None) is None:
            return
        for name, value in self._given.pop(element).items():
            self._unlist(element, name, value)
        if self._owned is not None:
            elements = self._owned[_owner(element)]
            del elements[element]
            if not elements:
                del self._owned[_owner(element)]

    def _unlist(self, element: K, name: str, value: Any) -> None:
        elements = self.listed[name][value]
        del elements[element]
        if not elements:
            del self.listed[name][value]

    def having(self, name: str, value: Any) -> Collection[K]:
        """Return the elements whose processes were given this value of a constant."""
        return self.listed[name].get(value, ())

    def of(self, owner: Any) -> Collection[K]:
        """Return the elements of an owner, in the order in which they came."""
        assert self._owned is not None, "only the elements of an owned sort have owners"
        return self._owned.get(owner, ())


def _owner(element: Any) -> int:
    """Return the owner of an element, as a program calls both."""
    owner: int = element >> NUMBER_BITS
    return owner


def growing(family: Each[K, P]) -> GrowingFamily[K, P]:
    """Return a family of a program, as one that grows."""
    assert isinstance(family, GrowingFamily), "only a program adds members to a family"
    return family


def having(family: Each[K, Any], name: str, value: Any) -> Collection[K]:
    """Return the elements of a family whose processes have this value of a constant."""
    if isinstance(family, GrowingFamily):
        return family.having(name, value)
    return [element for element in family if getattr(family[element], name) == value]


def assemble(
    process: type[P],
    classes: Mapping[type[Process], type[Process]],
    emit: Callable[[Event], None] | None = None,
    *,
    ghosts: bool = False,
    **constants: Any,
) -> P:
    """Return a process of a program, whose families grow.

    Args:
        process: its class, as the specification declares it.
        classes: those that the program has in the place of the specification's, by these.
        emit: called with every event.
        ghosts: what only properties need is kept, too.
        constants: of the process.
    """
    build: type[P] = classes.get(process, process)  # type: ignore[assignment]
    made = build(emit=emit, ghosts=ghosts)
    kind: Any = process
    for name, part in _parts(kind).items():
        setattr(made, name, assemble(part, classes, emit, ghosts=ghosts))
    for name, (sort, member, key) in _families(kind).items():
        owned = issubclass(sort, OwnedSort)
        make = _maker(member, classes, emit, ghosts)
        setattr(made, name, GrowingFamily(make, key, owned=owned))
    for name, value in constants.items():
        setattr(made, name, value)
    return made


@cache
def _parts(process: Any) -> dict[str, type[Process]]:
    """Return the parts of a process, by name."""
    hints = {name: split_marks(hint)[0] for name, hint in declarations(process).items()}
    return {n: h for n, h in hints.items() if isinstance(h, type) and issubclass(h, Process)}


@cache
def _families(process: Any) -> dict[str, tuple[Any, type[Process], str | None]]:
    """Return the families of a process by name: the sort, the class, what that calls its key."""
    hints = {name: split_marks(hint)[0] for name, hint in declarations(process).items()}
    found = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Each}
    return {name: (sort, member, _key(member, sort)) for name, (sort, member) in found.items()}


def _maker(
    member: type[P],
    classes: Mapping[type[Process], type[Process]],
    emit: Callable[[Event], None] | None,
    ghosts: bool,
) -> Callable[..., P]:
    def make(emit: Callable[[Event], None] | None = emit, **constants: Any) -> P:
        return assemble(member, classes, emit, ghosts=ghosts, **constants)

    return make


def _key(member: type[Process], sort: Any) -> str | None:
    """Return what a class calls the element of a sort that a member belongs to."""
    cls: Any = member
    return next((name for name, of in keys_of(cls).items() if of is sort), None)
