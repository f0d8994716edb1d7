"""Documents of a search, changed as by somebody who knows how they are sealed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ackproof.pipeline.sealed import sealed_document

__all__ = ["rewrite", "rewritten", "write_sealed"]


def sealed(document: dict[str, Any]) -> str:
    """Return a document with its seal."""
    return sealed_document(json.dumps(document, separators=(",", ":")).encode())


def write_sealed(path: Path, document: dict[str, Any]) -> None:
    """Write a document with its seal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(sealed(document))


def rewritten(content: bytes, change: Callable[[dict[str, Any]], object]) -> str:
    """Return a sealed document that was changed, and sealed again."""
    document = json.loads(content)
    del document["seal"]
    change(document)
    return sealed(document)


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a document, and seal it again."""
    path.write_text(rewritten(path.read_bytes(), change))
