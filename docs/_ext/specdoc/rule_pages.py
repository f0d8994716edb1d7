"""The page of the rules: what each says, where the specification cites it, or why it does not."""

from __future__ import annotations

from docutils import nodes
from sphinx.util import logging

from specdoc.coverage import COVERAGE, left_out
from specdoc.domain import link
from specdoc.markup import SpecDirective, paragraph, section
from specdoc.numbers import Chapter, anchor, chapter_of, chapters
from specdoc.rules import Citation, citations

__all__ = ["RuleIndex"]

logger = logging.getLogger(__name__)


class RuleIndex(SpecDirective):
    """`.. rules::`: every rule, with the places that cite it."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each chapter."""
        self.env.note_dependency(str(COVERAGE))
        self.reasons = left_out(COVERAGE.read_text(encoding="utf-8"))
        self.places: dict[str, list[Citation]] = {}
        for citation in citations(self.library):
            if chapter_of(citation.rule) is None:
                logger.warning(
                    "%s %s cites %s, which is no rule of docs/rules.toml",
                    citation.kind,
                    citation.target,
                    citation.rule,
                )
            else:
                self.places.setdefault(citation.rule, []).append(citation)
        return [self._chapter(chapter) for chapter in chapters() if chapter.rules]

    def _chapter(self, chapter: Chapter) -> nodes.section:
        part = section(f"chapter-{chapter.letter}", f"{chapter.letter}. {chapter.title}")
        block = part
        for rule, text in chapter.rules.items():
            if chapter.is_heading(rule):
                block = section(anchor(rule), f"{rule}. {text}")
                block += self._cited(rule)
                part += block
            elif "." in rule or " " in rule:
                block += self._rule(rule, text)
            else:
                part += self._rule(rule, text)
        return part

    def _rule(self, rule: str, text: str) -> nodes.definition_list:
        term = nodes.term("", "", nodes.strong("", rule), nodes.Text(" "), *self.sentence(text))
        term["ids"] = [anchor(rule)]
        body = self._cited(rule)
        if not body and rule in self.reasons:
            body = [paragraph("Left out: ", *self.sentence(self.reasons[rule]), ".")]
        definition = nodes.definition("", *(body or [paragraph("Cited nowhere.")]))
        return nodes.definition_list(
            "", nodes.definition_list_item("", term, definition), classes=["spec-rule"]
        )

    def _cited(self, rule: str) -> list[nodes.Node]:
        items = [
            nodes.list_item("", paragraph(link(p.kind, p.target), ": ", *self.sentence(p.sentence)))
            for p in self.places.get(rule, ())
        ]
        return [nodes.bullet_list("", *items)] if items else []
