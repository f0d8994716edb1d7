"""Values that specification state is made of, as they are when the spec runs as plain Python.

Sets are Python's own.  A `Map` is total: every key has the default until it is written, and a key
whose value becomes the default again is forgotten, so a map takes the memory of what differs from
the default and no more.  That is what lets a broker hold these objects for days.

To forget an entry at the moment it becomes empty, a set inside a map has to know its map.  It is
an `_OwnedSet`: a built-in set that enters its map with its first element and leaves with its last.

    >>> owed: Map[int, Set[str]] = Map(set)
    >>> owed[1].add("q1"); owed
    {1: {'q1'}}
    >>> owed[1].discard("q1"); owed, owed[7]
    ({}, set())
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import FrozenInstanceError, dataclass
from typing import Annotated, Any, Generic, Optional, TypeVar, dataclass_transform

__all__ = [
    "Const",
    "Each",
    "Event",
    "Ghost",
    "Key",
    "Map",
    "NullMap",
    "NullSet",
    "Option",
    "Range",
    "Record",
    "Seq",
    "Set",
    "anything",
    "frozen",
]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

Set = set
Option = Optional[T]  # noqa: UP045 - a generic alias, which `T | None` is not


@dataclass(frozen=True)
class Range:
    """Bounds of an integer, both included: `Annotated[int, Range(0, 3)]`."""

    lo: int
    hi: int


@dataclass(frozen=True, repr=False)
class _Mark:
    """A marker inside `Annotated`; it is the same in another process."""

    name: str

    def __repr__(self) -> str:
        return self.name


def anything() -> Any:
    """Say in a declaration that a variable may start with any value of its type.

    A search begins with each of them; a process that a program makes has the first one.
    """
    return ANYTHING


ANYTHING = _Mark("anything()")
GHOST = _Mark("Ghost")
CONST = _Mark("Const")
KEY = _Mark("Key")

#: History that properties may read and behaviour may not.
Ghost = Annotated[T, GHOST]
#: A parameter of a process: behaviour may read it, nobody writes it.
Const = Annotated[T, CONST]
#: The element whose member of a family a process is, or lies in; nobody writes it.
Key = Annotated[T, KEY]


class Map(dict[K, V], Generic[K, V]):
    """A total map with a default; iterating yields the keys whose value is not the default.

    `default` is the default value itself, or for a map of sets (maps) the type `set` (a function
    that builds an empty inner map).
    """

    __slots__ = ("_build", "_default", "_owner")

    def __init__(self, default: Any, owner: tuple[Map[Any, Any], Any] | None = None) -> None:
        super().__init__()
        self._build: Callable[..., Any] | None = default if callable(default) else None
        self._default = default
        self._owner = owner

    def __missing__(self, key: K) -> V:
        if self._build is set:
            missing: Any = _OwnedSet()
            missing._map = self
            missing._key = key
            return missing  # type: ignore[no-any-return]
        if self._build is None:
            value: V = self._default
            return value
        inner: Any = self._build()
        inner._owner = (self, key)
        return inner  # type: ignore[no-any-return]

    def __setitem__(self, key: K, value: V) -> None:
        if self._build is set:
            self._put_set(key, value)
        elif self._build is not None:
            self._put_map(key, value)
        elif value is self._default or (self._default is not None and value == self._default):
            self.pop(key, None)
        else:
            dict.__setitem__(self, key, value)
        if self._owner is not None:
            self._tell_owner()

    def _tell_owner(self) -> None:
        if self._owner is None:
            return
        owner, key = self._owner
        if self:
            dict.__setitem__(owner, key, self)
        else:
            dict.pop(owner, key, None)
        owner._tell_owner()

    def _put_set(self, key: K, value: Any) -> None:
        if not value:
            self.pop(key, None)
            return
        if self.get(key) is value:  # it was changed where it is, as `|=` does
            return
        owned: Any = _OwnedSet(value)
        owned._map = self
        owned._key = key
        dict.__setitem__(self, key, owned)

    def _put_map(self, key: K, value: Any) -> None:
        if not value:
            self.pop(key, None)
            return
        inner = self[key]
        assert isinstance(inner, Map)
        inner.clear()
        for k, v in value.items():
            inner[k] = v

    def clear(self) -> None:
        """Give every key the default again."""
        super().clear()
        self._tell_owner()


class _OwnedSet(set[T]):
    """A set inside a map: there while it has elements, forgotten when it has none.

    Its map tells it which map and which key; it has no constructor of its own, which takes longer.
    """

    __slots__ = ("_key", "_map")

    _map: Map[Any, Any]
    _key: Any

    def _settle(self) -> None:
        if self:
            dict.__setitem__(self._map, self._key, self)
        else:
            dict.pop(self._map, self._key, None)
        if self._map._owner is not None:
            self._map._tell_owner()

    def add(self, item: T) -> None:
        if self:
            set.add(self, item)
        else:
            set.add(self, item)
            self._settle()

    def discard(self, item: object) -> None:
        set.discard(self, item)
        if not self:
            self._settle()

    def clear(self) -> None:
        super().clear()
        self._settle()

    def update(self, *others: Iterable[T]) -> None:
        super().update(*others)
        self._settle()

    def difference_update(self, *others: Iterable[Any]) -> None:
        super().difference_update(*others)
        self._settle()

    def intersection_update(self, *others: Iterable[Any]) -> None:
        super().intersection_update(*others)
        self._settle()

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        set.difference_update(self, other)
        if not self:
            self._settle()
        return self

    def __iand__(self, other: Any) -> Any:  # type: ignore[misc]
        self.intersection_update(other)
        return self

    def __ixor__(self, other: Any) -> Any:  # type: ignore[misc]
        super().symmetric_difference_update(other)
        self._settle()
        return self

    def __reduce__(self) -> Any:
        return (set, (list(self),))


class NullSet(set[T]):
    """A ghost set while nobody watches: it stays empty."""

    def _ignore(self, *_: Any) -> None:
        return None

    def _same(self, _: Any) -> Any:
        return self

    add = discard = update = difference_update = intersection_update = _ignore
    __ior__ = __isub__ = __iand__ = __ixor__ = _same


class NullMap(Map[K, V]):
    """A ghost map while nobody watches: every key has the default."""

    def __setitem__(self, key: K, value: V) -> None:
        return None

    def __missing__(self, key: K) -> V:
        if self._build is None:
            return super().__missing__(key)
        nothing: Any = NullSet() if self._build is set else self._build()
        return nothing  # type: ignore[no-any-return]


class Seq(list[T]):
    """A sequence; `Annotated[Seq[T], 3]` in a declaration holds at most three elements.

    `append` adds at the end, `pop(0)` takes the head.  Natively there is no bound; the checker
    sets `cap`, and an `append` beyond it is an `IndexError` there.
    """

    cap: int | None = None

    def append(self, item: T) -> None:
        """Add an element at the end."""
        if self.cap is not None and len(self) >= self.cap:
            raise IndexError(f"this sequence holds at most {self.cap}")
        super().append(item)


class Each(dict[K, V], Generic[K, V]):
    """One process for every element of a sort."""

    def __iter__(self) -> Iterator[K]:
        return super().__iter__()


@dataclass_transform(frozen_default=True)
class Record:
    """A value with named fields: `class Info(Record): persistent: bool`.

    It is a frozen dataclass in all but one thing: its methods are written here once.  Those that
    `dataclass` writes for each class are compiled whenever a program starts, and a broker is
    waited for until that is done.  What sets the fields is compiled for each class, too, but when
    the first one is made: most are never made, and of others there are millions.
    """

    __match_args__ = ()

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)
        if "__init__" not in vars(cls):
            cls.__init__ = Record.__init__  # type: ignore[method-assign]

    def __init__(self, *values: Any, **named: Any) -> None:
        cls = type(self)
        made = _constructor(cls)
        if cls is not Record:
            cls.__init__ = made  # type: ignore[method-assign]
        made(self, *values, **named)

    def __setattr__(self, name: str, _: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__qualname__}({fields})"


def _constructor(cls: type[Record]) -> Callable[..., None]:
    """Return a function that sets the fields of a record, by their places or names.

    Its own names are unlike those of all fields.  A field without a default may come after one that
    has one; then what was not given is found when the function is called.
    """
    names: tuple[str, ...] = cls.__match_args__
    apart = "_" * (1 + max((len(n) - len(n.lstrip("_")) for n in names), default=0))
    this, fields, lacks = (f"{apart}{name}" for name in ("this", "fields", "lacks"))
    defaults = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
    params, lines = [this], [f"    {fields} = {this}.__dict__"]
    for number, name in enumerate(names):
        if name in defaults:
            params.append(f"{name}={fields}[{name!r}]")
        elif defaults.keys() & names[:number]:
            params.append(f"{name}={lacks}")
            lines.append(f"    if {name} is {lacks}: raise {lacks}({name!r})")
        else:
            params.append(name)
        lines.append(f"    {fields}[{name!r}] = {name}")
    written: dict[str, Any] = {fields: defaults, lacks: _lacks(cls)}
    exec("\n".join([f"def __init__({', '.join(params)}):", *lines]), written)
    made: Callable[..., None] = written["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _lacks(cls: type[Record]) -> Callable[[str], TypeError]:
    return lambda field: TypeError(f"{cls.__name__} lacks a value for {field!r}")


@dataclass_transform(frozen_default=True)
class Event(Record):
    """Something a client can see on the wire."""


def frozen(value: Any) -> Any:
    """Return a hashable copy of a state value; equal values give equal copies."""
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, dict):
        return frozenset((k, frozen(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(value)
    return value
