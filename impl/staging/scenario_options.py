"""Which options of a broker a scenario has, and a broker that has the options of a scenario.

They are those that make a difference to what clients are told, as far as a document should have
them: who may log in, with which password, and what is defined is given to the broker again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from ackproof.impl.limits import Limits
from ackproof.impl.options import Options
from ackproof.impl.scenario.scenario import Scenario, ScenarioError

__all__ = ["differing", "fitted", "options_of"]

_KINDS: dict[str, tuple[type, ...]] = {
    "seed": (int,),
    "replicas": (int,),
    "immediate": (bool,),
    "version": (str,),
    "vhosts": (list, tuple),
    "limits": (dict,),
}


def options_of(options: Options) -> dict[str, Any]:
    """Return what a scenario says of a broker with these options: what is not as usual."""
    usual = Options()
    said = {
        name: getattr(options, name)
        for name in _KINDS
        if getattr(options, name) != getattr(usual, name)
    }
    if "vhosts" in said:
        said["vhosts"] = list(said["vhosts"])
    if "limits" in said:
        there = asdict(usual.limits)
        said["limits"] = {k: v for k, v in asdict(options.limits).items() if v != there[k]}
    return said


def fitted(options: Options, scenario: Scenario) -> Options:
    """Return options with those of a scenario, where nothing else was asked for.

    Raises:
        ScenarioError: something else was asked for, or that can be no option.
    """
    wanted = _values(scenario.options)
    usual = Options()
    for name, value in wanted.items():
        asked = getattr(options, name)
        if asked not in (getattr(usual, name), value):
            raise ScenarioError(
                f"the scenario is for a broker with {name} {value!r}, and {asked!r} is asked for; "
                f"leave {name} out, or take another scenario"
            )
    try:
        return replace(options, **wanted)
    except ValueError as error:
        raise ScenarioError(f"the scenario, options: {error}") from None


def differing(options: Options, scenario: Scenario) -> list[str]:
    """Return the names of the options in which a broker is not what a scenario is for.

    Raises:
        ScenarioError: the scenario says what can be no option.
    """
    wanted = _values(scenario.options)
    return [name for name, value in wanted.items() if getattr(options, name) != value]


def _values(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as a broker takes them."""
    for name, value in said.items():
        if name not in _KINDS:
            raise ScenarioError(
                f"the scenario, options: there is no {name!r}; there are {', '.join(_KINDS)}"
            )
        if not isinstance(value, _KINDS[name]) or (type(value) is bool) != (name == "immediate"):
            raise ScenarioError(f"the scenario, options: {name} cannot be {value!r}")
    values = dict(said)
    if "vhosts" in said:
        values["vhosts"] = _names(said["vhosts"])
    if "limits" in said:
        values["limits"] = _limits(said["limits"])
    return values


def _names(said: Any) -> tuple[str, ...]:
    if not all(isinstance(one, str) for one in said):
        raise ScenarioError(f"the scenario, options: vhosts must be names, not {said!r}")
    return tuple(said)


def _limits(said: dict[str, Any]) -> Limits:
    known = {one.name: type(one.default) for one in fields(Limits)}
    for name, value in said.items():
        if name not in known:
            raise ScenarioError(
                f"the scenario, options: there is no limit {name!r}; there are {', '.join(known)}"
            )
        if isinstance(value, bool) or not isinstance(value, (int, known[name])):
            raise ScenarioError(f"the scenario, options: the limit {name} cannot be {value!r}")
    try:
        return Limits(**said)
    except ValueError as error:
        raise ScenarioError(f"the scenario, options: {error}") from None
