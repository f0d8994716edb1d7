"""Compiled programs that are kept between runs, under a digest of the sources they came from.

To read and check a specification takes longer than to search a small instance of it.  The program
depends on the source files of all modules that the model's classes and properties lead to, on the
front end, and on little else; so it is kept under a digest of these, its *origin*, and a later run
loads it.

A design that is new has a program that nobody has compiled.  But most of what was read of its base
is true of it, too (see `ackproof.lang.kept`).  So that is kept beside the program, by the origin of
the base, and whoever compiles a design begins with it: it reads what the design changes.

What leads from a module to another is a name in it: the module itself, or a class or a function
that is defined there.  Modules of the standard library, of installed packages and of the checker
say nothing of a specification.  A name may also mean a plain value that was computed when the
module was imported, a collection of such, or an enum of them; so they are part of the origin, too.

Nothing is kept of classes and functions that are made by other functions, since the text of a file
does not say what they are, or of a file that was written after this process began, since what was
imported may be older.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache as remembered
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import ackproof.lang
from ackproof.lang.collection import without_collection
from ackproof.lang.errors import SpecError
from ackproof.lang.kept import keep, recorded
from ackproof.lang.likeness import likeness
from ackproof.lang.model import Design, Model
from ackproof.lang.program import Program
from ackproof.model.cache import Cache, digest, is_as_imported, sources

__all__ = ["LANGUAGE", "origin", "program_of"]

#: Where the sources of the language and its front end are.
LANGUAGE = Path(ackproof.lang.__path__[0])

#: What entries with programs are called in the cache, and those with what was read of a base.
_KIND = "programs"
_READ = "readings"

#: Modules that a specification may use, and that say nothing of what it is about.
_TOOLS = ("ackproof.lang", "ackproof.model")

_PLAIN = (bool, int, float, str, bytes, type(None))

_INSTALLED = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def program_of(model: Model, design: Design | None = None, cache: Cache | None = None) -> Program:
    """Return the typed program of a model; from the cache, if it is there.

    Args:
        model: what to compile.
        design: a change to it.
        cache: where programs are kept; without it, the model is compiled.

    Raises:
        SpecError: something in the specification or the design is outside the language.
        BindError: the design changes nothing.
    """
    from ackproof.lang.frontend import compile_model, known_program

    known = known_program(model, design)
    if known is not None:
        return known
    key = origin(model, design) if cache is not None else None
    if cache is None or key is None:
        return compile_model(model, design)
    program = _loaded(cache.get(_KIND, key), model, design)
    if program is None:
        base = key if design is None else origin(model)
        if base is not None:
            _read(model, base, cache)
        program = compile_model(model, design)
        cache.put(_KIND, key, pickle.dumps(program, pickle.HIGHEST_PROTOCOL))
    return program


#: The bases of which is known here what was read.
_BASES: set[str] = set()


def _read(model: Model, base: str, cache: Cache) -> None:
    """See to it that what was read of a base is known here, and kept."""
    from ackproof.lang.frontend import remember

    if base in _BASES:
        return
    _BASES.add(base)
    # What is wrong in a base a design may put right; and if not, it is wrong in the design, too.
    with without_collection(), suppress(SpecError):
        data = cache.get(_READ, base)
        if data is not None:
            keep(pickle.loads(data))
            return
        program, record = recorded(partial(_compiled, model))
        remember(model, None, program)
        # What a base of one's own asks of objects of one's own need not be made of bytes.
        with suppress(pickle.PicklingError, TypeError, AttributeError):
            cache.put(_READ, base, pickle.dumps(record, pickle.HIGHEST_PROTOCOL))


def _compiled(model: Model) -> Program:
    """Compile a base, and find out by what its bodies are known: a design has most of them."""
    from ackproof.lang.frontend import compile_anew

    program = compile_anew(model)
    for body in (a.body for a in program.actions):
        likeness(body)
    for part in (part for claim in program.stated for part in claim.parts):
        likeness(part)
    return program


def _loaded(data: bytes | None, model: Model, design: Design | None) -> Program | None:
    if data is None:
        return None
    from ackproof.lang.frontend import remember

    with without_collection():
        # It is the user's own, and whole; classes are in it by name, and are those imported here.
        program: Program = pickle.loads(data)
    remember(model, design, program)
    return program


_ORIGINS: list[tuple[Model, Design | None, str | None]] = []
_KEPT = 64


def origin(model: Model, design: Design | None = None) -> str | None:
    """Return a digest of all that a program is compiled from, None if that cannot be told."""
    for known, change, found in _ORIGINS:
        if known is model and change is design:
            return found
    found = _origin(model, design)
    _ORIGINS.insert(0, (model, design, found))
    del _ORIGINS[_KEPT:]
    return found


def _origin(model: Model, design: Design | None) -> str | None:
    named: list[Any] = [model.system, *(p.function for p in model.properties)]
    named += design.replace if design else ()
    if any("<locals>" in one.__qualname__ for one in named):
        return None
    texts = []
    for module in _modules(named):
        text = _text(module)
        if text is None:
            return None
        texts += [module.__name__, text, _values(module)]
    properties = [(p.name, p.kind, p.function.__qualname__) for p in model.properties]
    changed = [(c.__module__, c.__qualname__) for c in design.replace] if design else None
    constants = sorted(design.constants) if design else None
    return digest(
        sources(LANGUAGE),
        repr((model.name, model.system.__qualname__, model.deadlock_free, properties)),
        repr((changed, constants)),
        os.getcwd(),  # the places that a program tells of are relative to it
        *texts,
    )


def _modules(named: list[Any]) -> list[ModuleType]:
    """Return the modules that classes and functions lead to, the specification's own only."""
    names = [name for one in named for name in _homes(one)]
    found: dict[str, ModuleType] = {}
    while names:
        name = names.pop()
        module = sys.modules.get(name)
        if name in found or module is None or not _of_specification(module):
            continue
        found[name] = module
        names += [home for value in vars(module).values() for home in _homes(value)]
    return [found[name] for name in sorted(found)]


def _homes(value: Any) -> Iterator[str]:
    """Yield the names of the modules that a value is from."""
    if isinstance(value, ModuleType):
        yield value.__name__
    elif isinstance(value, type):
        yield from (cls.__module__ for cls in value.__mro__)
    else:
        module = getattr(value, "__module__", None)
        if isinstance(module, str):
            yield module


def _of_specification(module: ModuleType) -> bool:
    """Tell whether a module may say something of a specification."""
    name = module.__name__
    if name.partition(".")[0] in sys.stdlib_module_names or name.startswith(_TOOLS):
        return False
    file = getattr(module, "__file__", None)
    return name.startswith("ackproof.") or not (file and file.startswith(_INSTALLED))


def _text(module: ModuleType) -> str | None:
    """Return a digest of a module's source and how it is called; None if it may not be that."""
    file = getattr(module, "__file__", None)
    if file is None:
        return "" if hasattr(module, "__path__") else None  # a folder of modules has no source
    try:
        return _source(Path(file)) if is_as_imported(Path(file)) else None
    except OSError:
        return None


@remembered
def _source(file: Path) -> str:
    return f"{file.resolve()} {hashlib.sha256(file.read_bytes()).hexdigest()}"


def _values(module: ModuleType) -> str:
    """Return the plain values that a module and its classes have, as text."""
    own = {module.__name__: module} | {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    }
    return repr(
        [
            (owner, name, text)
            for owner, holder in own.items()
            for name, value in _named_in(holder).items()
            if not name.startswith("__") and (text := _plain(value)) is not None
        ]
    )


def _named_in(holder: ModuleType | type) -> Mapping[str, object]:
    """Return what a module or a class has, by name; of an enum, the values of its members."""
    if isinstance(holder, type) and issubclass(holder, Enum):
        return {name: member.value for name, member in holder.__members__.items()}
    return vars(holder)


def _plain(value: object) -> str | None:
    """Return a value as text, the same for equal ones; None if it is not plain."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, dict):
        pairs = [(_plain(k), _plain(v)) for k, v in value.items()]
        return None if any(None in pair for pair in pairs) else repr(pairs)
    if not isinstance(value, list | tuple | set | frozenset):
        return None
    parts = [part for one in value if (part := _plain(one)) is not None]
    if len(parts) < len(value):
        return None
    return repr((type(value).__name__, parts if isinstance(value, list | tuple) else sorted(parts)))
