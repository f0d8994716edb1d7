"""Random programs: plain Python and both translations of the prover, compared on many of them.

    python bench/programs.py                     ten thousand programs, from a new seed
    python bench/programs.py 500 --seed 7        so many, from that seed

Programs are drawn as in the tests, three quarters of them small, a hundred from each seed.  In some
states of each, steps and properties are compared in plain Python, in the finite translation and in
the unbounded one.  A line is printed for each seed, with what was compared so far.  A program on
which they differ is kept in a file, with what differed.

Exit code 0: all agree; 1: on some they differ.
"""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from ackproof.lang.binding import bind
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as drawn_from

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from tests import exploring
from tests.model import random_specs
from tests.model.loading import module_of
from tests.proofs.smt.test_translation import compare

#: Programs that are drawn from one seed.
_EACH = 100

#: How deep expressions are, in how many states steps are compared, and what share of the steps.
_SMALL, _LARGE = (2, 4, 0.3), (3, 6, 0.5)


class Comparison:
    """What was compared so far.

    Args:
        out: where programs are kept on which the three differ.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.seen: set[str] = set()
        self.differing = 0
        self.compared: Counter[str] = Counter()

    def draw(self, seed: int, size: tuple[int, int, float]) -> None:
        """Compare the programs of a seed."""
        exploring.explore(seed, long=True)
        depth, states, share = size
        folder = Path(tempfile.mkdtemp())

        @drawn_from(seed)
        @settings(
            max_examples=_EACH,
            suppress_health_check=list(HealthCheck),
            deadline=None,
            database=None,
            phases=[Phase.generate],
        )
        @given(source=random_specs.specs(depth=depth))
        def each(source: str) -> None:
            if source in self.seen:
                return
            self.seen.add(source)
            try:
                model = module_of(source, folder)
                self.compared.update(compare(bind(model, model.instances[0]), states, share))
            except Exception:
                self._keep(source, traceback.format_exc())

        each()
        shutil.rmtree(folder)
        # Nobody asks for the modules again.
        for name in [name for name in sys.modules if name.startswith("written_spec_")]:
            del sys.modules[name]

    def _keep(self, source: str, why: str) -> None:
        self.differing += 1
        self.out.mkdir(parents=True, exist_ok=True)
        said = "\n".join(f"# {line}".rstrip() for line in why.splitlines())
        (self.out / f"program_{self.differing}.py").write_text(f"{source}\n\n{said}\n")


def main(
    count: Annotated[int, typer.Argument(min=1, help="How many programs.")] = 10_000,
    seed: Annotated[int | None, typer.Option(help="The first seed; a new one if left out.")] = None,
    out: Annotated[Path, typer.Option(help="Where to keep what differs.")] = Path("differing"),
) -> None:
    """Compare random programs.  Example: bench/programs.py 500 --seed 7"""
    first = secrets.randbelow(10**9) if seed is None else seed
    found, at = Comparison(out), first
    while len(found.seen) < count:
        found.draw(at, _LARGE if at % 4 == 0 else _SMALL)
        said = ", ".join(f"{n:,} {what}" for what, n in sorted(found.compared.items()))
        print(
            f"seed {at}: {len(found.seen):,} programs so far, {found.differing} differ; {said}",
            flush=True,
        )
        at += 1
    print(f"{len(found.seen):,} programs from the seeds {first} to {at - 1}: ", end="")
    print(f"{found.differing} differ" if found.differing else "all agree")
    raise typer.Exit(1 if found.differing else 0)


if __name__ == "__main__":
    typer.run(main)
