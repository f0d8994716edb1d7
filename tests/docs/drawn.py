"""A Sphinx extension for tests: the directives, without a page for every object."""

from __future__ import annotations

from specdoc import register
from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Register the directives."""
    register(app)
