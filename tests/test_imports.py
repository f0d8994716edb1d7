"""The layers of the project: which package may import which.

`spec` stands on nothing but the standard library, everything else stands on `spec`, and nothing
stands on `cli`.  Whatever is imported from outside is declared in `pyproject.toml`.  Imports are
read from the source, those inside functions included, so an import that is only lazy counts too.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: What each package of the project may import of the others.
LAYERS = {
    "spec": {"spec"},
    "model": {"model", "spec"},
    "proofs": {"proofs", "model", "spec"},
    "impl": {"impl", "model", "spec"},
    "pipeline": {"pipeline", "model", "spec"},
    "cli": {"cli", "impl", "model", "pipeline", "proofs", "spec"},
}


#: Modules that only one program loads, which is there whenever they are; or looks for it first.
PLUGINS = {
    "impl/pytest_plugin.py": {"pytest"},
    "proofs/recheck.py": {"cvc5"},
    "proofs/second.py": {"cvc5"},
}

#: The extra that a package needs, and no other may import.
EXTRAS = {"pipeline": "spark"}

#: What is imported by another name than it is installed by.
ALIASES = {"z3_solver": "z3"}


def sources() -> list[Path]:
    """Return every source file of the packages."""
    return sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def faults(layer: str, text: str, declared: set[str]) -> list[str]:
    """Return one sentence for each import of `text` that its layer may not have."""
    found = []
    for line, name in imported(ast.parse(text)):
        top, _, rest = name.partition(".")
        other = rest.partition(".")[0]
        if not top:
            found.append(f"line {line}: the import of {name} is relative")
        elif top == "ackproof":
            if other not in LAYERS[layer]:
                found.append(f"line {line}: {layer} may not import {name}")
        elif top in sys.stdlib_module_names:
            continue
        elif layer == "spec":
            found.append(f"line {line}: spec may not import {name}, it is not in the stdlib")
        elif top not in declared:
            found.append(f"line {line}: {name} is not declared in pyproject.toml")
    return found


def declared_dependencies(*extras: str) -> set[str]:
    """Return what users get with the package, and with some of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    items = list(project["dependencies"])
    for extra in extras:
        items += project["optional-dependencies"][extra]
    names = {re.split(r"[<>=!~\[ ]", item)[0].replace("-", "_") for item in items}
    return {ALIASES.get(name, name) for name in names}


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_module_keeps_to_its_layer(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0]
    there = PLUGINS.get(str(path.relative_to(ROOT)), set())
    extras = [EXTRAS[layer]] if layer in EXTRAS else []
    assert faults(layer, path.read_text(), declared_dependencies(*extras) | there) == []


@pytest.mark.parametrize(
    ("layer", "text", "fault"),
    [
        ("spec", "import numpy", "line 1: spec may not import numpy, it is not in the stdlib"),
        ("spec", "from ackproof.model import plain", "line 1: spec may not import ackproof.model"),
        (
            "model",
            "from ackproof.cli.main import app",
            "line 1: model may not import ackproof.cli.main",
        ),
        ("impl", "def f():\n    import ackproof.cli", "line 2: impl may not import ackproof.cli"),
        ("model", "from . import plain", "line 1: the import of . is relative"),
        ("model", "import pyspark", "line 1: pyspark is not declared in pyproject.toml"),
        ("cli", "import requests", "line 1: requests is not declared in pyproject.toml"),
    ],
)
def test_the_rule_sees_what_it_forbids(layer: str, text: str, fault: str) -> None:
    assert faults(layer, text, {"numpy"}) == [fault]


def test_the_rule_allows_what_a_layer_stands_on() -> None:
    text = "import ast\nimport numpy\nfrom ackproof.spec.lang import Map\n"
    assert faults("model", text, {"numpy"}) == []


@pytest.mark.parametrize("folder", ["tests", "bench", "docs/_ext"])
def test_what_development_needs_is_declared_too(folder: str) -> None:
    own = {"ackproof", "bench", "specdoc", "tests"}
    extras = ("bench", "certificates", "docs", "spark", "test")
    known = own | declared_dependencies(*extras) | sys.stdlib_module_names
    used = {
        (name.partition(".")[0], path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*.py")
        for _, name in imported(ast.parse(path.read_text()))
    }
    siblings = {path.stem for path in (ROOT / folder).rglob("*.py")}
    assert [item for item in sorted(used) if item[0] not in known | siblings] == []


def test_every_folder_with_modules_is_an_installed_package() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    listed = set(setup["packages"])
    found = {".".join(("ackproof", *path.parent.relative_to(ROOT).parts)) for path in sources()}
    assert found <= listed
    assert {name.split(".")[1] for name in listed if "." in name} == {
        name.split(".")[1] for name in setup["package-dir"] if "." in name
    }
