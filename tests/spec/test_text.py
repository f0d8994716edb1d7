"""The text of the specification: every step says what it does and which rule it states."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from ackproof.lang import Process
from ackproof.lang.process import mark_of
from ackproof.spec import model

MACHINES = (
    "arrivals",
    "store",
    "queue",
    "mirror",
    "channel",
    "network",
    "publisher",
    "retrier",
    "cluster",
    "consumer",
    "transaction",
    "credit",
    "reader",
)
CHAPTERS = (
    "parts",
    "flow",
    "queueing",
    "mirroring",
    "consuming",
    "closing",
    "publishing",
    "retrying",
    "confirming",
    "failing",
    "renewing",
    "partitioning",
    "system",
)
FOLDER = Path(model.__file__).parent
PROPERTIES = tuple(sorted(path.stem for path in FOLDER.glob("properties*.py")))
MODULES = (*MACHINES, *CHAPTERS)
RULE = re.compile(r"\b(?:INV-)?[A-OQ]\d+(?:\.\d+)?\b")


def steps() -> Iterator[tuple[str, str]]:
    for module in MODULES:
        loaded = importlib.import_module(f"ackproof.spec.{module}")
        for cls in vars(loaded).values():
            if (
                isinstance(cls, type)
                and issubclass(cls, Process)
                and cls.__module__.endswith(module)
            ):
                for name, function in vars(cls).items():
                    if mark_of(function) is not None:
                        yield f"{cls.__name__}.{name}", function.__doc__ or ""


@pytest.mark.parametrize(("name", "text"), list(steps()))
def test_a_step_cites_the_rule_it_states(name: str, text: str) -> None:
    assert RULE.search(text), name


@pytest.mark.parametrize("module", [*MODULES, *PROPERTIES, "sorts", "wire", "instances"])
def test_a_chapter_opens_with_prose(module: str) -> None:
    text = importlib.import_module(f"ackproof.spec.{module}").__doc__ or ""
    assert len(text.split()) > 50
