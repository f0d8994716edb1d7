"""The model: the system, its properties and its instances, as the checker is given them."""

from __future__ import annotations

from ackproof.spec import properties
from ackproof.spec.instances import INSTANCES
from ackproof.spec.lang import Model, properties_in
from ackproof.spec.system import Confirms

__all__ = ["MODEL"]

MODEL = Model("confirms", Confirms, properties_in(properties), INSTANCES)
