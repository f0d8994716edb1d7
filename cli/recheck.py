"""`ackproof prove --recheck`: a certificate, checked by a program that shares no code.

The process runs `proofs/recheck.py` as a program.  Here its answers are read and shown, and one
thing is checked that it cannot know: whether the certificate is of the specification as it is.  For
that the manifest is made anew, with every formula, and nothing is solved; it must be the same.  So
what is trusted is the translation, and nothing that stands in the certificate.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.inputs import InputError
from ackproof.cli.ticker import Ticker

if TYPE_CHECKING:
    from ackproof.cli.targets import Target

__all__ = ["recheck_certificate"]

_SCHEMA = "ackproof/recheck/1"
_SOLVERS = ("cvc5", "z3")

#: How what is wrong with more than one file is named.
_WHOLE = "the certificate"


@dataclass
class Answers:
    """What the other process found.

    Attributes:
        files: what was found for each obligation.
        wrong: what is wrong, by name, and what it is.
        open: what no solver has decided.
        single: what only one has, and the other could not say.
    """

    files: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    open: list[tuple[str, str]] = field(default_factory=list)
    single: list[tuple[str, str]] = field(default_factory=list)

    def take(self, answer: dict[str, Any]) -> None:
        """Take what was found for one obligation, or about the shape of the certificate."""
        if "file" not in answer:
            self.wrong.append((_WHOLE, answer["problem"]))
            return
        self.files.append(answer)
        name = f"{answer['name']} ({answer['file']})"
        for solver in _SOLVERS:
            if answer.get(solver) == "sat":
                self.wrong.append((name, f"{solver} finds a model of it: it is not shown"))
        undecided = [s for s in _SOLVERS if answer.get(s) == "unknown"]
        if undecided and "problem" not in answer:
            others = self.open if len(undecided) == len(_SOLVERS) else self.single
            others.append((name, f"{' and '.join(undecided)} cannot decide it"))
        if "problem" in answer:
            self.wrong.append((name, answer["problem"]))

    @property
    def exit_code(self) -> int:
        """0 all is shown, 1 something is wrong, 3 something is open."""
        return 1 if self.wrong else 3 if self.open else 0


def recheck_certificate(
    folder: Path, target: Target, *, workers: int, limit: float, as_json: bool
) -> int:
    """Check a certificate and show what was found; return the exit code.

    Raises:
        InputError: there is no certificate, or no solver to check it.
    """
    manifest = _manifest(folder)
    if importlib.util.find_spec("cvc5") is None:
        raise InputError(
            "cvc5 is not installed, which checks certificates\n"
            "  instead: pip install 'ackproof[certificates]'"
        )
    answers = Answers()
    total = len(manifest["obligations"])
    with Ticker(f"{folder}  reading") as ticker:
        for answer in _answers_of(folder, workers, limit):
            answers.take(answer)
            ticker(f"{folder}  {len(answers.files)} of {total} files")
        _compare(folder, manifest, target, answers, ticker)
    if len(answers.files) < total and not answers.wrong:
        answers.open.append((_WHOLE, "the checking process ended before it was done"))
    if as_json:
        typer.echo(json.dumps(_document(folder, manifest, answers), indent=2))
    else:
        _show(folder, manifest, answers)
    return answers.exit_code


def _manifest(folder: Path) -> dict[str, Any]:
    from ackproof.proofs.certificate import MANIFEST, SCHEMA

    file = folder / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{folder} has no certificate: there is no {file}\n"
            f"  instead: write one: ackproof prove --certificate {folder}"
        ) from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{file} is not JSON: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise InputError(
            f"{file} is not the manifest of a certificate in the format {SCHEMA}\n"
            f"  instead: write one: ackproof prove --certificate {folder}"
        )
    if not _is_readable(manifest):
        raise InputError(
            f"{file} does not say what is proved, of which model, by which obligations\n"
            f"  instead: write it again: ackproof prove --certificate {folder}"
        )
    return manifest


def _is_readable(manifest: dict[str, Any]) -> bool:
    """Tell whether a manifest has what is shown of it."""
    lists = [manifest.get(key) for key in ("proved", "assumptions", "obligations")]
    if not all(isinstance(found, list) for found in lists):
        return False
    proved, assumptions, _ = lists
    return (
        isinstance(manifest.get("model"), str)
        and isinstance(manifest.get("design"), str | None)
        and all(isinstance(name, str) for name in proved or ())
        and all(isinstance(a, dict) and isinstance(a.get("name"), str) for a in assumptions or ())
    )


def _answers_of(folder: Path, workers: int, limit: float) -> Iterator[dict[str, Any]]:
    """Yield what the other process prints."""
    import ackproof.proofs

    program = Path(next(iter(ackproof.proofs.__path__))) / "recheck.py"
    command = [sys.executable, "-P", str(program), str(folder), str(limit), str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)


def _compare(
    folder: Path, manifest: dict[str, Any], target: Target, answers: Answers, ticker: Ticker
) -> None:
    """Note where the certificate is not of the specification as it is."""
    from ackproof.cli.proof_arguments import attempt_of, library_of
    from ackproof.proofs.certificate import INVARIANT, differences, manifest_of

    said = manifest["design"] or manifest["model"]
    if (manifest["model"], manifest["design"]) != (target.model.name, target.name):
        other = f"it is of {said}; name that to have it compared with what it is now"
        answers.open.append((_WHOLE, other))
        return
    if not manifest["proved"]:
        return
    try:
        library = library_of(target)
        attempt = attempt_of(target, library, manifest["proved"])
    except InputError as error:
        answers.open.append((_WHOLE, f"{said} has no such proof: {error}"))
        return
    if attempt.digest() != manifest.get("digest"):
        changed = f"{said} has changed since, or its lemmas have: prove it again"
        answers.open.append((_WHOLE, changed))
        return
    made = manifest_of(
        attempt,
        (*target.model.properties, *library.claims()),
        report=lambda name: ticker(f"{folder}  comparing {name} with {said}"),
    )
    answers.wrong += [(_WHOLE, text) for text in differences(manifest, made)]
    try:
        written = hashlib.sha256((folder / INVARIANT).read_bytes()).hexdigest()
    except OSError:
        written = ""
    if written != made["invariant"]["sha256"]:
        answers.wrong.append((_WHOLE, f"{INVARIANT} does not say what is proved"))


def _document(folder: Path, manifest: dict[str, Any], answers: Answers) -> dict[str, Any]:
    return {
        "schema": _SCHEMA,
        "exit_code": answers.exit_code,
        "folder": str(folder),
        "model": manifest["model"],
        "design": manifest["design"],
        "proved": manifest["proved"],
        "relies_on": manifest.get("relies_on", []),
        "files": answers.files,
        "wrong": [{"name": name, "text": text} for name, text in answers.wrong],
        "open": [{"name": name, "text": text} for name, text in answers.open],
        "single": [{"name": name, "text": text} for name, text in answers.single],
    }


def _show(folder: Path, manifest: dict[str, Any], answers: Answers) -> None:
    from ackproof.cli.page import Page, console

    page = Page(console())
    page.hanging(
        "",
        f"{folder}: {', '.join(manifest['proved'])} of {manifest['design'] or manifest['model']}",
    )
    for assumed in manifest["assumptions"]:
        page.line(f"  assumed: {assumed['name']}")
    for text in manifest.get("relies_on", ()):
        page.line(f"  relies on: {text}")
    for solver in _SOLVERS:
        done = sum(file.get(solver) == "unsat" for file in answers.files)
        page.line(f"  {solver:<5} {done} of {len(manifest['obligations'])} obligations are met")
    for name, text in answers.single:
        page.hanging("  ! ", f"{name}: {text}, the other can", "bold yellow")
    for name, text in (*answers.wrong, *answers.open):
        page.hanging("  ✗ ", f"{name}: {text}", "bold red")
    words = {0: ("shown", "bold green"), 1: ("wrong", "bold red"), 3: ("open", "bold yellow")}
    said = {
        0: "each obligation is met, and together they prove the properties",
        1: "the certificate does not show what it says",
        3: "something is not decided",
    }
    page.line(words[answers.exit_code], f"  {said[answers.exit_code]}")
