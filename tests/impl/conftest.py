"""Every broker here is as one that is installed: what it is made of is kept."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="module")
def _installed(as_installed: None) -> None:
    """Have it so in each module."""
