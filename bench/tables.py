"""Medians and ratios, as a table that fits a terminal."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bench.cases import Case, Sample
from bench.process import Missing, run

__all__ = ["Column", "machine", "show"]

#: Below that, memory per state says more about the program than about the states.
_MANY = 500_000

_HEADS = ("", "cores", "whole s", "process s", "search s", "CPU s", "MB", "B/state")


class Column:
    """One program on one case: the medians of its samples."""

    def __init__(self, name: str, workers: int, samples: Sequence[Sample]) -> None:
        self.name = name
        self.workers = workers
        self.generated = samples[0].generated
        self.whole = statistics.median(s.whole for s in samples)
        self.process = statistics.median(s.process for s in samples)
        self.build = statistics.median(s.build for s in samples)
        self.search = statistics.median(s.search for s in samples)
        self.cpu = statistics.median(s.cpu for s in samples)
        self.peak = statistics.median(s.peak for s in samples)
        self.held = samples[0].held


def show(case: Case, columns: Sequence[Column], console: Console) -> None:
    """Print one case, with how many times what the kernel takes with as many workers."""
    kernels = {c.workers: c for c in columns if c.name == "kernel"}
    generated = f", {kernels[1].generated:,} generated" if kernels[1].generated else ""
    title = f"{case.name}: {case.states:,} states{generated}"
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for head in _HEADS:
        table.add_column(head, justify="right" if head else "left", no_wrap=True)
    for column in columns:
        base = kernels[column.workers]
        table.add_row(column.name, str(column.workers), *_cells(case, column, base))
    console.print(table)
    for line in _remarks(case, kernels):
        console.print(line)
    console.print()


def _cells(case: Case, c: Column, base: Column) -> list[str]:
    size = c.peak if c.held is None else c.held
    return [
        _seconds(c.whole, base.whole),
        _seconds(c.process, base.process),
        _seconds(c.search, base.search),
        _seconds(c.cpu, base.cpu),
        f"{c.peak / 1e6:.0f}",
        f"{size / case.states:.0f}" if case.states >= _MANY else "-",
    ]


def _seconds(theirs: float, ours: float) -> str:
    times = theirs / ours if ours > 0 else 0.0
    return f"{theirs:.2f} {f'{times:.{0 if times >= 100 else 1}f}×':>5}"


def _remarks(case: Case, kernels: dict[int, Column]) -> list[str]:
    one, two = kernels[1], kernels[2]
    rest = one.whole - one.search - one.build
    said = [
        f"kernel, one worker: {one.whole:.2f} s are {rest:.2f} s for starting, reading and "
        f"reporting, {one.build:.2f} s compiling, {one.search:.2f} s searching"
    ]
    if case.states >= _MANY and one.generated is not None:
        rate = case.states / one.search / 1e6
        said += [
            f"  {rate:.1f} M states/s, {one.search / one.generated * 1e9:.0f} ns a step",
            f"two workers against one: {one.search / two.search:.2f} times in the search, "
            f"{one.whole / two.whole:.2f} times on the whole",
        ]
    return said


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
