"""What pages show of the source is the source: guards, effects, headings, comments."""

from __future__ import annotations

from specdoc.source import body_of, display_path, note_of, section_of, signature, source_text

from tests.docs.lighthouse import Lighthouse, ToldIsNear, Watch


def test_a_guard_ends_with_the_last_require_and_the_rest_is_the_effect() -> None:
    body = body_of(Lighthouse.sight)
    assert body.guard == ("nobody = not keepers\nrequire(self.next_ship == ship and not nobody)")
    assert body.effect.startswith("self.next_ship = Ship.succ(ship)\n")
    assert body.effect.endswith("if not self.busy():\n    self.lamp = Colour.WHITE")


def test_a_step_without_require_has_no_guard() -> None:
    body = body_of(Lighthouse.fog)
    assert (body.guard, body.effect) == ("", "self.lamp = Colour.DARK")


def test_a_signature_is_written_without_self_and_without_result() -> None:
    assert signature(Lighthouse.sight) == "sight(ship: Ship, keepers: Set[Keeper])"


def test_source_text_begins_with_the_decorators_at_the_left_margin() -> None:
    assert source_text(Lighthouse.fog).splitlines()[:2] == ["@fault", "def fog(self) -> None:"]


def test_a_method_stands_under_the_heading_above_it() -> None:
    assert section_of(Lighthouse.sight) == "by night"
    assert section_of(Lighthouse.hears) == "by day"


def test_a_heading_of_another_class_does_not_count() -> None:
    assert section_of(Watch.note) == ""


def test_a_function_stands_under_the_heading_of_its_module() -> None:
    assert section_of(ToldIsNear) == "what is claimed"


def test_a_note_is_the_comment_beside_a_variable_or_above_it() -> None:
    assert note_of(Lighthouse, "lamp") == "what ships see"
    assert note_of(Watch, "woken") == "how often this keeper was woken"
    assert note_of(Lighthouse, "near") == ""


def test_a_path_is_shown_from_the_root_of_the_project() -> None:
    assert display_path(__file__) == "tests/docs/test_source.py"
    assert display_path("/somewhere/else.py") == "else.py"
