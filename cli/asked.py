"""What is to be proved: which of the arguments are properties, and with which lemmas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.cli.inputs import InputError, choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.cli.targets import Target
    from ackproof.proofs.lemma import Library
    from ackproof.proofs.prove import Attempt

__all__ = ["attempt_of", "library_of", "sorted_out"]


def sorted_out(words: Sequence[str]) -> tuple[list[str], Target]:
    """Return which of the arguments are properties, and what the other names.

    Raises:
        InputError: there are two designs, or one of the words names nothing.
    """
    from ackproof.cli.targets import base_target, design_names, load, names_design

    designs = [w for w in words if names_design(w)]
    if len(designs) > 1:
        raise InputError(
            f"{designs[0]} and {designs[1]} are two designs, and one is proved at a time\n"
            "  instead: prove them one after the other"
        )
    target = load(designs[0]) if designs else base_target()
    library = library_of(target)
    known = [p.name for p in target.model.properties]
    known += [name for name in library.lemmas if name not in known]
    names = [w for w in words if w not in designs]
    for name in names:
        if name.islower():
            choose("design", name, design_names(), short=True)
        choose("property", name, known)
    return list(dict.fromkeys(names)), target


def library_of(target: Target) -> Library:
    """Return the lemmas of a target: those of the base, if it changes that, and its file's own."""
    from ackproof.cli.targets import base_target
    from ackproof.proofs.lemma import Library
    from ackproof.proofs.lemmas import LIBRARY

    own = Library.of(*([target.module] if target.module else []))
    if target.model.name != base_target().model.name:
        return own
    return LIBRARY | own


def attempt_of(target: Target, library: Library, properties: Sequence[str] = ()) -> Attempt:
    """Return the proof to be made.

    Raises:
        InputError: it cannot be made.
    """
    from ackproof.proofs.prove import prepare
    from ackproof.proofs.sound import LibraryError

    try:
        return prepare(target.model, library, properties, target.design, target.name)
    except LibraryError as error:
        raise InputError(str(error)) from None
