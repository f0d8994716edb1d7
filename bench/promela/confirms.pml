/* Publisher confirms: the twin of the specification, spec/system.py, ghosts included.
 *
 * M messages, Q queues (1 or 2), and how often each fault may happen: spin -a -DM=2 -DQ=2 ...
 * One process and one d_step for each action with its arguments, so that SPIN stores one state for
 * each state of the specification.  (A d_step must not end with a loop.)  A set of messages or queues is a byte, one bit for each.
 *
 * Two tricks on such sets: x & -x is the least element, and (x & -x) - 1 is everything below it,
 * which is everything if x is empty.
 */
#ifndef M
#define M 2
#endif
#ifndef Q
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

/* Not part of the state. */
hidden byte i;
hidden byte j;
hidden int x;
hidden int y;

#define BIT(n) (1 << (n))
#define HAS(set, n) ((set) & BIT(n))
#define ADD(set, n) set = set | BIT(n)
#define REMOVE(set, n) set = set & ~BIT(n)
#define LEAST(set) ((set) & -(set))
#define BELOW(set) (LEAST(set) - 1)
#define LEVEL(m, q) level[(q) * M + (m)]

inline settle(m, q) {
	if
	:: HAS(unconfirmed[m], q) ->
		REMOVE(unconfirmed[m], q);
		if
		:: unconfirmed[m] == 0 -> ADD(confirmed, m)
		:: else -> skip
		fi
	:: else -> skip
	fi
}

inline reject(m, q) {
	if
	:: HAS(unconfirmed[m], q) -> unconfirmed[m] = 0; ADD(rejected, m)
	:: else -> skip
	fi
}

/* y: the messages below the cutoff, the least that is unconfirmed or settled otherwise. */
inline find_cutoff(otherwise) {
	y = otherwise;
	i = 0;
	do
	:: i < M -> if :: unconfirmed[i] != 0 -> ADD(y, i) :: else -> skip fi; i++
	:: else -> break
	od;
	y = BELOW(y)
}

/* One frame for those of `settled` that one may cover, one for each other. */
inline tell(settled, otherwise, told, told_otherwise) {
	find_cutoff(otherwise);
	x = settled & y;
	if
	:: x != 0 ->
		x = x | (x >> 1); x = x | (x >> 2); x = x | (x >> 4);	/* up to the tag */
		told = told | (sent & x & ~told_otherwise) | (x & ~(x >> 1))
	:: else -> skip
	fi;
	told = told | (settled & ~y)
}

inline send(m, q) {
	if
	:: status[q] == RUNNING -> ADD(publishes[q], m)
	:: else ->
		if
		:: downs[q] == NOTHING -> downs[q] = BENIGN
		:: else -> skip
		fi;
		ADD(excused, m)
	fi
}

inline store_confirm(m, q) {
	if
	:: HAS(store_unconfirmed[q], m) ->
		REMOVE(store_unconfirmed[q], m); ADD(store_confirmed[q], m)
	:: else -> skip
	fi
}

inline store_remove(m, q) {
	LEVEL(m, q) = ABSENT;
	store_confirm(m, q)
}

/* The process is gone; what is below `kept` on its way to the disk is gone too. */
inline stop(q, after, kept) {
	ready[q] = 0;
	pending[q] = 0;
	awaiting[q] = 0;
	status[q] = after;
	store_unconfirmed[q] = 0;
	store_confirmed[q] = 0;
	i = 0;
	do
	:: i < M ->
		if
		:: LEVEL(i, q) < kept -> LEVEL(i, q) = ABSENT
		:: else -> skip
		fi;
		i++
	:: else -> break
	od
}

inline end_process(q, reason) {
	publishes[q] = 0;
	downs[q] = reason
}

inline close_channel() {
	i = 0;
	do
	:: i < M -> unconfirmed[i] = 0; i++
	:: else -> break
	od;
	open = false;
	confirmed = 0;
	rejected = 0
}

/* Nobody answers for the messages of `those` that this queue has not accepted. */
inline excuse(q, those) {
	i = 0;
	do
	:: i < M ->
		if
		:: HAS(unaccepted[i], q) && HAS(those, i) -> ADD(excused, i)
		:: else -> skip
		fi;
		i++
	:: else -> break
	od
}

#define PUBLISH(targets, mandatory, durably)                                                    \
	:: d_step { open && confirming && next_seq < M && next_tag < M && FOUND(targets) ->     \
		ADD(sent, next_tag);                                                            \
		next_tag++;                                                                     \
		if :: durably && targets -> ADD(persistent, next_seq) :: else -> skip fi;       \
		if :: HAS(targets, 0) -> send(next_seq, 0) :: else -> skip fi;                  \
		SEND_SECOND(targets)                                                            \
		if                                                                              \
		:: mandatory && !targets ->                                                     \
			if                                                                      \
			:: HAS(sent & ~told_confirmed & ~told_nacked, next_seq) -> skip         \
			:: else -> ADD(returned_late, next_seq)                                 \
			fi;                                                                     \
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
	:: d_step { outbox[q] != 0 ->                                                           \
		j = 0;                                                                          \
		do                                                                              \
		:: j < M ->                                                                     \
			if                                                                      \
			:: HAS(outbox[q], j) -> settle(j, q); REMOVE(unaccepted[j], q)          \
			:: else -> skip                                                         \
			fi;                                                                     \
			j++                                                                     \
		:: else -> break                                                                \
		od;                                                                             \
		outbox[q] = 0 }                                                                 \
	/* down_arrives */                                                                      \
	:: d_step { downs[q] != NOTHING && outbox[q] == 0 ->                                    \
		j = 0;                                                                          \
		do                                                                              \
		:: j < M ->                                                                     \
			if                                                                      \
			:: downs[q] == NORMAL -> settle(j, q); REMOVE(unaccepted[j], q)         \
			:: else -> reject(j, q)                                                 \
			fi;                                                                     \
			j++                                                                     \
		:: else -> break                                                                \
		od;                                                                             \
		downs[q] = NOTHING }                                                            \
	/* restart */                                                                           \
	:: d_step { status[q] == DOWN && downs[q] == NOTHING ->                                 \
		ready[q] = 0;                                                                   \
		i = 0;                                                                          \
		do                                                                              \
		:: i < M ->                                                                     \
			if                                                                      \
			:: LEVEL(i, q) != ABSENT -> ADD(ready[q], i)                            \
			:: else -> skip                                                         \
			fi;                                                                     \
			i++                                                                     \
		:: else -> break                                                                \
		od;                                                                             \
		status[q] = RUNNING }

#define MESSAGE_AT(m, q)                                                                        \
	/* deliver */                                                                           \
	:: d_step { status[q] == RUNNING && LEAST(publishes[q]) == BIT(m) ->                    \
		REMOVE(publishes[q], m);                                                        \
		ADD(ready[q], m);                                                               \
		if                                                                              \
		:: HAS(persistent, m) && HAS(DURABLE, q) ->                                     \
			ADD(awaiting[q], m); LEVEL(m, q) = BUFFERED; ADD(store_unconfirmed[q], m) \
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
		LEVEL(m, q) = SYNCED; store_confirm(m, q) }                                     \
	/* take */                                                                              \
	:: d_step { status[q] == RUNNING && LEAST(ready[q]) == BIT(m) ->                        \
		REMOVE(ready[q], m); ADD(pending[q], m) }                                       \
	/* acknowledge */                                                                       \
	:: d_step { status[q] == RUNNING && HAS(pending[q], m) ->                               \
		REMOVE(pending[q], m); store_remove(m, q); REMOVE(holders[m], q) }              \
	/* requeue */                                                                           \
	:: d_step { status[q] == RUNNING && HAS(pending[q], m) ->                               \
		REMOVE(pending[q], m); ADD(ready[q], m) }                                       \
	DROP_AT(m, q)

#if DROP
#define DROP_AT(m, q)                                                                           \
	:: d_step { drops > 0 && status[q] == RUNNING && LEAST(ready[q]) == BIT(m) ->           \
		drops--;                                                                        \
		REMOVE(ready[q], m); store_remove(m, q); REMOVE(holders[m], q) }
#else
#define DROP_AT(m, q)
#endif

#if DELETE_QUEUE
#define DELETE(q)                                                                               \
	:: d_step { deletions > 0 && status[q] == RUNNING ->                                    \
		deletions--;                                                                    \
		j = 0;                                                                          \
		do                                                                              \
		:: j < M -> REMOVE(holders[j], q); j++                                          \
		:: else -> break                                                                \
		od;                                                                             \
		stop(q, DELETED, SYNCED + 1);                                                   \
		end_process(q, NORMAL) }
#else
#define DELETE(q)
#endif

#if CRASH_QUEUE
#define CRASH(q)                                                                                \
	:: d_step { queue_crashes > 0 && status[q] == RUNNING ->                                \
		queue_crashes--;                                                                \
		excuse(q, ~outbox[q]); stop(q, DOWN, WRITTEN); end_process(q, ABNORMAL) }
#else
#define CRASH(q)
#endif

#if LOSE_NODE
#define LOSE(q)                                                                                 \
	:: d_step { node_losses > 0 && status[q] == RUNNING ->                                  \
		node_losses--;                                                                  \
		excuse(q, 255); stop(q, DOWN, WRITTEN); outbox[q] = 0; end_process(q, BENIGN) }
#else
#define LOSE(q)
#endif

#define IF_RUNNING_STOP(q)                                                                      \
	if :: status[q] == RUNNING -> stop(q, DOWN, WRITTEN) :: else -> skip fi;                \
	outbox[q] = 0; end_process(q, NOTHING);

#define UNLESS_DELETED_LOSE_POWER(q)                                                            \
	if :: status[q] != DELETED -> stop(q, DOWN, SYNCED) :: else -> skip fi;                 \
	outbox[q] = 0; end_process(q, NOTHING);

#if Q == 1
#define FOUND(targets) (!HAS(targets, 0) || status[0] != DELETED)
#define SEND_SECOND(targets)
#define EACH_QUEUE(A) A(0)
#define EACH_TARGETS(A) A(0) A(1)
#define SOME(property) (property(0))
#else
#define FOUND(targets)                                                                          \
	((!HAS(targets, 0) || status[0] != DELETED) && (!HAS(targets, 1) || status[1] != DELETED))
#define SEND_SECOND(targets)                                                                    \
	if :: HAS(targets, 1) -> send(next_seq, 1) :: else -> skip fi;
#define EACH_QUEUE(A) A(0) A(1)
#define EACH_TARGETS(A) A(0) A(1) A(2) A(3)
#define SOME(property) (property(0) || property(1))
#endif

#if M == 1
#define EACH_MESSAGE_AT(q) MESSAGE_AT(0, q)
#elif M == 2
#define EACH_MESSAGE_AT(q) MESSAGE_AT(0, q) MESSAGE_AT(1, q)
#elif M == 3
#define EACH_MESSAGE_AT(q) MESSAGE_AT(0, q) MESSAGE_AT(1, q) MESSAGE_AT(2, q)
#else
#define EACH_MESSAGE_AT(q)                                                                      \
	MESSAGE_AT(0, q) MESSAGE_AT(1, q) MESSAGE_AT(2, q) MESSAGE_AT(3, q)
#endif

#define IS_RUNNING(q) status[q] == RUNNING
#define IS_NOT_DELETED(q) status[q] != DELETED

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
	/* flush */
	:: d_step { (confirmed | rejected) != 0 ->
		if
		:: confirmed & (confirmed - 1) ->
			tell(confirmed, rejected, told_confirmed, told_nacked)
		:: else -> told_confirmed = told_confirmed | confirmed	/* a lone ack is single */
		fi;
		tell(rejected, confirmed, told_nacked, told_confirmed);
		acked = acked | confirmed;
		nacked = nacked | rejected;
		confirmed = 0;
		rejected = 0 }
	EACH_QUEUE(DELETE)
	EACH_QUEUE(CRASH)
	EACH_QUEUE(LOSE)
#if CRASH_NODE
	:: d_step { node_crashes > 0 && SOME(IS_RUNNING) ->
		node_crashes--;
		close_channel();
		EACH_QUEUE(IF_RUNNING_STOP)
		skip }
#endif
#if CRASH_MACHINE
	:: d_step { machine_crashes > 0 && SOME(IS_NOT_DELETED) ->
		machine_crashes--;
		close_channel();
		EACH_QUEUE(UNLESS_DELETED_LOSE_POWER)
		skip }
#endif
#if CLOSE
	:: d_step { closes > 0 && open -> closes--; close_channel() }
#endif
	od
}
