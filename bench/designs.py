"""What it takes to get ready for a design after others: with what was made of them, and without.

    python bench/designs.py
    python bench/designs.py --quick

A design is read, found out what its instance switches off, and written as LLVM text; neither
compiled nor searched.  Both ways take turns, design by design, and must write the same text.  What
was made of other designs is of all those before, in the order of the museum; the base is the first.
The figures are processor time of this process, which has one thread.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

if __name__ == "__main__":  # run as a script, with its own directory as the first to import from
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from ackproof.lang import Design, Instance
from ackproof.lang.binding import bind
from ackproof.lang.kept import anew
from ackproof.model.lower.generate import generate
from ackproof.spec.model import MODEL

_QUICK = 12


def designs() -> list[Design]:
    """Return the designs of the museum."""
    modules = pkgutil.iter_modules(importlib.import_module(MODEL.designs).__path__)
    found = (importlib.import_module(f"{MODEL.designs}.{m.name}") for m in modules)
    return [m.design for m in found if isinstance(getattr(m, "design", None), Design)]


def seconds(design: Design | None, instance: Instance) -> tuple[float, str]:
    """Return how long it takes to get ready, and the text; a copy of the design is a new one."""
    began = time.process_time()
    bound = bind(MODEL, instance, design and replace(design))
    text = generate(bound)[0]
    return time.process_time() - began, text


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="designs after each other")
    parser.add_argument("--quick", action="store_true", help=f"{_QUICK} designs")
    some = designs()[: _QUICK if parser.parse_args().quick else None]
    for name in ("tiny", "core"):
        instance = MODEL.instance(name)
        assert instance is not None
        seconds(None, instance)
        after, alone = [], []
        for design in some:
            took, text = seconds(design, instance)
            after.append(took)
            with anew():
                took, same = seconds(design, instance)
            alone.append(took)
            assert text == same, f"{design.claim}: another text after other designs"
        one, other = statistics.median(alone), statistics.median(after)
        print(
            f"{name:<6} {len(some)} designs: {one * 1000:,.0f} ms alone, "
            f"{other * 1000:,.0f} ms after others, {one / other:.1f} times as fast"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
