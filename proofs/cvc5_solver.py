"""cvc5, the second solver, which is called where Z3 gives up.

The two look for different instances of quantifiers, and what one does not find in a minute the
other may find in a moment.  It reads the same text that a certificate is made of.  cvc5 is optional
(the extra `certificates`); without it, what Z3 does not decide is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from ackproof.proofs.smt.logic import Term
from ackproof.proofs.smt.script import script

__all__ = ["available", "refutes"]

#: The options that cvc5 is called with, in turn, and the share of the time that each way may take.
_WAYS: tuple[tuple[dict[str, str], float], ...] = (
    ({}, 0.3),
    ({"enum-inst": "true"}, 0.3),
    ({"enum-inst": "true", "miniscope-quant": "agg"}, 0.4),
)


def available() -> bool:
    """Tell whether cvc5 is installed."""
    return find_spec("cvc5") is not None


def refutes(formulas: Sequence[Term], seconds: float) -> bool:
    """Tell whether cvc5 finds that formulas have no model.

    Args:
        formulas: what to ask about.
        seconds: how long it may take.
    """
    text = script(formulas)
    return any(_answer(text, options, seconds * share) == "unsat" for options, share in _WAYS)


def _answer(text: str, options: dict[str, str], seconds: float) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in {"fresh-binders": "true", **options}.items():
        solver.setOption(option, value)
    solver.setOption("tlimit-per", str(max(1, int(1000 * seconds))))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    answers: list[str] = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
    return next((answer.partition(" ")[0] for answer in answers if answer), "unknown")
