/* Peterson's algorithm: the twin of tests/models/peterson.py, instance `await`.
 *
 * One statement per step of the model; a process that may not enter waits.
 */
bool flag[2];
bool turn;

active [2] proctype Side() {
idle:		skip;
raise_flag:	flag[_pid] = true;
yield_turn:	turn = 1 - _pid;
wait:		(!flag[1 - _pid] || turn == _pid);
critical:	skip;
lower_flag:	flag[_pid] = false;
		goto idle
}
