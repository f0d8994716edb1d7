"""State graphs in files: GraphML, Graphviz's DOT, and what Graphviz draws of that.

GraphML has everything that a graph says.  A drawing has what fits: a state shows what is in its
places as far as it differs from the first initial state, which shows all places that ever change;
an edge shows its step.  Where something is false it is red, and says what; a state that is cut is
dashed.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import networkx as nx
from ackproof.model.state_graph import Graph

__all__ = ["NoGraphviz", "dot", "graphml", "graphviz", "svg"]

_RED = ', color="#c0392b", fontcolor="#c0392b"'
_HEAD = """digraph {
  node [shape=box, style=rounded, fontname="monospace", fontsize=10];
  edge [fontname="monospace", fontsize=9];"""


class NoGraphviz(Exception):
    """There is no Graphviz on this machine, or it did not draw the graph."""


def graphml(graph: Graph) -> str:
    """Return a graph with all that it says, as GraphML."""
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def dot(graph: Graph, title: str) -> str:
    """Return a graph as a text in Graphviz's language."""
    varying = _varying(graph)
    lines = [_HEAD, f"  label={_quoted([title])}; labelloc=t; fontname=monospace;"]
    lines += (f"  {_name(node)} [{_node(graph, node, varying)}];" for node in graph)
    lines += (
        f"  {_name(a)} -> {_name(b)} [label={_quoted(_edge(about))}{_mark(about)}];"
        for a, b, about in graph.edges(data=True)
    )
    return "\n".join([*lines, "}"]) + "\n"


def svg(graph: Graph, title: str) -> str:
    """Return a graph as Graphviz draws it.

    Raises:
        NoGraphviz: it is not installed, or does not manage.
    """
    command = graphviz()
    drawn = subprocess.run(
        [command, "-Tsvg"],
        input=dot(graph, title),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if drawn.returncode != 0:
        raise NoGraphviz(drawn.stderr.strip() or f"{command} ended with {drawn.returncode}")
    return drawn.stdout


def graphviz() -> str:
    """Return where Graphviz's `dot` is.

    Raises:
        NoGraphviz: it is not installed.
    """
    command = shutil.which("dot")
    if command is None:
        raise NoGraphviz("there is no `dot`; it comes with Graphviz (Debian's package graphviz)")
    return command


def _node(graph: Graph, node: Any, varying: set[str]) -> str:
    about = graph.nodes[node]
    if isinstance(node, str):
        return f"label={_quoted([node])}, shape=octagon, style=solid{_RED}"
    first = ", penwidth=2" if about["@level"] == 0 else ""
    dashed = ', style="rounded,dashed"' if about.get("@cut") else ""
    label = _quoted([str(node), *_view(graph, node, varying)])
    return f"label={label}{first}{dashed}{_mark(about)}"


def _varying(graph: Graph) -> set[str]:
    """Return the names of the places that are not the same in all states."""
    states = [about for node, about in graph.nodes(data=True) if isinstance(node, int)]
    names = (name for name in states[0] if name not in ("@level", "@false", "@cut"))
    return {name for name in names if len({about[name] for about in states}) > 1}


def _view(graph: Graph, node: int, varying: set[str]) -> Iterator[str]:
    """Yield what a state shows, line by line."""
    about, initial = graph.nodes[node], graph.nodes[0]
    for name, value in about.items():
        if name in varying and (node == 0 or value != initial[name]):
            yield f"{name.removeprefix('@')} = {value}"
    if about["@false"]:
        yield f"✗ {about['@false']}"


def _edge(about: dict[str, Any]) -> Iterator[str]:
    yield about["@step"]
    yield from about["@events"].splitlines()
    if about["@false"]:
        yield f"✗ {about['@false']}"


def _mark(about: dict[str, Any]) -> str:
    return _RED if about["@false"] else ""


def _name(node: Any) -> str:
    return node if isinstance(node, str) else f"s{node}"


def _quoted(lines: Any) -> str:
    r"""Return lines as a text of Graphviz, each aligned to the left (`\l`)."""
    kept = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + (kept[0] if len(kept) == 1 else "".join(f"{line}\\l" for line in kept)) + '"'
