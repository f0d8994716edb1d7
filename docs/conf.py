"""Configuration of the documentation; what is drawn from the specification is in `_ext`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
# The tests hold the prover to a table that a page shows.
sys.path.append(str(Path(__file__).parents[1]))

project = "ackproof"
copyright = "the ackproof authors"
extensions = ["specdoc"]
exclude_patterns = ["_build", "_ext", "_static", "examples"]
default_role = "code"
primary_domain = None
highlight_language = "text"
smartquotes = False
nitpicky = True
graphviz_output_format = "svg"
pygments_style = "friendly"
pygments_dark_style = "monokai"

html_theme = "furo"
html_title = "ackproof"
html_static_path = ["_static"]
html_css_files = ["spec.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
