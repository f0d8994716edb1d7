"""A state graph in a file is the whole graph, for other programs and for readers."""

from __future__ import annotations

import io
import re
import shutil
import xml.etree.ElementTree as ET

import networkx as nx
import pytest
from ackproof.export.graph_file import dot, graphml, svg
from ackproof.lang import Model
from ackproof.model.check import chosen
from ackproof.model.state_graph import Graph, state_graph

from tests.model import counting, mailroom
from tests.models import die_hard

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def graph_of(model: Model) -> Graph:
    return state_graph(chosen(model, model.instances[0]), limit=10_000)


def test_graphml_says_all_that_the_graph_says() -> None:
    graph = graph_of(mailroom.MODEL)
    again = nx.read_graphml(io.BytesIO(graphml(graph).encode()), force_multigraph=True)
    assert dict(again.nodes(data=True)) == {str(n): about for n, about in graph.nodes(data=True)}
    assert sorted(map(repr, again.edges(data=True))) == sorted(
        repr((str(a), str(b), about)) for a, b, about in graph.edges(data=True)
    )


def test_dot_has_a_line_for_each_state_and_step() -> None:
    graph = graph_of(mailroom.MODEL)
    lines = dot(graph, "this").splitlines()
    assert sum(" -> " in line for line in lines) == graph.number_of_edges()
    nodes = {line.split()[0] for line in lines if re.match(r"  \w+ \[label", line)}
    assert nodes == {n if isinstance(n, str) else f"s{n}" for n in graph}


def test_a_state_shows_what_is_different_from_the_initial_one() -> None:
    lines = dot(graph_of(die_hard.MODEL), "this").splitlines()
    assert r'  s0 [label="0\lsmall = 0\lbig = 0\l", penwidth=2];' in lines
    assert r'  s2 [label="2\lbig = 5\l"];' in lines


def test_what_is_false_is_red_and_nothing_else() -> None:
    lines = dot(graph_of(die_hard.MODEL), "this").splitlines()
    red = [line for line in lines if "color" in line]
    assert red == [line for line in lines if "✗ NeverFourGallons" in line]
    assert len(red) == 2


def test_a_state_that_is_cut_is_dashed() -> None:
    graph = graph_of(counting.MODEL)
    lines = dot(graph, "this").splitlines()
    cut = [n for n, about in graph.nodes(data=True) if about["@cut"]]
    dashed = [line.split()[0] for line in lines if "dashed" in line]
    assert dashed == [f"s{n}" for n in cut]
    assert dashed


@needs_dot
@pytest.mark.parametrize("model", [mailroom.MODEL, die_hard.MODEL], ids=lambda model: model.name)
def test_graphviz_draws_every_state_and_step(model: Model) -> None:
    graph = graph_of(model)
    root = ET.fromstring(svg(graph, 'a "quoted" \\ title'))
    kinds = [one.get("class") for one in root.iter("{http://www.w3.org/2000/svg}g")]
    assert kinds.count("node") == len(graph)
    assert kinds.count("edge") == graph.number_of_edges()
    said = {one.text for one in root.iter("{http://www.w3.org/2000/svg}text")}
    assert 'a "quoted" \\ title' in said
    assert {about["@step"] for *_, about in graph.edges(data=True)} <= said
