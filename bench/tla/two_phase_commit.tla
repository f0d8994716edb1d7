-------------------------- MODULE two_phase_commit --------------------------
(* Two-phase commit of N resource managers: the twin of                    *)
(* tests/models/two_phase_commit.py, variable by variable and step by step. *)
EXTENDS Naturals

CONSTANT N

VARIABLES phase, decision, heard, prepared_sent, commit_sent, abort_sent

vars == <<phase, decision, heard, prepared_sent, commit_sent, abort_sent>>

Manager == 1..N

Init ==
  /\ phase = [m \in Manager |-> "working"]
  /\ decision = "open"
  /\ heard = {}
  /\ prepared_sent = {}
  /\ commit_sent = FALSE
  /\ abort_sent = FALSE

DecideCommit ==
  /\ decision = "open" /\ heard = Manager
  /\ decision' = "commit"
  /\ commit_sent' = TRUE
  /\ UNCHANGED <<phase, heard, prepared_sent, abort_sent>>

DecideAbort ==
  /\ decision = "open"
  /\ decision' = "abort"
  /\ abort_sent' = TRUE
  /\ UNCHANGED <<phase, heard, prepared_sent, commit_sent>>

HearPrepared(m) ==
  /\ decision = "open" /\ m \in prepared_sent
  /\ heard' = heard \cup {m}
  /\ UNCHANGED <<phase, decision, prepared_sent, commit_sent, abort_sent>>

Prepare(m) ==
  /\ phase[m] = "working"
  /\ phase' = [phase EXCEPT ![m] = "prepared"]
  /\ prepared_sent' = prepared_sent \cup {m}
  /\ UNCHANGED <<decision, heard, commit_sent, abort_sent>>

ChooseToAbort(m) ==
  /\ phase[m] = "working"
  /\ phase' = [phase EXCEPT ![m] = "aborted"]
  /\ UNCHANGED <<decision, heard, prepared_sent, commit_sent, abort_sent>>

ObeyCommit(m) ==
  /\ commit_sent
  /\ phase' = [phase EXCEPT ![m] = "committed"]
  /\ UNCHANGED <<decision, heard, prepared_sent, commit_sent, abort_sent>>

ObeyAbort(m) ==
  /\ abort_sent
  /\ phase' = [phase EXCEPT ![m] = "aborted"]
  /\ UNCHANGED <<decision, heard, prepared_sent, commit_sent, abort_sent>>

Next ==
  \/ DecideCommit
  \/ DecideAbort
  \/ \E m \in Manager :
       \/ HearPrepared(m)
       \/ Prepare(m)
       \/ ChooseToAbort(m)
       \/ ObeyCommit(m)
       \/ ObeyAbort(m)
=============================================================================
