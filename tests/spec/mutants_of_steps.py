"""All small mistakes in the steps of a chapter or a machine, with what notices them and where."""

from __future__ import annotations

from ackproof.lang import Design

from tests.spec.mutants_asking import ASKING_MUTANTS
from tests.spec.mutants_channels import CHANNELS_MUTANTS
from tests.spec.mutants_closing import CLOSING_MUTANTS
from tests.spec.mutants_dead_lettering import DEAD_LETTERING_MUTANTS
from tests.spec.mutants_failing import FAILING_MUTANTS
from tests.spec.mutants_handing import HANDING_MUTANTS
from tests.spec.mutants_limiting import LIMITING_MUTANTS
from tests.spec.mutants_mirroring import MIRRORING_MUTANTS
from tests.spec.mutants_retrying import RETRYING_MUTANTS
from tests.spec.mutants_storing import STORING_MUTANTS

__all__ = ["IN_STEPS"]

IN_STEPS: dict[str, tuple[Design, str, str]] = {
    **ASKING_MUTANTS,
    **CHANNELS_MUTANTS,
    **CLOSING_MUTANTS,
    **DEAD_LETTERING_MUTANTS,
    **FAILING_MUTANTS,
    **HANDING_MUTANTS,
    **LIMITING_MUTANTS,
    **MIRRORING_MUTANTS,
    **RETRYING_MUTANTS,
    **STORING_MUTANTS,
}
