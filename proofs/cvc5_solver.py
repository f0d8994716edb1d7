"""cvc5, the second solver, which finds what Z3 does not.

The two look for different instances of quantifiers, and what one does not find in a minute the
other may find in a moment.  It reads the same text that a certificate is made of.  cvc5 is optional
(the extra `certificates`); without it, what Z3 does not decide is unknown.

It is limited by its own units of work, as Z3 is, so that a busy machine gives the same answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from ackproof.proofs.smt.logic import Term
from ackproof.proofs.smt.script import script

__all__ = ["WORK", "available", "refutes"]

#: cvc5's own units of work that it does in a second, roughly.
WORK = 250_000


def available() -> bool:
    """Tell whether cvc5 is installed."""
    return find_spec("cvc5") is not None


def refutes(
    formulas: Sequence[Term], seconds: float, options: Mapping[str, str], patience: float = 20.0
) -> tuple[bool, float]:
    """Tell whether cvc5 finds that formulas have no model, and how many seconds of work it took.

    Args:
        formulas: what to ask about.
        seconds: how much work it may be, as long as that takes where nothing else runs.
        options: of cvc5.
        patience: how many times as long it may take by the clock.
    """
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    limits = {
        "rlimit-per": str(max(1, int(WORK * seconds))),
        "tlimit-per": str(max(1, int(1000 * patience * max(seconds, 1.0)))),
    }
    for option, value in {"fresh-binders": "true", **limits, **options}.items():
        solver.setOption(option, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script(formulas), "obligation")
    answers: list[str] = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
    answer = next((answer.partition(" ")[0] for answer in answers if answer), "unknown")
    used = solver.getStatistics()["resource::resourceUnitsUsed"]["value"]
    return answer == "unsat", used / WORK
