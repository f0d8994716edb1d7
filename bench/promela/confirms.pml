/* Publisher confirms: the twin of the specification, spec/system.py, ghosts included.
 *
 * M messages, Q queues (1 or 2), and how often each fault may happen: spin -a -DM=2 -DQ=2 ...
 * One process and one d_step for each action with its arguments, so that SPIN stores one state for
 * each state of the specification.  A set of messages or queues is a byte, one bit for each.
 *
 * Two tricks on such sets: x & -x is the least element, and (x & -x) - 1 is everything below it,
 * which is everything if x is empty.  Everything is unrolled by the preprocessor, so no variable is
 * needed that is not part of the specification's state.
 */
#ifndef M			/* at most 4 */
#define M 2
#endif
#ifndef Q			/* at most 2 */
#define Q 1
#endif
#ifndef DURABLE
#define DURABLE 255		/* the queues that are durable */
#endif
#ifndef DROP
#define DROP 0
#endif
#ifndef DELETE_QUEUE
#define DELETE_QUEUE 0
#endif
#ifndef CRASH_QUEUE
#define CRASH_QUEUE 0
#endif
#ifndef LOSE_NODE
#define LOSE_NODE 0
#endif
#ifndef CRASH_NODE
#define CRASH_NODE 0
#endif
#ifndef CRASH_MACHINE
#define CRASH_MACHINE 0
#endif
#ifndef CLOSE
#define CLOSE 0
#endif

#define RUNNING 0		/* status */
#define DOWN 1
#define DELETED 2
#define NOTHING 0		/* downs: none, or the reason */
#define NORMAL 1
#define BENIGN 2
#define ABNORMAL 3
#define ABSENT 0		/* level */
#define BUFFERED 1
#define WRITTEN 2
#define SYNCED 3

/* The channel.  next_seq counts from 0; M means that there is no next one. */
bool open = true;
bool confirming;
byte next_seq;
byte unconfirmed[M];
byte confirmed;
byte rejected;
byte acked;
byte nacked;

/* The queues, each with its store. */
byte status[Q];
byte ready[Q];
byte pending[Q];
byte awaiting[Q];
byte outbox[Q];
byte level[Q * M];
byte store_unconfirmed[Q];
byte store_confirmed[Q];

/* The network. */
byte publishes[Q];
byte downs[Q];

/* The publisher. */
byte next_tag;
byte sent;
byte told_confirmed;
byte told_nacked;
byte returned;
byte returned_late;

/* The system. */
byte persistent;
byte unaccepted[M];
byte holders[M];
byte unroutable;
byte excused;

/* What is left of the faults. */
#if DROP
byte drops = DROP;
#endif
#if DELETE_QUEUE
byte deletions = DELETE_QUEUE;
#endif
#if CRASH_QUEUE
byte queue_crashes = CRASH_QUEUE;
#endif
#if LOSE_NODE
byte node_losses = LOSE_NODE;
#endif
#if CRASH_NODE
byte node_crashes = CRASH_NODE;
#endif
#if CRASH_MACHINE
byte machine_crashes = CRASH_MACHINE;
#endif
#if CLOSE
byte closes = CLOSE;
#endif

#define BIT(n) (1 << (n))
#define HAS(set, n) ((set) & BIT(n))
#define ADD(set, n) set = set | BIT(n)
#define REMOVE(set, n) set = set & ~BIT(n)
#define LEAST(set) ((set) & -(set))
#define BELOW(set) (LEAST(set) - 1)
#define UP_TO_GREATEST(set) ((set) | ((set) >> 1) | ((set) >> 2) | ((set) >> 3))
#define WHEN(condition, statement) if :: condition -> statement :: else -> skip fi
#define LEVEL(m, q) level[(q) * M + (m)]

#if M == 1
#define EACH(A, q) A(0, q)
#define UNSETTLED (unconfirmed[0] != 0)
#elif M == 2
#define EACH(A, q) A(0, q) A(1, q)
#define UNSETTLED ((unconfirmed[0] != 0) | ((unconfirmed[1] != 0) << 1))
#elif M == 3
#define EACH(A, q) A(0, q) A(1, q) A(2, q)
#define UNSETTLED                                                                               \
	((unconfirmed[0] != 0) | ((unconfirmed[1] != 0) << 1) | ((unconfirmed[2] != 0) << 2))
#else
#define EACH(A, q) A(0, q) A(1, q) A(2, q) A(3, q)
#define UNSETTLED                                                                               \
	((unconfirmed[0] != 0) | ((unconfirmed[1] != 0) << 1)                                   \
	 | ((unconfirmed[2] != 0) << 2) | ((unconfirmed[3] != 0) << 3))
#endif

#define SETTLE(m, q)                                                                            \
	if                                                                                      \
	:: HAS(unconfirmed[m], q) ->                                                            \
		REMOVE(unconfirmed[m], q);                                                      \
		WHEN(unconfirmed[m] == 0, ADD(confirmed, m))                                    \
	:: else -> skip                                                                         \
	fi;

#define REJECT(m, q)                                                                            \
	if                                                                                      \
	:: HAS(unconfirmed[m], q) -> unconfirmed[m] = 0; ADD(rejected, m)                       \
	:: else -> skip                                                                         \
	fi;

/* What one frame with `multiple` may cover: what is below the cutoff, which is the least that is
 * unsettled or settled otherwise. */
#define COVERED(settled, otherwise) (settled & BELOW(UNSETTLED | otherwise))

/* One frame with `multiple` for what is covered, up to its greatest, and one for each other. */
#define TELL(settled, otherwise, told, told_otherwise)                                          \
	told = told | (settled & ~COVERED(settled, otherwise))                                  \
		| (UP_TO_GREATEST(COVERED(settled, otherwise)) & sent & ~told_otherwise)        \
		| (UP_TO_GREATEST(COVERED(settled, otherwise))                                  \
		   & ~(UP_TO_GREATEST(COVERED(settled, otherwise)) >> 1));

#define SEND(m, q)                                                                              \
	if                                                                                      \
	:: status[q] == RUNNING -> ADD(publishes[q], m)                                         \
	:: else -> WHEN(downs[q] == NOTHING, downs[q] = BENIGN); ADD(excused, m)                \
	fi

#define STORE_CONFIRM(m, q)                                                                     \
	if                                                                                      \
	:: HAS(store_unconfirmed[q], m) ->                                                      \
		REMOVE(store_unconfirmed[q], m); ADD(store_confirmed[q], m)                     \
	:: else -> skip                                                                         \
	fi

#define STORE_REMOVE(m, q) LEVEL(m, q) = ABSENT; STORE_CONFIRM(m, q)

/* A process is gone, and with it what is not as far as WRITTEN, or SYNCED, or at all. */
#define STOP(q, after)                                                                          \
	ready[q] = 0; pending[q] = 0; awaiting[q] = 0; status[q] = after;                       \
	store_unconfirmed[q] = 0; store_confirmed[q] = 0;
#define KEEP_WRITTEN(m, q) WHEN(LEVEL(m, q) < WRITTEN, LEVEL(m, q) = ABSENT);
#define KEEP_SYNCED(m, q) WHEN(LEVEL(m, q) < SYNCED, LEVEL(m, q) = ABSENT);
#define KEEP_NOTHING(m, q) LEVEL(m, q) = ABSENT;

#define END(q, reason) publishes[q] = 0; downs[q] = reason;

#define FORGET(m, q) unconfirmed[m] = 0;
#define CLOSE_CHANNEL open = false; confirmed = 0; rejected = 0; EACH(FORGET, 0)

/* A queue goes down: nobody answers for what it has not accepted, and has not said so. */
#define EXCUSE(m, q) WHEN(HAS(unaccepted[m], q), ADD(excused, m));
#define EXCUSE_UNSAID(m, q) WHEN(HAS(unaccepted[m], q) && !HAS(outbox[q], m), ADD(excused, m));

#define NO_HOLDER(m, q) REMOVE(holders[m], q);
#define ACCEPTED(m, q) REMOVE(unaccepted[m], q);
#define ARRIVES(m, q)                                                                           \
	if :: HAS(outbox[q], m) -> SETTLE(m, q) ACCEPTED(m, q) skip :: else -> skip fi;
#define RECOVERED(m, q) WHEN(LEVEL(m, q) != ABSENT, ADD(ready[q], m));

#define PUBLISH(targets, mandatory, durably)                                                    \
	:: d_step { open && confirming && next_seq < M && next_tag < M && FOUND(targets) ->     \
		ADD(sent, next_tag);                                                            \
		next_tag++;                                                                     \
		WHEN(durably && targets, ADD(persistent, next_seq));                            \
		WHEN(HAS(targets, 0), SEND(next_seq, 0));                                       \
		SEND_SECOND(targets)                                                            \
		if                                                                              \
		:: mandatory && !targets ->                                                     \
			WHEN(!HAS(sent & ~told_confirmed & ~told_nacked, next_seq),             \
			     ADD(returned_late, next_seq));                                     \
			ADD(returned, next_seq)                                                 \
		:: else -> skip                                                                 \
		fi;                                                                             \
		if                                                                              \
		:: targets -> unconfirmed[next_seq] = targets                                   \
		:: else -> ADD(confirmed, next_seq); ADD(unroutable, next_seq)                  \
		fi;                                                                             \
		unaccepted[next_seq] = targets;                                                 \
		holders[next_seq] = targets;                                                    \
		next_seq++ }

#define PUBLISH_TO(targets)                                                                     \
	PUBLISH(targets, 0, 0) PUBLISH(targets, 0, 1) PUBLISH(targets, 1, 0) PUBLISH(targets, 1, 1)

#define QUEUE(q)                                                                                \
	/* drain */                                                                             \
	:: d_step { status[q] == RUNNING && store_confirmed[q] != 0 ->                          \
		outbox[q] = outbox[q] | (awaiting[q] & store_confirmed[q]);                     \
		awaiting[q] = awaiting[q] & ~store_confirmed[q];                                \
		store_confirmed[q] = 0 }                                                        \
	/* confirm_arrives */                                                                   \
	:: d_step { outbox[q] != 0 -> EACH(ARRIVES, q) outbox[q] = 0 }                          \
	/* down_arrives */                                                                      \
	:: d_step { downs[q] != NOTHING && outbox[q] == 0 ->                                    \
		if                                                                              \
		:: downs[q] == NORMAL -> EACH(SETTLE, q) EACH(ACCEPTED, q) skip                 \
		:: else -> EACH(REJECT, q) skip                                                 \
		fi;                                                                             \
		downs[q] = NOTHING }                                                            \
	/* restart */                                                                           \
	:: d_step { status[q] == DOWN && downs[q] == NOTHING ->                                 \
		ready[q] = 0; EACH(RECOVERED, q) status[q] = RUNNING }

#define MESSAGE_AT(m, q)                                                                        \
	/* deliver */                                                                           \
	:: d_step { status[q] == RUNNING && LEAST(publishes[q]) == BIT(m) ->                    \
		REMOVE(publishes[q], m);                                                        \
		ADD(ready[q], m);                                                               \
		if                                                                              \
		:: HAS(persistent, m) && HAS(DURABLE, q) ->                                     \
			ADD(awaiting[q], m);                                                    \
			LEVEL(m, q) = BUFFERED; ADD(store_unconfirmed[q], m)                    \
		:: else -> ADD(outbox[q], m)                                                    \
		fi }                                                                            \
	/* pass_by */                                                                           \
	:: d_step { status[q] == RUNNING && ready[q] == 0 && LEAST(publishes[q]) == BIT(m) ->   \
		REMOVE(publishes[q], m); ADD(outbox[q], m); REMOVE(holders[m], q) }             \
	/* write */                                                                             \
	:: d_step { status[q] == RUNNING && LEVEL(m, q) == BUFFERED -> LEVEL(m, q) = WRITTEN }  \
	/* sync */                                                                              \
	:: d_step { status[q] == RUNNING                                                        \
		    && (LEVEL(m, q) == BUFFERED || LEVEL(m, q) == WRITTEN) ->                   \
		LEVEL(m, q) = SYNCED; STORE_CONFIRM(m, q) }                                     \
	/* take */                                                                              \
	:: d_step { status[q] == RUNNING && LEAST(ready[q]) == BIT(m) ->                        \
		REMOVE(ready[q], m); ADD(pending[q], m) }                                       \
	/* acknowledge */                                                                       \
	:: d_step { status[q] == RUNNING && HAS(pending[q], m) ->                               \
		REMOVE(pending[q], m); STORE_REMOVE(m, q); REMOVE(holders[m], q) }              \
	/* requeue */                                                                           \
	:: d_step { status[q] == RUNNING && HAS(pending[q], m) ->                               \
		REMOVE(pending[q], m); ADD(ready[q], m) }                                       \
	DROP_AT(m, q)

#if DROP
#define DROP_AT(m, q)                                                                           \
	:: d_step { drops > 0 && status[q] == RUNNING && LEAST(ready[q]) == BIT(m) ->           \
		drops--;                                                                        \
		REMOVE(ready[q], m); STORE_REMOVE(m, q); REMOVE(holders[m], q) }
#else
#define DROP_AT(m, q)
#endif

#if DELETE_QUEUE
#define DELETE(q)                                                                               \
	:: d_step { deletions > 0 && status[q] == RUNNING ->                                    \
		EACH(KEEP_NOTHING, q) STOP(q, DELETED) END(q, NORMAL) EACH(NO_HOLDER, q)        \
		deletions-- }
#else
#define DELETE(q)
#endif

#if CRASH_QUEUE
#define CRASH(q)                                                                                \
	:: d_step { queue_crashes > 0 && status[q] == RUNNING ->                                \
		EACH(EXCUSE_UNSAID, q) EACH(KEEP_WRITTEN, q) STOP(q, DOWN) END(q, ABNORMAL)     \
		queue_crashes-- }
#else
#define CRASH(q)
#endif

#if LOSE_NODE
#define LOSE(q)                                                                                 \
	:: d_step { node_losses > 0 && status[q] == RUNNING ->                                  \
		EACH(EXCUSE, q) EACH(KEEP_WRITTEN, q) STOP(q, DOWN) END(q, BENIGN)              \
		outbox[q] = 0;                                                                  \
		node_losses-- }
#else
#define LOSE(q)
#endif

#define WITH_NODE(q)                                                                            \
	if                                                                                      \
	:: status[q] == RUNNING -> EACH(KEEP_WRITTEN, q) STOP(q, DOWN) skip                     \
	:: else -> skip                                                                         \
	fi;                                                                                     \
	outbox[q] = 0; END(q, NOTHING)

#define WITH_MACHINE(q)                                                                         \
	if                                                                                      \
	:: status[q] != DELETED -> EACH(KEEP_SYNCED, q) STOP(q, DOWN) skip                      \
	:: else -> skip                                                                         \
	fi;                                                                                     \
	outbox[q] = 0; END(q, NOTHING)

#define IS_RUNNING(q) (status[q] == RUNNING)
#define EXISTS(q) (status[q] != DELETED)
#define EACH_MESSAGE_AT(q) EACH(MESSAGE_AT, q)

#if Q == 1
#define FOUND(targets) (!HAS(targets, 0) || EXISTS(0))
#define SEND_SECOND(targets)
#define EACH_QUEUE(A) A(0)
#define EACH_TARGETS(A) A(0) A(1)
#define SOME(A) A(0)
#else
#define FOUND(targets) ((!HAS(targets, 0) || EXISTS(0)) && (!HAS(targets, 1) || EXISTS(1)))
#define SEND_SECOND(targets) WHEN(HAS(targets, 1), SEND(next_seq, 1));
#define EACH_QUEUE(A) A(0) A(1)
#define EACH_TARGETS(A) A(0) A(1) A(2) A(3)
#define SOME(A) (A(0) || A(1))
#endif

active proctype Confirms() {
end:	do
	/* select */
	:: d_step { open -> confirming = true }
	/* publish_unconfirmed, mandatory or not: nothing that is kept changes */
	:: d_step { open && !confirming -> skip }
	:: d_step { open && !confirming -> skip }
	EACH_TARGETS(PUBLISH_TO)
	EACH_QUEUE(EACH_MESSAGE_AT)
	EACH_QUEUE(QUEUE)
	/* flush; a lone ack is single */
	:: d_step { (confirmed | rejected) != 0 ->
		if
		:: confirmed & (confirmed - 1) ->
			TELL(confirmed, rejected, told_confirmed, told_nacked)
		:: else -> told_confirmed = told_confirmed | confirmed
		fi;
		TELL(rejected, confirmed, told_nacked, told_confirmed)
		acked = acked | confirmed;
		nacked = nacked | rejected;
		confirmed = 0;
		rejected = 0 }
	EACH_QUEUE(DELETE)
	EACH_QUEUE(CRASH)
	EACH_QUEUE(LOSE)
#if CRASH_NODE
	:: d_step { node_crashes > 0 && SOME(IS_RUNNING) ->
		CLOSE_CHANNEL EACH_QUEUE(WITH_NODE) node_crashes-- }
#endif
#if CRASH_MACHINE
	:: d_step { machine_crashes > 0 && SOME(EXISTS) ->
		CLOSE_CHANNEL EACH_QUEUE(WITH_MACHINE) machine_crashes-- }
#endif
#if CLOSE
	:: d_step { closes > 0 && open -> CLOSE_CHANNEL closes-- }
#endif
	od
}
