"""Documents of a search, changed as by somebody who knows how they are sealed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ackproof.pipeline.sealed import read_document, sealed_document

__all__ = ["rewrite", "write_sealed"]


def write_sealed(path: Path, document: dict[str, Any]) -> None:
    """Write a document with its seal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(sealed_document(json.dumps(document, separators=(",", ":")).encode()))


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a document, and seal it again."""
    document = json.loads(read_document(path))
    change(document)
    write_sealed(path, document)
