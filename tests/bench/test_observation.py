"""The log of a node tells whether a mirror was promoted, and why a queue's process crashed."""

from __future__ import annotations

from bench.rabbitmq.observation import crash_reason, promoted

PROMOTION = """\
2026-11-21 13:20:25.08 [info] <0.1363.0> Mirrored queue 'ha.q' in vhost '/': Secondary replica \
of queue <r2@localhost.1.0> detected replica  <r1@localhost.1.0> to be down
2026-11-21 13:20:25.08 [info] <0.1363.0> Mirrored queue 'ha.q' in vhost '/': Promoting mirror \
<r2@localhost.1.0> to leader
"""

CRASH = """\
2026-11-21 13:21:05.32 [error] <0.1362.0>     supervisor: {<0.1362.0>,rabbit_amqqueue_sup}
2026-11-21 13:21:05.32 [error] <0.1362.0>     errorContext: child_terminated
2026-11-21 13:21:05.32 [error] <0.1362.0>     reason: {{badmatch,true},
2026-11-21 13:21:05.32 [error] <0.1362.0>              [{rabbit_mirror_queue_master,discard,4,
2026-11-21 13:21:05.32 [error] <0.1362.0>                   [{file,"x.erl"},{line,300}]},
2026-11-21 13:21:05.32 [error] <0.1362.0>               {rabbit_amqqueue_process,handle_cast,2,
2026-11-21 13:21:05.32 [error] <0.1362.0>                   [{file,"y.erl"},{line,1594}]}]}
2026-11-21 13:21:05.32 [error] <0.1362.0>     offender: [{pid,<0.1363.0>},
"""


def test_the_reason_of_a_crash_is_the_exception_and_where_it_was_raised() -> None:
    assert crash_reason(CRASH) == "{badmatch,true} in rabbit_mirror_queue_master:discard/4"


def test_a_log_without_a_crash_has_no_reason() -> None:
    assert crash_reason(PROMOTION) is None
    assert crash_reason("") is None


def test_a_reason_that_is_still_being_written_is_none_yet() -> None:
    half = CRASH[: CRASH.index("[{rabbit_mirror")]
    assert crash_reason(half) is None


def test_a_promotion_announces_itself() -> None:
    assert promoted(PROMOTION)
    assert not promoted(CRASH)
