------------------------------ MODULE peterson ------------------------------
(* Peterson's algorithm: the twin of tests/models/peterson.py, instance     *)
(* `await`, variable by variable and step by step.                          *)
EXTENDS Naturals

VARIABLES at, flag, turn

vars == <<at, flag, turn>>

Side == {1, 2}
Other(p) == 3 - p

Init ==
  /\ at = [p \in Side |-> "idle"]
  /\ flag = [p \in Side |-> FALSE]
  /\ turn = 1

Go(p, from, to) == at[p] = from /\ at' = [at EXCEPT ![p] = to]

BecomeInterested(p) == Go(p, "idle", "raise flag") /\ UNCHANGED <<flag, turn>>

RaiseFlag(p) ==
  /\ Go(p, "raise flag", "yield turn")
  /\ flag' = [flag EXCEPT ![p] = TRUE]
  /\ UNCHANGED turn

YieldTurn(p) == Go(p, "yield turn", "wait") /\ turn' = Other(p) /\ UNCHANGED flag

Enter(p) ==
  /\ ~flag[Other(p)] \/ turn = p
  /\ Go(p, "wait", "critical section")
  /\ UNCHANGED <<flag, turn>>

Leave(p) == Go(p, "critical section", "lower flag") /\ UNCHANGED <<flag, turn>>

LowerFlag(p) ==
  /\ Go(p, "lower flag", "idle")
  /\ flag' = [flag EXCEPT ![p] = FALSE]
  /\ UNCHANGED turn

Next ==
  \E p \in Side :
    \/ BecomeInterested(p)
    \/ RaiseFlag(p)
    \/ YieldTurn(p)
    \/ Enter(p)
    \/ Leave(p)
    \/ LowerFlag(p)
=============================================================================
