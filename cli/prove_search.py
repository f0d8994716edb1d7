"""The options of `ackproof prove` for searches: bounded model checking and k-induction.

One thing is done at a time.  An option that would have no effect is rejected, so that nobody
believes that it had one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackproof.cli.inputs import InputError, choose

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.lang.lemmas import Library
    from ackproof.lang.model import Instance

__all__ = ["Search", "check_options"]

#: Seconds for a search.
_LIMIT = 60.0


@dataclass(frozen=True)
class Search:
    """A search for lemmas, or for runs, as the options say.

    Attributes:
        depth: the most steps of a run.
        induction: how many steps an induction starts from.
        instances: the names of instances.
        using: names of lemmas that may be assumed, with commas between them.
        limit: seconds.
    """

    depth: int | None
    induction: int | None
    instances: Sequence[str]
    using: str | None
    limit: float | None

    @property
    def wanted(self) -> str | None:
        """The option that starts a search."""
        searches = {
            "--depth": self.depth is not None,
            "--induction": self.induction is not None,
        }
        return next((option for option, given in searches.items() if given), None)

    def run(
        self, target: Target, library: Library, properties: Sequence[str], *, as_json: bool
    ) -> int:
        """Search, and show what was found; return the exit code.

        Raises:
            InputError: a name means nothing, or none is given.
        """
        if not properties:
            raise InputError(
                f"{self.wanted} needs something to prove: name a property\n"
                "  instead: ackproof prove --list shows them"
            )
        instances, using = self._instances(target), self._assumed(target, library)
        limit = _LIMIT if self.limit is None else self.limit
        from ackproof.cli.bounded_search import search_runs

        length, by_induction = self.induction or self.depth or 1, self.induction is not None
        return search_runs(
            target,
            library,
            properties,
            instances,
            using,
            length,
            limit,
            induction=by_induction,
            as_json=as_json,
        )

    def _instances(self, target: Target) -> list[Instance]:
        known = {one.name: one for one in target.model.instances}
        if not known:
            raise InputError(f"{target.label} has no instance; {self.wanted} needs one")
        names = self.instances or list(known)[:1]
        return [known[choose("instance", name, known)] for name in dict.fromkeys(names)]

    def _assumed(self, target: Target, library: Library) -> list[str]:
        known = [p.name for p in target.model.properties if p.kind == "invariant"]
        known += [name for name in (*library.lemmas, *library.assumptions) if name not in known]
        return [choose("lemma", name, known) for name in _names(self.using)]


def _names(text: str | None) -> list[str]:
    """Return names between commas, each once."""
    return list(dict.fromkeys(filter(None, (one.strip() for one in (text or "").split(",")))))


def check_options(
    search: Search,
    recheck: Path | None,
    certificate: Path | None,
    *,
    core: bool,
    list_all: bool,
) -> None:
    """Reject options that do not go together.

    Raises:
        InputError: they do not.
    """
    given = {
        "--recheck": recheck is not None,
        "--list": list_all,
        "--core": core,
        "--depth": search.depth is not None,
        "--induction": search.induction is not None,
        "--certificate": certificate is not None,
    }
    chosen = [option for option, there in given.items() if there]
    if len(chosen) > 1:
        raise InputError(
            f"{chosen[0]} and {chosen[1]} are two things to do\n  instead: do one after the other"
        )
    doing = chosen[0] if chosen else None
    for option, value, with_ in (
        ("--instance", search.instances, ("--depth", "--induction")),
        ("--using", search.using, ("--induction",)),
    ):
        if value and doing not in with_:
            raise InputError(f"{option} goes with {' or '.join(with_)} only; leave it out")
