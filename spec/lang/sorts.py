"""Sorts: the kinds of things a specification speaks of, without saying how many there are.

A specification says `class Msg(OrderedSort)` and quantifies over `Msg`; an instance says that
there are three.  Elements are plain Python values: 'q1', 'q2'… and for an ordered sort 1, 2, 3…,
or 'r1', 'r2'… if it is given a prefix.  A program that runs a machine natively brings its own
elements (any integers, any strings) and never binds the sort, so nothing in a handler may iterate
over a whole sort that the program does not bound.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

__all__ = ["OrderedSort", "Sort", "SortMeta", "bound", "bound_to"]

S = TypeVar("S")


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


@contextmanager
def bound(sizes: Mapping[type[Sort], int]) -> Iterator[None]:
    """Give sorts their sizes for the length of a `with` block, with the usual elements."""
    with bound_to({sort: sort.named(size) for sort, size in sizes.items()}):
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
