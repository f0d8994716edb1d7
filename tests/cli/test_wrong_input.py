"""Wrong input gives one clear message on standard error, exit code 2, and no traceback."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from ackproof.cli.inputs import InputError
from ackproof.cli.jobs import worker_count
from ackproof.cli.main import app
from typer.testing import CliRunner

Refused = Callable[..., str]

HEAD = """\
from ackproof.lang import *
from tests.model import mailroom
from tests.model.mailroom import Box, Clerk, Letter, Mailbox, Shelf

MODEL = mailroom.MODEL
"""


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Run `ackproof check` in an empty directory; return what it says."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str, **files: str) -> str:
        for name, text in files.items():
            Path(f"{name}.py").write_text(textwrap.dedent(text))
        result = CliRunner().invoke(app, ["check", "--engine", "plain", *args])
        assert result.exit_code == 2
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr

    return run


def test_a_syntax_error(refused: Refused) -> None:
    assert refused("mine.py", mine='"""Mine."""\nclass Mine(Clerk:\n    pass\n') == (
        "error: mine.py:2:17: this is not Python: invalid syntax\n"
        "  2 | class Mine(Clerk:\n"
        "    |                 ^\n"
        "  instead: correct the syntax; python -m py_compile shows the same place\n"
    )


def test_a_syntax_error_in_what_a_file_imports(refused: Refused) -> None:
    said = refused("mine.py", mine="import beside_mine\n", beside_mine="def f(:\n    pass\n")
    assert re.search(r"^error: \S*beside_mine\.py:1:7: this is not Python: invalid syntax\n", said)


def test_a_step_outside_the_language(refused: Refused) -> None:
    text = HEAD + textwrap.dedent("""
    class Waiting(Mailbox):
        @handler
        def accept(self, letter: Letter) -> None:
            while letter not in self.held:
                self.held.add(letter)

    design = Design("waits", replace=(Waiting,))
    """)
    assert refused("mine.py", mine=text) == (
        "error: mine.py:10:9: `while` is outside the language: nothing bounds it\n"
        "  10 |         while letter not in self.held:\n"
        "     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  instead: take one step per action, or loop over a set with `for`\n"
    )


def test_an_override_of_an_action_that_does_not_exist(refused: Refused) -> None:
    text = HEAD + textwrap.dedent("""
    class Eager(Mailbox):
        def shelf_it(self, letter: Letter) -> None:
            self.held.discard(letter)

    design = Design("eager", replace=(Eager,))
    """)
    assert refused("mine.py", mine=text) == (
        "error: mine.py:8:5: nothing says what `shelf_it` is to the specification\n"
        "  8 |     def shelf_it(self, letter: Letter) -> None:\n"
        "    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  instead: decorate it: @action, @fault, @handler, @on(Event) or @helper\n"
    )


def test_a_class_that_does_not_exist(refused: Refused) -> None:
    assert refused("mine.py", mine="from tests.model.mailroom import Postman\n") == (
        "error: mine.py:1: importing this raises ImportError: cannot import name 'Postman' from "
        f"'tests.model.mailroom' ({mailroom_file()})\n"
        "  instead: correct the file; it must import without error, like any module\n"
    )


def mailroom_file() -> str:
    from tests.model import mailroom

    return str(mailroom.__file__)


def test_a_file_that_raises_when_it_is_imported(refused: Refused) -> None:
    assert refused("mine.py", mine="def f():\n    raise RuntimeError('no luck')\n\nf()\n") == (
        "error: mine.py:2: importing this raises RuntimeError: no luck\n"
        "  instead: correct the file; it must import without error, like any module\n"
    )


def test_a_file_that_exits_when_it_is_imported(refused: Refused) -> None:
    assert refused("mine.py", mine="import sys\nsys.exit(0)\n") == (
        "error: mine.py:2: importing this raises SystemExit: 0\n"
        "  instead: correct the file; it must import without error, like any module\n"
    )


@pytest.mark.parametrize(("size", "shown"), [("-1", "-1"), ("1.5", "1.5"), ("True", "True")])
def test_an_instance_with_a_size_that_is_none(refused: Refused, size: str, shown: str) -> None:
    text = HEAD + f'instances = (Instance("mine", "", {{Letter: {size}, Box: 1}}),)\n'
    assert refused("mine.py", mine=text) == (
        f"error: instance mine: the size of Letter is {shown}; give a whole number, 0 or more\n"
    )


def test_an_instance_that_forgets_a_sort(refused: Refused) -> None:
    text = HEAD + 'instances = (Instance("mine", "", {Letter: 1}),)\n'
    assert refused("mine.py", mine=text) == (
        "error: instance mine gives no size for the sort Box; add it: sizes={…, Box: 2}\n"
    )


def test_an_instance_with_more_choices_than_can_be_tried(refused: Refused) -> None:
    text = HEAD + 'instances = (Instance("mine", "", {Letter: 1, Box: 30}),)\n'
    assert refused("mine.py", mine=text) == (
        "error: instance mine: there are too many ways to choose an action and its arguments, "
        "more than a thousand million for targets of hand_in alone, where 65,536 in all can be "
        "tried; make the sorts smaller\n"
    )


def test_an_instance_whose_state_does_not_fit_the_kernel(refused: Refused) -> None:
    text = HEAD + 'instances = (Instance("mine", "", {Letter: 60, Box: 8}),)\n'
    assert refused("mine.py", "--engine", "kernel", mine=text) == (
        "error: instance mine: a state takes 1,628 bits, and 1,023 fit; the widest are clerk.boxes "
        "with 480, clerk.stamps with 120, told with 60: make its sizes smaller\n"
    )


def test_an_instance_with_an_unknown_fault(refused: Refused) -> None:
    text = HEAD + 'instances = (Instance("mine", "", {Letter: 1, Box: 1}, {"rain": 1}),)\n'
    assert refused("mine.py", mine=text) == (
        "error: instance mine: there is no fault 'rain'; the faults are: burn, flood, strike\n"
    )


def test_a_directory_instead_of_a_file(refused: Refused) -> None:
    Path("designs").mkdir()
    assert refused("designs") == (
        "error: designs is a directory; give a file, such as designs/my_design.py\n"
    )


def test_a_file_that_is_not_there(refused: Refused) -> None:
    assert refused("nowhere.py") == "error: there is no file nowhere.py\n"


def test_a_file_that_may_not_be_read(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    assert refused("mine.py") == "error: mine.py cannot be read: Permission denied\n"


def test_a_file_that_is_not_text(refused: Refused) -> None:
    Path("mine.py").write_bytes(b"\xff\xfe\x00")
    assert refused("mine.py") == "error: mine.py is not text in UTF-8; give a Python file\n"


def test_a_file_that_is_not_a_python_file(refused: Refused) -> None:
    Path("notes.txt").write_text("")
    assert refused("notes.txt") == (
        "error: notes.txt is not a Python file; its name must end in .py\n"
    )


def test_a_file_without_a_design(refused: Refused) -> None:
    assert refused("mine.py", mine="x = 1\n") == (
        "error: mine defines neither a design nor a model\n"
        '  instead: write design = Design(claim="…", replace=(MyQueue,)) at its end, '
        "or MODEL = Model(…)\n"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "design = 1",
            "`design` is of type int, and a Design is needed\n"
            "  instead: write design = Design(…)\n",
        ),
        (
            'design = Design("x", replace=Mailbox)',
            "mine: `replace` is not a tuple of process classes\n"
            "  instead: write replace=(MyQueue,) with a comma\n",
        ),
        (
            'design = Design("x", expect=("all",))',
            "mine: `expect` is not a tuple of expectations\n"
            '  instead: write expect=(Breaks("Property", "instance", 5),)\n',
        ),
        (
            'design = Design("x", expect=(Holds("giant"),))',
            "mine: an expectation names the instance 'giant', which mail room does not have\n"
            "  instead: use one of: pair, small, three\n",
        ),
        (
            "instances = 3",
            "mine: `instances` is not a tuple of instances\n"
            '  instead: write instances = (Instance("mine", "…", {Msg: 2}),)\n',
        ),
        (
            'MODEL = Model("m", mailroom.MailRoom, (), ())',
            "mine: the model has no instances\n"
            '  instead: give it one: Instance("small", "…", {Msg: 2})\n',
        ),
        (
            'design = Design("x", constants={"Mailbox.colour": 1})',
            "instance pair: there is no constant 'Mailbox.colour'; the constants are: "
            "Mailbox.lockable\n",
        ),
    ],
)
def test_a_file_that_defines_something_else(refused: Refused, line: str, said: str) -> None:
    assert refused("mine.py", mine=HEAD + line + "\n") == f"error: {said}"


def test_an_unknown_design(refused: Refused) -> None:
    said = refused("ack_on_chanel")
    assert said.startswith(
        "error: there is no design 'ack_on_chanel'; did you mean ack_on_channel?\n"
        "  instead: use one of: "
    )


def test_an_unknown_instance(refused: Refused) -> None:
    assert refused("mine.py", "-i", "smal", mine=HEAD) == (
        "error: there is no instance 'smal'; did you mean small?\n"
        "  instead: use one of: pair, small, three\n"
    )


def test_an_unknown_property(refused: Refused) -> None:
    said = refused("mine.py", "--property", "toldiskept", mine=HEAD)
    assert said.startswith(
        "error: there is no property 'toldiskept'; did you mean ToldIsKept?\n"
        "  instead: use one of: ToldIsKept, AllStored, "
    )


def test_an_unknown_engine(refused: Refused) -> None:
    assert refused("--engine", "kernal") == (
        "error: there is no engine 'kernal'; did you mean kernel?\n"
        "  instead: use one of: kernel, collapsed, plain, spark\n"
    )


def test_a_size_of_memory_that_is_none(refused: Refused) -> None:
    assert refused("--memory", "much") == (
        "error: --memory 'much' is not a size; write a number with K, M, G or T, such as 512M "
        "or 2G\n"
    )


def test_a_place_that_the_trace_cannot_be_written_to(refused: Refused) -> None:
    assert refused("mine.py", "--itf", "no/where.json", mine=HEAD) == (
        f"error: --itf no/where.json: there is no directory {Path('no').resolve()}\n"
    )
    Path("traces").mkdir()
    assert refused("mine.py", "--itf", "traces", mine=HEAD) == (
        "error: --itf traces is a directory; name a file\n"
    )


def test_what_the_museum_option_does_not_go_with(refused: Refused) -> None:
    assert refused("--museum", "-i", "tiny") == (
        "error: --museum checks all designs on the instances that they name; leave out DESIGN, "
        "--instance and --property\n"
    )


@pytest.mark.parametrize("args", [["--workers", "0"], ["--depth", "none"], ["--colour"]])
def test_an_option_that_is_not_right(refused: Refused, args: list[str]) -> None:
    assert args[0] in refused(*args)


def test_a_design_that_adds_properties(refused: Refused) -> None:
    text = """
    from ackproof.spec.system import Confirms
    from ackproof.lang import *

    @invariant
    def NothingHappens(s: Confirms) -> bool:
        return False

    design = Design("nothing changes")
    """
    assert refused("mine.py", mine=text) == (
        "error: mine: a design cannot add properties, and this one defines NothingHappens\n"
        "  instead: give the file a model that has them, too: from dataclasses import replace, "
        "from ackproof.spec.model import MODEL as BASE, and\n"
        "  MODEL = replace(BASE, properties=(*BASE.properties, *properties_in(NothingHappens)))\n"
    )


def test_more_workers_than_can_run(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackproof.cli.jobs.default_workers", lambda: 6)
    assert refused("--workers", "7") == (
        "error: --workers 7: 6 can run at once here\n  instead: give 6 or fewer, or leave it out\n"
    )


def test_the_workers_that_are_offered_are_taken(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackproof.cli.jobs.default_workers", lambda: 2)
    most = int(refused("--workers", "5").split("give ")[1].split()[0])
    assert worker_count(most) == most
    with pytest.raises(InputError):
        worker_count(most + 1)


def test_memory_without_a_unit(refused: Refused) -> None:
    assert refused("--memory", "3") == (
        "error: --memory '3' is not a size; write a number with K, M, G or T, such as 512M or 2G\n"
    )


def test_a_beginning_that_several_designs_have(refused: Refused) -> None:
    said = refused("b1")
    assert said.startswith("error: 'b1' is the beginning of several: b10_")
    assert said.endswith("\n  instead: write more of it\n")


def test_what_the_system_refuses_is_no_defect(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("ackproof.model.check.check_bound", refuse)
    assert refused("mine.py", mine=HEAD) == (
        "error: the system refuses: Resource temporarily unavailable\n"
        "  instead: make room for it, or ask for less of it, and try again\n"
    )
