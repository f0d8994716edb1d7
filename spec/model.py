"""The model: the system, its properties and its instances, as the checker is given them."""

from __future__ import annotations

from ackproof.lang import Model, properties_in
from ackproof.spec import (
    properties,
    properties_accounting,
    properties_asking,
    properties_channels,
    properties_consuming,
    properties_crediting,
    properties_dead_lettering,
    properties_failing,
    properties_handing,
    properties_keeping,
    properties_limiting,
    properties_mirroring,
    properties_parting,
    properties_renewing,
    properties_retrying,
    properties_settling,
    properties_storing,
    properties_telling,
    properties_transacting,
    situations,
)
from ackproof.spec.clients import CLIENTS
from ackproof.spec.instances import INSTANCES
from ackproof.spec.system import Confirms

__all__ = ["MODEL"]

CLAIMS = properties_in(
    properties,
    properties_accounting,
    properties_asking,
    situations,
    properties_failing,
    properties_parting,
    properties_keeping,
    properties_limiting,
    properties_mirroring,
    properties_renewing,
    properties_retrying,
    properties_storing,
    properties_telling,
    properties_channels,
    properties_transacting,
    properties_consuming,
    properties_handing,
    properties_settling,
    properties_crediting,
    properties_dead_lettering,
)

MODEL = Model(
    "confirms",
    Confirms,
    CLAIMS,
    INSTANCES,
    designs="ackproof.spec.designs",
    eras="ackproof.spec.eras",
    lemmas="ackproof.spec.lemmas",
    equivalents="ackproof.spec.equivalents",
    assumptions="ackproof.spec.assumptions",
    clients=CLIENTS,
)
