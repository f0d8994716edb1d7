"""A counterexample as an SVG sequence diagram: one file, no scripts, no fonts of its own.

Each step has a line of its own with its text, then a line for who acts and whom it changes, then a
line for what the client sees, and what is different afterwards stands below, at the right of all
columns.  Everything is set in a font of one width, so that how much room a text takes is known
without a browser.  Colours follow the reader's light or dark mode.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

from ackproof.export.sequence import Diagram, Row

__all__ = ["svg"]

#: Sizes in pixels: of a letter of the font, of a line, of the room around everything.
_LETTER = 7.25
_LINE = 18
_MARGIN = 16
#: Between two columns, at least; and between the last and what stands beside them.
_GAP = 26
_ASIDE = 40

_STYLE = """
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1b1f24; }
.paper { fill: #ffffff; } .title, .name { font-weight: 700; } .change { fill: #57606a; }
.event { fill: #0550ae; } .fault { fill: #b3261e; } .life { stroke: #c4cad1; }
.reach, .frame { stroke: #1b1f24; } .acts { fill: #1b1f24; }
.changed { fill: #ffffff; stroke: #1b1f24; } .failed { stroke: #b3261e; stroke-width: 2; }
.head { fill: #1b1f24; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .paper { fill: #0d1117; } .change { fill: #9aa4af; }
.event { fill: #79c0ff; } .fault { fill: #ff8a80; } .life { stroke: #3a424c; }
.reach, .frame { stroke: #e6edf3; } .acts, .head { fill: #e6edf3; }
.changed { fill: #0d1117; stroke: #e6edf3; } .failed { stroke: #ff8a80; }
}
"""


def svg(diagram: Diagram) -> str:
    """Return a diagram as the text of a file."""
    return _Drawing(diagram).text()


@dataclass
class _Drawing:
    """A drawing that grows downwards; `y` is the base line of the next line of text."""

    diagram: Diagram
    y: float = _MARGIN + _LINE
    width: float = 0
    shapes: list[ET.Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.centres = self._centres()

    def _centres(self) -> list[float]:
        found: list[float] = []
        left = _MARGIN + 4 * _LETTER
        for name in self.diagram.columns:
            room = max(len(name) * _LETTER, 2 * _GAP)
            found.append(left + room / 2)
            left += room + _GAP
        return found

    def text(self) -> str:
        """Return the drawing."""
        self._write(_MARGIN, self.diagram.title, "title")
        if self.diagram.opening:
            self._write(_MARGIN, self.diagram.opening, "change")
        self.y += _LINE / 2
        for centre, name in zip(self.centres, self.diagram.columns, strict=True):
            self._put(centre, self.y, name, "name", anchor="middle")
        self.y += _LINE / 2
        top = self.y
        for row in self.diagram.rows:
            self._row(row)
        if self.diagram.ending:
            self._write(_MARGIN, self.diagram.ending, "title")
        for row in self.diagram.again:
            self._row(row)
        return self._page(top, self.y)

    def _row(self, row: Row) -> None:
        self.y += _LINE
        style = "fault" if row.fault else "action"
        beside = self.centres[-1] + _ASIDE
        self._put(_MARGIN, self.y, str(row.number), "name")
        failing = " and fails" if row.fails else ""
        self._write(beside, f"{row.text}{failing}", style, down=False)
        self._act(row)
        for event in row.events:
            self.y += _LINE
            self._frame(row.home, event)
        for _, line in row.changes:
            self.y += _LINE
            self._write(beside + 2 * _LETTER, line, "change", down=False)
        self.y += _LINE / 3

    def _act(self, row: Row) -> None:
        """Draw who acts, whom that changes, and a line through all of them."""
        y = self.y - 4
        touched = [row.home, *row.others]
        left, right = self.centres[min(touched)], self.centres[max(touched)]
        if left != right:
            self._line(left, y, right, y, "reach")
        for other in row.others:
            self._shape("circle", "changed", cx=self.centres[other], cy=y, r=4)
        x = self.centres[row.home]
        if row.fault:
            self._line(x - 5, y - 5, x + 5, y + 5, "failed")
            self._line(x - 5, y + 5, x + 5, y - 5, "failed")
        else:
            self._shape("circle", "acts", cx=x, cy=y, r=5)

    def _frame(self, home: int, event: str) -> None:
        """Draw an arrow to the client, with what it sees beside it."""
        assert self.diagram.client is not None
        y, end = self.y - 4, self.centres[self.diagram.client]
        self._line(self.centres[home], y, end - 7, y, "frame")
        tip = f"{end - 8:g},{y - 4:g} {end:g},{y:g} {end - 8:g},{y + 4:g}"
        self.shapes.append(ET.Element("polygon", {"class": "head", "points": tip}))
        self._write(self.centres[-1] + _ASIDE, event, "event", down=False)

    # -- shapes ---------------------------------------------------------------------------------

    def _write(self, x: float, text: str, style: str, *, down: bool = True) -> None:
        self._put(x, self.y, text, style)
        self.width = max(self.width, x + len(text) * _LETTER)
        if down:
            self.y += _LINE

    def _put(self, x: float, y: float, text: str, style: str, anchor: str = "start") -> None:
        at = {"class": style, "x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor}
        element = ET.Element("text", at)
        element.text = text
        self.shapes.append(element)

    def _line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self._shape("line", style, x1=x1, y1=y1, x2=x2, y2=y2)

    def _shape(self, kind: str, style: str, **at: float) -> None:
        places = {name: f"{value:g}" for name, value in at.items()}
        self.shapes.append(ET.Element(kind, {"class": style, **places}))

    def _page(self, top: float, bottom: float) -> str:
        """Return all shapes on a page that has room for them, on the life lines of the columns."""
        width = max(self.width, self.centres[-1]) + _MARGIN
        height = bottom + _MARGIN
        root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {width:g} {height:g}",
                "width": f"{width:g}",
                "height": f"{height:g}",
                "role": "img",
            },
        )
        ET.SubElement(root, "title").text = self.diagram.title
        ET.SubElement(root, "style").text = _STYLE
        ET.SubElement(root, "rect", {"class": "paper", "width": "100%", "height": "100%"})
        for centre in self.centres:
            at = {"x1": centre, "y1": top, "x2": centre, "y2": bottom}
            ET.SubElement(root, "line", {"class": "life"} | {n: f"{v:g}" for n, v in at.items()})
        root.extend(self.shapes)
        ET.indent(root)
        return ET.tostring(root, encoding="unicode") + "\n"
