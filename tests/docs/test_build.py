"""What a page says comes from the specification, and what does not fit is a warning."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from textwrap import dedent, indent

import pytest
from sphinx.application import Sphinx

_CONF = """
extensions = ["tests.docs.drawn"]
default_role = "code"
primary_domain = None
html_theme = "basic"
specdoc_engine = "plain"
"""


def build(folder: Path, **pages: str) -> tuple[str, str]:
    """Build pages; return the text of `index` as HTML, without tags, and the warnings."""
    (folder / "conf.py").write_text(_CONF)
    for name, text in pages.items():
        file = folder / f"{name.replace('__', '/')}.rst"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    warnings = StringIO()
    out = folder / "out" / "html"
    app = Sphinx(
        str(folder),
        str(folder),
        str(out),
        str(folder / "trees"),
        "html",
        status=None,
        warning=warnings,
        freshenv=True,
    )
    app.build()
    html = (out / "index.html").read_text()
    return html, re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue())


def text_of(html: str) -> str:
    """Return what a reader sees of HTML, blanks squeezed."""
    plain = re.sub(r"<[^>]+>", "", html).replace("&gt;", ">").replace("&lt;", "<")
    return " ".join(plain.replace("&quot;", '"').replace("&#39;", "'").split())


def test_a_machine_page_has_chapter_state_guard_and_effect(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index=".. machine:: Store\n")
    text = text_of(html)
    assert "How far each message of a queue has come on its way to the disk." in text
    assert "unconfirmed Set[Msg] empty" in text
    assert "require(msg in self.leaving)" in text
    assert "self.leaving.discard(msg)" in text


def test_a_property_page_has_claim_formula_and_place(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index=".. property:: NoPhantomConfirm\n")
    text = text_of(html)
    assert "Only what was published is confirmed or nacked" in text
    assert "s.publishers[c].confirmed | s.publishers[c].nacked <= s.publishers[c].sent" in text
    assert "spec/properties.py:" in text


def test_an_instance_page_has_sizes_faults_and_counts(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index=".. instance:: tiny\n")
    text = text_of(html)
    assert "Msg 1 Queue q1" in text
    assert "crash_machine never" in text


def test_a_rule_in_a_docstring_leads_to_the_rules_page(tmp_path: Path) -> None:
    html, warnings = build(
        tmp_path,
        index=":spec:rule:`A9.3`\n\n.. toctree::\n\n   generated/rules\n",
        generated__rules="Rules\n=====\n\n.. rules::\n",
    )
    assert 'href="generated/rules.html#a9-3"' in html
    assert "A9.3" not in warnings
    assert 'id="a9-3"' in (tmp_path / "out" / "html" / "generated" / "rules.html").read_text()


def test_a_rule_that_is_left_out_has_its_reason(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index="Rules\n=====\n\n.. rules::\n")
    text = text_of(html)
    assert "A14.2 From 3.10.13 a warning" in text
    assert "Left out: nothing depends on what is logged." in text


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        (":spec:step:`Channel.levitate`", "reference target not found: Channel.levitate"),
        (".. machine:: Toaster\n", "there is no machine 'Toaster'"),
        (".. property:: MoonIsMadeOfCheese\n", "there is no property 'MoonIsMadeOfCheese'"),
        (".. design:: telepathy\n", "there is no design 'telepathy'"),
        (".. instance:: infinite\n", "there is no instance 'infinite'"),
        (".. says:: Nobody.nothing\n", "the specification has no 'Nobody.nothing'"),
        (".. witness:: NoPhantomConfirm\n", "is no situation that must be reachable"),
        (".. run:: ackproof check --instance infinite\n", "ends with 2"),
    ],
)
def test_what_is_not_there_is_a_warning(tmp_path: Path, page: str, problem: str) -> None:
    _, warnings = build(tmp_path, index=page)
    assert problem in warnings


def checked(example: str, *options: str) -> str:
    """Return the directive for an example."""
    head = "\n".join([".. checked::", *(f":{option}:" for option in options)])
    return f"{head.replace(chr(10), chr(10) + '   ')}\n\n{indent(dedent(example), '   ')}\n"


def test_an_example_outside_the_language_is_a_warning(tmp_path: Path) -> None:
    example = """
        class Clock(System):
            \"\"\"A clock.\"\"\"

            hour: int
    """
    _, warnings = build(tmp_path, index=checked(example))
    assert "an example is rejected" in warnings
    assert "hour: int" in warnings


def test_an_example_can_be_checked_on_the_spot(tmp_path: Path) -> None:
    example = """
        class Switch(System):
            \"\"\"A switch.\"\"\"

            on: bool

            @action
            def flip(self) -> None:
                \"\"\"Flip it.\"\"\"
                self.on = not self.on

        @invariant
        def StaysOff(s: Switch) -> bool:
            \"\"\"It is never on.\"\"\"
            return not s.on

        MODEL = Model("switch", Switch, (StaysOff.__ackproof_property__,),
                      (Instance("one", "one switch", {}),))
    """
    html, warnings = build(tmp_path, index=checked(example, "verdict"))
    assert "example" not in warnings
    assert "violated: StaysOff is false after flip()" in text_of(html)


def test_every_diagnostic_of_the_front_end_is_listed(tmp_path: Path) -> None:
    html, warnings = build(tmp_path, index="Language\n========\n\n.. diagnostics::\n")
    assert not [w for w in warnings.splitlines() if "already registered" not in w]
    topics = Path(__file__).resolve().parents[1].joinpath("lang", "diagnostics").glob("*.txt")
    cases = sum(topic.read_text(encoding="utf-8").count("\n# says:\n") for topic in topics)
    assert text_of(html).count(" instead: ") == cases > 0


def test_a_situation_is_shown_with_its_shortest_run(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index=".. witness:: ConfirmedWithoutWrite\n")
    text = text_of(html)
    assert "Reached in 5 steps on tiny" in text
    assert "BUFFERED → ABSENT" in text


def test_the_commands_are_described_with_their_options(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index="Commands\n========\n\n.. commands::\n")
    text = text_of(html)
    assert "ackproof check" in text
    assert "--instance, -i NAME" in text
    assert "$ ackproof" not in text


def test_the_schema_of_a_document_is_shown(tmp_path: Path) -> None:
    html, _ = build(tmp_path, index=".. json-schema:: ackproof.model.document\n")
    assert '"title": "ackproof/report/' in text_of(html)
    assert "every property that was checked" in text_of(html)
