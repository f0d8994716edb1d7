"""A counterexample as a client program: pika, and the control API of the reference broker.

The program is one file, which needs pika and nothing of this project.  It begins with what it is
about: how far the specification itself takes the run, and what becomes of each step.  Then come the
run, a paragraph for each step, and what such programs are made with (`client_kit`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from ackproof.export.client_plan import ASKED, BEYOND, LEFT, TIMED, Plan, plan, taken_by
from ackproof.export.mark import WRITTEN
from ackproof.lang.binding import Bound
from ackproof.model.trace import Trace

__all__ = ["client_program"]

_KIT = Path(__file__).with_name("client_kit.py")

_WIDTH = 98

_KINDS = {
    ASKED: "The program asks for steps {}.",
    TIMED: "It holds back what the broker does in steps {}, and releases it there.",
    LEFT: "The broker takes steps {} by itself, as soon as it can.",
    BEYOND: "It cannot ask for steps {}, and ends before the first of them.",
}


def client_program(trace: Trace, base: Bound, name: str) -> str:
    """Return a counterexample as the text of a program.

    Args:
        trace: the counterexample, to a property of publisher confirms.
        base: the specification itself, at the same sizes.
        name: what the design is called.
    """
    planned = plan(trace)
    title = f"{trace.property}, {name} on {trace.bound.instance.name}"
    taken = taken_by(base, trace)
    allowed = taken == len(trace.steps)
    about = _about(trace, planned, taken)
    head = "\n\n".join([f'"""{title}, as a client program.', *about])
    story = "\n".join(_story(planned))
    kit = _KIT.read_text(encoding="utf-8").partition('"""')[2].partition('"""')[2].strip()
    imports, _, rest = kit.partition("\nimport pika\n")
    return (
        f'{head}\n"""\n\n{imports}\nimport pika\n\n\n{story}\n\n{rest}\n\n\n'
        f'if __name__ == "__main__":\n    sys.exit(main({title!r}, story, allowed={allowed}))\n'
    )


def _about(trace: Trace, planned: Plan, taken: int) -> Iterator[str]:
    doc = " ".join(trace.doc.split())
    if doc:
        yield _filled(f"The property: {doc}")
    yield WRITTEN
    yield (
        "    ackproof serve --in-memory --port 5672 --control 5680\n"
        "    python THIS_FILE --port 5672 --control 5680"
    )
    steps = len(trace.steps)
    if taken == steps:
        yield _filled(
            "The specification itself takes all of these steps, so the broker can go along; it may "
            "take steps of its own earlier than the run, and part from it for that."
        )
    else:
        yield _filled(
            f"The specification takes the first {taken} of {steps} steps, and not "
            f"{trace.steps[taken].text} as the run has it: there the broker, which does as the "
            "specification says, is right to part from the run."
        )
    kinds = [
        text.format(numbers) for kind, text in _KINDS.items() if (numbers := _those(planned, kind))
    ]
    yield _filled(" ".join(kinds))
    beyond = planned.missing or (planned.beyond.why if planned.beyond else "")
    if beyond:
        yield _filled(f"What cannot be asked for: {beyond}.")
    yield _filled(
        "What is compared is what a client sees, and what is in the queues after a restart. What a "
        "property says of the inside of a broker shows in nothing else."
    )
    yield _filled(
        "Exit codes: 0 the broker has gone along with the whole run, 1 it has parted from it, "
        "2 there is no broker, 3 the run goes on with what cannot be asked for."
    )


def _filled(text: str) -> str:
    return textwrap.fill(text.replace("\\", "\\\\"), _WIDTH, break_on_hyphens=False)


def _those(planned: Plan, kind: str) -> str:
    return ", ".join(str(one.number) for one in planned.steps if one.kind == kind)


def _story(planned: Plan) -> Iterator[str]:
    yield "def story(run: Run) -> None:"
    yield '    """Do what the run does."""'
    if planned.missing:
        yield f"    run.beyond({planned.missing!r})"
        return
    for queue in planned.queues:
        if not queue.later:
            yield f"    {queue.line}"
    for line in planned.holds:
        yield f"    {line}"
    for one in planned.steps:
        yield ""
        yield f"    run.step({one.number}, {one.step.text!r})"
        if one.kind == BEYOND:
            yield f"    run.beyond({one.why!r})"
            return
        for line in one.lines:
            yield f"    {line}"
    if planned.ends:
        yield ""
    for line in planned.ends:
        yield f"    {line}"
