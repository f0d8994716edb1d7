"""The arguments of `ackproof prove`: properties, a design, and the lemmas of its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.cli.inputs import InputError, choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.cli.targets import Target
    from ackproof.lang.lemmas import Library
    from ackproof.proofs.attempt import Attempt

__all__ = ["attempt_of", "library_of", "parse_arguments"]


def parse_arguments(words: Sequence[str]) -> tuple[list[str], Target]:
    """Return the properties among the arguments, and what the design or file among them names.

    Raises:
        InputError: there are two designs, or an argument names nothing.
    """
    from ackproof.cli.targets import base_target, design_names, load, names_design
    from ackproof.lang.properties import BUILT_IN

    designs = [w for w in words if names_design(w)]
    if len(designs) > 1:
        raise InputError(
            f"{designs[0]} and {designs[1]} are two designs, and one is proved at a time\n"
            "  instead: prove them one after the other"
        )
    target = load(designs[0]) if designs else base_target()
    library = library_of(target)
    known = [p.name for p in target.model.claims]
    known += [name for name in (*library.lemmas, *BUILT_IN) if name not in known]
    names = [w for w in words if w not in designs]
    for name in names:
        if name.islower():
            choose("design", name, design_names(), short=True)
        choose("property", name, known)
    return list(dict.fromkeys(names)), target


def library_of(target: Target) -> Library:
    """Return the lemmas of a target: those that its model names, and its file's own.

    Raises:
        InputError: the model names a module that has none.
    """
    from ackproof.proofs.library import LibraryError, lemma_library

    try:
        return lemma_library(target.model, *([target.module] if target.module else []))
    except LibraryError as error:
        raise InputError(str(error)) from None


def attempt_of(target: Target, library: Library, properties: Sequence[str] = ()) -> Attempt:
    """Return the attempt to prove properties of a target.

    Raises:
        InputError: it cannot be made.
    """
    from ackproof.proofs.attempt import prepare
    from ackproof.proofs.library import LibraryError

    try:
        return prepare(target.model, library, properties, target.design, target.name)
    except LibraryError as error:
        raise InputError(str(error)) from None
