"""Compiled kernels that are kept between runs: a search that is made anew compiles nothing anew.

Machine code is kept by the text that it was made of, by the compiler, and by the processor that it
is for.  To write that text takes as long as to compile it; so what a program's sources lead to, its
`Frame` and the name of its machine code, is kept by the program's origin, as outcomes are (see
`ackproof.model.results`).  A change to a comment renews the latter and finds the former.

Of a text there may be good code and quick code (see `compile`): good code is taken if it is there,
and quick code else.

What is missing, or not what it should be, is made again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.model.cache import COMPILED, Cache, digest, sources
from ackproof.model.lower import compile as compiling
from ackproof.model.lower.compile import (
    Frame,
    Generated,
    Kernel,
    is_small,
    linked,
    objects_of,
    patience,
    target,
)
from ackproof.model.lower.tables import Tables

__all__ = ["kernel_of"]

#: What entries are called in the cache.
_CODE, _FRAMES = COMPILED

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
    frame, text = _known(origin, cache) or _made(origin, cache, generated())
    kernel = _kernel(bound, frame, _Code(text, cache, generated))
    kernel.compile_seconds = time.perf_counter() - started
    return kernel


@dataclass(frozen=True)
class _Code:
    """The machine code of a text: where it is kept, and what makes it.

    Args:
        text: a digest of the text.
        cache: where code is kept.
        generated: returns the text, among other things.
    """

    text: str
    cache: Cache
    generated: Callable[[], Generated]

    def kept(self, *, quick: bool) -> list[bytes] | None:
        """Return good or quick code, if it is there."""
        return _split(self.cache.get(_CODE, self._name(quick)))

    def made(self, *, quick: bool) -> list[bytes]:
        """Return good or quick code, which is kept from now on."""
        objects = self.kept(quick=quick)
        if objects is None:
            objects = objects_of(self.generated()[0], quick=quick)
            self.cache.put(_CODE, self._name(quick), _joined(objects))
        return objects

    def _name(self, quick: bool) -> str:
        return digest(sources(_COMPILER), target(), "quick" if quick else "good", self.text)


def _kernel(bound: Bound, frame: Frame, code: _Code) -> Kernel:
    """Return a kernel of good code, if that is there or worth making; else of quick code."""
    good = code.kept(quick=False)
    if good is None and not is_small(bound):
        good = code.made(quick=False)
    if good is not None:
        return Kernel(bound, frame, linked(good))
    quick = code.made(quick=True)
    kernel = Kernel(bound, frame, linked(quick), patience=patience(quick))
    kernel.better = lambda: Kernel(bound, frame, linked(code.made(quick=False)))
    return kernel


def _known(origin: str | None, cache: Cache) -> tuple[Frame, str] | None:
    """Return the frame of a program and the digest of its text, if they are kept."""
    data = cache.get(_FRAMES, origin) if origin else None
    if data is None:
        return None
    said = json.loads(data)
    text = said.pop("text")
    tables = {what: _by_number(bits) for what, bits in said.pop("tables").items()}
    return Frame(tables=Tables(**tables), **said), text


def _made(origin: str | None, cache: Cache, generated: Generated) -> tuple[Frame, str]:
    """Return the frame and the digest of what was generated, which are kept from now on."""
    text, layout, tables, fanout = generated
    frame, said = Frame.of(layout, tables, fanout), digest(text)
    if origin:
        cache.put(_FRAMES, origin, json.dumps({"text": said, **asdict(frame)}).encode())
    return frame, said


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
