"""How long a check takes from start to end, as somebody waits for it who changes a design.

    python bench/start.py                          this version
    python bench/start.py --against FOLDER         beside the version that FOLDER has as `ackproof`
    python bench/start.py --quick

Each command is run in a process of its own, and the versions take turns.

- `cold`: nothing was compiled before; the folders of the cache are empty, Python's own is not.
- `again`: the same check a second time, searched anew (`--no-cache`).
- `known`: the same check a second time, with its outcome from the cache.
- `edited`: the check of a design after a line of it was changed, so that nobody has searched it.

Wall time is what somebody waits; on a machine that is not idle, processor time is the fairer
number.  Ratios are of medians, the other version's to this one's.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

CHECKS = {
    "tiny": ("--instance", "tiny"),
    "hasty": ("docs/examples/hasty.py",),
    "on core": ("docs/examples/hasty.py", "--instance", "core"),
    "core": ("--instance", "core"),
}
MODES = ("cold", "again", "known", "edited")
#: A line of a design, and what it is changed to.
EDIT = ("        self.confirm(msg)\n", "        self.confirm(msg)\n        self.confirm(msg)\n")
ROOT = Path(__file__).resolve().parent.parent
#: What a check may end with: verified, violated, unwitnessed.
ENDS = (0, 1, 3)


@dataclass
class Version:
    """A version of the program, with caches of its own and what was measured."""

    name: str
    path: str | None
    scratch: Path
    wall: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    cpu: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def run(self, check: str, mode: str, cache: Path) -> None:
        """Run a check once, and remember how long it took."""
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env |= {
            "ACKPROOF_CACHE": str(cache),
            "XDG_CACHE_HOME": str(cache / "drivers"),
            "PYTHONPYCACHEPREFIX": str(self.scratch / "bytecode"),
        }
        if self.path is not None:
            env["PYTHONPATH"] = self.path
        said = CHECKS[check]
        if mode == "edited":
            said = (str(self._edited(ROOT / said[0])), *said[1:])
        words = [sys.executable, "-m", "ackproof.cli", "check", *said]
        words += ["--no-cache"] if mode == "again" else []
        before, started = _children(), time.perf_counter()
        ended = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
        wall, cpu = time.perf_counter() - started, _children() - before
        if ended.returncode not in ENDS:
            sys.exit(f"{self.name}: {check} ended with {ended.returncode}: {ended.stderr.strip()}")
        self.wall.setdefault((check, mode), []).append(wall)
        self.cpu.setdefault((check, mode), []).append(cpu)

    def _edited(self, file: Path) -> Path:
        """Return a copy of a design with a line changed."""
        text, edited = file.read_text(encoding="utf-8"), self.scratch / "edited.py"
        assert EDIT[0] in text
        edited.parent.mkdir(exist_ok=True)
        edited.write_text(text.replace(*EDIT), encoding="utf-8")
        return edited


def modes_of(check: str) -> tuple[str, ...]:
    """Return how a check is run; only what has a file can be edited."""
    return MODES if CHECKS[check][0].endswith(".py") else MODES[:-1]


def _children() -> float:
    """Return the processor time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(versions: list[Version], checks: list[str], rounds: int) -> None:
    """Run all checks in all modes by all versions, in turns."""
    for number in range(rounds + 1):
        for check in checks:
            caches = {v.name: v.scratch / f"{check}-{number}" for v in versions}
            for mode in modes_of(check):
                for version in versions:
                    version.run(check, mode, caches[version.name])
        if number == 0:  # Python's own caches are filled by now
            for version in versions:
                version.wall.clear()
                version.cpu.clear()


def show(versions: list[Version], checks: list[str]) -> None:
    """Print medians, and how many times what this version takes the others take."""
    first, *others = versions
    print(f"{'check':<8}{'':<8}" + "".join(f"{v.name:>12} s{'CPU s':>8}" for v in versions))
    for check in checks:
        for mode in modes_of(check):
            row = f"{check:<8}{mode:<8}"
            for v in versions:
                wall, cpu = (statistics.median(t[check, mode]) for t in (v.wall, v.cpu))
                row += f"{wall:>14.2f}{cpu:>8.2f}"
            for v in others:
                ratios = [
                    statistics.median(there[check, mode]) / statistics.median(here[check, mode])
                    for here, there in ((first.wall, v.wall), (first.cpu, v.cpu))
                ]
                row += "   {:.1f} times, CPU {:.1f}".format(*ratios)
            print(row)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="How long a check takes from start to end.")
    parser.add_argument("checks", nargs="*", help=f"what to check: {', '.join(CHECKS)}")
    parser.add_argument("--against", type=Path, help="folder with another version as `ackproof`")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="the smallest check, once")
    said = parser.parse_args()
    checks = said.checks or (["tiny"] if said.quick else list(CHECKS))
    unknown = [name for name in checks if name not in CHECKS]
    if unknown:
        parser.error(f"there is no check {unknown[0]!r}; there are: {', '.join(CHECKS)}")
    with tempfile.TemporaryDirectory() as scratch:
        versions = [Version("this", None, Path(scratch, "this"))]
        if said.against is not None:
            versions.append(Version("other", str(said.against.resolve()), Path(scratch, "other")))
        measure(versions, checks, 1 if said.quick else said.rounds)
        show(versions, checks)


if __name__ == "__main__":
    main()
