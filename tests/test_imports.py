"""The layers of the project: which package may import which.

`lang` and `spec` need nothing but the standard library; `spec` stands on `lang`, everything else
stands on the two, and nothing stands on `cli`.  Whatever is imported from outside is declared in
`pyproject.toml`.  Imports are read from the source, those inside functions included, so an import
that is only lazy counts too, and so does one that only a type checker sees.

Modules never import one another in a circle, and the packages of `impl` stand on floors.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: What each package of the project may import of the others.
LAYERS = {
    "lang": {"lang"},
    "spec": {"spec", "lang"},
    "model": {"model", "lang"},
    "proofs": {"proofs", "model", "lang"},
    "impl": {"impl", "model", "spec", "lang"},
    "conform": {"conform", "impl", "model", "spec", "lang"},
    "pipeline": {"pipeline", "conform", "model", "lang"},
    "export": {"export", "model", "lang"},
    "cli": {"cli", "conform", "export", "impl", "model", "pipeline", "proofs", "spec", "lang"},
}

#: The floors of `impl`, the lowest first: packages, and modules that are in none.  What is on one
#: floor knows nothing of its neighbours, and nothing of what is above.
FLOORS: tuple[set[str], ...] = (
    {"errors", "limits", "memory", "version"},
    {"access"},
    {"connection_registry", "wire"},
    {"topology"},
    {"machines"},
    {"storage"},
    {"steps"},
    {"history", "lockstep"},
    {"vhost"},
    {"faults"},
    {"broker"},
    {"administration"},
    {"session"},
    {"scenario"},
    {"options"},
    {"staging"},
    {"server"},
    {"node"},
    {"management"},
    {"control"},
    {"running"},
    {"pytest_plugin"},
)

#: Modules that only one program loads, which is there whenever they are; or looks for it first.
PLUGINS = {
    "conform/parquet.py": {"pyarrow"},
    "export/client_kit.py": {"pika"},
    "impl/pytest_plugin.py": {"pytest"},
    "proofs/recheck.py": {"cvc5"},
    "proofs/cvc5_solver.py": {"cvc5"},
}

#: The extras that a package needs; what the broker needs is in none.
EXTRAS = {
    "model": ("check",),
    "proofs": ("prove",),
    "conform": ("audit",),
    "pipeline": ("check", "query", "spark"),
    "export": ("check",),
}

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
        elif layer in {"lang", "spec"}:
            found.append(f"line {line}: {layer} may not import {name}, it is not in the stdlib")
        elif top not in declared:
            found.append(f"line {line}: {name} is not declared in pyproject.toml")
    return found


def module_name(path: Path) -> str:
    """Return the name that a source file is imported by."""
    extension = ROOT / "docs" / "_ext"
    inside = path.is_relative_to(extension)
    parts = path.relative_to(extension if inside else ROOT).with_suffix("").parts
    parts = parts if parts[-1] != "__init__" else parts[:-1]
    return ".".join(parts if inside else ("ackproof", *parts))


def import_graph(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which of some modules import which of them.

    Args:
        texts: the source of each module, by its name.
    """
    graph: dict[str, set[str]] = {}
    for name, text in texts.items():
        wanted: set[str] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                parts = {f"{node.module}.{alias.name}" for alias in node.names}
                wanted |= parts & texts.keys() or {node.module}
        graph[name] = wanted & texts.keys() - {name}
    return graph


@cache
def project_graph() -> dict[str, set[str]]:
    """Return which modules of the project import which."""
    files = [*sources(), *(ROOT / "docs" / "_ext").rglob("*.py")]
    return import_graph({module_name(path): path.read_text() for path in files})


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return modules that import one another in a circle; none if there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def floor_of(room: str) -> int:
    """Return on which floor of `impl` a package or module is, from 0."""
    return next(number for number, rooms in enumerate(FLOORS) if room in rooms)


def climbs(graph: dict[str, set[str]]) -> list[str]:
    """Return one sentence for each import within `impl` that does not go to a floor below."""
    found = []
    for name, others in graph.items():
        for other in sorted(others):
            if not (name.startswith("ackproof.impl.") and other.startswith("ackproof.impl.")):
                continue
            here, there = name.split(".")[2], other.split(".")[2]
            if here != there and floor_of(here) <= floor_of(there):
                found.append(f"{name} may not import {other}: {there} is not below {here}")
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
    known = declared_dependencies(*EXTRAS.get(layer, ())) | there
    assert faults(layer, path.read_text(), known) == []


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
    text = "import ast\nimport numpy\nfrom ackproof.lang import Map\n"
    assert faults("model", text, {"numpy"}) == []


@pytest.mark.parametrize("folder", ["tests", "bench", "docs/_ext"])
def test_what_development_needs_is_declared_too(folder: str) -> None:
    own = {"ackproof", "bench", "specdoc", "tests"}
    extras = ("audit", "bench", "certificates", "check", "docs", "prove", "query", "spark", "test")
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


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert " -> ".join(circle(project_graph())) == ""


@pytest.mark.parametrize(
    "text",
    [
        "from p.b import thing",
        "from p import b",
        "import p.b",
        "def f():\n    from p.b import thing",
        "if TYPE_CHECKING:\n    from p.b import Thing",
    ],
)
def test_a_circle_is_found_however_it_is_imported(text: str) -> None:
    assert set(circle(import_graph({"p.a": text, "p.b": "import p.a", "p.c": ""}))) == {
        "p.a",
        "p.b",
    }


def test_no_module_of_the_broker_imports_from_a_floor_above() -> None:
    assert climbs(project_graph()) == []


def test_who_judges_brokers_knows_nothing_of_this_one_but_its_codec() -> None:
    used = {
        other
        for name, others in project_graph().items()
        if name.startswith("ackproof.conform.")
        for other in others
        if other.startswith("ackproof.impl.")
    }
    assert {other.split(".")[2] for other in used} <= {"errors", "wire"}


def test_everything_in_the_broker_is_on_one_floor() -> None:
    rooms = {path.relative_to(ROOT / "impl").parts[0] for path in (ROOT / "impl").rglob("*.py")}
    assert sorted(room for floor in FLOORS for room in floor) == sorted(
        room.removesuffix(".py") for room in rooms
    )


def test_the_page_about_the_architecture_names_the_floors_from_the_top() -> None:
    page = (ROOT / "docs" / "architecture.rst").read_text()
    rows = re.findall(r"^((?:`\w+/?`(?:, )?)+)  ", page.partition("From the top:")[2], re.MULTILINE)
    named = [set(re.findall(r"\w+", row)) for row in rows]
    floors = [floor for row in named for floor in reversed(FLOORS) if floor <= row]
    assert floors == list(reversed(FLOORS))
    assert set().union(*named) == set().union(*FLOORS)


@pytest.mark.parametrize(
    ("importer", "other", "there"),
    [
        ("wire.frames", "session.session", "session"),
        ("history.history", "lockstep.twin", "lockstep"),
    ],
)
def test_the_floors_forbid_what_is_above_and_beside(importer: str, other: str, there: str) -> None:
    name, above = f"ackproof.impl.{importer}", f"ackproof.impl.{other}"
    here = importer.split(".")[0]
    text = f"if TYPE_CHECKING:\n    from {above} import Thing"
    assert climbs(import_graph({name: text, above: ""})) == [
        f"{name} may not import {above}: {there} is not below {here}"
    ]


@pytest.mark.parametrize("layer", ["lang", "model", "proofs", "pipeline"])
def test_what_serves_any_model_names_no_module_of_one(layer: str) -> None:
    for path in sorted((ROOT / layer).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            named = isinstance(node, ast.Constant) and isinstance(node.value, str)
            assert not (named and "ackproof.spec" in node.value), path
