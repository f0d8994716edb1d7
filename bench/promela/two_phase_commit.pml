/* Two-phase commit of N resource managers: the twin of tests/models/two_phase_commit.py.
 *
 * One process and one d_step per action, so that SPIN stores one state for each state of the
 * protocol; this is also the smallest state vector and the fastest search that SPIN can have.
 * The managers' actions are unrolled by the preprocessor: spin -a -DN=8 (N from 1 to 10).
 *
 * phase[m]: 0 working, 1 prepared, 2 committed, 3 aborted.  decision: 0 open, 1 commit, 2 abort.
 * heard, prepared_sent: one bit for each manager.
 */
#ifndef N
#define N 3
#endif
#define EVERYBODY ((1 << N) - 1)

byte phase[N];
byte decision;
short heard;
short prepared_sent;
bool commit_sent;
bool abort_sent;

#define MANAGER(m)                                                                             \
	:: d_step { decision == 0 && (prepared_sent & (1 << m)) -> heard = heard | (1 << m) }  \
	:: d_step { phase[m] == 0 ->                                                           \
			phase[m] = 1; prepared_sent = prepared_sent | (1 << m) }               \
	:: d_step { phase[m] == 0 -> phase[m] = 3 }                                            \
	:: d_step { commit_sent -> phase[m] = 2 }                                              \
	:: d_step { abort_sent -> phase[m] = 3 }

active proctype TwoPhaseCommit() {
end:	do
	:: d_step { decision == 0 && heard == EVERYBODY -> decision = 1; commit_sent = true }
	:: d_step { decision == 0 -> decision = 2; abort_sent = true }
	MANAGER(0)
#if N > 1
	MANAGER(1)
#endif
#if N > 2
	MANAGER(2)
#endif
#if N > 3
	MANAGER(3)
#endif
#if N > 4
	MANAGER(4)
#endif
#if N > 5
	MANAGER(5)
#endif
#if N > 6
	MANAGER(6)
#endif
#if N > 7
	MANAGER(7)
#endif
#if N > 8
	MANAGER(8)
#endif
#if N > 9
	MANAGER(9)
#endif
	od
}
