"""What the page about the judge shows is what happens."""

from __future__ import annotations

import re
import textwrap
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "conform.rst"


def test_the_example_of_the_page_says_what_the_page_says() -> None:
    shown = re.search(
        r"code-block:: python\n\n(.*?)\n\n::\n\n(.*?)\n\n\S", PAGE.read_text(), re.DOTALL
    )
    assert shown is not None
    said = StringIO()
    with redirect_stdout(said):
        exec(textwrap.dedent(shown[1]), {})
    assert said.getvalue().strip() == shown[2].strip()
