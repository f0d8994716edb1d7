"""Which checks a command line asks for, decided before the first of them runs.

Without `--instance`, a design is checked where it expects something, or where its file brings
instances.  One that says nothing of the kind is checked wherever it makes a difference, the
smallest instances first: that is one job here, and its runs are known as it goes.  Everything else
is checked on the default instance, the first of the model.  All names are looked up here, so that a
slip in the last one does not cost the time of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ackproof.cli.inputs import InputError, choose
from ackproof.cli.targets import Target
from ackproof.lang.errors import BindError
from ackproof.lang.model import Breaks, Holds, Instance
from ackproof.lang.properties import BUILT_IN
from ackproof.model.cache import FOUND, Cache, default_cache
from ackproof.model.difference import BUDGETS, by_size
from ackproof.model.museum import expected_instance
from ackproof.model.resources import default_workers, parse_size

__all__ = ["Job", "cache_for", "memory_limit", "plan", "worker_count"]

#: Threads that may be asked for anywhere, however few can run at once.
_ALWAYS = 4


#: How instances are chosen for a design of which nobody says where it matters.
_LOOKED = "checked where it makes a difference, the smallest instances first"


@dataclass(frozen=True)
class Job:
    """One check: a target on an instance, and what is expected of it.

    Args:
        note: why it is this instance, where another would be the default.
        budget: how many states of the base are spent on instances that are found out as it is
            checked, instead of that one.
        cut_short: somebody interrupted it before all of these instances were found out.
    """

    target: Target
    instance: Instance
    expectation: Breaks | Holds | None = None
    note: str = ""
    budget: int = 0
    cut_short: bool = False

    @property
    def label(self) -> str:
        """How progress calls it."""
        return f"{self.target.label} on {self.instance.name}"


def plan(
    targets: Sequence[Target],
    instances: Sequence[str],
    properties: Sequence[str],
    engine: str = "kernel",
) -> list[Job]:
    """Return the checks to run, in order.

    Raises:
        InputError: an instance or property is unknown.
    """
    jobs = []
    for target in targets:
        names = [p.name for p in target.model.claims]
        for name in properties:
            choose("property", name, [*names, *BUILT_IN])
        jobs += _jobs(target, instances, engine, judged=not properties)
    return jobs


def _jobs(target: Target, instances: Sequence[str], engine: str, *, judged: bool) -> list[Job]:
    model = target.model
    expected = target.design.expect if target.design and judged else ()
    try:
        found = [Job(target, expected_instance(model, e), e) for e in expected]
    except BindError as error:
        raise InputError(f"{target.label}: {error}") from None
    if instances:
        names = [choose("instance", name, [i.name for i in model.instances]) for name in instances]
        chosen = [i for name in dict.fromkeys(names) for i in model.instances if i.name == name]
        return [
            job for i in chosen for job in [j for j in found if j.instance == i] or [Job(target, i)]
        ]
    if target.design and not found and not target.own and engine in BUDGETS:
        return [Job(target, by_size(model)[0], None, _LOOKED, BUDGETS[engine])]
    return [replace(j, note=_note(target, found)) for j in found] or [
        Job(target, model.instances[0], note=_note(target, []))
    ]


def _note(target: Target, expected: Sequence[Job]) -> str:
    """Say why instances were chosen, if the default of the model is not among them."""
    usual = next((i for i in target.model.instances if i not in target.own), None)
    seen = list(dict.fromkeys(j.instance.name for j in expected))
    if not seen and target.own:
        names, why = target.own[0].name, "the first instance that the file brings"
    else:
        names, why = ", ".join(seen), "which its expectations name"
    if not names or usual is None or usual.name in seen:
        return ""
    return f"checked on {names}, {why}; {usual.name} was not looked at"


def worker_count(workers: int | None) -> int | None:
    """Return the number of threads that `--workers` asks for, or None if it was not given.

    Raises:
        InputError: there are more than the machine can run.
    """
    most = max(default_workers(), _ALWAYS)
    if workers is not None and workers > most:
        raise InputError(
            f"--workers {workers}: {default_workers()} can run at once here\n"
            f"  instead: give {most} or fewer, or leave it out"
        )
    return workers


def memory_limit(text: str | None) -> int | None:
    """Return the bytes that `--memory` allows, or None if it was not given.

    Raises:
        InputError: it is not a size.
    """
    if text is None:
        return None
    try:
        return parse_size(text)
    except ValueError:
        raise InputError(
            f"--memory {text!r} is not a size; write a number with K, M, G or T, such as 512M or 2G"
        ) from None


def cache_for(no_cache: bool) -> Cache | None:
    """Return where results are kept; with `--no-cache`, nothing that was found is there.

    What was read and compiled is kept all the same: it makes nothing less of a search or a proof.
    """
    cache = default_cache()
    return cache.without(*FOUND) if no_cache and cache else cache
