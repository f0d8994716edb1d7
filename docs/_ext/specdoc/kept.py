"""Documents beside the pages: what was computed once, and takes too long to compute for each build.

Each is JSON that says of itself which format it has; one that is missing or of another format is
a warning, with what to do, and the page goes without it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sphinx.environment import BuildEnvironment
from sphinx.util import logging

__all__ = ["kept_document"]

logger = logging.getLogger(__name__)


def kept_document(
    env: BuildEnvironment, file: str, schema: str, remedy: str, *, warn: bool = True
) -> dict[str, Any] | None:
    """Return a document as it was kept, or None if there is nothing to be used.

    Args:
        env: knows where the pages are.
        file: its name, beside the pages.
        schema: the format that it must have.
        remedy: how it is made.
        warn: whether to say so if it cannot be used.
    """
    path = Path(env.srcdir) / file
    env.note_dependency(str(path))
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        wrong = "" if document.get("schema") == schema else f"is not in the format {schema}"
    except FileNotFoundError:
        wrong = "is not there"
    except ValueError as error:
        wrong = f"is not JSON: {error}"
    if wrong and warn:
        logger.warning("docs/%s %s; %s", file, wrong, remedy)
    return None if wrong else document
