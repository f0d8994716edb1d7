"""The talk with somebody who steps through a system: what was written, done and shown.

On a terminal a line that cannot be done is answered, and the talk goes on.  Where lines come from a
file or a pipe they are repeated, so that the output reads like such a talk, and the first that
cannot be done ends it: what follows would happen somewhere else than was meant.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ackproof.cli.inputs import InputError
from ackproof.cli.jobs import Job
from ackproof.cli.output import show_title
from ackproof.cli.page import STYLES, Page, console
from ackproof.model.exploring import Choice, Exploration
from ackproof.model.listing import legend, listing, plain, single
from ackproof.model.museum import steps
from ackproof.model.trace import replay

__all__ = ["Session", "talk"]

_PROMPT = "> "
_NARROWEST = 80

#: Choices that are shown at once.
_MOST = 40

_COMMANDS = {
    "NUMBER": "take the step with this number; several are taken one after the other",
    "TEXT": "take the step that begins like this, or show all that do",
    "list": "show the steps that are possible here",
    "back [N]": "go back a step, or N",
    "forth [N]": "go forth again a step, or N",
    "trace": "show the run up to here",
    "state [TEXT]": "show what is where, or all places that have TEXT in their names",
    "begin [N]": "show the initial states, or begin anew in the one with this number",
    "random [N] [SEED]": "take N steps at random, one if not given, of those that change a state",
    "help": "show this",
    "quit": "leave; Ctrl-D does, too",
}


@dataclass
class Session:
    """A talk about an exploration.

    Args:
        run: what is explored.
        job: what it is of.
    """

    run: Exploration
    job: Job
    page: Page = field(default_factory=lambda: Page(console()))

    def begin(self) -> None:
        """Say what this is, and where it begins."""
        show_title(self.page, self.job)
        if self.run.at:
            self.trace()
            self._broken()
        self.choices()

    def do(self, line: str) -> bool:
        """Do what a line says; return whether there may be another.

        Raises:
            InputError: it cannot be done.
        """
        word, *others = line.split() or ["list"]
        if word in ("quit", "exit"):
            return False
        if word.startswith("#"):
            return True
        commands: dict[str, Callable[[list[str]], None]] = {
            "list": lambda _: self.choices(),
            "trace": lambda _: self.trace(),
            "help": lambda _: self.help(),
            "state": lambda rest: self.state(" ".join(rest)),
            "back": lambda rest: self.move(self.run.back, "back", rest),
            "forth": lambda rest: self.move(self.run.forth, "forth", rest),
            "random": self.random,
            "begin": self.begin_anew,
        }
        if word in commands:
            commands[word](others)
        elif all(part.isdecimal() for part in (word, *others)):
            for part in (word, *others):
                self.take(self._numbered(int(part)))
            self.choices()
        else:
            self.take_text(line.strip())
        return True

    # -- what can be said -----------------------------------------------------------------------

    def choices(self, wanted: str = "") -> None:
        """Show the steps that are possible, those that begin with a text."""
        found = [
            (number, choice)
            for number, choice in enumerate(self.run.choices(), start=1)
            if choice.text.startswith(wanted)
        ]
        where = f"after {steps(self.run.at)}" if self.run.at else self._beginning()
        ahead = f", with {steps(self.run.ahead)} ahead" if self.run.ahead else ""
        self.page.line((f"{where}{ahead}", STYLES["title"]))
        for number, choice in found[:_MOST]:
            fault = choice.step.instance.action.kind == "fault"
            style = STYLES["fault" if fault else "action"]
            self.page.line(
                (f"{number:>4}  ", STYLES["head"]), (choice.text, style), _remark(choice)
            )
        if len(found) > _MOST:
            self.page.line(f"      and {len(found) - _MOST} more; write how one begins to see it")
        if self.run.cut():
            names = " and ".join(self.run.cut())
            self.page.line(f"  no step is taken from here: {names} is false")
        elif not found:
            self.page.line("  no step is possible")
        self.page.line()

    def trace(self) -> None:
        """Show the run up to here."""
        lines = listing(self.run.run(), max(self.page.out.width, _NARROWEST))
        self.page.drawn(lines)
        self.page.line()

    def state(self, part: str) -> None:
        """Show what is where."""
        for text in self.run.places(part):
            self.page.hanging("  ", text)
        for name, count in self.run.faults_left().items():
            if part in name:
                self.page.line(f"  {name} ×{count} may still happen")
        self.page.line()

    def help(self) -> None:
        """Show what can be written."""
        for command, meaning in _COMMANDS.items():
            self.page.line("  ", (f"{command:<18}", STYLES["title"]), meaning)
        self.page.line()

    def move(self, way: Callable[[int], int], name: str, rest: Sequence[str]) -> None:
        """Go along the run."""
        if not way(_count(name, rest)):
            end = "its beginning" if name == "back" else "its end"
            raise InputError(f"the run is at {end}; there is nothing to go {name} to")
        if self.run.at:
            self._last()
        self.choices()

    def begin_anew(self, rest: Sequence[str]) -> None:
        """Show the initial states, or begin in one of them."""
        found = self.run.beginnings()
        if rest:
            number = _count("begin", rest)
            if not 1 <= number <= max(len(found), 1):
                raise InputError(
                    f"there is no initial state {number}; the last one is {max(len(found), 1)}\n"
                    "  instead: write begin to see them"
                )
            self.run.begin(number - 1)
            self.choices()
            return
        for number, text in enumerate(found[:_MOST], start=1):
            self.page.line((f"{number:>4}  ", STYLES["head"]), text)
        if len(found) > _MOST:
            self.page.line(f"      and {len(found) - _MOST} more; any of them can be begun in")
        elif not found:
            self.page.line("  there is one initial state")
        self.page.line()

    def _beginning(self) -> str:
        """Return in which initial state the run is."""
        found = self.run.beginnings()
        if not found:
            return "in the initial state"
        at = self.run.start
        return f"in initial state {at + 1} of {len(found)}, {found[at]}"

    def random(self, rest: Sequence[str]) -> None:
        """Take steps at random, as long as some step changes something."""
        draw = random.Random(_count("random", rest[1:]) if rest[1:] else None)
        for _ in range(_count("random", rest[:1])):
            found = [choice for choice in self.run.choices() if not choice.idle]
            if not found:
                self.page.line("  no step changes the state")
                break
            self.take(draw.choice(found))
        self.choices()

    def take_text(self, text: str) -> None:
        """Take the step that begins like this, or show all that do."""
        found = [choice for choice in self.run.choices() if choice.text.startswith(text)]
        same = [choice for choice in found if choice.text == text]
        if not found:
            raise InputError(
                f"{text!r} is neither a command nor the beginning of a step that is possible here\n"
                "  instead: write list to see the steps, or help"
            )
        if len(same or found) > 1:
            self.choices(text)
            return
        self.take((same or found)[0])
        self.choices()

    # -- steps ----------------------------------------------------------------------------------

    def take(self, choice: Choice) -> None:
        """Take a step, and show what it does."""
        self.run.take(choice.step)
        self._last()

    def _numbered(self, number: int) -> Choice:
        found = self.run.choices()
        if not 1 <= number <= len(found):
            raise InputError(
                f"there is no step {number} here, where {len(found)} are possible\n"
                "  instead: write list to see them"
            )
        return found[number - 1]

    def _last(self) -> None:
        """Show the last step, and what is false after it."""
        lines = single(self.run.run(), self.run.at, max(self.page.out.width, _NARROWEST))
        self.page.drawn(lines)
        self.page.line()
        if not self.page.explained and "○" in "".join(plain(lines)):
            self.page.explained = True
            self.page.wrapped(f"({legend(lines)})", "  ", STYLES["head"])
            self.page.line()
        self._broken()

    def _broken(self) -> None:
        from ackproof.cli.counterexample import show_broken

        for name in self.run.broken():
            show_broken(
                self.page, replay(self.run.bound, name, self.run.path(), start=self.run.beginning)
            )


def talk(session: Session) -> None:
    """Do what is written on standard input, line by line, until there is no more.

    Raises:
        InputError: a line of a file or a pipe cannot be done.
    """
    terminal = sys.stdin.isatty()
    if terminal:
        with suppress(ImportError):
            import readline  # noqa: F401  lines can be edited, and come back
    session.begin()
    number = 0
    while True:
        number += 1
        try:
            line = input(_PROMPT)
        except (EOFError, KeyboardInterrupt):
            session.page.line()
            return
        if not terminal:
            session.page.line(line)
        try:
            if not session.do(line):
                return
        except InputError as error:
            if not terminal:
                raise InputError(f"line {number}: {error}") from None
            session.page.line(str(error))


def _remark(choice: Choice) -> str:
    if choice.step.broken is not None:
        return f"   breaks {choice.step.broken}"
    return "   changes no state" if choice.idle else ""


def _count(name: str, rest: Sequence[str]) -> int:
    """Return how often something is to be done.

    Raises:
        InputError: that is no number.
    """
    if not rest:
        return 1
    if len(rest) > 1 or not rest[0].isdecimal():
        raise InputError(f"{' '.join(rest)!r} is no number\n  instead: write {name}, or {name} 3")
    return int(rest[0])
