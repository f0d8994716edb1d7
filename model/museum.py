"""Designs and what is expected of them.

A design is a file: its name is the file's, and it says which property breaks on which instance,
after how many steps, or that all hold.  `judge` runs the check that an expectation speaks of and
says whether it came true.  The museum of a model is the package that its `designs` names; a user's
own design is judged by the same function.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ackproof.lang.errors import BindError
from ackproof.lang.model import Breaks, Design, Holds, Instance, Model
from ackproof.lang.properties import BUILT_IN, DEADLOCK, stated_by
from ackproof.model.check import check
from ackproof.model.report import Report

__all__ = [
    "Judgement",
    "claimed",
    "describe",
    "expected_instance",
    "judge",
    "modules_in",
    "museum",
    "museum_names",
    "steps",
]


@dataclass(frozen=True)
class Judgement:
    """An expectation, the check that decided it, and whether it came true."""

    expectation: Breaks | Holds
    report: Report
    came_true: bool
    found: str

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as the `expectation` of a report's JSON."""
        return {
            "text": describe(self.expectation),
            "came_true": self.came_true,
            "found": self.found,
        }


def museum_names(model: Model) -> tuple[str, ...]:
    """Return the names of a model's designs, in order; nothing is imported but the package."""
    return modules_in(model.designs)


def museum(model: Model) -> dict[str, Design]:
    """Return the designs of a model's museum by name."""
    return {
        name: design_in(importlib.import_module(f"{model.designs}.{name}"))
        for name in museum_names(model)
    }


def modules_in(package: str) -> tuple[str, ...]:
    """Return the names of the modules in a package, in order; none if the name is empty.

    Those whose names begin with an underscore are left out.
    """
    if not package:
        return ()
    folders = importlib.import_module(package).__path__
    return tuple(sorted(m.name for m in pkgutil.iter_modules(folders) if m.name[0] != "_"))


def design_in(module: ModuleType) -> Design:
    """Return the design that a module defines as `design`."""
    design: Design = module.design
    return design


def describe(expectation: Breaks | Holds) -> str:
    """Return an expectation in words, with the instance it is about."""
    where = f"on {expectation.instance}"
    if isinstance(expectation, Breaks):
        return f"{expectation.property} breaks {where} after {steps(expectation.steps)}"
    return f"{claimed(expectation)} {where}"


def claimed(expectation: Breaks | Holds) -> str:
    """Return what is expected to happen, in words, wherever that is."""
    if isinstance(expectation, Breaks):
        return f"{expectation.property} breaks after {steps(expectation.steps)}"
    return f"{expectation.property or 'every property'} holds"


def steps(count: int) -> str:
    """Return a number of steps in words."""
    return f"{count} step" if count == 1 else f"{count} steps"


def expected_instance(model: Model, expectation: Breaks | Holds) -> Instance:
    """Return the instance that an expectation speaks of.

    Raises:
        BindError: the model has no such instance, or no such property.
    """
    known = {i.name: i for i in model.instances}
    if expectation.instance not in known:
        raise BindError(
            f"an expectation names the instance {expectation.instance!r}, which {model.name} does "
            f"not have\n  instead: use one of: {', '.join(known)}"
        )
    names = [*(p.name for p in model.claims), *BUILT_IN]
    if expectation.property is not None and expectation.property not in names:
        raise BindError(
            f"an expectation names the property {expectation.property!r}, which {model.name} does "
            f"not have\n  instead: use one of: {', '.join(names)}"
        )
    return known[expectation.instance]


def judge(
    model: Model,
    design: Design,
    expectation: Breaks | Holds,
    *,
    name: str | None = None,
    reports: dict[str, Report] | None = None,
    **options: Any,
) -> Judgement:
    """Run the check that an expectation speaks of, and say whether it came true.

    All properties are checked together first.  A search stops at the level where the first of
    them breaks; if the one that was expected to break was not among those, it is checked alone.

    `name` is what the design is called; `options` are passed on to `check`.  `reports` remembers
    the checks, for the next expectation of the same design: of all properties by their instance,
    of one by instance and property.
    """
    instance = expected_instance(model, expectation)
    remembered = {} if reports is None else reports
    wanted = expectation.property

    def checked(key: str, **own: Any) -> Report:
        if key not in remembered:
            remembered[key] = check(model, instance, design, name=name, **options | own)
        return remembered[key]

    alone = f"{instance.name} {wanted}"
    if wanted == DEADLOCK and not model.deadlock_free:
        # Whoever expects something of it asks for it, where the model does not.
        report = checked(alone, properties=[wanted])
        return Judgement(expectation, report, *_compare(expectation, report))
    report = checked(instance.name)
    violated = {stated_by(n) for n in report.outcome.violations}
    if wanted is not None and violated and wanted not in violated and not report.complete:
        report = checked(alone, properties=[wanted], program=report.bound.program)
    came_true, found = _compare(expectation, report)
    return Judgement(expectation, report, came_true, found)


def _compare(expectation: Breaks | Holds, report: Report) -> tuple[bool, str]:
    violations = {n: len(path) for n, path in report.outcome.violations.items()}
    broken = ", ".join(f"{n} breaks after {steps(k)}" for n, k in violations.items())
    limit, stopped = report.outcome.limit, ""
    if limit is not None:
        stopped = f"the search stopped at its {limit.value} limit"
        if report.outcome.exhausted:
            stopped = f"every state was seen, and runs were not judged ({limit.value})"
    if isinstance(expectation, Breaks):
        lengths = [k for n, k in violations.items() if stated_by(n) == expectation.property]
        if not lengths:
            return False, broken or stopped or "it holds"
        length = min(lengths)
        return length == expectation.steps, f"it breaks after {steps(length)}"
    if expectation.property in report.unwitnessed:
        return False, "it is never reached"
    if expectation.property is not None and expectation.property not in map(stated_by, violations):
        return limit is None, stopped or "it holds"
    if violations:
        return False, broken
    return limit is None, stopped or "every property holds"
