"""The table of mistakes: by which proof each of them is noticed.

It is drawn from what the tests hold the prover to (`tests/proofs/noticed.py`), which is where it is
said, once: that the checker sees the property violated, and that the obligation fails.
"""

from __future__ import annotations

from docutils import nodes

from specdoc.domain import link
from specdoc.eras import scrolling
from specdoc.markup import Cell, SpecDirective, table
from tests.proofs import noticed

__all__ = ["MistakeTable"]


class MistakeTable(SpecDirective):
    """`.. noticed::`: what each mistake breaks, and which obligation fails then."""

    def run(self) -> list[nodes.Node]:
        """Return the table, in the order of the properties."""
        self.env.note_dependency(noticed.__file__)
        header = ["Property", "Mistake that breaks it", "Seen on", "Noticed by"]
        rows = [self._row(*key) for key in sorted(noticed.mistakes())]
        return [scrolling(table(header, rows, "spec-lemmas"))]

    def _row(self, name: str, mistake: str) -> list[Cell]:
        one, by = noticed.mistakes()[name, mistake], noticed.NOTICED.get((name, mistake))
        said: list[nodes.Node] = [nodes.literal("", mistake), nodes.Text(": ")]
        where: list[nodes.Node] = [nodes.literal("", by or noticed.BEYOND.get((name, mistake), ""))]
        if by is None:
            where.insert(0, nodes.Text("nothing: it is beyond "))
        return [
            [link("property", name)],
            [*said, *self.sentence(one.text)],
            nodes.literal("", one.instance.name),
            where,
        ]
