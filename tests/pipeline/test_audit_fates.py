"""The account of messages has those of which something is known, and no others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from ackproof.pipeline.audit.fates import messages_of
from ackproof.pipeline.audit.squeezed import squeezed
from ackproof.pipeline.audit.tables import FACTS, TABLES, packed

#: What is known of a message: it was published once, and acked once.
_FACT = np.array([[7, 70, 0, 1, 1, 0, 0, 0, 0]], np.int64).T.copy()


def texts(*rows: tuple[int, int, str, str]) -> pa.RecordBatch:
    """Texts as they travel."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    return packed("texts", [0], [squeezed(pa.record_batch(columns, schema=TABLES["texts"]))])


def test_texts_of_which_nothing_else_is_known_are_no_message() -> None:
    assert len(_FACT) == len(FACTS)
    facts = packed("facts", [0], [squeezed(_FACT)])
    # Half of what the second is known by is the same.
    known = texts((7, 71, "other", "d"), (7, 70, "own", "e"), (7, 70, "own", "e"))
    for order in ([known, facts], [facts, known]):
        (found,) = messages_of(iter(order))
        assert [tuple(row.values())[:4] for row in found.to_pylist()] == [("own", "e", 1, 1)]
    assert not list(messages_of(iter([known])))
