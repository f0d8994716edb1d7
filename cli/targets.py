"""What is checked: the base specification, a design of the museum, an era, or a user's own file.

A user's file is a Python module that defines `design = Design(...)`, a change to the base, or
`MODEL = Model(...)`, a model of its own, or both, and then the design changes that model.  It may
bring `instances = (Instance(...), ...)` too.  It is imported as Python imports a script: its folder
is on the path while it runs, and what it prints goes to standard error.  Whatever goes wrong then
is the file's, and is told with its line.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from ackproof.cli.inputs import InputError, choose, no_python
from ackproof.cli.modules_beside import modules_beside
from ackproof.lang.collection import collect_seldom
from ackproof.lang.model import Breaks, Design, Holds, Instance, Model
from ackproof.lang.process import Process
from ackproof.lang.properties import properties_in

__all__ = [
    "BASE",
    "USER",
    "Target",
    "base_target",
    "design_names",
    "load",
    "load_all",
    "named",
    "names_design",
    "plainly",
]

#: The model that designs change.
BASE = "ackproof.spec.model"

#: What the name of a user's file begins with, once it is a module.
USER = "ackproof_user_"


@dataclass(frozen=True)
class Target:
    """A model, with a design applied or without.

    Args:
        name: what the design or the file is called; None for the base.
        own: instances that the file brings; `model` has them too.
        about: the first line of the file's docstring.
        module: the file as a module; None for the base.
    """

    model: Model
    name: str | None = None
    design: Design | None = None
    own: tuple[Instance, ...] = ()
    about: str = ""
    module: ModuleType | None = None

    @property
    def label(self) -> str:
        """How reports call it."""
        return self.name or self.model.name

    @property
    def text(self) -> str:
        """How a command line names it, for `named`; nothing for the base."""
        if self.module is None:
            return ""
        own = self.module.__name__.startswith(USER)
        return os.fspath(self.module.__file__ or "") if own else self.label


def named(text: str) -> Target:
    """Return the target whose `text` this is, in whichever process.

    Raises:
        InputError: it cannot be used here.
    """
    return load(text) if text else base_target()


def base_target() -> Target:
    """Return the base specification."""
    model = importlib.import_module(BASE).MODEL
    _spare_the_collector()
    return Target(model)


@cache
def _spare_the_collector() -> None:
    """See `collect_seldom`; once, for whoever asks again has garbage that is not to stay."""
    collect_seldom()


def load_all(texts: Sequence[str]) -> list[Target]:
    """Return what command line arguments name; what is named twice is there once.

    Raises:
        InputError: there is no such design or file, or it cannot be used.
    """
    found: dict[str, Target] = {}
    for text in texts:
        file = str(Path(text).resolve())
        target = found.get(file) or load(text)
        found[file if _is_file(text) else target.label] = target
    return list(found.values())


def _is_file(text: str) -> bool:
    path = Path(text)
    named = os.sep in text or path.suffix == ".py" or path.exists()
    return text not in _packages() and named


def _packages() -> dict[str, str]:
    """Return the package of every design that comes with the specification, eras included."""
    from ackproof.model.eras import era_names
    from ackproof.model.museum import museum_names

    model = base_target().model
    return dict.fromkeys(museum_names(model), model.designs) | dict.fromkeys(
        era_names(model), model.eras
    )


def design_names() -> tuple[str, ...]:
    """Return the names of all designs that come with the specification."""
    return tuple(_packages())


def names_design(text: str) -> bool:
    """Tell whether a command line argument names a file or a design, or begins a design's name."""
    return _is_file(text) or any(name.startswith(text) for name in design_names())


def load(text: str) -> Target:
    """Return what a command line argument names.

    Raises:
        InputError: there is no such design or file, or it cannot be used.
    """
    path = Path(text)
    if _is_file(text):
        module = _from_file(path)
        _spare_the_collector()
        return _target(module, path.stem)
    packages = _packages()
    name = choose("design", text, packages, short=True)
    return _target(_imported(f"{packages[name]}.{name}", name), name)


def _from_file(path: Path) -> ModuleType:
    if path.is_dir():
        raise InputError(f"{path} is a directory; give a file, such as {path / 'my_design.py'}")
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text in UTF-8; give a Python file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    try:
        compile(source, str(path), "exec")
    except (SyntaxError, ValueError) as error:
        raise InputError(no_python(path, error)) from None
    return _run(path)


def _run(path: Path) -> ModuleType:
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with modules_beside(path), redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (KeyboardInterrupt, InputError):
        raise
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, SyntaxError) and error.filename:  # in what it imports
            raise InputError(no_python(Path(error.filename), error)) from None
        raise InputError(_raised(error, str(path), path.resolve())) from None
    return module


def _module_name(path: Path) -> str:
    """Return what a file is called as a module: another file has another name.

    What two modules of one name have cannot be told apart, and the cache of programs goes by names.
    """
    return f"{USER}{sha256(str(path.resolve()).encode()).hexdigest()[:8]}_{path.stem}"


def plainly(text: str) -> str:
    """Return a text with modules called as their files are."""
    return re.sub(rf"\b{USER}[0-9a-f]{{8}}_", "", text)


def _imported(module: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except SyntaxError as error:
        raise InputError(no_python(Path(error.filename or name), error)) from None
    except Exception as error:
        raise InputError(_raised(error, f"the design {name}", None)) from None


def _raised(error: BaseException, name: str, file: Path | None) -> str:
    """Say what importing a module raised, at the last line that is the module's own."""
    where = name
    for frame in traceback.extract_tb(error.__traceback__):
        if file is not None and Path(frame.filename) == file:
            where = f"{name}:{frame.lineno}"
    text = str(error) or "no message"
    return (
        f"{where}: importing this raises {type(error).__name__}: {text}\n"
        "  instead: correct the file; it must import without error, like any module"
    )


def _target(module: ModuleType, name: str) -> Target:
    design = _typed(module, "design", Design)
    model = _typed(module, "MODEL", Model)
    if design is None and model is None:
        raise InputError(
            f"{name} defines neither a design nor a model\n"
            '  instead: write design = Design(claim="…", replace=(MyQueue,)) at its end, '
            "or MODEL = Model(…)"
        )
    if design is not None:
        _check_design(design, name)
        if model is None:
            _refuse_properties(module, name)
    if model is not None:
        _check_model(model, name)
    chosen = model or base_target().model
    own = _own_instances(module, name)
    names = {i.name for i in own}
    kept = tuple(i for i in chosen.instances if i.name not in names)
    about = (module.__doc__ or "").strip().partition("\n")[0]
    return Target(replace(chosen, instances=(*own, *kept)), name, design, own, about, module)


def _typed(module: ModuleType, attribute: str, kind: type[Any]) -> Any:
    value = getattr(module, attribute, None)
    if value is not None and not isinstance(value, kind):
        raise InputError(
            f"`{attribute}` is of type {type(value).__name__}, and a {kind.__name__} is needed\n"
            f"  instead: write {attribute} = {kind.__name__}(…)"
        )
    return value


def _own_instances(module: ModuleType, name: str) -> tuple[Instance, ...]:
    given = getattr(module, "instances", ())
    if not isinstance(given, tuple | list) or not all(isinstance(i, Instance) for i in given):
        raise InputError(
            f"{name}: `instances` is not a tuple of instances\n"
            '  instead: write instances = (Instance("mine", "…", {Msg: 2}),)'
        )
    return tuple(given)


def _refuse_properties(module: ModuleType, name: str) -> None:
    """Refuse properties of a file that changes the base: nothing would check them."""
    added = [p.name for p in properties_in(module) if p.function.__module__ == module.__name__]
    if added:
        raise InputError(
            f"{name}: a design cannot add properties, and this one defines {', '.join(added)}\n"
            "  instead: give the file a model that has them, too: from dataclasses import replace, "
            f"from {BASE} import MODEL as BASE, and\n"
            "  MODEL = replace(BASE, properties=(*BASE.properties, "
            f"*properties_in({', '.join(added)})))"
        )


def _check_design(design: Design, name: str) -> None:
    changed = design.replace
    if not isinstance(changed, tuple) or not all(
        isinstance(c, type) and issubclass(c, Process) for c in changed
    ):
        raise InputError(
            f"{name}: `replace` is not a tuple of process classes\n"
            "  instead: write replace=(MyQueue,) with a comma"
        )
    if not isinstance(design.expect, tuple) or not all(
        isinstance(e, Breaks | Holds) for e in design.expect
    ):
        raise InputError(
            f"{name}: `expect` is not a tuple of expectations\n"
            '  instead: write expect=(Breaks("Property", "instance", 5),)'
        )


def _check_model(model: Model, name: str) -> None:
    if not model.instances:
        raise InputError(
            f"{name}: the model has no instances\n"
            '  instead: give it one: Instance("small", "…", {Msg: 2})'
        )
