"""Names in a model in Promela.

A verifier is a program in C, in which variables are fields and the preprocessor goes through the
model before; so words of C, and what SPIN's own sources define, are no names either.
"""

from __future__ import annotations

from ackproof.export.names import Names

__all__ = ["BEFORE", "promela_names"]

#: What the names of variables begin with that hold the state before a step.
BEFORE = "before_"

#: What Promela, C, the preprocessor, and the sources of a verifier mean by a name.
_WORDS = (
    "D_proctype STDIN always assert active atomic bit bool break byte c_code c_decl c_expr c_state",
    "c_track chan d_step do else empty enabled eval eventually false fi for full get_priority goto",
    "hidden if implies in init inline int len local ltl mtype nempty never next nfull np_ notrace",
    "od of pc_value pid print printf printm priority proctype provided release return run select",
    "set_p set_priority short show skip strong timeout trace true typedef undef unless unsigned",
    "until weakuntil xr xs equivalent stronguntil",
    "auto case char const continue default double enum extern float long register signed sizeof",
    "static struct switch union void volatile while restrict typeof asm",
    "linux unix i386 errno main memcpy memset strlen stdin stdout stderr",
    "Addproc Air BACKWARD_MOVES BAD BFS CHUNK DELTA FREQ GLOBAL HASH INLINE_REV INRANGE Index",
    "LOCAL MAXPROC MAXQ MERGED Max Min NOT_AGAIN NQS NTRANS Offsetof PM Pclaim QUERY QUIT SYNC",
    "TRANSITIONS TRY_AGAIN TWIDTH UnBlock Uerror WS U V W X final getframe iam_alive max maxseq",
    "min minseq mix now q_sz rand rot uchar uint ulong ushort wasnew start State Trail Stack",
    "SAFETY NOREDUCE COLLAPSE",
    "BIT HAS REACHABLE RUNS Others System beginning check_state check_step look",
    "reach_state reach_step remember undo",
)


def promela_names() -> Names:
    """Return the names that a model may have."""
    words = (word for line in _WORDS for word in line.split())
    return Names(words, heads=(BEFORE, "COUNT_", "LEAST_", "GREATEST_"))
