"""The lemma library of a model: where it is found, and the rules that keep it sound.

A model names the module that has its lemmas (`Model.lemmas`); reading them takes time, so it is
imported only where something is proved.  A file that brings a design may have lemmas of its own.

Five rules keep a library sound, and a library that breaks one is rejected.  A name means one thing:
a lemma that has the name of a property would be proved in its place.  What follows from
other properties must not be among what they follow from: hypotheses of one and the same state must
not go in a circle.  A hypothesis is a property of states, for a property of steps says nothing of
the state before a step.  Assumptions are about constants, for nothing shows that steps preserve
them.
And a ranking says of each step that it waits for which one it is.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from types import ModuleType

from ackproof.lang.lemmas import Library
from ackproof.lang.model import Model
from ackproof.lang.program import Action, Program, PropertyDecl
from ackproof.lang.properties import FAILURES, Property
from ackproof.lang.rankings import Helpful
from ackproof.proofs.relevance import paths_in

__all__ = [
    "LibraryError",
    "check_assumptions",
    "check_circles",
    "check_names",
    "check_rankings",
    "lemma_library",
    "with_lemmas",
]


class LibraryError(Exception):
    """Something cannot be proved as it stands; the message says what to do instead."""


def lemma_library(model: Model, *modules: ModuleType) -> Library:
    """Return the lemmas that a model names, and those of further modules, which come first.

    Raises:
        LibraryError: the model names a module that cannot be imported, or has no `LIBRARY`; or two
            things have the same name.
    """
    found = _named_by(model) | Library.of(*modules)
    with_lemmas(model, found)
    return found


def _named_by(model: Model) -> Library:
    """Return the lemmas that a model names."""
    if not model.lemmas:
        return Library()
    try:
        module = importlib.import_module(model.lemmas)
    except ImportError as error:
        raise LibraryError(
            f"the lemmas of {model.name} cannot be imported from {model.lemmas}: {error}\n"
            "  instead: give Model(lemmas=…) the dotted name of a module"
        ) from None
    library: object = getattr(module, "LIBRARY", None)
    if not isinstance(library, Library):
        raise LibraryError(
            f"{model.lemmas}, which {model.name} names for its lemmas, has no LIBRARY\n"
            "  instead: write LIBRARY = Library.of(…) at its end, with the modules of the lemmas"
        )
    return library


def with_lemmas(model: Model, library: Library) -> Model:
    """Return a model that has the lemmas and assumptions of a library among its properties.

    Raises:
        LibraryError: two of them have the same name.
    """
    known: dict[str, tuple[str, Property]] = {}
    said = (
        *(("property", p) for p in model.properties),
        *(("lemma", one.property) for one in library.lemmas.values()),
        *(("assumption", p) for p in library.assumptions.values()),
        *((f"{one.property.kind} of a ranking", one.property) for one in library.ranked.values()),
    )
    for kind, prop in said:
        other, first = known.setdefault(prop.name, (kind, prop))
        # A lemma that one is not sure of may be a property of the model, too.
        if prop != first or (kind != other and {kind, other} != {"property", "lemma"}):
            raise LibraryError(
                f"{_place(prop)}: the {kind} {prop.name} has the name of the {other} at "
                f"{_place(first)}\n  instead: give it a name of its own"
            )
    return replace(model, properties=tuple(prop for _, prop in known.values()))


def _place(prop: Property) -> str:
    """Return where a property stands, as file and line."""
    code = inspect.unwrap(prop.function).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def check_names(model: Model, library: Library, names: Iterable[str]) -> None:
    """Reject a library where a name means nothing, or something that is no hypothesis.

    Raises:
        LibraryError: see there.
    """
    kinds = {p.name: p.kind for p in (*model.properties, *library.claims())}
    kinds |= dict.fromkeys(FAILURES, "step")
    for name in names:
        if kinds.get(name) == "eventually":
            if name in library.rankings or name in library.follows:
                continue
            raise LibraryError(
                f"{name} is of the kind 'eventually', and has no ranking to prove it with\n"
                "  instead: write one, in RANKINGS, or ask the checker: ackproof check --property "
                + name
            )
        if kinds.get(name) not in ("invariant", "step"):
            what = f"is of the kind {kinds[name]!r}" if name in kinds else "is not there"
            raise LibraryError(
                f"{name} {what}: what can be proved is true of states or of steps\n"
                "  instead: ask the checker about it: ackproof check --property " + name
            )
    for name in library.closure(names):
        if name in library.follows and kinds.get(name) == "step":
            raise LibraryError(
                f"{name} is about steps, so it follows from nothing that is true of a state\n"
                "  instead: say in PROOFS what it is proved with"
            )
        if set(library.follows.get(name, ())) - set(library.by(name)):
            raise LibraryError(
                f"{name} is a lemma, and FOLLOWS has it too\n"
                "  instead: say once what it is proved with"
            )
        runs = [other for other in library.by(name) if kinds.get(other) == "eventually"]
        if kinds.get(name) == "eventually" and name in library.follows and len(runs) != 1:
            raise LibraryError(
                f"{name} is to follow from {' and '.join(runs) or 'invariants only'}, and two "
                "properties of runs need never be true at once\n"
                "  instead: name one property of runs, and invariants"
            )
        allowed = runs if kinds.get(name) == "eventually" and name in library.follows else []
        for other in library.by(name):
            if kinds.get(other) != "invariant" and other not in allowed:
                what = "says nothing of a state" if other in kinds else "is not there"
                raise LibraryError(
                    f"{name} is to be proved with {other}, which {what}\n"
                    "  instead: name an invariant or a lemma"
                )


def check_rankings(program: Program, library: Library) -> None:
    """Reject a ranking of something else, or one that is made of something else.

    Raises:
        LibraryError: see there.
    """
    goals = {p.name: p for p in program.properties}
    for name, others in library.follows.items():
        known = {p.name: p.type for o in others if o in goals for p in goals[o].params}
        if name in goals and known != _types(goals[name]):
            raise LibraryError(
                f"{name} is not about the same elements as what it follows from\n"
                "  instead: give both the same parameters"
            )
    predicates = {p.name: p for p in program.ranked}
    actions = {a.name: a for a in program.actions}
    for name, ranking in library.rankings.items():
        if name in library.follows:
            raise LibraryError(
                f"{name} has a ranking, and FOLLOWS has it too\n"
                "  instead: say once what it is proved with"
            )
        if name not in goals or goals[name].kind != "eventually":
            raise LibraryError(
                f"{name} has a ranking, and is not marked with @eventually\n"
                "  instead: a property of states or steps is proved by what PROOFS says of it"
            )
        known = {p.name: p.type for p in goals[name].params}
        for kind, parts in (("measure", ranking.measure), ("helpful", ranking.helpful)):
            for part in parts:
                said = predicates.get(part)
                if said is None or said.kind != kind:
                    raise LibraryError(
                        f"the ranking of {name} names {part}, which is not marked with @{kind}\n"
                        f"  instead: mark the function with @{kind}, or name another one"
                    )
                for p in said.params:
                    if known.get(p.name, p.type) != p.type:
                        raise LibraryError(
                            f"`{p.name}` is of another sort in {part} than in {name}\n"
                            "  instead: give it another name"
                        )
                one = library.ranked[part]
                if isinstance(one, Helpful) and one.action not in actions:
                    raise LibraryError(
                        f"{part} is to help by {one.action}, and there is no such action\n"
                        f"  instead: name one of {', '.join(actions)}"
                    )
                if isinstance(one, Helpful):
                    _check_arguments(part, actions[one.action], {**known, **_types(said)})


def _types(said: PropertyDecl) -> dict[str, object]:
    return {p.name: p.type for p in said.params}


def _check_arguments(part: str, action: Action, known: Mapping[str, object]) -> None:
    """Reject a helpful predicate that leaves it open which step of an action is waited for."""
    for p in action.params:
        if known.get(p.name) != p.type:
            raise LibraryError(
                f"{part} does not say with which `{p.name}` a step of {action.name} helps\n"
                f"  instead: give it a parameter `{p.name}` of the type that the action has"
            )


def check_circles(library: Library) -> None:
    """Reject a library in which properties follow from each other in a circle.

    Raises:
        LibraryError: they do.
    """
    try:
        TopologicalSorter(library.follows).prepare()
    except CycleError as error:
        circle = " follows from ".join(reversed(error.args[1]))
        raise LibraryError(
            f"properties are said to follow from each other in a circle: {circle}\n"
            "  instead: prove one of the circle by induction"
        ) from None


def check_assumptions(program: Program, library: Library) -> None:
    """Reject a library that assumes something of states.

    Raises:
        LibraryError: it does.
    """
    states = {v.path: v.name for v in program.variables if not v.const}
    for prop in program.properties:
        read = [states[p] for p in paths_in(prop.body, {}) if p in states]
        if prop.name in library.assumptions and read:
            raise LibraryError(
                f"{prop.name} is an assumption, and reads {min(read)}, which steps change\n"
                "  instead: assume something of constants only, and prove the rest as a lemma"
            )
