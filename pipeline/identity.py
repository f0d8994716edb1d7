"""What a search is about: whatever its states, its numbers and its files depend on.

A folder can be gone on with only if the specification still means the same, at the same sizes, with
the same properties watched, and packed states are still laid out in the same way.  Of each of
these the folder has a digest, and every file of states has them, too.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from ackproof.model.kernel.batches import Code
from ackproof.model.lower.compile import Kernel
from ackproof.pipeline.errors import SearchRefused
from ackproof.pipeline.folder import Folder, write_text
from ackproof.pipeline.schema import describe
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.data import show

__all__ = ["FORMAT", "Identity", "code_of", "folder_name", "read_search"]

FORMAT = "ackproof/search/1"

#: Characters of one part of a folder's name.
_LONGEST = 48

#: What each digest is of, in the order in which a difference is told.
_PARTS = {
    "specification": "the specification",
    "instance": "the instance",
    "properties": "the choice of properties, or what one of them says,",
    "layout": "the layout of packed states",
}


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
                "specification": _digest(bound.program.variables, bound.program.actions, fair),
                "instance": _digest(bound.elements, constants, bound.budgets, bound.instance.lacks),
                "properties": _digest(bound.properties, bound.program.deadlock_free),
                "layout": _digest(FORMAT, list(layout.slots.values()), layout.fixed, layout.words),
            },
        )

    def metadata(self) -> dict[str, str]:
        """Return what files of states say of themselves."""
        return {f"ackproof.{name}": digest for name, digest in self.hashes.items()}

    def write(self, folder: Folder, kernel: Kernel) -> None:
        """Begin a search: write down what it is about, and how to read its states."""
        bound, code = kernel.layout.bound, asdict(Code.of(kernel))
        instances = [{"action": i.action.name, "text": str(i)} for i in bound.instances()]
        text = code.pop("text")
        document = {
            "format": FORMAT,
            **asdict(self),
            "words": kernel.words,
            "kernel": code,
            "state": describe(kernel.layout),
            "actions": [a.name for a in bound.actions],
            "instances": instances,
        }
        write_text(folder.kernel, text)
        write_text(folder.search, json.dumps(document) + "\n")

    def refuse_other(self, folder: Folder) -> None:
        """Refuse to go on with a search that is about something else.

        Raises:
            SearchRefused: it is; the text says what differs.
        """
        known = read_search(folder, "parts", "hashes")
        where = f"{folder.root} cannot be resumed"
        if known["parts"] != self.parts:
            raise SearchRefused(
                f"{where}: it is divided into {known['parts']} partitions, not {self.parts}\n"
                f"  instead: give --partitions {known['parts']}, or leave it out"
            )
        for part, what in _PARTS.items():
            if known["hashes"].get(part) != self.hashes[part]:
                raise SearchRefused(
                    f"{where}: {what} has changed since it was begun\n"
                    "  instead: search anew in another folder, or go back to what it was"
                )


def read_search(folder: Folder, *needed: str) -> dict[str, Any]:
    """Return what a search is about, as it was written; what is needed is there.

    Raises:
        SearchRefused: the folder holds no search, or one of another format.
    """
    try:
        found = json.loads(folder.search.read_text(encoding="utf-8"))
        known = found["format"] if isinstance(found, dict) else None
    except FileNotFoundError:
        raise SearchRefused(
            f"{folder.root} holds no search: it has no search.json\n"
            "  instead: name the folder that `ackproof check --engine spark` has printed"
        ) from None
    except (OSError, ValueError, KeyError) as error:
        raise SearchRefused(f"{folder.search} cannot be read: {error}") from None
    missing = ", ".join(key for key in needed if key not in found)
    if known == FORMAT and missing:
        raise SearchRefused(
            f"{folder.search} is not whole: it lacks {missing}\n"
            "  instead: search anew in another folder"
        )
    if known != FORMAT:
        raise SearchRefused(
            f"{folder.root} has the format {known!r}, and this version reads {FORMAT!r}\n"
            "  instead: search anew in another folder"
        )
    document: dict[str, Any] = found
    return document


def code_of(folder: Folder) -> Code:
    """Return the compiled model of a search.

    Raises:
        SearchRefused: the folder holds no search.
    """
    return Code(
        text=folder.kernel.read_text(encoding="utf-8"), **read_search(folder, "kernel")["kernel"]
    )


def folder_name(bound: Bound) -> str:
    """Return the name of the folder for a search: the model, the design, the instance."""
    chosen = [p.name for p in bound.properties]
    every = len(chosen) == len(bound.program.properties)
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
