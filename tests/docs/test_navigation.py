"""Beside each page stands the tree that Sphinx would make for it."""

from __future__ import annotations

from pathlib import Path

from specdoc.navigation import Navigation, show_navigation
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

_PAGES = {
    "index": """
Home
====

.. toctree::
   :caption: One & two

   one
   two/index

.. toctree::
   :caption: Others

   other
   elsewhere <https://example.org/>
""",
    "one": "One\n===\n\nIts part\n--------\n",
    "two/index": "Two\n===\n\n.. toctree::\n\n   inner\n   deep/down\n",
    "two/inner": "Inner\n=====\n",
    "two/deep/down": "Down\n====\n\n.. toctree::\n\n   /far\n",
    "far": "Far\n===\n",
    "other": "Other\n=====\n",
    "alone": ":orphan:\n\nAlone\n=====\n",
}

_WHOLE = {"collapse": False, "titles_only": True, "maxdepth": -1, "includehidden": True}


def test_the_tree_beside_each_page_is_that_of_sphinx(tmp_path: Path) -> None:
    for name, text in _PAGES.items():
        file = tmp_path / f"{name}.rst"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "conf.py").write_text("")
    out, trees = str(tmp_path / "out"), str(tmp_path / "trees")
    app = Sphinx(str(tmp_path), str(tmp_path), out, trees, "html", status=None)
    shown: dict[str, tuple[str, str]] = {}

    def compare(
        _: Sphinx, page: str, template: str, context: dict[str, object], tree: None
    ) -> None:
        made = context["toctree"]
        show_navigation(app, page, template, context, tree)
        shown[page] = made(**_WHOLE), context["toctree"](**_WHOLE)  # type: ignore[operator]

    app.connect("html-page-context", compare)
    app.build()
    assert isinstance(app.builder, StandaloneHTMLBuilder)
    assert set(_PAGES) <= set(shown)
    for page in _PAGES:
        made, found = shown[page]
        assert found == made, page
    assert len({found for _, found in shown.values()}) > 5
    assert Navigation("").beside("index.html") == ""
