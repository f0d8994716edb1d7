"""Compiled kernels that are kept between runs: a search that is made anew compiles nothing anew.

Machine code is kept by the text that it was made of, by the compiler, and by the processor that it
is for.  To write that text takes as long as to compile it; so what a program's sources lead to, its
`Frame` and the name of its machine code, is kept by the program's origin, as outcomes are (see
`ackproof.model.results`).  A change to a comment renews the latter and finds the former.

What is missing, or not what it should be, is made again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.model.cache import Cache, digest, sources
from ackproof.model.lower import compile as compiling
from ackproof.model.lower.compile import Frame, Generated, Kernel, linked, objects_of, target
from ackproof.model.lower.tables import Tables

__all__ = ["kernel_of"]

#: What entries are called in the cache.
_FRAMES, _CODE = "frames", "code"

#: What makes machine code of a text.
_COMPILER = Path(compiling.__file__)


def kernel_of(
    bound: Bound, origin: str | None, cache: Cache, generated: Callable[[], Generated]
) -> Kernel:
    """Return the kernel of a bound program; from the cache, if it is there.

    Args:
        bound: the program at the sizes of an instance.
        origin: a digest of all that it comes from and of what generates code, if that can be told.
        cache: where kernels are kept.
        generated: returns what code is made of, where there is none.

    Raises:
        BindError: a state of this instance does not fit.
    """
    started = time.perf_counter()
    kernel = _known(bound, origin, cache) or _made(bound, origin, cache, generated())
    kernel.compile_seconds = time.perf_counter() - started
    return kernel


def _known(bound: Bound, origin: str | None, cache: Cache) -> Kernel | None:
    data = cache.get(_FRAMES, origin) if origin else None
    if data is None:
        return None
    said = json.loads(data)
    objects = _split(cache.get(_CODE, _name(said.pop("text"))))
    if objects is None:
        return None
    tables = {what: _by_number(bits) for what, bits in said.pop("tables").items()}
    return Kernel(bound, Frame(tables=Tables(**tables), **said), linked(objects))


def _made(bound: Bound, origin: str | None, cache: Cache, generated: Generated) -> Kernel:
    text, layout, tables, fanout = generated
    frame, said = Frame.of(layout, tables, fanout), digest(text)
    name = _name(said)
    objects = _split(cache.get(_CODE, name))
    if objects is None:
        objects = objects_of(text)
        cache.put(_CODE, name, _joined(objects))
    if origin:
        cache.put(_FRAMES, origin, json.dumps({"text": said, **asdict(frame)}).encode())
    return Kernel(bound, frame, linked(objects))


def _name(text: str) -> str:
    """Return the key of the machine code of a text, which is given by its digest."""
    return digest(sources(_COMPILER), target(), text)


def _by_number(bits: dict[str, Any]) -> dict[int, Any]:
    return {int(bit): name for bit, name in bits.items()}


def _joined(objects: list[bytes]) -> bytes:
    """Return object files as one: their sizes, then the files."""
    return json.dumps([len(code) for code in objects]).encode() + b"\n" + b"".join(objects)


def _split(data: bytes | None) -> list[bytes] | None:
    """Return what `_joined` was given."""
    if data is None:
        return None
    head, _, rest = data.partition(b"\n")
    found = []
    for size in json.loads(head):
        found.append(rest[:size])
        rest = rest[size:]
    return found
