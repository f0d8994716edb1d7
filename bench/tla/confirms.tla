------------------------------ MODULE confirms ------------------------------
(* Publisher confirms: the twin of the specification, spec/system.py,      *)
(* ghosts included, variable by variable and step by step.                 *)
(*                                                                         *)
(* Messages are 1..M, and M + 1 as the next message means that there is    *)
(* none.  Queues are 1..Q.  `left` is how often each fault may still       *)
(* happen.                                                                 *)
EXTENDS Naturals, FiniteSets

CONSTANTS M, Q, Durable,
          Drop, DeleteQueue, CrashQueue, LoseNode, CrashNode, CrashMachine, Close

VARIABLES
  channel,    \* one record each: what the process of that name holds
  queue,      \* by queue, the store included
  publishes, downs,
  publisher,
  persistent, unaccepted, holders, unroutable, excused,
  left

vars == <<channel, queue, publishes, downs, publisher,
          persistent, unaccepted, holders, unroutable, excused, left>>
ghosts == <<unaccepted, holders, unroutable, excused>>

Msg == 1..M
Queue == 1..Q

Least(S) == CHOOSE m \in S : \A n \in S : m <= n
Greatest(S) == CHOOSE m \in S : \A n \in S : n <= m
IsLeast(m, S) == m \in S /\ \A n \in S : m <= n

NewQueue ==
  [status |-> "running", ready |-> {}, pending |-> {}, awaiting |-> {}, outbox |-> {},
   level |-> [m \in Msg |-> "absent"], waiting |-> {}, stored |-> {}]

Init ==
  /\ channel = [open |-> TRUE, confirming |-> FALSE, next |-> 1,
                unconfirmed |-> [m \in Msg |-> {}], confirmed |-> {}, rejected |-> {},
                acked |-> {}, nacked |-> {}]
  /\ queue = [q \in Queue |-> NewQueue]
  /\ publishes = [q \in Queue |-> {}]
  /\ downs = [q \in Queue |-> "none"]
  /\ publisher = [next |-> 1, sent |-> {}, confirmed |-> {}, nacked |-> {},
                  returned |-> {}, late |-> {}]
  /\ persistent = {}
  /\ unaccepted = [m \in Msg |-> {}]
  /\ holders = [m \in Msg |-> {}]
  /\ unroutable = {}
  /\ excused = {}
  /\ left = [drop |-> Drop, delete_queue |-> DeleteQueue, crash_queue |-> CrashQueue,
             lose_node |-> LoseNode, crash_node |-> CrashNode,
             crash_machine |-> CrashMachine, close |-> Close]

Running(q) == queue[q].status = "running"
Fault(name) == left[name] > 0 /\ left' = [left EXCEPT ![name] = @ - 1]

-----------------------------------------------------------------------------
(* The publisher.                                                          *)

Select ==
  /\ channel.open
  /\ channel' = [channel EXCEPT !.confirming = TRUE]
  /\ UNCHANGED <<queue, publishes, downs, publisher, persistent, ghosts, left>>

PublishUnconfirmed(mandatory) ==
  /\ channel.open /\ ~channel.confirming
  /\ UNCHANGED vars

Publish(targets, mandatory, durably) ==
  LET msg == channel.next
      unknown == (publisher.sent \cup {publisher.next})
                   \ (publisher.confirmed \cup publisher.nacked)
      back == IF mandatory /\ targets = {} THEN {msg} ELSE {}
      gone == {q \in targets : ~Running(q)}
  IN
  /\ channel.open /\ channel.confirming
  /\ channel.next \in Msg /\ publisher.next \in Msg
  /\ \A q \in targets : queue[q].status # "deleted"
  /\ publisher' = [publisher EXCEPT
       !.sent = @ \cup {publisher.next}, !.next = @ + 1,
       !.returned = @ \cup back, !.late = @ \cup (back \ unknown)]
  /\ persistent' = IF durably /\ targets # {} THEN persistent \cup {msg} ELSE persistent
  /\ publishes' = [q \in Queue |->
       IF q \in targets /\ Running(q) THEN publishes[q] \cup {msg} ELSE publishes[q]]
  /\ downs' = [q \in Queue |-> IF q \in gone /\ downs[q] = "none" THEN "benign" ELSE downs[q]]
  /\ excused' = IF gone = {} THEN excused ELSE excused \cup {msg}
  /\ channel' = [channel EXCEPT
       !.unconfirmed[msg] = targets, !.next = @ + 1,
       !.confirmed = IF targets = {} THEN @ \cup {msg} ELSE @]
  /\ unaccepted' = [unaccepted EXCEPT ![msg] = targets]
  /\ holders' = [holders EXCEPT ![msg] = targets]
  /\ unroutable' = IF targets = {} THEN unroutable \cup {msg} ELSE unroutable
  /\ UNCHANGED <<queue, left>>

-----------------------------------------------------------------------------
(* The queues and their consumers.                                          *)

(* A queue whose store has nothing more to wait for m.                      *)
Confirmed(s, m) ==
  IF m \in s.waiting
  THEN [s EXCEPT !.waiting = @ \ {m}, !.stored = @ \cup {m}]
  ELSE s

Removed(s, m) == Confirmed([s EXCEPT !.level[m] = "absent"], m)

Deliver(m, q) ==
  /\ Running(q) /\ IsLeast(m, publishes[q])
  /\ publishes' = [publishes EXCEPT ![q] = @ \ {m}]
  /\ queue' = [queue EXCEPT ![q] =
       IF m \in persistent /\ q \in Durable
       THEN [@ EXCEPT !.ready = @ \cup {m}, !.awaiting = @ \cup {m},
                      !.level[m] = "buffered", !.waiting = @ \cup {m}]
       ELSE [@ EXCEPT !.ready = @ \cup {m}, !.outbox = @ \cup {m}]]
  /\ UNCHANGED <<channel, downs, publisher, persistent, ghosts, left>>

PassBy(m, q) ==
  /\ Running(q) /\ queue[q].ready = {} /\ IsLeast(m, publishes[q])
  /\ publishes' = [publishes EXCEPT ![q] = @ \ {m}]
  /\ queue' = [queue EXCEPT ![q].outbox = @ \cup {m}]
  /\ holders' = [holders EXCEPT ![m] = @ \ {q}]
  /\ UNCHANGED <<channel, downs, publisher, persistent, unaccepted, unroutable, excused, left>>

Write(m, q) ==
  /\ Running(q) /\ queue[q].level[m] = "buffered"
  /\ queue' = [queue EXCEPT ![q].level[m] = "written"]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, ghosts, left>>

Sync(m, q) ==
  /\ Running(q) /\ queue[q].level[m] \in {"buffered", "written"}
  /\ queue' = [queue EXCEPT ![q] = Confirmed([@ EXCEPT !.level[m] = "synced"], m)]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, ghosts, left>>

Drain(q) ==
  /\ Running(q) /\ queue[q].stored # {}
  /\ queue' = [queue EXCEPT ![q] =
       [@ EXCEPT !.outbox = @ \cup (queue[q].awaiting \cap queue[q].stored),
                 !.awaiting = @ \ queue[q].stored,
                 !.stored = {}]]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, ghosts, left>>

Take(m, q) ==
  /\ Running(q) /\ IsLeast(m, queue[q].ready)
  /\ queue' = [queue EXCEPT ![q].ready = @ \ {m}, ![q].pending = @ \cup {m}]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, ghosts, left>>

Acknowledge(m, q) ==
  /\ Running(q) /\ m \in queue[q].pending
  /\ queue' = [queue EXCEPT ![q] = Removed([@ EXCEPT !.pending = @ \ {m}], m)]
  /\ holders' = [holders EXCEPT ![m] = @ \ {q}]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, unaccepted, unroutable,
                 excused, left>>

Requeue(m, q) ==
  /\ Running(q) /\ m \in queue[q].pending
  /\ queue' = [queue EXCEPT ![q].pending = @ \ {m}, ![q].ready = @ \cup {m}]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, ghosts, left>>

DropHead(m, q) ==
  /\ Fault("drop")
  /\ Running(q) /\ IsLeast(m, queue[q].ready)
  /\ queue' = [queue EXCEPT ![q] = Removed([@ EXCEPT !.ready = @ \ {m}], m)]
  /\ holders' = [holders EXCEPT ![m] = @ \ {q}]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, unaccepted, unroutable,
                 excused>>

-----------------------------------------------------------------------------
(* The way back.                                                            *)

(* The channel after each of `ms` was settled, or rejected, for queue q.    *)
Settled(ms, q) ==
  LET rest == [m \in Msg |->
        IF m \in ms THEN channel.unconfirmed[m] \ {q} ELSE channel.unconfirmed[m]]
      done == {m \in ms : q \in channel.unconfirmed[m] /\ rest[m] = {}}
  IN [channel EXCEPT !.unconfirmed = rest, !.confirmed = @ \cup done]

Rejected(q) ==
  LET lost == {m \in Msg : q \in channel.unconfirmed[m]}
  IN [channel EXCEPT
        !.unconfirmed = [m \in Msg |-> IF m \in lost THEN {} ELSE @[m]],
        !.rejected = @ \cup lost]

ConfirmArrives(q) ==
  /\ queue[q].outbox # {}
  /\ channel' = Settled(queue[q].outbox, q)
  /\ unaccepted' = [m \in Msg |->
       IF m \in queue[q].outbox THEN unaccepted[m] \ {q} ELSE unaccepted[m]]
  /\ queue' = [queue EXCEPT ![q].outbox = {}]
  /\ UNCHANGED <<publishes, downs, publisher, persistent, holders, unroutable, excused, left>>

DownArrives(q) ==
  /\ downs[q] # "none" /\ queue[q].outbox = {}
  /\ downs' = [downs EXCEPT ![q] = "none"]
  /\ channel' = IF downs[q] = "normal" THEN Settled(Msg, q) ELSE Rejected(q)
  /\ unaccepted' = IF downs[q] = "normal"
                   THEN [m \in Msg |-> unaccepted[m] \ {q}] ELSE unaccepted
  /\ UNCHANGED <<queue, publishes, publisher, persistent, holders, unroutable, excused, left>>

(* Those of S that are below everything unconfirmed and below all of T.     *)
Coverable(S, T) ==
  LET stop == {m \in Msg : channel.unconfirmed[m] # {}} \cup T
  IN {m \in S : \A n \in stop : m < n}

(* What the publisher concludes from frames for S, of which one covers C.   *)
Told(S, C, otherwise) ==
  LET tag == Greatest(C)
  IN S \cup IF C = {} THEN {} ELSE {m \in publisher.sent : m <= tag} \ otherwise

Flush ==
  LET acks == channel.confirmed
      nacks == channel.rejected
      covered == IF Cardinality(acks) = 1 THEN {} ELSE Coverable(acks, nacks)
      confirmed == publisher.confirmed \cup Told(acks, covered, publisher.nacked)
      nacked == publisher.nacked \cup Told(nacks, Coverable(nacks, acks), confirmed)
  IN
  /\ acks \cup nacks # {}
  /\ publisher' = [publisher EXCEPT !.confirmed = confirmed, !.nacked = nacked]
  /\ channel' = [channel EXCEPT !.confirmed = {}, !.rejected = {},
                                !.acked = @ \cup acks, !.nacked = @ \cup nacks]
  /\ UNCHANGED <<queue, publishes, downs, persistent, ghosts, left>>

-----------------------------------------------------------------------------
(* What goes wrong.                                                         *)

(* A queue whose process is gone, with the levels that survive.             *)
Stopped(s, after, kept) ==
  [s EXCEPT !.status = after, !.ready = {}, !.pending = {}, !.awaiting = {},
            !.level = [m \in Msg |-> IF s.level[m] \in kept THEN s.level[m] ELSE "absent"],
            !.waiting = {}, !.stored = {}]

Ended(q, reason) ==
  /\ publishes' = [publishes EXCEPT ![q] = {}]
  /\ downs' = [downs EXCEPT ![q] = reason]

Delete(q) ==
  /\ Fault("delete_queue")
  /\ Running(q)
  /\ queue' = [queue EXCEPT ![q] = Stopped(@, "deleted", {})]
  /\ Ended(q, "normal")
  /\ holders' = [m \in Msg |-> holders[m] \ {q}]
  /\ UNCHANGED <<channel, publisher, persistent, unaccepted, unroutable, excused>>

Crash(q) ==
  /\ Fault("crash_queue")
  /\ Running(q)
  /\ excused' = excused \cup {m \in Msg : q \in unaccepted[m] /\ m \notin queue[q].outbox}
  /\ queue' = [queue EXCEPT ![q] = Stopped(@, "down", {"written", "synced"})]
  /\ Ended(q, "abnormal")
  /\ UNCHANGED <<channel, publisher, persistent, unaccepted, holders, unroutable>>

Lose(q) ==
  /\ Fault("lose_node")
  /\ Running(q)
  /\ excused' = excused \cup {m \in Msg : q \in unaccepted[m]}
  /\ queue' = [queue EXCEPT ![q] =
       [Stopped(@, "down", {"written", "synced"}) EXCEPT !.outbox = {}]]
  /\ Ended(q, "benign")
  /\ UNCHANGED <<channel, publisher, persistent, unaccepted, holders, unroutable>>

Restart(q) ==
  /\ queue[q].status = "down" /\ downs[q] = "none"
  /\ queue' = [queue EXCEPT ![q] =
       [@ EXCEPT !.status = "running",
                 !.ready = {m \in Msg : queue[q].level[m] # "absent"}]]
  /\ UNCHANGED <<channel, publishes, downs, publisher, persistent, ghosts, left>>

ChannelCloses ==
  channel' = [channel EXCEPT !.open = FALSE, !.unconfirmed = [m \in Msg |-> {}],
                             !.confirmed = {}, !.rejected = {}]

EverythingStops(hit, kept) ==
  /\ hit # {}
  /\ ChannelCloses
  /\ publishes' = [q \in Queue |-> {}]
  /\ downs' = [q \in Queue |-> "none"]
  /\ queue' = [q \in Queue |->
       [IF q \in hit THEN Stopped(queue[q], "down", kept) ELSE queue[q] EXCEPT !.outbox = {}]]
  /\ UNCHANGED <<publisher, persistent, ghosts>>

NodeCrashes ==
  /\ Fault("crash_node")
  /\ EverythingStops({q \in Queue : Running(q)}, {"written", "synced"})

MachineCrashes ==
  /\ Fault("crash_machine")
  /\ EverythingStops({q \in Queue : queue[q].status # "deleted"}, {"synced"})

CloseChannel ==
  /\ Fault("close")
  /\ channel.open
  /\ ChannelCloses
  /\ UNCHANGED <<queue, publishes, downs, publisher, persistent, ghosts>>

-----------------------------------------------------------------------------
Next ==
  \/ Select
  \/ \E mandatory \in BOOLEAN : PublishUnconfirmed(mandatory)
  \/ \E targets \in SUBSET Queue, mandatory \in BOOLEAN, durably \in BOOLEAN :
       Publish(targets, mandatory, durably)
  \/ \E m \in Msg, q \in Queue :
       \/ Deliver(m, q)
       \/ PassBy(m, q)
       \/ Write(m, q)
       \/ Sync(m, q)
       \/ Take(m, q)
       \/ Acknowledge(m, q)
       \/ Requeue(m, q)
       \/ DropHead(m, q)
  \/ \E q \in Queue :
       \/ Drain(q)
       \/ ConfirmArrives(q)
       \/ DownArrives(q)
       \/ Restart(q)
       \/ Delete(q)
       \/ Crash(q)
       \/ Lose(q)
  \/ Flush
  \/ NodeCrashes
  \/ MachineCrashes
  \/ CloseChannel
=============================================================================
