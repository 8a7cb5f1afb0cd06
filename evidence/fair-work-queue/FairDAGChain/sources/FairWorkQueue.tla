--------------------------- MODULE FairWorkQueue ---------------------------
(***************************************************************************)
(* A work queue that is nothing but a log.                                 *)
(*                                                                         *)
(* Dispatchers plan batches of claims by a fair schedule and append them   *)
(* if nobody was faster; workers carry them out, deliver, and may crash;   *)
(* everything that is known is found by replaying the log from its start,  *)
(* the clocks of the schedule included.  The model asks whether every      *)
(* claim is the one that the schedule demands, within all limits and with  *)
(* everything present that the work depends on, whether slots are given    *)
(* back only when they may be, and whether a Result always has a delivered *)
(* effect behind it.                                                       *)
(*                                                                         *)
(* The README beside this file tells the same story at more leisure.  The  *)
(* names are fixed by the shared design, models/fair-work-queue.md.        *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    WorkCount,              \* how many works there are
    DispatcherCount,        \* how many groups: each has one dispatcher, one
                            \* worker, and one native run
    MaxBatch,               \* claims that one plan may hold
    ClaimLimit,             \* claims that may be open at a time
    RunLimit,               \* native runs that may hold a slot at a time
    KeyLimit,               \* claims that may be open at a time with one key
    RetryLimit,             \* how often a plan that came too late is renewed
    MaxLog,                 \* records, for the constraint Bound
    Mode,                   \* "default", "weighted" or "strict"
    Dependencies,           \* work -> the works whose Results it needs
    ExternalDependencies    \* work -> the resources that must be ready for it

ASSUME {WorkCount, DispatcherCount, MaxBatch, ClaimLimit, RunLimit, KeyLimit,
        MaxLog} \subseteq Nat \ {0}
ASSUME RetryLimit \in Nat
ASSUME Mode \in {"default", "weighted", "strict"}

VARIABLES
    log,                    \* the records, from the first on
    head,                   \* the number of the last record
    pending,                \* group -> what its dispatcher has in hand
    worker,                 \* group -> what its worker is at
    intents,                \* claim -> how the worker wants it to end
    handled,                \* claims that were closed, in whatever way
    authorized,             \* claims that may have an effect
    completed,              \* claims that were closed as completed
    effects,                \* what reached the outside, in order
    projection,             \* what the log says: a cache without authority
    checkpoint,             \* a piece of the log and what it says, to start at
    checkpointPending,      \* what the writer of checkpoints has in hand
    checkpointConflicts     \* how often the writer of checkpoints came late

closing == <<handled, authorized, completed>>
checkpoints == <<checkpoint, checkpointPending, checkpointConflicts>>

vars == <<log, head, pending, worker, intents, closing, effects, projection,
          checkpoints>>

-----------------------------------------------------------------------------
(* Vocabulary *)

Works == 1..WorkCount
Groups == 1..DispatcherCount
Claims == 1..(WorkCount * DispatcherCount)

\* Every pair of a group and a work has one claim, to be used once at most.
ClaimOf(g, w) == (g - 1) * WorkCount + w
WorkOf(c) == 1 + ((c - 1) % WorkCount)
GroupOf(c) == 1 + ((c - 1) \div WorkCount)

\* Classes, keys and resources are numbered alike, and there are always two.
Both == 1..2

ClassOf(w) == IF Mode = "default" \/ w = 1 THEN 1 ELSE 2
KeyOf(w) == IF Mode = "default" \/ w % 2 = 1 THEN 1 ELSE 2

\* Of classes and of keys: the first gets twice the share of the second.
Stride(x) == IF x = 1 THEN 1 ELSE 2

Max(a, b) == IF a >= b THEN a ELSE b
Smallest(S) == CHOOSE x \in S : \A y \in S : x <= y
Largest(S) == CHOOSE x \in S : \A y \in S : y <= x
Elements(seq) == {seq[i] : i \in DOMAIN seq}

\* TLC follows a disjunction that stands in an action branch by branch, and
\* would count a step twice whose guard is true in two ways.  What is wrapped in
\* Test is a plain boolean to it.
Test(p) == p = TRUE

-----------------------------------------------------------------------------
(* Shapes of the two kinds of dependencies, for configurations to choose from *)

IndependentDependencies == [w \in Works |-> {}]
ChainDependencies == [w \in Works |-> IF w = 1 THEN {} ELSE {w - 1}]
ForwardDependencies == [w \in Works |-> IF w = 1 THEN {2} ELSE {}]
ForkDependencies == [w \in Works |-> IF w = 1 THEN {} ELSE {1}]
DiamondDependencies ==
    [w \in Works |-> IF w = 1 THEN {} ELSE IF w = 4 THEN {2, 3} ELSE {1}]
CyclicDependencies == [w \in Works |-> IF w = 1 THEN {2} ELSE {1}]

NoExternalDependencies == [w \in Works |-> {}]
GitHubDependencies == [w \in Works |-> Both]
GitHubChildDependencies ==
    [w \in Works |-> IF w = WorkCount THEN Both ELSE {}]

\* Those that matter to anybody.  Resource 1 is an issue, resource 2 a pull
\* request.
Resources == UNION {ExternalDependencies[w] : w \in Works}

Statuses(e) ==
    IF e = 1
    THEN {"open", "closed_completed", "closed_unplanned", "unavailable"}
    ELSE {"open", "merged", "closed_unmerged", "unavailable"}

\* What a raw status of a resource means to those who wait for it.
Normalized(e, status) ==
    CASE status = (IF e = 1 THEN "closed_completed" ELSE "merged") -> "ready"
      [] status = "unavailable" -> "unknown"
      [] status = "open" -> "waiting"
      [] OTHER -> "failed"

-----------------------------------------------------------------------------
(* The projection: everything that can be known from the log *)

EmptyProjection ==
    [ws |-> [w \in Works |-> "absent"],         \* where each work stands
     pos |-> [w \in Works |-> 0],               \* its place in the queue
     owner |-> [w \in Works |-> 0],             \* the claim that has it, or 0
     cs |-> [c \in Claims |-> "absent"],        \* where each claim stands
     members |-> [g \in Groups |-> <<>>],       \* claims of a group, in order
     run |-> [g \in Groups |-> "absent"],       \* where its native run stands
     cp |-> [p \in Both |-> 0],                 \* clocks of the classes,
     kp |-> [p \in Both |-> [k \in Both |-> 0]],    \* of the keys in each,
     cv |-> 0,                                  \* of the latest claim's class,
     kv |-> [p \in Both |-> 0],                 \* and of its key, by class
     ca |-> {},                                 \* classes with eligible work,
     ka |-> [p \in Both |-> {}],                \* and keys, at that claim
     charges |-> [k \in Both |-> 0],            \* claims ever made, by key
     results |-> {},                            \* works with a Result
     external |-> [e \in Both |-> "unknown"],   \* what each resource means,
     raw |-> [e \in Both |-> "unavailable"],    \* what it last said,
     reads |-> [e \in Both |-> 0]]              \* and how often it was asked

OpenClaims(s) == {c \in Claims : s.cs[c] = "open"}
KeyOpen(s, k) == {c \in OpenClaims(s) : KeyOf(WorkOf(c)) = k}

\* A run that has ended still holds its slot, until somebody has released it.
Holding == {"reserved", "started", "bound", "terminal"}
HeldSlots(s) == {g \in Groups : s.run[g] \in Holding}

-----------------------------------------------------------------------------
(* The schedule *)

\* The works that a claim could take.  A predecessor must have a Result: that it
\* is completed is not enough.  The native slots are not looked at here.
Eligible(s) ==
    LET open == OpenClaims(s)
        full == {k \in Both :
                    Cardinality({c \in open : KeyOf(WorkOf(c)) = k})
                        >= KeyLimit}
    IN  IF Cardinality(open) >= ClaimLimit THEN {}
        ELSE {w \in Works :
                /\ s.ws[w] = "available"
                /\ KeyOf(w) \notin full
                /\ Dependencies[w] \subseteq s.results
                /\ \A e \in ExternalDependencies[w] : s.external[e] = "ready"}

ActiveClasses(E) == {ClassOf(w) : w \in E}
ActiveKeys(E, p) == {KeyOf(w) : w \in {v \in E : ClassOf(v) = p}}

\* Who had nothing eligible at the latest claim, and has now, must not live on
\* credit from the time in between: its clock is put forward to one stride after
\* the clock of that claim, unless it is further already.  E are the works that
\* are eligible in s.
NormalizeFor(s, E) ==
    LET C == ActiveClasses(E)
        K == [p \in Both |-> ActiveKeys(E, p)]
    IN  [s EXCEPT
            !.cp = [p \in Both |->
                        IF p \in C \ s.ca THEN Max(@[p], s.cv + Stride(p))
                        ELSE @[p]],
            !.kp = [p \in Both |-> [k \in Both |->
                        IF k \in K[p] \ s.ka[p]
                        THEN Max(@[p][k], s.kv[p] + Stride(k))
                        ELSE @[p][k]]],
            !.ca = C,
            !.ka = K]

Normalize(s) == NormalizeFor(s, Eligible(s))

\* The member of S with the lowest clock; of several the smallest.
Lowest(S, clock) ==
    Smallest({x \in S : \A y \in S : clock[x] <= clock[y]})

\* The work of S that is first in the queue.
FirstOf(S, s) == CHOOSE w \in S : \A v \in S : s.pos[w] <= s.pos[v]

\* The work that must be claimed next, or 0.  First a class is chosen, then a
\* key in it, then the work.  Strict priority is for classes only.
NextWork(s) ==
    LET E == Eligible(s)
        n == NormalizeFor(s, E)
        p == IF Mode = "strict" THEN Smallest(n.ca) ELSE Lowest(n.ca, n.cp)
        k == Lowest(n.ka[p], n.kp[p])
    IN  IF E = {} THEN 0
        ELSE IF Mode = "default" THEN FirstOf(E, s)
        ELSE FirstOf({w \in E : ClassOf(w) = p /\ KeyOf(w) = k}, s)

-----------------------------------------------------------------------------
(* Operations and what they do to the projection *)

Op(kind, group, claim, value) ==
    [kind |-> kind, group |-> group, claim |-> claim, value |-> value]

ClaimOp(g, c) == Op("Claim", g, c, 0)

\* The operations that say no more than where a run stands now.
RunAfter ==
    [Started |-> "started", Bound |-> "bound", Terminated |-> "terminal",
     Release |-> "released"]

\* A claim moves the clocks.  The zero that the clamp of later claims starts at
\* is the clock as it was before its stride was added.  What a claim was charged
\* is never given back, and the strict mode charges classes, too: it just does
\* not look.  A second claim of the group finds its run reserved already.
Charge(s, g, c) ==
    LET w == WorkOf(c)
        p == ClassOf(w)
        k == KeyOf(w)
        n == Normalize(s)       \* by what is eligible before the claim
    IN  [n EXCEPT
            !.ws[w] = "claimed",
            !.owner[w] = c,
            !.cs[c] = "open",
            !.members[g] = Append(@, c),
            !.run[g] = "reserved",
            !.cv = n.cp[p],
            !.cp[p] = @ + Stride(p),
            !.kv[p] = n.kp[p][k],
            !.kp[p][k] = @ + Stride(k),
            !.charges[k] = @ + 1]

\* A cancelled work is available again, at its old place in the queue.  The
\* schedule takes no notice of a close: neither clocks nor active sets change.
Close(s, c, value) ==
    LET w == WorkOf(c)
    IN  IF value = "completed"
        THEN [s EXCEPT !.cs[c] = value, !.ws[w] = "completed", !.owner[w] = c]
        ELSE [s EXCEPT !.cs[c] = value, !.ws[w] = "available", !.owner[w] = 0]

\* The group 1 in an observation is a defect: the resource passes for ready
\* whatever it says.
Observed(s, e, status, group) ==
    [s EXCEPT
        !.raw[e] = status,
        !.reads[e] = @ + 1,
        !.external[e] = IF group = 1 THEN "ready" ELSE Normalized(e, status)]

Apply(s, op, position) ==
    CASE op.kind = "Work" ->
            [s EXCEPT !.ws[op.claim] = "available", !.pos[op.claim] = position]
      [] op.kind = "Claim" -> Charge(s, op.group, op.claim)
      [] op.kind \in DOMAIN RunAfter ->
            [s EXCEPT !.run[op.group] = RunAfter[op.kind]]
      [] op.kind = "Close" -> Close(s, op.claim, op.value)
      [] op.kind = "Result" ->
            [s EXCEPT !.results = @ \cup {WorkOf(op.claim)}]
      [] op.kind = "Observe" -> Observed(s, op.claim, op.value, op.group)
      [] op.kind = "Checkpoint" -> s

-----------------------------------------------------------------------------
(* Replay and plan *)

\* s after the operations from number j on, the next of which has the position.
RECURSIVE ApplyFrom(_, _, _, _)
ApplyFrom(s, ops, j, position) ==
    IF j > Len(ops) THEN s
    ELSE ApplyFrom(Apply(s, ops[j], position), ops, j + 1, position + 1)

\* The position of the first operation of record i.
Position(i) == i * (WorkCount + 1)

\* What the log l says, found from a checkpoint: a prefix of it and what that
\* says.  (A recursive function, where an operator could be, because TLC is slow
\* with operators that are deeply nested.)
ReplayAfter(check, l) ==
    LET start == Len(check.prefix)
        after[i \in start..Len(l)] ==
            IF i = start THEN check.state
            ELSE ApplyFrom(after[i - 1], l[i].ops, 1, Position(i))
    IN  after[Len(l)]

NoCheckpoint == [prefix |-> <<>>, state |-> EmptyProjection]

Replay(l) == ReplayAfter(NoCheckpoint, l)

\* The claims that group g would make one after another in s, n at most.  The
\* native slot is asked for by the first of them only: the batch shares it.
RECURSIVE Plan(_, _, _)
Plan(s, g, n) ==
    IF n = 0 \/ (s.run[g] = "absent" /\ Cardinality(HeldSlots(s)) >= RunLimit)
    THEN <<>>
    ELSE LET w == NextWork(s)
             c == ClaimOf(g, w)
         IN  IF w = 0 THEN <<>>
             ELSE <<ClaimOp(g, c)>> \o Plan(Charge(s, g, c), g, n - 1)

-----------------------------------------------------------------------------

FirstRecord ==
    [id |-> 1, previous |-> 0, request |-> 0,
     ops |-> [w \in Works |-> Op("Work", 0, w, 0)]]

Init ==
    /\ log = <<FirstRecord>>
    /\ head = 1
    /\ pending = [g \in Groups |->
                    [phase |-> "idle", base |-> 0, source |-> <<>>,
                     ops |-> <<>>, retries |-> 0]]
    /\ worker = [g \in Groups |-> "waiting"]
    /\ intents = [c \in Claims |-> "none"]
    /\ handled = {}
    /\ authorized = {}
    /\ completed = {}
    /\ effects = <<>>
    /\ projection = Replay(<<FirstRecord>>)
    /\ checkpoint = NoCheckpoint
    /\ checkpointPending = [phase |-> "idle", base |-> 0, source |-> <<>>]
    /\ checkpointConflicts = 0

-----------------------------------------------------------------------------
(* What the actions are made of *)

\* The log l with one more record.  The request names the group whose plan it
\* is; it is 0 in every other record.
Extended(l, request, ops) ==
    Append(l, [id |-> head + 1, previous |-> l[Len(l)].id,
               request |-> request, ops |-> ops])

Write(request, ops) ==
    /\ log' = Extended(log, request, ops)
    /\ head' = head + 1

Record(op) == Write(0, <<op>>)

\* The end of every action: the cache is found anew from the log.  It belongs
\* into the actions, as TLC would call every step Next if it stood beside them.
Refresh ==
    /\ UNCHANGED checkpoints
    /\ projection' = ReplayAfter(checkpoint, log')

Members(g) == Elements(projection.members[g])

\* A plan holds for the log that it was made on, and for no other.
Current(p) == p.base = head /\ p.source = log
Late(p) == p.phase = "prepared" /\ p.base # head

-----------------------------------------------------------------------------
(* Dispatchers *)

\* A group plans once in its life: it never becomes idle again.
InHand(g, ops) ==
    /\ pending' = [pending EXCEPT
                    ![g].phase = "prepared", ![g].base = head,
                    ![g].source = log, ![g].ops = ops]
    /\ UNCHANGED <<log, head, worker, intents, closing, effects>>
    /\ Refresh

PrepareStep(g) ==
    /\ pending[g].phase = "idle"
    /\ LET ops == Plan(projection, g, MaxBatch)
       IN  ops # <<>> /\ InHand(g, ops)

\* Any record that came in between makes the plan late, even one that could not
\* have changed it.
Push(g) ==
    /\ pending[g].phase = "prepared"
    /\ Current(pending[g])
    /\ pending[g].ops # <<>>
    /\ Write(g, pending[g].ops)
    /\ pending' = [pending EXCEPT ![g].phase = "done"]
    /\ UNCHANGED <<worker, intents, closing, effects>>
    /\ Refresh

\* A late plan is made anew, or given up if that has been done often enough.  If
\* nothing can be claimed any more, the group is done with nothing.
Retry(g) ==
    /\ Late(pending[g])
    /\ LET ops == Plan(projection, g, MaxBatch)
       IN  pending' =
            [pending EXCEPT ![g] =
                IF @.retries = RetryLimit THEN [@ EXCEPT !.phase = "failed"]
                ELSE [phase |-> IF ops = <<>> THEN "done" ELSE "prepared",
                      base |-> head, source |-> log, ops |-> ops,
                      retries |-> @.retries + 1]]
    /\ UNCHANGED <<log, head, worker, intents, closing, effects>>
    /\ Refresh

-----------------------------------------------------------------------------
(* Workers *)

Launch(g) ==
    /\ projection.run[g] = "reserved"
    /\ Record(Op("Started", g, 0, 0))
    /\ UNCHANGED <<pending, worker, intents, closing, effects>>
    /\ Refresh

Bind(g) ==
    /\ projection.run[g] = "started"
    /\ Record(Op("Bound", g, 0, 0))
    /\ worker' = [worker EXCEPT ![g] = "agent"]
    /\ UNCHANGED <<pending, intents, closing, effects>>
    /\ Refresh

\* What the worker intends is its own affair until it finalizes: not recorded.
FinishIntent(g, c, o) ==
    /\ worker[g] = "agent"
    /\ c \in Members(g)
    /\ intents[c] = "none"
    /\ intents' = [intents EXCEPT ![c] = o]
    /\ UNCHANGED <<log, head, pending, worker, closing, effects>>
    /\ Refresh

BeginFinalizeStep(g) ==
    /\ worker[g] = "agent"
    /\ worker' = [worker EXCEPT ![g] = "finalizing"]
    /\ UNCHANGED <<log, head, pending, intents, closing, effects>>
    /\ Refresh

\* A claim about which nothing was said is cancelled, never completed.
Finalize(g, c) ==
    /\ worker[g] = "finalizing"
    /\ projection.run[g] = "bound"
    /\ c \in Members(g)
    /\ c \notin handled
    /\ projection.cs[c] = "open"
    /\ projection.owner[WorkOf(c)] = c
    /\ LET o == IF intents[c] = "completed" THEN "completed" ELSE "cancelled"
           done == IF o = "completed" THEN {c} ELSE {}
       IN  /\ Record(Op("Close", g, c, o))
           /\ completed' = completed \cup done
           /\ authorized' = authorized \cup done
    /\ handled' = handled \cup {c}
    /\ UNCHANGED <<pending, worker, intents, effects>>
    /\ Refresh

Perform(g, c) ==
    /\ effects' = Append(effects, <<g, c, "pending">>)
    /\ UNCHANGED <<log, head, pending, worker, intents, closing>>
    /\ Refresh

Effect(g, c) ==
    /\ worker[g] = "finalizing"
    /\ c \in Members(g)
    /\ c \in authorized
    /\ \A i \in DOMAIN effects : effects[i][2] # c
    /\ Perform(g, c)

HasEffect(g, c, state) == <<g, c, state>> \in Elements(effects)

VerifyDelivery(g, c) ==
    /\ worker[g] = "finalizing"
    /\ projection.run[g] = "bound"
    /\ c \in authorized
    /\ HasEffect(g, c, "pending")
    /\ effects' = [i \in DOMAIN effects |->
                    IF effects[i] = <<g, c, "pending">>
                    THEN <<g, c, "verified">> ELSE effects[i]]
    /\ UNCHANGED <<log, head, pending, worker, intents, closing>>
    /\ Refresh

WriteResult(g, c) ==
    /\ Record(Op("Result", g, c, 0))
    /\ UNCHANGED <<pending, worker, intents, closing, effects>>
    /\ Refresh

Deliverable(g, c) ==
    /\ c \in Members(g)
    /\ projection.cs[c] = "completed"
    /\ WorkOf(c) \notin projection.results
    /\ HasEffect(g, c, "verified")

PublishResult(g, c) ==
    /\ worker[g] = "finalizing"
    /\ projection.run[g] = "bound"
    /\ Deliverable(g, c)
    /\ WriteResult(g, c)

\* A verified effect outlives the worker: somebody else publishes its Result.
\* One that was not verified by then never gets one.
RepairResult(g, c) ==
    /\ worker[g] = "terminal"
    /\ projection.run[g] \in {"terminal", "released"}
    /\ Deliverable(g, c)
    /\ WriteResult(g, c)

End(g) ==
    /\ Record(Op("Terminated", g, 0, 0))
    /\ worker' = [worker EXCEPT ![g] = "terminal"]
    /\ UNCHANGED <<pending, intents, closing, effects>>
    /\ Refresh

TerminateStep(g) ==
    /\ worker[g] = "finalizing"
    /\ Members(g) \subseteq handled
    /\ End(g)

\* It may come where the orderly end could come, and then to the same state.
Crash(g) ==
    /\ worker[g] \in {"agent", "finalizing"}
    /\ End(g)

-----------------------------------------------------------------------------
(* What others do, who depend on no worker *)

\* What a dead worker left open is cancelled, whatever it had intended.
Recover(g, c) ==
    /\ projection.run[g] = "terminal"
    /\ c \in Members(g)
    /\ projection.cs[c] = "open"
    /\ Record(Op("Close", g, c, "cancelled"))
    /\ handled' = handled \cup {c}
    /\ UNCHANGED <<pending, worker, intents, authorized, completed, effects>>
    /\ Refresh

GiveBack(g) ==
    /\ Record(Op("Release", g, 0, 0))
    /\ UNCHANGED <<pending, worker, intents, closing, effects>>
    /\ Refresh

Release(g) ==
    /\ projection.run[g] = "terminal"
    /\ Members(g) \cap OpenClaims(projection) = {}
    /\ GiveBack(g)

Look(e, status, group) ==
    /\ e \in Resources
    /\ projection.reads[e] < 2
    /\ Record(Op("Observe", group, e, status))
    /\ UNCHANGED <<pending, worker, intents, closing, effects>>
    /\ Refresh

\* A resource may say the same again, or take back what it said.  Claims that
\* were made meanwhile stand.  (A conjunction of one: by it TLC takes the name
\* of this action for the step, and not that of what it shares with a defect.)
Observe(e, st) == /\ Look(e, st, 0)

-----------------------------------------------------------------------------
(* A path on which everything succeeds.                                    *)
(*                                                                         *)
(* The whole space of four works and three groups is far too large to look *)
(* for the join of a diamond in.  Three of its actions are narrowed here,  *)
(* so that nothing fails and no group plans before its time.  TLC names a  *)
(* step after the definition in which it finds it, and these are to bear   *)
(* their own names and not others; hence the LET, and hence the same three *)
(* follow below as they are everywhere else.                               *)

\* Group 1 is for the head of the diamond, group 2 for its sides, group 3 for
\* the join.
OnTime(g) ==
    CASE g = 1 -> projection.ws[1] = "available"
      [] g = 2 -> 1 \in projection.results
      [] OTHER -> {2, 3} \subseteq projection.results

JoinWitnessNext ==
    LET Prepare(g) ==
            /\ OnTime(g)
            /\ PrepareStep(g)
        BeginFinalize(g) ==
            /\ \A c \in Members(g) : intents[c] = "completed"
            /\ BeginFinalizeStep(g)
        Terminate(g) ==
            /\ \A c \in Members(g) : WorkOf(c) \in projection.results
            /\ TerminateStep(g)
    IN  \E g \in Groups :
            \/ Prepare(g)
            \/ Push(g)
            \/ Retry(g)
            \/ Launch(g)
            \/ Bind(g)
            \/ BeginFinalize(g)
            \/ Terminate(g)
            \/ Release(g)
            \/ \E c \in Claims :
                \/ FinishIntent(g, c, "completed")
                \/ Finalize(g, c)
                \/ Effect(g, c)
                \/ VerifyDelivery(g, c)
                \/ PublishResult(g, c)

JoinWitnessSpec == Init /\ [][JoinWitnessNext]_vars

-----------------------------------------------------------------------------
(* The protocol *)

Prepare(g) == /\ PrepareStep(g)
BeginFinalize(g) == /\ BeginFinalizeStep(g)
Terminate(g) == /\ TerminateStep(g)

Next ==
    \/ \E g \in Groups :
        \/ Prepare(g)
        \/ Push(g)
        \/ Retry(g)
        \/ Launch(g)
        \/ Bind(g)
        \/ BeginFinalize(g)
        \/ Terminate(g)
        \/ Crash(g)
        \/ Release(g)
        \/ \E c \in Claims :
            \/ \E o \in {"completed", "cancelled"} : FinishIntent(g, c, o)
            \/ Finalize(g, c)
            \/ Effect(g, c)
            \/ VerifyDelivery(g, c)
            \/ PublishResult(g, c)
            \/ RepairResult(g, c)
            \/ Recover(g, c)
    \/ \E e \in Resources : \E st \in Statuses(e) : Observe(e, st)

Spec == Init /\ [][Next]_vars

\* Constraints, for configurations to choose from.
Bound == Len(log) <= MaxLog
OneObservationPerResource == \A e \in Resources : projection.reads[e] <= 1

-----------------------------------------------------------------------------
(* Checkpoints: dispatchers alone, and one writer of a checkpoint.  From then *)
(* on the cache is found from the checkpoint, and not from the first record.  *)

PrepareCheckpoint ==
    /\ checkpointPending.phase = "idle"
    /\ checkpointPending' =
        [phase |-> "prepared", base |-> head, source |-> log]
    /\ UNCHANGED <<log, head, pending, worker, intents, closing, effects,
                   projection, checkpoint, checkpointConflicts>>

\* Unlike a dispatcher's plan, a checkpoint may be late as often as it likes.
RetryCheckpoint ==
    /\ Late(checkpointPending)
    /\ checkpointPending' =
        [checkpointPending EXCEPT !.base = head, !.source = log]
    /\ checkpointConflicts' = checkpointConflicts + 1
    /\ UNCHANGED <<log, head, pending, worker, intents, closing, effects,
                   projection, checkpoint>>

\* The record of the checkpoint is part of what it covers.
PublishCheckpoint ==
    /\ checkpointPending.phase = "prepared"
    /\ Current(checkpointPending)
    /\ Record(Op("Checkpoint", 0, 0, 0))
    /\ checkpoint' = [prefix |-> log', state |-> Replay(log')]
    /\ checkpointPending' = [checkpointPending EXCEPT !.phase = "done"]
    /\ projection' = ReplayAfter(checkpoint', log')
    /\ UNCHANGED <<pending, worker, intents, closing, effects,
                   checkpointConflicts>>

CheckpointNext ==
    \/ \E g \in Groups :
        \/ Prepare(g)
        \/ Push(g)
        \/ Retry(g)
    \/ PrepareCheckpoint
    \/ RetryCheckpoint
    \/ PublishCheckpoint

CheckpointSpec ==
    /\ Init
    /\ [][CheckpointNext]_vars
    /\ WF_vars(PrepareCheckpoint)
    /\ WF_vars(RetryCheckpoint)
    /\ WF_vars(PublishCheckpoint)

-----------------------------------------------------------------------------
(* Deliberate defects.                                                     *)
(*                                                                         *)
(* Each is one step more, which breaks one rule.  A checker that does not  *)
(* find the invariant violated which the rule protects cannot be trusted   *)
(* with the bounds either.                                                 *)

\* A plan that is one claim of w, whatever the schedule says.
PlanFor(g, w) == InHand(g, <<ClaimOp(g, ClaimOf(g, w))>>)

\* The last of the eligible works is taken.
BrokenSelect(g) ==
    /\ pending[g].phase = "idle"
    /\ LET E == Eligible(projection)
       IN  E # {} /\ PlanFor(g, Largest(E))

\* One completed claim of the batch lets the effects of the others out.
BrokenEffect(g, c) ==
    /\ worker[g] = "finalizing"
    /\ c \in Members(g)
    /\ c \notin authorized
    /\ Members(g) \cap authorized # {}
    /\ Perform(g, c)

\* A worker closes a claim that is not its own.
BrokenHandle(g, c) ==
    /\ worker[g] = "finalizing"
    /\ c \notin Members(g)
    /\ projection.cs[c] = "open"
    /\ Record(Op("Close", g, c, "completed"))
    /\ handled' = handled \cup {c}
    /\ authorized' = authorized \cup {c}
    /\ completed' = completed \cup {c}
    /\ UNCHANGED <<pending, worker, intents, effects>>
    /\ Refresh

\* A late plan is put onto the log it was made on, and what came in between is
\* gone.
BrokenPush(g) ==
    /\ Late(pending[g])
    /\ log' = Extended(pending[g].source, g, pending[g].ops)
    /\ head' = head + 1
    /\ pending' = [pending EXCEPT ![g].phase = "done"]
    /\ UNCHANGED <<worker, intents, closing, effects>>
    /\ Refresh

\* One completed claim passes for the whole batch.
BrokenRelease(g) ==
    /\ projection.run[g] = "bound"
    /\ Members(g) \cap completed # {}
    /\ Members(g) \cap OpenClaims(projection) # {}
    /\ GiveBack(g)

\* A work is claimed before its predecessors have Results.
BrokenDependency(g, w) ==
    /\ pending[g].phase = "idle"
    /\ projection.ws[w] = "available"
    /\ ~(Dependencies[w] \subseteq projection.results)
    /\ PlanFor(g, w)

\* A Result is published without a verified effect.
BrokenResult(g, c) ==
    /\ worker[g] = "finalizing"
    /\ c \in Members(g)
    /\ projection.cs[c] = "completed"
    /\ WorkOf(c) \notin projection.results
    /\ ~HasEffect(g, c, "verified")
    /\ WriteResult(g, c)

\* A work is claimed before its resources are ready.
BrokenExternal(g, w) ==
    /\ pending[g].phase = "idle"
    /\ projection.ws[w] = "available"
    /\ {e \in ExternalDependencies[w] : projection.external[e] # "ready"} # {}
    /\ PlanFor(g, w)

\* A pull request that was closed passes for one that was merged.
BrokenPRObservation == /\ Look(2, "closed_unmerged", 1)

\* Somebody writes into the cache.
BrokenProjection ==
    /\ projection' = [projection EXCEPT !.ws[1] = "completed"]
    /\ UNCHANGED <<log, head, pending, worker, intents, closing, effects,
                   checkpoints>>

BrokenSelectionNext == Next \/ \E g \in Groups : BrokenSelect(g)
BrokenEffectsNext ==
    Next \/ \E g \in Groups : \E c \in Claims : BrokenEffect(g, c)
BrokenHandleNext ==
    Next \/ \E g \in Groups : \E c \in Claims : BrokenHandle(g, c)
BrokenCASNext == Next \/ \E g \in Groups : BrokenPush(g)
BrokenReleaseNext == Next \/ \E g \in Groups : BrokenRelease(g)
BrokenDependencyNext ==
    Next \/ \E g \in Groups : \E w \in Works : BrokenDependency(g, w)
BrokenResultNext ==
    Next \/ \E g \in Groups : \E c \in Claims : BrokenResult(g, c)
BrokenExternalNext ==
    Next \/ \E g \in Groups : \E w \in Works : BrokenExternal(g, w)
BrokenPRNext == Next \/ BrokenPRObservation
BrokenProjectionNext == Next \/ BrokenProjection

BrokenSelectionSpec == Init /\ [][BrokenSelectionNext]_vars
BrokenEffectsSpec == Init /\ [][BrokenEffectsNext]_vars
BrokenHandleSpec == Init /\ [][BrokenHandleNext]_vars
BrokenCASSpec == Init /\ [][BrokenCASNext]_vars
BrokenReleaseSpec == Init /\ [][BrokenReleaseNext]_vars
BrokenDependencySpec == Init /\ [][BrokenDependencyNext]_vars
BrokenResultSpec == Init /\ [][BrokenResultNext]_vars
BrokenExternalSpec == Init /\ [][BrokenExternalNext]_vars
BrokenPRSpec == Init /\ [][BrokenPRNext]_vars
BrokenProjectionSpec == Init /\ [][BrokenProjectionNext]_vars

-----------------------------------------------------------------------------
(* What the invariants of the history look at *)

\* s, and then the projection after each of the operations from number j on, as
\* in ApplyFrom.
RECURSIVE CourseFrom(_, _, _, _)
CourseFrom(s, ops, j, position) ==
    IF j > Len(ops) THEN <<s>>
    ELSE <<s>> \o CourseFrom(Apply(s, ops[j], position), ops, j + 1,
                             position + 1)

\* The projection before operation j of record i is number j of number i.
History ==
    LET history[i \in 0..Len(log)] ==
            IF i = 0 THEN <<>>
            ELSE LET earlier == history[i - 1]
                     s == IF i = 1 THEN EmptyProjection
                          ELSE earlier[i - 1][Len(log[i - 1].ops) + 1]
                 IN  Append(earlier, CourseFrom(s, log[i].ops, 1, Position(i)))
    IN  history[Len(log)]

\* P holds of every operation of a kind and the projection that it met.
Always(history, kind, P(_, _)) ==
    \A i \in DOMAIN log : \A j \in DOMAIN log[i].ops :
        log[i].ops[j].kind = kind => P(log[i].ops[j], history[i][j])

-----------------------------------------------------------------------------
(* Invariants.                                                             *)
(*                                                                         *)
(* Those of the history are defined twice, with the history to look at and *)
(* of the log as it is: Safety, which wants them all, then replays once.   *)

IsPrefix(l, m) ==
    /\ Len(l) <= Len(m)
    /\ \A i \in DOMAIN l : l[i] = m[i]

ProjectionSoundness ==
    /\ IsPrefix(checkpoint.prefix, log)
    /\ checkpoint.state = Replay(checkpoint.prefix)
    /\ projection = ReplayAfter(checkpoint, log)
    /\ projection = Replay(log)

\* The fields of an operation hang together, and its value may be a number or a
\* string.
IsOp(op) ==
    CASE op.kind = "Work" -> op = Op("Work", 0, op.claim, 0)
                             /\ op.claim \in Works
      [] op.kind \in {"Claim", "Result"} ->
            /\ op = Op(op.kind, op.group, op.claim, 0)
            /\ op.group \in Groups
            /\ op.claim \in Claims
      [] op.kind \in DOMAIN RunAfter ->
            /\ op = Op(op.kind, op.group, 0, 0)
            /\ op.group \in Groups
      [] op.kind = "Close" ->
            /\ op = Op("Close", op.group, op.claim, op.value)
            /\ op.group \in Groups
            /\ op.claim \in Claims
            /\ op.value \in {"completed", "cancelled"}
      [] op.kind = "Observe" ->
            /\ op = Op("Observe", op.group, op.claim, op.value)
            /\ op.group \in {0, 1}
            /\ op.claim \in Both
            /\ op.value \in Statuses(op.claim)
      [] op.kind = "Checkpoint" -> op = Op("Checkpoint", 0, 0, 0)
      [] OTHER -> FALSE

IsLog(l) ==
    \A i \in DOMAIN l :
        /\ DOMAIN l[i] = {"id", "previous", "request", "ops"}
        /\ l[i].id \in Nat
        /\ l[i].previous \in Nat
        /\ l[i].request \in {0} \cup Groups
        /\ \A j \in DOMAIN l[i].ops : IsOp(l[i].ops[j])

IsProjection(s) ==
    /\ DOMAIN s = DOMAIN EmptyProjection
    /\ s.ws \in [Works -> {"absent", "available", "claimed", "completed"}]
    /\ s.pos \in [Works -> Nat]
    /\ s.owner \in [Works -> {0} \cup Claims]
    /\ s.cs \in [Claims -> {"absent", "open", "completed", "cancelled"}]
    /\ s.members \in [Groups -> Seq(Claims)]
    /\ s.run \in [Groups -> {"absent", "released"} \cup Holding]
    /\ s.cp \in [Both -> Nat]
    /\ s.kp \in [Both -> [Both -> Nat]]
    /\ s.cv \in Nat
    /\ s.kv \in [Both -> Nat]
    /\ s.ca \subseteq Both
    /\ s.ka \in [Both -> SUBSET Both]
    /\ s.charges \in [Both -> Nat]
    /\ s.results \subseteq Works
    /\ s.external \in [Both -> {"unknown", "waiting", "ready", "failed"}]
    /\ \A e \in Both : s.raw[e] \in Statuses(e)
    /\ s.reads \in [Both -> 0..2]

TypeOK ==
    /\ log # <<>>
    /\ IsLog(log)
    /\ head \in Nat \ {0}
    /\ DOMAIN pending = Groups
    /\ \A g \in Groups :
        /\ DOMAIN pending[g] = {"phase", "base", "source", "ops", "retries"}
        /\ pending[g].phase \in {"idle", "prepared", "done", "failed"}
        /\ pending[g].base \in Nat
        /\ IsLog(pending[g].source)
        /\ \A j \in DOMAIN pending[g].ops : IsOp(pending[g].ops[j])
        /\ pending[g].retries \in Nat
    /\ worker \in [Groups -> {"waiting", "agent", "finalizing", "terminal"}]
    /\ intents \in [Claims -> {"none", "completed", "cancelled"}]
    /\ handled \subseteq Claims
    /\ completed \subseteq Claims
    /\ authorized \subseteq completed
    /\ effects \in Seq(Groups \X Claims \X {"pending", "verified"})
    /\ IsProjection(projection)
    /\ DOMAIN checkpoint = {"prefix", "state"}
    /\ IsLog(checkpoint.prefix)
    /\ IsProjection(checkpoint.state)
    /\ DOMAIN checkpointPending = {"phase", "base", "source"}
    /\ checkpointPending.phase \in {"idle", "prepared", "done"}
    /\ checkpointPending.base \in Nat
    /\ IsLog(checkpointPending.source)
    /\ checkpointConflicts \in Nat

\* What reach says can be reached from each work, extended n times by what can
\* be reached from there.
RECURSIVE Reach(_, _)
Reach(reach, n) ==
    IF n = 0 THEN reach
    ELSE Reach([w \in Works |->
                    reach[w] \cup UNION {reach[v] : v \in reach[w]}], n - 1)

\* Of the constants alone.  It is no assumption of the module, because TLC does
\* not say which assumption is false.
DAGValidity ==
    /\ Dependencies \in [Works -> SUBSET Works]
    /\ ExternalDependencies \in [Works -> SUBSET Both]
    /\ \A w \in Works : w \notin Dependencies[w]
    /\ LET reach == Reach(Dependencies, WorkCount)
       IN  \A w \in Works : w \notin reach[w]

CausalChain ==
    /\ head = log[Len(log)].id
    /\ \A i \in 2..Len(log) : log[i].previous = log[i - 1].id

Decided(op, s) ==
    /\ WorkOf(op.claim) = NextWork(s)
    /\ GroupOf(op.claim) = op.group
    /\ s.cs[op.claim] = "absent"

DecisionValidityIn(history) == Always(history, "Claim", Decided)
DecisionValidity == DecisionValidityIn(History)

Capacity ==
    /\ Cardinality(OpenClaims(projection)) <= ClaimLimit
    /\ Cardinality(HeldSlots(projection)) <= RunLimit
    /\ \A k \in Both : Cardinality(KeyOpen(projection, k)) <= KeyLimit

ClaimChargeCount ==
    projection.charges[1] + projection.charges[2]
        = Cardinality({c \in Claims : projection.cs[c] # "absent"})

RequestOnce ==
    \A g \in Groups :
        Cardinality({i \in DOMAIN log : log[i].request = g}) <= 1

AssignmentIntegrity ==
    \A g \in Groups :
        /\ Len(projection.members[g]) <= MaxBatch
        /\ Cardinality(Members(g)) = Len(projection.members[g])
        /\ \A c \in Members(g) : GroupOf(c) = g /\ projection.cs[c] # "absent"

NoDuplicateEffects ==
    Cardinality({effects[i][2] : i \in DOMAIN effects}) = Len(effects)

Closable(op, s) ==
    /\ op.group = GroupOf(op.claim)
    /\ op.claim \in Elements(s.members[op.group])
    /\ s.cs[op.claim] = "open"
    /\ s.owner[WorkOf(op.claim)] = op.claim
    /\ s.run[op.group] \in
        IF op.value = "completed" THEN {"bound"} ELSE {"bound", "terminal"}

ClaimClosureAuthorityIn(history) == Always(history, "Close", Closable)
ClaimClosureAuthority == ClaimClosureAuthorityIn(History)

Releasable(op, s) ==
    /\ s.run[op.group] = "terminal"
    /\ Elements(s.members[op.group]) \cap OpenClaims(s) = {}

RunReleaseAuthorityIn(history) == Always(history, "Release", Releasable)
RunReleaseAuthority == RunReleaseAuthorityIn(History)

Supplied(op, s) == Dependencies[WorkOf(op.claim)] \subseteq s.results

DependencyAuthorizationIn(history) == Always(history, "Claim", Supplied)
DependencyAuthorization == DependencyAuthorizationIn(History)

Publishable(op, s) ==
    /\ op.group = GroupOf(op.claim)
    /\ op.claim \in Elements(s.members[op.group])
    /\ s.cs[op.claim] = "completed"
    /\ s.run[op.group] \in {"bound", "terminal", "released"}
    /\ WorkOf(op.claim) \notin s.results

ResultAuthorityIn(history) == Always(history, "Result", Publishable)
ResultAuthority == ResultAuthorityIn(History)

ResultEffectSoundness ==
    \A w \in projection.results :
        LET c == projection.owner[w]
        IN  /\ projection.ws[w] = "completed"
            /\ projection.cs[c] = "completed"
            /\ HasEffect(GroupOf(c), c, "verified")

Gated(op, s) ==
    \A e \in ExternalDependencies[WorkOf(op.claim)] : s.external[e] = "ready"

ExternalAuthorizationIn(history) == Always(history, "Claim", Gated)
ExternalAuthorization == ExternalAuthorizationIn(History)

ExternalTruth ==
    \A e \in Resources :
        projection.external[e] = Normalized(e, projection.raw[e])

EffectAuthorization ==
    \A i \in DOMAIN effects :
        LET c == effects[i][2]
        IN  /\ effects[i][1] = GroupOf(c)
            /\ c \in authorized
            /\ projection.cs[c] = "completed"

TerminalPersistence == \A c \in completed : projection.cs[c] = "completed"

Ownership ==
    LET open == OpenClaims(projection)
    IN  /\ \A c, d \in open : WorkOf(c) = WorkOf(d) => c = d
        /\ \A c \in open :
            /\ projection.ws[WorkOf(c)] = "claimed"
            /\ projection.owner[WorkOf(c)] = c

FirstInQueue(op, s) ==
    /\ WorkOf(op.claim) \in Eligible(s)
    /\ \A w \in Eligible(s) : s.pos[WorkOf(op.claim)] <= s.pos[w]

DefaultFIFOIn(history) ==
    Mode = "default" => Always(history, "Claim", FirstInQueue)
DefaultFIFO == DefaultFIFOIn(History)

FirstInClass(op, s) ==
    \A w \in Eligible(s) : ClassOf(WorkOf(op.claim)) <= ClassOf(w)

StrictPriorityIn(history) ==
    Mode = "strict" => Always(history, "Claim", FirstInClass)
StrictPriority == StrictPriorityIn(History)

Safety ==
    LET history == History
    IN  /\ ProjectionSoundness
        /\ TypeOK
        /\ DAGValidity
        /\ CausalChain
        /\ DecisionValidityIn(history)
        /\ Capacity
        /\ ClaimChargeCount
        /\ RequestOnce
        /\ AssignmentIntegrity
        /\ NoDuplicateEffects
        /\ ClaimClosureAuthorityIn(history)
        /\ RunReleaseAuthorityIn(history)
        /\ DependencyAuthorizationIn(history)
        /\ ResultAuthorityIn(history)
        /\ ResultEffectSoundness
        /\ ExternalAuthorizationIn(history)
        /\ ExternalTruth
        /\ EffectAuthorization
        /\ TerminalPersistence
        /\ Ownership
        /\ DefaultFIFOIn(history)
        /\ StrictPriorityIn(history)

\* Temporal: a checkpoint in hand gets published.
CheckpointProgress ==
    checkpointPending.phase = "prepared" ~> checkpointPending.phase = "done"

-----------------------------------------------------------------------------
(* Witnesses: claims that are wanted to fail.                              *)
(*                                                                         *)
(* A queue in which nothing moves satisfies all of the above.  The         *)
(* counterexample of each of these is a run that shows the good thing      *)
(* happening.                                                              *)

\* Fails if one group gets several claims.
NoBatchedAssignment == \A g \in Groups : Len(projection.members[g]) <= 1

\* Fails if one claim of a batch is completed while another is still open.
NoPartialCompletion ==
    \A g \in Groups :
        LET states == {projection.cs[c] : c \in Members(g)}
        IN  ~({"completed", "open"} \subseteq states)

\* Fails if the last work, the join of a diamond, is claimed.
NoJoinClaim == projection.ws[WorkCount] # "claimed"

\* Fails if a checkpoint comes late.
CheckpointRace == checkpointConflicts = 0

=============================================================================
