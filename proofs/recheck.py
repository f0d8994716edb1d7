"""Rechecking a certificate: a program that knows nothing of how the certificate was made.

It is started as a process of its own, with the folder of the certificate, and imports nothing of
this project.  First it checks the shape: each goal must have been shown by its rule, with
hypotheses that are goals themselves, for each action; then it reads each file, compares its hash,
and has cvc5 and Z3 look for a model of it.  What it trusts is what the manifest says of the
specification: that there are no other actions, that each file is the obligation of its name, and
that an untouched action writes nothing that the goal reads.  `ackproof prove --recheck` checks it.

Each line of its output is a JSON object: one for each problem of the shape, and one for each file.

    python recheck.py DIR [SECONDS [WORKERS]]
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCHEMA = "ackproof/certificate/3"

#: What is true of every step that does not fail, so of all that have no obligation.
FAILURES = ("NoAssertionFails", "StepsAreDefined")

#: How the solvers are called, in turn, and the share of the time that each way may take.
Z3_WAYS: tuple[tuple[dict[str, Any], float], ...] = (
    ({}, 0.05),
    ({"auto_config": False, "smt.mbqi": False, "smt.relevancy": 0}, 0.1),
    ({"smt.pull_nested_quantifiers": True, "smt.macro_finder": True}, 0.25),
    ({"smt.ematching": False}, 0.1),
    ({"unsat_core": True}, 0.1),
    ({"smt.random_seed": 4}, 0.4),
)
CVC5_WAYS: tuple[tuple[dict[str, str], float], ...] = (
    ({}, 0.1),
    ({"enum-inst": "true"}, 0.3),
    ({"enum-inst": "true", "miniscope-quant": "agg"}, 0.3),
    ({"enum-inst": "true", "cegqi": "false", "seed": "1"}, 0.3),
)


def shape(manifest: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the way that the goals are put together."""
    goals = {c["name"]: c for c in manifest["goals"]}
    goals |= {s["name"]: {"rule": "assumption"} for s in manifest["assumptions"]}
    if not manifest["proved"]:
        yield "it does not say that anything is proved"
    for name in manifest["proved"]:
        if name not in goals:
            yield f"{name} is said to be proved, and is no goal of it"
    for goal in manifest["goals"]:
        own = [o for o in manifest["obligations"] if o["goal"] == goal["name"]]
        yield from rule(goal, own, goals, manifest["actions"])
        if goal["rule"] == "ranking":
            yield from ranking(
                goal, own, [a for a in manifest["actions"] if a not in manifest["faults"]]
            )
    files: set[str] = set()
    for o in manifest["obligations"]:
        if o["expected"] != "unsat":
            yield f"{o['name']} is expected to be {o['expected']}, and must be unsat"
        if o["file"] in files:
            yield f"{o['file']} stands for {o['name']}, and for something else before"
        files.add(o["file"])


def rule(
    goal: dict[str, Any],
    own: list[dict[str, Any]],
    goals: dict[str, Any],
    actions: list[str],
) -> Iterator[str]:
    """Yield what is wrong with the way that one goal is shown."""
    name, how = goal["name"], goal["rule"]
    if how not in ("induction", "steps", "consequence", "ranking", "occasion"):
        yield f"{name} is shown by {how}, which is no rule"
        return
    runs = [n for n in goal["by"] if goals.get(n, {}).get("rule") in ("ranking", "occasion")]
    if how == "occasion" and len(runs) != 1:
        yield f"{name} comes true with {', '.join(runs) or 'nothing'}, and not with one property"
    allowed = {*goal["by"], *([name] if how == "induction" else [])}
    for o in own:
        for other in o["hypotheses"]:
            known = goals.get(other, {}).get("rule", "nothing")
            late = known in ("ranking", "occasion") and how != "occasion"
            if other not in allowed or known in ("nothing", "steps") or late:
                yield f"{o['name']} assumes {other}, which {name} is not proved with"
            elif o["kind"] == "initiation" and known != "assumption":
                yield f"{o['name']} assumes {other} before the first state"
    kinds = [o["kind"] for o in own]
    if how in ("consequence", "occasion"):
        if len(own) != 1 or own[0]["action"] is not None or name in before(name, goals):
            yield f"{name} does not follow from other goals, which do not follow from it"
        return
    if how == "ranking":
        return
    if how == "induction" and "initiation" not in kinds:
        yield f"nothing shows that {name} holds at first"
    of = () if goal["event"] else goal["of"]
    alike = how == "induction" or goal["event"] or of or "stuttering" in kinds or name in FAILURES
    if goal["untouched"] and not alike:
        yield f"nothing shows {name} for steps that write nothing that it reads"
    covered = {o["action"] for o in own if o["kind"] in ("consecution", "safety")}
    for action in actions:
        if action not in covered and (action in of or action not in goal["untouched"]):
            yield f"nothing shows {name} for {action}"


def ranking(goal: dict[str, Any], own: list[dict[str, Any]], actions: list[str]) -> Iterator[str]:
    """Yield what is missing that shows that a goal comes true in the end."""
    shown = {(o["kind"], o["part"], o["action"]) for o in own}
    if ("progress", None, None) not in shown:
        yield f"nothing shows that some step helps where {goal['name']} is false"
    for part in goal["parts"]:
        name, helps = part["name"], part["kind"] == "helpful"
        for kind in ("fairness", "enabling", "descent") if helps else ():
            if (kind, name, part["action"]) not in shown:
                yield f"nothing shows {kind} where {name} is true"
        for action in (a for a in actions if a not in part["untouched"]):
            if ("persistence" if helps else "measure", name, action) not in shown:
                yield f"nothing shows {goal['name']} for {name} and {action}"


def before(name: str, goals: dict[str, Any]) -> set[str]:
    """Return what a goal follows from in one and the same state."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        goal = goals.get(waiting.pop(), {})
        if goal.get("rule") in ("consequence", "occasion"):
            waiting += [n for n in goal["by"] if n not in found]
            found |= set(goal["by"])
    return found


def by_z3(text: str, seconds: float) -> str:
    """Return what Z3 says of a script: "unsat", "sat" or "unknown"."""
    import z3

    said = "unknown"
    for options, share in Z3_WAYS:
        solver = z3.SimpleSolver(ctx=(alone := z3.Context()))
        solver.set("rlimit", int(2e6 * seconds * share))  # its work in so many idle seconds
        for option, value in options.items():
            solver.set(option, value)
        for number, said_so in enumerate(z3.parse_smt2_string(text, ctx=alone)):
            # Z3 takes another way where it has to tell which of them it needed.
            if "unsat_core" in options:
                solver.assert_and_track(said_so, f"needed.{number}")
            else:
                solver.add(said_so)
        said = str(solver.check())
        if said != "unknown":
            break
    return said


def by_cvc5(text: str, seconds: float) -> str:
    """Return what cvc5 says of a script: "unsat", "sat" or "unknown"."""
    import cvc5

    said = "unknown"
    for options, share in CVC5_WAYS:
        solver = cvc5.Solver(cvc5.TermManager())
        for option, value in {"fresh-binders": "true", **options}.items():
            solver.setOption(option, value)
        solver.setOption("tlimit-per", str(max(1, int(1000 * seconds * share))))
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
        answers = []
        while not (command := parser.nextCommand()).isNull():
            answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
        said = next((a.partition(" ")[0] for a in answers if a), "unknown")
        if said != "unknown":
            break
    return said


def look(task: tuple[Path, str, str, str, float]) -> dict[str, Any]:
    """Return what is found about one obligation."""
    folder, name, file, digest, seconds = task
    found: dict[str, Any] = {"name": name, "file": file}
    try:
        data = (folder / file).read_bytes()
    except OSError as error:
        return {**found, "problem": f"it cannot be read: {error.strerror}"}
    if hashlib.sha256(data).hexdigest() != digest:
        return {**found, "problem": "it is not the file that the manifest names: its hash differs"}
    for solver, ask in (("cvc5", by_cvc5), ("z3", by_z3)):
        try:
            found[solver] = ask(data.decode(), seconds)
        except Exception as error:
            found[solver] = "unknown"
            found["problem"] = f"{solver} cannot read it: {error}"
    return found


def main() -> None:
    """Check the certificate that the command line names, and print what is found."""
    folder = Path(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20.0
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        problems = list(shape(manifest))
        tasks = [
            (folder, o["name"], o["file"], o["sha256"], seconds) for o in manifest["obligations"]
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        problems, tasks = [f"the manifest cannot be read: {type(error).__name__}: {error}"], []
    for problem in problems:
        print(json.dumps({"problem": problem}), flush=True)
    with multiprocessing.Pool(workers, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        for found in pool.imap(look, tasks):
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(3)
