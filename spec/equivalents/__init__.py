"""Small changes that change nothing: why a mutant that nothing notices is no mistake.

`ackproof mutate` makes one mistake at a time.  What nothing notices either shows that a property or
an instance is missing, or stands here: by method, and by what the mutant is called, with the
reason.  A name says nothing of lines, so an entry lasts as long as the text that it is about.

A module of this package explains the mutants of some machines and chapters.
"""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.spec.equivalents import (
    channels,
    clients,
    consumers,
    failing,
    flow,
    mirrors,
    queues,
    stores,
)

__all__ = ["EQUIVALENT"]

#: For each method, what a mutant does, and why nothing can notice it.
EQUIVALENT: Mapping[str, Mapping[str, str]] = {
    **channels.EQUIVALENT,
    **clients.EQUIVALENT,
    **queues.EQUIVALENT,
    **stores.EQUIVALENT,
    **flow.EQUIVALENT,
    **mirrors.EQUIVALENT,
    **failing.EQUIVALENT,
    **consumers.EQUIVALENT,
}
