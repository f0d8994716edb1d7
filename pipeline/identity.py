"""What a search is about: whatever its states, its numbers and its files depend on.

A folder can be gone on with only if the specification still means the same, at the same sizes, with
the same properties watched, and packed states are still laid out in the same way.  Of each of
these the folder has a digest, and every file of states has them, too.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from ackproof.lang.binding import Bound
from ackproof.lang.data import show
from ackproof.lang.types import SortT
from ackproof.model.kernel.batches import Code
from ackproof.model.lower.compile import Kernel
from ackproof.pipeline.errors import SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.schema import describe
from ackproof.pipeline.sealed import (
    FileChanged,
    read_document,
    read_text,
    sealed_document,
    sealed_text,
)

__all__ = ["FORMAT", "Identity", "SearchDocument", "code_of", "folder_name", "read_search"]

FORMAT = "ackproof/search/4"

#: Characters of one part of a folder's name.
_LONGEST = 48

#: What each digest is of, in the order in which a difference is told.
_PARTS = {
    "specification": "the specification",
    "instance": "the instance",
    "properties": "the choice of properties, or what one of them says,",
    "layout": "the layout of packed states",
}


class ActionInstance(msgspec.Struct, frozen=True):
    """An action with its arguments, as a text and by name."""

    action: str
    text: str


class SearchDocument(msgspec.Struct, frozen=True):
    """What is written down of a search, as `search.json`.

    Args:
        model, design, instance, parts, hashes: see `Identity`.
        words: words of 64 bits in a packed state.
        kernel: what `Code` has besides the text.
        state: how to read a packed state, see `ackproof.pipeline.schema`.
        actions: their names.
        instances: all action instances, by number.
    """

    format: str
    model: str
    design: str | None
    instance: str
    parts: int
    hashes: dict[str, str]
    words: int
    kernel: dict[str, int | bool]
    state: dict[str, Any]
    actions: list[str]
    instances: list[ActionInstance]


@dataclass(frozen=True)
class Identity:
    """What a search is about, in names and digests.

    Args:
        model: the name of the model.
        design: the claim of the design, if there is one.
        instance: the name of the instance.
        parts: into how many parts states are divided.
        hashes: digests of the specification, the instance, the properties and the layout.
    """

    model: str
    design: str | None
    instance: str
    parts: int
    hashes: dict[str, str]

    @staticmethod
    def of(bound: Bound, kernel: Kernel, parts: int) -> Identity:
        """Return what a search of a bound program is about."""
        constants = [(*at, show(value)) for at, value in bound.constants.items()]
        fair = [a.fair for a in bound.actions]
        layout = kernel.layout
        return Identity(
            model=bound.program.name,
            design=bound.design.claim if bound.design else None,
            instance=bound.instance.name,
            parts=parts,
            hashes={
                "specification": _digest(
                    bound.program.variables, bound.program.actions, fair, *bound.initially
                ),
                "instance": _digest(bound.elements, constants, bound.budgets, bound.instance.lacks),
                "properties": _digest(
                    bound.properties, bound.program.deadlock_free, *bound.constraints
                ),
                "layout": _digest(FORMAT, list(layout.slots.values()), layout.fixed, layout.words),
            },
        )

    def metadata(self) -> dict[str, str]:
        """Return what files of states say of themselves."""
        return {f"ackproof.{name}": digest for name, digest in self.hashes.items()}

    def write(self, folder: Folder, kernel: Kernel) -> None:
        """Begin a search: write down what it is about, and how to read its states."""
        bound, code = kernel.layout.bound, asdict(Code.of(kernel))
        text = code.pop("text")
        document = SearchDocument(
            FORMAT,
            **asdict(self),
            words=kernel.words,
            kernel=code,
            state=describe(kernel.layout),
            actions=[a.name for a in bound.actions],
            instances=[ActionInstance(i.action.name, str(i)) for i in bound.instances()],
        )
        folder.kernel.write(sealed_text(text))
        folder.search.write(sealed_document(msgspec.json.encode(document)))

    def refuse_other(self, folder: Folder) -> None:
        """Refuse to go on with a search that is about something else.

        Raises:
            SearchRefused: it is; the text says what differs.
        """
        known = read_search(folder)
        where = f"{folder.root} cannot be resumed"
        if known.parts != self.parts:
            raise SearchRefused(
                f"{where}: it is divided into {known.parts} partitions, not {self.parts}\n"
                f"  instead: give --partitions {known.parts}, or leave it out"
            )
        for part, what in _PARTS.items():
            if known.hashes.get(part) != self.hashes[part]:
                raise SearchRefused(
                    f"{where}: {what} has changed since it was begun\n"
                    "  instead: search anew in another folder, or go back to what it was"
                )


class _Versioned(msgspec.Struct):
    format: Any


def read_search(folder: Folder) -> SearchDocument:
    """Return what a search is about, as it was written.

    Raises:
        SearchRefused: the folder holds no search, or one of another format.
    """
    try:
        text = folder.search.read_bytes()
        known = msgspec.json.decode(text, type=_Versioned).format
    except FileNotFoundError:
        raise SearchRefused(
            f"{folder.root} holds no search: it has no search.json\n"
            "  instead: name the folder that `ackproof check --engine spark` has printed"
        ) from None
    except (OSError, msgspec.DecodeError) as error:
        raise SearchRefused(f"{folder.search} cannot be read: {error}") from None
    if known != FORMAT:
        raise SearchRefused(
            f"{folder.root} has the format {known!r}, and this version reads {FORMAT!r}\n"
            "  instead: search anew in another folder"
        )
    try:
        return msgspec.json.decode(read_document(folder.search), type=SearchDocument)
    except (FileChanged, msgspec.DecodeError) as error:
        raise SearchRefused(
            f"{folder.search} is not whole: {error}\n  instead: {folder.remedy(folder.search)}"
        ) from None


def code_of(folder: Folder) -> Code:
    """Return the compiled model of a search.

    Raises:
        SearchRefused: the folder holds no search.
    """
    numbers: dict[str, Any] = read_search(folder).kernel
    return Code(text=read_text(folder.kernel), **numbers)


def folder_name(bound: Bound) -> str:
    """Return the name of the folder for a search: the model, the design, the instance."""
    chosen = [p.name for p in bound.properties]
    functions = {p.function for p in bound.properties}
    # Of a sort without elements, there is nothing that a property is said of.
    said = [
        p
        for p in bound.program.properties
        if all(bound.elements[q.type.name] for q in p.params if isinstance(q.type, SortT))
    ]
    every = functions == {p.name for p in said}
    named = [
        bound.program.name,
        bound.design.claim if bound.design else "",
        bound.instance.name,
        "" if every else "-".join(["only", *chosen]),
    ]
    return "-".join(slug for slug in map(_slug, named) if slug)


def _slug(name: str) -> str:
    """Return a name as part of a file's name; a long one is cut, and still has its own."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return slug if len(slug) <= _LONGEST else f"{slug[: _LONGEST - 7]}-{_digest(name)[:6]}"


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
