"""Bound programs that are kept between runs, without what a search of a known kernel does not need.

To read a program from the cache and to bind it takes longer than to search a small instance.  What
a search needs of it, once its kernel is compiled, is little: names, parameters, fairness.  So that
is kept by itself, under a digest of the program's origin and of all that an instance says.  The
bodies of actions and properties, and the variables, are read when something asks for them: when
code is generated, or a counterexample is replayed.

What cannot be told apart by its text, or cannot be written, is not kept.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.data import to_data
from ackproof.lang.later import Later, begun
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Action, Program, PropertyDecl
from ackproof.lang.sorts import Sort, elements_of
from ackproof.model.cache import Cache, digest, sources
from ackproof.model.programs import origin

__all__ = ["bound_of", "dumped", "loaded"]

#: What entries are called in the cache.
_KIND = "bounds"

#: What is left out: what is at hand, and what is read when it is asked for.
_LEFT_OUT: dict[type[Any], tuple[str, ...]] = {
    Bound: ("model", "instance", "design", "locations"),
    Program: ("processes", "variables", "players"),
    Action: ("body", "span"),
    PropertyDecl: ("body", "span"),
}

_PLAIN = (bool, int, str, type(None))

_UNREADABLE = (
    pickle.PickleError,
    ArithmeticError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    TypeError,
    ValueError,
)


class _Source:
    """Where the whole of a bound program comes from, made once."""

    def __init__(self, make: Callable[[], Bound]) -> None:
        self._make = make

    @cached_property
    def bound(self) -> Bound:
        """The whole bound program."""
        return self._make()

    def at(self, way: tuple[str | int, ...]) -> Any:
        """Return a part of it: `("actions", 3)` is the action number 3."""
        found: Any = self.bound
        for step in way:
            found = found[step] if isinstance(step, int) else getattr(found, step)
        return found


def bound_of(
    make: Callable[[], Bound],
    model: Model,
    instance: Instance,
    design: Design | None,
    properties: Iterable[str] | None,
    cache: Cache,
) -> Bound:
    """Return a bound program; from the cache, if it is there.

    Args:
        make: binds it.
        model: what it is a program of.
        instance: what it is bound to.
        design: a change to the model.
        properties: names of those to check, all of them if it is None.
        cache: where such programs are kept.
    """
    whence, said = origin(model, design), _said(instance, design)
    if whence is None or said is None:
        return make()
    names = None if properties is None else list(properties)
    key = digest(whence, sources(Path(__file__)), said, repr(names))
    data = cache.get(_KIND, key)
    found = None if data is None else loaded(data, make, model, instance, design)
    if found is None:
        found = make()
        data = dumped(found)
        if data is not None:
            cache.put(_KIND, key, data)
    return found


def _said(instance: Instance, design: Design | None) -> str | None:
    """Return all that an instance and a design say to a program; None if that cannot be told."""
    sizes = instance.sizes
    named = all(isinstance(s, type) and issubclass(s, Sort) for s in sizes)
    if not named or not all(type(n) is int and n >= 0 for n in sizes.values()):
        return None
    if any(getattr(sort, "owned_by", None) not in (None, *sizes) for sort in sizes):
        return None
    sorts = [(sort.__module__, sort.__qualname__, n) for sort, n in sizes.items()]
    elements = {s.__name__: tuple(map(to_data, of)) for s, of in elements_of(sizes).items()}
    given = (design.constants if design else {}, instance.constants)
    constants = [tuple((name, _given(value)) for name, value in said.items()) for said in given]
    faults = tuple(instance.faults.items())
    try:
        what = tuple(sorts), tuple(elements.items()), tuple(constants), faults
        return _written(what)
    except TypeError:
        return None


def _given(value: Any) -> tuple[Any, ...]:
    """Return the value of a constant as data, or those by element."""
    if isinstance(value, Mapping):
        return ("by", *((_data(key), to_data(each)) for key, each in value.items()))
    return ("all", to_data(value))


def _data(key: Any) -> Any:
    """Return the elements that a constant is given for as data."""
    return tuple(map(to_data, key)) if type(key) is tuple else to_data(key)


def _written(data: Any) -> str:
    """Return data as a text that is the same in every process.

    Raises:
        TypeError: it is no data.
    """
    if isinstance(data, tuple):
        return f"({' '.join(map(_written, data))})"
    if isinstance(data, frozenset):
        return f"{{{' '.join(sorted(map(_written, data)))}}}"
    if type(data) not in _PLAIN:
        raise TypeError(f"{data!r} is no data")
    return f"{type(data).__name__} {data!r}"


# -- as bytes -----------------------------------------------------------------------------------


class _Writer(pickle.Pickler):
    """Writes a bound program without what is left out, each part with the way to the whole."""

    def __init__(self, file: io.BytesIO, bound: Bound) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._ways: dict[int, tuple[str | int, ...]] = {id(bound): ()}
        self._ways[id(bound.program)] = ("program",)
        for way, parts in (
            (("properties",), bound.properties),
            (("program", "properties"), bound.program.properties),
            (("program", "constraints"), bound.program.constraints),
            (("program", "initially"), bound.program.initially),
            (("program", "actions"), bound.program.actions),
        ):
            for number, part in enumerate(parts):
                self._ways[id(part)] = (*way, number)

    def reducer_override(self, value: Any) -> Any:
        """Write what is known of something that is left out in part."""
        left_out = _LEFT_OUT.get(type(value))
        if left_out is None:
            return NotImplemented
        known = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in left_out}
        return _part, (type(value), known, self._ways[id(value)], _SOURCE)

    def persistent_id(self, value: Any) -> str | None:
        """Write where the whole comes from as a name."""
        return "source" if value is _SOURCE else None


class _Reader(pickle.Unpickler):
    """Reads what `_Writer` wrote."""

    def __init__(self, data: bytes, source: _Source) -> None:
        super().__init__(io.BytesIO(data))
        self._source = source

    def persistent_load(self, name: str) -> _Source:
        """Return where the whole comes from."""
        return self._source


#: Stands for the source in what is written.
_SOURCE = object()


def _part(
    kind: type[Later], known: dict[str, Any], way: tuple[str | int, ...], source: _Source
) -> Later:
    return begun(kind, known, partial(source.at, way))


def dumped(bound: Bound) -> bytes | None:
    """Return what a search needs of a bound program as bytes; None if that cannot be written."""
    file = io.BytesIO()
    try:
        _Writer(file, bound).dump(bound)
    except _UNREADABLE:  # a class that a function made has no name to find it by
        return None
    return file.getvalue()


def loaded(
    data: bytes,
    make: Callable[[], Bound],
    model: Model,
    instance: Instance,
    design: Design | None,
) -> Bound | None:
    """Return the bound program that `dumped` was given; None if that is not what was written.

    `make` binds it anew, when something asks for what was left out.
    """
    try:
        found = _Reader(data, _Source(make)).load()
    except _UNREADABLE:
        return None
    if not isinstance(found, Bound):
        return None
    vars(found).update(model=model, instance=instance, design=design)
    return found
