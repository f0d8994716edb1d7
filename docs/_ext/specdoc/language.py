"""The page of the language: examples that the front end has read, and the list of diagnostics.

An example is Python in the page's own text.  It is given to the front end when the page is built,
so an example that the language does not accept is an error of the build.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from ackproof.lang import Instance, Model, System, properties_in
from ackproof.lang.errors import BindError, SpecError
from ackproof.lang.frontend import compile_model
from ackproof.lang.source import docstring
from ackproof.model.check import check
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging

from specdoc.markup import SpecDirective, code, labelled, paragraph, section

__all__ = ["CheckedExample", "DiagnosticList", "ModuleChapter", "model_in"]

logger = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[3]
_DIAGNOSTICS = _ROOT / "tests" / "lang" / "diagnostics"

#: A case of a topic: its name, and the diagnostic after the lines that earn it.
_CASE = re.compile(r"^# \w+: (\w+)\n(?s:.*?)^# says:\n((?:.+\n)+)", re.MULTILINE)

#: What every example may use without saying so.
_PREAMBLE = '''"""An example."""
from enum import Enum
from typing import Annotated

from ackproof.lang import *

'''


def load_example(text: str, folder: Path, *, whole: bool = False) -> ModuleType:
    """Import an example's text as a module, from a file, since the front end reads files.

    Args:
        text: the example.
        folder: where the file is kept.
        whole: the example says itself what it imports.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = f"example_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    path = folder / f"{name}.py"
    path.write_text(f"{'' if whole else _PREAMBLE}{text}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def model_in(module: ModuleType) -> Model:
    """Return the model of an example: its own, or its system with its properties.

    Raises:
        LookupError: the example has neither.
    """
    given = getattr(module, "MODEL", None)
    if isinstance(given, Model):
        return given
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, System) and value is not System:
            return Model("example", value, properties_in(module), ())
    raise LookupError("the example has no system")


class CheckedExample(SpecDirective):
    """`.. checked::`: an example that the front end accepts.

    `:verdict:` checks the first instance of the example's model in plain Python, and shows what
    was found.  `:whole:` says that the example is a file as it stands, imports included.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "verdict": directives.flag,
        "whole": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Return the example, and below it the verdict if that is asked for."""
        text = "\n".join(self.content)
        shown: list[nodes.Node] = [code(text)]
        try:
            folder = Path(self.env.srcdir) / "_build" / "examples"
            module = load_example(text, folder, whole="whole" in self.options)
            model = model_in(module)
            compile_model(model)
            if "verdict" in self.options:
                shown.append(self._verdict(model, model.instances[0]))
        except (SpecError, BindError, LookupError, NameError, SyntaxError) as error:
            logger.warning("an example is rejected: %s", error, location=self.get_location())
        return shown

    def _verdict(self, model: Model, instance: Instance) -> nodes.paragraph:
        report = check(model, instance, engine="plain")
        states = f"{report.outcome.states:,} distinct states"
        text = f"{report.verdict.value}: {report.verdict.meaning} ({states})"
        for trace in report.traces:
            steps = ", ".join(step.text for step in trace.steps)
            text = f"violated: {trace.property} is false after {steps}"
        return paragraph(text, classes=["spec-verdict"])


class DiagnosticList(SpecDirective):
    """`.. diagnostics::`: every diagnostic of the front end, verbatim, as the tests compare it."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each topic, with an entry for each of its cases."""
        files = sorted(p for p in _DIAGNOSTICS.glob("*.txt") if p.stem != "preamble")
        if not files:
            logger.warning("there are no cases in %s", _DIAGNOSTICS.relative_to(_ROOT))
        return [self._topic(file.read_text(encoding="utf-8")) for file in files]

    def _topic(self, text: str) -> nodes.section:
        title = text.partition("\n")[0].removeprefix("# ")
        topic = section(title, title)
        for name, diagnostic in _CASE.findall(text):
            topic += labelled(name.replace("_", " "), [code(diagnostic.rstrip(), "text")])
        return topic


class ModuleChapter(SpecDirective):
    """`.. module-chapter:: ackproof.spec.wire`: the docstring of a module."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the chapter's prose."""
        return self.prose(docstring(importlib.import_module(self.arguments[0])))
