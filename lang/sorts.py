"""Sorts: the kinds of things a specification speaks of, without saying how many there are.

A specification says `class Msg(OrderedSort)` and quantifies over `Msg`; an instance says that
there are three.  Elements are plain Python values: 'q1', 'q2'… and for an ordered sort 1, 2, 3…,
or 'r1', 'r2'… if it is given a prefix.  A program that runs a machine natively brings its own
elements (any integers, any strings) and never binds the sort, so nothing in a handler may iterate
over a whole sort that the program does not bound.

Elements of an *owned* sort, `class Msg(OwnedSort[ChannelId])`, belong to an element of another sort
and are numbered there: an instance says how many each owner has.  Where there is one owner they are
1, 2, 3…, and where there are several they are `Owned` values: the first of `ch2` is `ch2.1`.  A
program that has integers for owners has integers for what they own: the number in the lowest
`NUMBER_BITS`, and the owner above.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar, get_args

__all__ = [
    "NUMBER_BITS",
    "OrderedSort",
    "Owned",
    "OwnedSort",
    "Sort",
    "SortMeta",
    "bound",
    "bound_to",
    "elements_of",
]

#: The lowest bits of an integer that says its owner too: its number there.
NUMBER_BITS = 36

S = TypeVar("S")
C = TypeVar("C", bound="Sort")


class _Binding(threading.local):
    """The elements of the sorts that this thread has bound."""

    def __init__(self) -> None:
        self.elements: dict[Any, tuple[Any, ...]] = {}


_BINDING = _Binding()


class SortMeta(type):
    """Makes a sort usable as the set of its elements."""

    @property
    def elements(cls) -> tuple[Any, ...] | None:
        """The elements, or None where the sort is not bound."""
        return _BINDING.elements.get(cls)

    def __iter__(cls: type[S]) -> Iterator[S]:
        return iter(_elements(cls))

    def __len__(cls) -> int:
        return len(_elements(cls))

    def __contains__(cls, item: object) -> bool:
        return item in _elements(cls)


def _elements(sort: Any) -> tuple[Any, ...]:
    elements: tuple[Any, ...] | None = sort.elements
    if elements is None:
        raise LookupError(
            f"the sort {sort.__name__} has no size here; run inside an instance, "
            f"or iterate over a set of {sort.__name__} instead of over all of them"
        )
    return elements


class Sort(metaclass=SortMeta):
    """An unordered sort; elements can be compared for equality only."""

    ordered: ClassVar[bool] = False
    prefix: ClassVar[str] = ""

    def __init_subclass__(cls, *, prefix: str = "") -> None:
        super().__init_subclass__()
        cls.prefix = prefix or cls.__name__[0].lower()

    @classmethod
    def named(cls, size: int) -> tuple[Any, ...]:
        """Return the elements of this sort in an instance of the given size."""
        return tuple(f"{cls.prefix}{i}" for i in range(1, size + 1))


class OrderedSort(Sort):
    """A sort with `<`, `min`, `max`, a first element and successors; natively, the integers.

    `Msg.first()` is 1.  `Msg.succ(m)` is the next element, or None after the last one of an
    instance: a finite instance runs out of messages, a running program does not.

    With a prefix the elements are called 'r1', 'r2'…, in instances.
    """

    ordered: ClassVar[bool] = True
    numbered: ClassVar[bool] = True

    def __init_subclass__(cls, *, prefix: str = "") -> None:
        super().__init_subclass__(prefix=prefix)
        cls.numbered = not prefix

    def __lt__(self, other: object) -> bool:
        raise NotImplementedError

    def __le__(self, other: object) -> bool:
        raise NotImplementedError

    def __gt__(self, other: object) -> bool:
        raise NotImplementedError

    def __ge__(self, other: object) -> bool:
        raise NotImplementedError

    @classmethod
    def named(cls, size: int) -> tuple[Any, ...]:
        """Return the elements of this sort in an instance of the given size."""
        if cls.numbered:
            return tuple(range(1, size + 1))
        digits = len(str(size))
        return tuple(f"{cls.prefix}{i:0{digits}}" for i in range(1, size + 1))

    @classmethod
    def first(cls: type[S]) -> S:
        """Return the first element."""
        elements = cls.elements  # type: ignore[attr-defined]
        one: Any = elements[0] if elements else 1
        return one  # type: ignore[no-any-return]

    @classmethod
    def succ(cls: type[S], element: S) -> S | None:
        """Return the element after `element`, or None if the instance has no more."""
        elements = cls.elements  # type: ignore[attr-defined]
        if elements is None:
            following: Any = element
            return following + 1  # type: ignore[no-any-return]
        place = elements.index(element) + 1
        return elements[place] if place < len(elements) else None


class Owned(NamedTuple):
    """An element of an owned sort: its owner, and its number there, counted from 1."""

    owner: Any
    number: int

    def __repr__(self) -> str:
        return f"{self.owner}.{self.number}"


class OwnedSort(OrderedSort, Generic[C]):
    """An ordered sort whose elements belong to an element of the sort `C` each.

    The size that an instance gives is the number of elements of each owner.  The order is by owner,
    then by number.

    Natively the elements are `Owned` values, or integers if the owners are: an element is its
    owner, above `NUMBER_BITS`, and its number.  A program with one owner may have numbers alone.
    """

    owned_by: ClassVar[type[Sort] | None] = None

    def __init_subclass__(cls, *, prefix: str = "") -> None:
        super().__init_subclass__(prefix=prefix)
        of = [a for base in vars(cls).get("__orig_bases__", ()) for a in get_args(base)]
        is_sort = len(of) == 1 and isinstance(of[0], type) and issubclass(of[0], Sort)
        cls.owned_by = of[0] if is_sort else None

    @classmethod
    def owner(cls, element: Self) -> C:
        """Return the owner of an element.

        Raises:
            LookupError: the element is a number alone, and there is not exactly one owner.
        """
        if isinstance(element, Owned):
            return element.owner
        owner: Any = element >> NUMBER_BITS  # type: ignore[operator]
        if owner:
            return owner  # type: ignore[no-any-return]
        owners = cls.owned_by.elements if cls.owned_by is not None else None
        if owners is None or len(owners) != 1:
            raise LookupError(
                f"{element!r} does not say to which owner this {cls.__name__} belongs"
            )
        return owners[0]  # type: ignore[no-any-return]

    @classmethod
    def of(cls, owner: C) -> set[Self]:
        """Return all elements of an owner.

        Raises:
            LookupError: the sort is not bound.
        """
        return {element for element in cls if cls.owner(element) == owner}

    @classmethod
    def first(cls, owner: C | None = None) -> Self:
        """Return the first element of an owner.

        A declaration leaves the owner out: it is the member that the variable lies in.
        """
        if owner is None or (cls.elements and not isinstance(cls.elements[0], Owned)):
            return super().first()
        one: Any = Owned(owner, 1)
        if isinstance(owner, int) and cls.elements is None:
            one = owner << NUMBER_BITS | 1
        return one  # type: ignore[no-any-return]

    @classmethod
    def succ(cls, element: Self) -> Self | None:
        """Return the next element of the same owner, or None if the instance has no more."""
        following: Any = element
        if isinstance(element, Owned):
            following = Owned(element.owner, element.number + 1)
            return following if cls.elements is None or following in cls.elements else None
        if cls.elements is None or following >> NUMBER_BITS:  # there are as many as a program needs
            return following + 1  # type: ignore[no-any-return]
        return super().succ(element)


def elements_of(sizes: Mapping[type[Sort], int]) -> dict[type[Sort], tuple[Any, ...]]:
    """Return the usual elements of sorts of these sizes.

    Raises:
        LookupError: a sort is owned by one that has no size.
    """
    return {sort: _usual(sort, size, sizes) for sort, size in sizes.items()}


def _usual(sort: type[Sort], size: int, sizes: Mapping[type[Sort], int]) -> tuple[Any, ...]:
    owner = sort.owned_by if issubclass(sort, OwnedSort) else None
    if owner is None:
        return sort.named(size)
    owners = owner.named(sizes[owner]) if owner in sizes else owner.elements
    if owners is None:
        raise LookupError(
            f"the sort {sort.__name__} is owned by {owner.__name__}, which has no size here; "
            f"give {owner.__name__} a size, too"
        )
    if len(owners) == 1:
        return sort.named(size)
    return tuple(Owned(one, number) for one in owners for number in range(1, size + 1))


@contextmanager
def bound(sizes: Mapping[type[Sort], int]) -> Iterator[None]:
    """Give sorts their sizes for the length of a `with` block, with the usual elements."""
    with bound_to(elements_of(sizes)):
        yield


@contextmanager
def bound_to(elements: Mapping[type[Sort], tuple[Any, ...]]) -> Iterator[None]:
    """Give sorts these elements for the length of a `with` block, in order.

    Only this thread sees them: engines run one instance at a time, and a program that runs a
    machine natively beside them has sorts without bounds.
    """
    before = _BINDING.elements
    _BINDING.elements = {**before, **elements}
    try:
        yield
    finally:
        _BINDING.elements = before
