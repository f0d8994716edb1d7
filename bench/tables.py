"""Medians and ratios, as a table that fits a terminal."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.cases import Case, Sample
from bench.process import Missing, run

__all__ = ["Column", "machine", "show"]


class Column:
    """One program on one case: its samples."""

    def __init__(self, name: str, workers: int, samples: Sequence[Sample]) -> None:
        self.name = name
        self.workers = workers
        self.whole = statistics.median(s.whole for s in samples)
        self.build = statistics.median(s.build for s in samples)
        self.search = statistics.median(s.search for s in samples)
        self.peak = statistics.median(s.peak for s in samples)
        self.held = samples[0].held
        self.runs = len(samples)

    @property
    def run(self) -> float:
        """Seconds without building."""
        return self.whole - self.build


def show(case: Case, columns: Sequence[Column], console: Console) -> None:
    """Print one case: seconds, how many times the kernel's on as many workers, and memory."""
    kernels = {c.workers: c for c in columns if c.name == "kernel"}
    title = f"{case.name}: {case.states:,} states, {case.generated:,} generated"
    table = Table(title=title, title_justify="left", title_style="bold")
    for head in (
        "",
        "workers",
        "runs",
        "whole s",
        "× kernel",
        "without build",
        "× kernel",
        "search s",
        "× kernel",
        "peak MB",
        "B/state",
    ):
        table.add_column(head, justify="left" if not head else "right")
    for c in columns:
        base = kernels[c.workers]
        size = c.peak if c.held is None else c.held
        table.add_row(
            c.name,
            str(c.workers),
            str(c.runs),
            f"{c.whole:.2f}",
            _times(c.whole, base.whole),
            f"{c.run:.2f}",
            _times(c.run, base.whole),
            f"{c.search:.3f}",
            _times(c.search, base.search),
            f"{c.peak / 1e6:.0f}",
            f"{size / case.states:.0f}" if case.states >= 100_000 else "-",
        )
    console.print(table)
    if set(kernels) == {1, 2}:
        one, two = kernels[1], kernels[2]
        console.print(
            f"kernel, two workers against one: {one.search / two.search:.2f} times as "
            f"fast in the search, {one.whole / two.whole:.2f} times on the whole\n"
        )


def _times(theirs: float, ours: float) -> str:
    return f"{theirs / ours:.1f}" if ours > 0 else "-"


def machine() -> str:
    """Describe the machine and the programs in one paragraph."""
    cpu = _first(r"model name\s*: (.*)", Path("/proc/cpuinfo")) or platform.processor()
    memory = int(_first(r"MemTotal:\s*(\d+)", Path("/proc/meminfo")) or 0) / 1e6
    load = _first(r"(\S+)", Path("/proc/loadavg")) or "?"
    cores = len(os.sched_getaffinity(0))
    versions = [_version(c) for c in (["spin", "-V"], ["gcc", "--version"], ["java", "-version"])]
    return (
        f"{cpu}, {cores} cores, {memory:.0f} GB, load {load} at the start; "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}; "
        + "; ".join(versions)
    )


def _first(pattern: str, file: Path) -> str | None:
    found = re.search(pattern, file.read_text()) if file.exists() else None
    return found.group(1) if found else None


def _version(command: list[str]) -> str:
    try:
        return run(command, Path.cwd()).lines[0][1]
    except Missing:
        return f"no {command[0]}"
