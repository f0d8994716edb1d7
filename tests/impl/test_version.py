"""There is one version, though it is said in two places."""

from __future__ import annotations

import tomllib
from pathlib import Path

from ackproof.impl.version import VERSION

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_broker_says_the_version_that_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION
