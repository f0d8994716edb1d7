"""Every fault can be asked for in each of the ways, and is in the documentation."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from ackproof.impl.control.threadsafe_faults import ThreadsafeFaults
from ackproof.impl.faults import faults
from ackproof.impl.faults.faults import Faults

from tests.impl.control.remote import remote

#: What a node does itself, and what faults have under another name, or for the broker only.
NODES = {"restart_node", "block", "unblock"}
#: What tells of faults.
TELLING = {"armed", "unstruck"}
OF_BROKERS = {"write_fails", "refuses_login", "loses_ack", "due", "look_at_clock", *TELLING}


def names(of: type) -> set[str]:
    """Return the names of what can be asked of something."""
    return {name for name, _ in inspect.getmembers(of, callable) if not name.startswith("_")}


def test_every_fault_can_be_asked_for_by_name_in_each_of_the_ways() -> None:
    with remote() as node:
        _, told = node.ask("POST", "/faults/none", {})
    offered = set(told["error"].partition("; there are ")[2].split(", "))
    assert offered == (names(Faults) - OF_BROKERS) | NODES
    asked = names(ThreadsafeFaults) - TELLING
    from_outside = {name if name != "clear_faults" else "clear" for name in asked}
    assert from_outside == offered


def test_every_fault_is_in_the_documentation() -> None:
    told = {name for text in (oracle_page(), faults.__doc__ or "") for name in words(text)}
    assert names(Faults) - OF_BROKERS <= told


def oracle_page() -> str:
    """Return the page about all this."""
    return (Path(__file__).parents[3] / "docs/oracle.rst").read_text()


def words(text: str) -> set[str]:
    """Return the words of a text, names among them."""
    return set(re.findall(r"\w+", text))
