"""Two-phase commit as masks, after Lamport's `TwoPhase.tla` (github.com/tlaplus/Examples).

The states of the resource managers and of the transaction manager, and the messages ever sent, as
fields of one integer that may take several words: `gap` bits are left free between resource
managers and the rest.
"""

from tests.model.kernel.rules import Pattern, Rule, System

# Resource managers: distinct states, states generated, depth, as TLC reports them.
COUNTS = {
    2: (56, 154, 8),
    3: (288, 1_146, 11),
    4: (1_568, 8_258, 14),
    5: (8_832, 58_146, 17),
    6: (50_816, 402_306, 20),
    7: (296_448, 2_744_706, 23),
}

WORKING, PREPARED, COMMITTED, ABORTED = range(4)


def two_phase(managers: int, words: int = 1) -> System:
    """The protocol for that many resource managers; resource manager states from bit 0 on."""
    everyone = (1 << managers) - 1
    rest = max(2 * managers, 64 * (words - 1))
    decided = 1 << rest  # the transaction manager has decided
    commit, abort = 2 << rest, 4 << rest
    seen = 8 << rest  # Prepared messages received, one bit for each resource manager
    sent = seen << managers  # Prepared messages sent

    def when(mask: int, value: int) -> Pattern:
        return Pattern(mask, value)

    rules = [
        Rule(0, when(decided | everyone * seen, everyone * seen), 0, decided | commit),
        Rule(1, when(decided, 0), 0, decided | abort),
    ]
    for i in range(managers):
        own = 3 << 2 * i
        rules += [
            Rule(2, when(decided | sent << i, sent << i), 0, seen << i),
            Rule(3, when(own, WORKING << 2 * i), own, PREPARED << 2 * i | sent << i),
            Rule(4, when(own, WORKING << 2 * i), own, ABORTED << 2 * i),
            Rule(5, when(commit, commit), own, COMMITTED << 2 * i),
            Rule(6, when(abort, abort), own, ABORTED << 2 * i),
        ]
    return System(words, 0, tuple(rules), actions=7)
