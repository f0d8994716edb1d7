"""The JSON Schemas of the documents that commands print, as the code generates them."""

from __future__ import annotations

import json
from importlib import import_module

from docutils import nodes

from specdoc.markup import SpecDirective, code

__all__ = ["SchemaDirective"]


class SchemaDirective(SpecDirective):
    """`.. json-schema:: ackproof.model.document`: what the module's function `schema` returns."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the schema as one block."""
        schema = import_module(self.arguments[0]).schema()
        return [code(json.dumps(schema, indent=2), language="json", classes=["spec-run"])]
