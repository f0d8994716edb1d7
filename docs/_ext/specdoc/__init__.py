"""Sphinx directives that draw the documentation from the specification.

`library` finds what there is: machines, steps, properties, designs, instances, rules.  `pages`
writes a page for each before the build starts; a page holds one directive.  The directives
(`machines`, `claims`, `rule_pages`, `exhibits`, `eras`, `promises`, `proofs`, `mutations`,
`instances`, `language`, `constructors`, `commands`, `schemas`) return document nodes, made of the
building blocks in `markup`.  `domain` resolves the references between the pages.

What is shown comes from the specification's source (`source`), its typed IR (`describe`, `calls`,
`charts`) or the checker (`evidence`, `traces`); nothing is copied by hand, so nothing can be out
of date.  Anything that does not fit together is a warning, and `make docs` treats warnings as
errors.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from specdoc import (
    checking,
    claims,
    commands,
    constructors,
    eras,
    exhibits,
    instances,
    language,
    machines,
    mutations,
    navigation,
    pages,
    promises,
    proofs,
    prose,
    rule_pages,
    schemas,
)
from specdoc.domain import SpecDomain

__all__ = ["DIRECTIVES", "register", "setup"]

DIRECTIVES = {
    "machine": machines.MachineDirective,
    "machines": machines.MachineTable,
    "step-matrix": machines.StepMatrix,
    "property": claims.PropertyDirective,
    "properties": claims.PropertyTable,
    "rules": rule_pages.RuleIndex,
    "design": exhibits.DesignDirective,
    "designs": exhibits.DesignTable,
    "era": eras.EraDirective,
    "era-table": eras.EraTableDirective,
    "instance": instances.InstanceDirective,
    "instances": instances.InstanceTable,
    "events": instances.EventList,
    "sorts": instances.SortList,
    "checked": language.CheckedExample,
    "diagnostics": language.DiagnosticList,
    "constructor": constructors.ConstructorDirective,
    "module-chapter": language.ModuleChapter,
    "commands": commands.CommandList,
    "run": commands.RunDirective,
    "json-schema": schemas.SchemaDirective,
    "promises": promises.PromisesDirective,
    "proof-table": proofs.ProofTable,
    "lemmas": proofs.LemmaTable,
    "assumptions": proofs.AssumptionList,
    "noticed": mutations.MistakeTable,
    "says": prose.SaysDirective,
    "witness": prose.WitnessDirective,
    "trace-legend": prose.LegendDirective,
}


def register(app: Sphinx) -> None:
    """Register the domain and the directives."""
    app.setup_extension("sphinx.ext.graphviz")
    app.add_domain(SpecDomain)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_config_value("specdoc_engine", "kernel", "env", types=[str])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything, and have a page written for each object of the specification."""
    register(app)
    app.connect("builder-inited", pages.write_pages)
    app.connect("env-before-read-docs", checking.prepare_evidence)
    app.connect("doctree-read", pages.depend_on_everything)
    app.connect("html-page-context", navigation.show_navigation, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
