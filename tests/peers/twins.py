"""TLC and SPIN on specifications in their languages that say the same as a model of ours."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import tlc
from bench.process import Failed, Missing, run

__all__ = ["told_by_spin", "told_by_tlc", "told_of_runs"]


def told_by_tlc(folder: Path, name: str, module: str, lines: Sequence[str], *options: str) -> str:
    """Return what TLC says of a module; where it is not installed, fail if this run decides.

    Args:
        folder: where the files go.
        name: the name of the module.
        module: its text.
        lines: what it is asked, as lines of a configuration.
        options: those of TLC, besides the usual ones.
    """
    (folder / f"{name}.tla").write_text(module)
    (folder / f"{name}.cfg").write_text("\n".join([*lines, ""]))
    try:
        own = tlc.own_files(folder)
        java = ["java", *tlc.SOON, own, "-cp", str(tlc.jar()), "tlc2.TLC", "-deadlock", *options]
        return run([*java, "-metadir", str(folder / "states"), f"{name}.tla"], folder).text
    except Failed as violated:
        return str(violated)
    except Missing as problem:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{problem}, and the comparison must be made here")
        pytest.skip(str(problem))


def told_by_spin(folder: Path, model: str, *flags: str) -> str:
    """Return what SPIN's verifier says of a model, all errors told.

    Where SPIN or a compiler is not installed, fail if this run decides.

    Args:
        folder: where the files go.
        model: its text.
        flags: for the C compiler; what the model itself asks for, `-DREACHABLE`, is for SPIN.
    """
    asked = [flag for flag in flags if flag == "-DREACHABLE"]
    others = [flag for flag in flags if flag not in asked]
    _build(folder, model, asked, ["-DSAFETY", *others])
    return run(["./pan", "-m100000", "-c0"], folder).text


def told_of_runs(folder: Path, model: str, formulas: Sequence[str], *flags: str) -> dict[str, str]:
    """Return what SPIN's verifier says of each of some formulas about runs that are fair.

    Args:
        folder: where the files go.
        model: its text.
        formulas: their names.
        flags: for the C compiler.
    """
    _build(folder, model, ["-DRUNS"], flags)
    pan = ["./pan", "-m1000000", "-a", "-f", "-A", "-E", "-N"]
    return {name: run([*pan, name], folder).text for name in formulas}


def _build(folder: Path, model: str, asked: Sequence[str], flags: Sequence[str]) -> None:
    """Make a verifier."""
    (folder / "translated.pml").write_text(model)
    try:
        run(["spin", "-a", *asked, "translated.pml"], folder)
        run(["gcc", "-O0", "-w", *flags, "-o", "pan", "pan.c"], folder)
    except Missing as problem:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{problem}, and the comparison must be made here")
        pytest.skip(str(problem))
