"""Cross-references: roles and links to machines, steps, properties, designs, instances, rules.

    :spec:step:`Channel.settle`   :spec:property:`SettledOnce`   :spec:rule:`A9.3`

What exists is known from the specification before a page is read, so nothing is collected, and a
reference to something that is not there is a warning, which the build treats as an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ackproof.lang.properties import BUILT_IN
from docutils import nodes
from docutils.nodes import Element
from sphinx.addnodes import pending_xref
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode

from specdoc import numbers
from specdoc.library import Library, library

__all__ = ["SpecDomain", "known", "link", "location"]

_KINDS = ("machine", "step", "property", "design", "era", "instance", "event", "sort", "rule")


def slug(name: str) -> str:
    """Return a name as page names and fragments are written."""
    return name.lower().replace("_", "-")


def location(lib: Library, kind: str, name: str) -> tuple[str, str] | None:
    """Return the page and fragment of an object, or None if there is no such object."""
    if kind == "machine" and lib.layer(name):
        return f"generated/machines/{slug(name)}", ""
    step = lib.step(name) if kind == "step" else None
    if step is not None:
        return f"generated/machines/{slug(step.layer)}", slug(step.name)
    if kind == "property" and name in BUILT_IN:
        return "generated/properties/index", slug(name)
    if kind == "property" and lib.claim(name):
        return f"generated/properties/{slug(name)}", ""
    if kind == "design" and lib.exhibit(name):
        return f"generated/designs/{slug(name)}", ""
    if kind == "era":
        era, _, claim = name.partition(".")
        there = lib.era(era) and (not claim or lib.is_property(claim))
        return (f"generated/eras/{slug(era)}", slug(claim)) if there else None
    if kind == "instance" and lib.instance(name):
        return f"generated/instances/{slug(name)}", ""
    if kind == "event" and any(e.__name__ == name for e in lib.events):
        return "generated/events", slug(name)
    if kind == "sort" and any(c.__name__ == name for c in lib.sorts):
        return "generated/sorts", slug(name)
    if kind == "rule" and numbers.chapter_of(name):
        return "generated/rules", numbers.anchor(name)
    return None


def known(kind: str, name: str) -> bool:
    """Tell whether there is a page of an object."""
    return location(library(), kind, name) is not None


def link(kind: str, name: str, text: str | None = None, *, code: bool = True) -> pending_xref:
    """Return a reference to an object, to be resolved when all pages are read."""
    shown = text or name
    inner = nodes.literal(shown, shown) if code else nodes.inline(shown, shown)
    return pending_xref(
        "", inner, refdomain="spec", reftype=kind, reftarget=name, refexplicit=True, refwarn=True
    )


class SpecDomain(Domain):
    """The objects of the specification."""

    name = "spec"
    label = "specification"
    object_types: ClassVar[dict[str, ObjType]] = {kind: ObjType(kind, kind) for kind in _KINDS}
    roles: ClassVar[dict[str, Any]] = {kind: XRefRole(warn_dangling=True) for kind in _KINDS}

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: pending_xref,
        contnode: Element,
    ) -> nodes.reference | None:
        """Return the link, or None, which is reported as a dangling reference."""
        found = location(library(), typ, target)
        if found is None:
            return None
        page, fragment = found
        return make_refnode(builder, fromdocname, page, fragment, [contnode], target)

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: pending_xref,
        contnode: Element,
    ) -> list[tuple[str, nodes.reference]]:
        """Resolve nothing: a role always says what kind of thing it names."""
        return []

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """Yield what the search box and the index may offer."""
        lib = library()
        names: list[tuple[str, str]] = [("machine", x.name) for m in lib.machines for x in m.layers]
        names += [("step", s.key) for m in lib.machines for s in m.steps]
        names += [("property", c.name) for c in lib.claims]
        names += [("design", e.name) for e in lib.exhibits]
        names += [("era", e.name) for e in lib.eras]
        names += [("instance", i.name) for i in lib.model.instances]
        names += [("event", e.__name__) for e in lib.events]
        names += [("sort", c.__name__) for c in lib.sorts]
        for kind, name in names:
            found = location(lib, kind, name)
            assert found is not None, f"{kind} {name} has no page"
            yield name, name, kind, *found, 1

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        """Merge nothing: there is no data."""
