----------------------------- MODULE WorkQueue -----------------------------
(***************************************************************************)
(* A work queue whose only shared thing is a log of facts.                 *)
(*                                                                         *)
(* Dispatchers announce, claim and cancel works; workers carry claims out  *)
(* and report; two maintainers compact the log and cancel the claims of    *)
(* runs that have died.  Each of them computes a new log from the one it   *)
(* has seen, and may put it in place only if nobody was faster.  Facts get *)
(* duplicated, and several claims of one work compete.  The model asks     *)
(* whether a work ends at most once all the same, whether its end is ever  *)
(* taken back or added to, and whether an effect on the outside always has *)
(* a completion in the log behind it.                                      *)
(*                                                                         *)
(* The README beside this file tells the same story at more leisure.  The  *)
(* names are fixed by the shared design, models/work-queue.md.             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    WorkCount,              \* how many works there are
    ClaimCount,             \* how many claims there are
    WorkerCount,            \* how many workers, each of which lives once
    DispatcherCount,        \* how many dispatchers, each with one batch
    RetryLimit,             \* how often a candidate that came late is renewed
    MaxHead,                \* commits, for the constraint Bound
    MaxLog                  \* facts in the log, for the constraint Bound

ASSUME {WorkCount, ClaimCount, WorkerCount, DispatcherCount} \subseteq Nat \ {0}
ASSUME {RetryLimit, MaxHead, MaxLog} \subseteq Nat

VARIABLES
    log,                    \* the facts in order; one may be there repeatedly
    head,                   \* how often the log was replaced
    dispatch,               \* dispatcher -> what it has in hand
    workers,                \* worker -> what it has in hand
    compact,                \* what the compactor has in hand
    recovery,               \* what the recovery of dead runs has in hand
    deadRuns,               \* claims whose run has ended
    terminalHistory,        \* work -> its facts at the moment of its end
    authorizations,         \* completions that were found in the log, in order
    effects                 \* what reached the outside, in order

\* What a commit changes, and what has left the queue.
shared == <<log, head, terminalHistory>>
outside == <<authorizations, effects>>

vars == <<shared, dispatch, workers, compact, recovery, deadRuns, outside>>

-----------------------------------------------------------------------------
(* Who is who *)

Works == 1..WorkCount
Claims == 1..ClaimCount
Workers == 1..WorkerCount
Dispatchers == 1..DispatcherCount
Maintenance == {"compact", "recovery"}

\* A worker is started for one claim, a claim is for one work and belongs to one
\* dispatcher.  The % of TLA+ is never negative: what carries no claim, and so
\* has the claim 0, belongs to the last dispatcher.
WorkOf(c) == ((c - 1) % WorkCount) + 1
InboundClaim(a) == ((a - 1) % ClaimCount) + 1
OwnerOf(c) == ((c - 1) % DispatcherCount) + 1

Smallest(S) == CHOOSE x \in S : \A y \in S : x <= y

\* TLC follows a disjunction that stands in an action branch by branch, and
\* would count a step twice whose guard is true in two ways.  What is wrapped in
\* Test is a plain boolean to it.
Test(p) == p = TRUE

-----------------------------------------------------------------------------
(* Facts and intents *)

Tuple(kind, work, claim, attempt, enqueued) ==
    [kind |-> kind, work |-> work, claim |-> claim, attempt |-> attempt,
     enqueued |-> enqueued]

Work(w) == Tuple("Work", w, 0, 0, w)
Claim(c) == Tuple("Claim", WorkOf(c), c, 0, 0)
ClaimCancellation(c) == Tuple("ClaimCancellation", WorkOf(c), c, 0, 0)
WorkCancellation(w) == Tuple("WorkCancellation", w, 0, 0, 0)
Completion(a) ==
    Tuple("Completion", WorkOf(InboundClaim(a)), InboundClaim(a), a, 0)

WorkFacts == {Work(w) : w \in Works}
ClaimFacts == {Claim(c) : c \in Claims}
CompletionFacts == {Completion(a) : a \in Workers}
WorkCancellationFacts == {WorkCancellation(w) : w \in Works}

AllFacts ==
    WorkFacts \cup ClaimFacts \cup {ClaimCancellation(c) : c \in Claims}
        \cup WorkCancellationFacts \cup CompletionFacts

\* A work that is announced once more, with another place in the queue.  It is
\* no fact: it may be staged, and is left out of every log.
Resubmission(w) == Tuple("Work", w, 0, 0, w + WorkCount)
Resubmissions == {Resubmission(w) : w \in Works}

\* What a dispatcher may put on its list.
Intents == WorkFacts \cup ClaimFacts \cup WorkCancellationFacts
               \cup Resubmissions

\* The facts of a log.  Nothing is ever decided by order or repetition.
F(l) == {l[i] : i \in DOMAIN l}

-----------------------------------------------------------------------------
(* What a set f of facts says *)

Completed(f, w) == {t \in f : t.kind = "Completion" /\ t.work = w}

TerminalFacts(f, w) ==
    {t \in f : t.kind \in {"Completion", "WorkCancellation"} /\ t.work = w}

Terminal(f, w) == TerminalFacts(f, w) # {}

\* The claims of w that were made and not cancelled.  They compete.
Active(f, w) ==
    {c \in Claims :
        /\ WorkOf(c) = w
        /\ Claim(c) \in f
        /\ ClaimCancellation(c) \notin f}

\* The claim that has the work, or 0: the smallest that is active, until the
\* work has ended.
Winner(f, w) ==
    LET completed == Completed(f, w)
        active == Active(f, w)
    IN  IF completed # {} THEN Smallest({t.claim : t \in completed})
        ELSE IF WorkCancellation(w) \in f \/ active = {} THEN 0
        ELSE Smallest(active)

State(f, w) ==
    IF Work(w) \notin f THEN "absent"
    ELSE IF Completed(f, w) # {} THEN "completed"
    ELSE IF WorkCancellation(w) \in f THEN "cancelled"
    ELSE IF Winner(f, w) # 0 THEN "claimed"
    ELSE "available"

Available(f) == {w \in Works : State(f, w) = "available"}

\* The work that is to be claimed next, or 0.  A work's place in the queue is its
\* number.
Oldest(f) == IF Available(f) = {} THEN 0 ELSE Smallest(Available(f))

ClaimState(f, c) ==
    IF Claim(c) \notin f THEN "absent"
    ELSE IF ClaimCancellation(c) \in f \/ WorkCancellation(WorkOf(c)) \in f
        THEN "cancelled"
    ELSE IF Winner(f, WorkOf(c)) = c THEN "effective"
    ELSE "superseded"

Projection(f) ==
    [state |-> [w \in Works |-> State(f, w)],
     winner |-> [w \in Works |-> Winner(f, w)],
     claim |-> [c \in Claims |-> ClaimState(f, c)],
     facts |-> f]

Replay(l) == Projection(F(l))

-----------------------------------------------------------------------------
(* Making a log *)

\* Whether fact t may follow.  Several claims of one work may; after the end of
\* the work nothing of it may.
Allowed(f, t) ==
    /\ t \in AllFacts
    /\ t \notin f
    /\ ~Terminal(f, t.work)
    /\ CASE t.kind = "Work" -> TRUE
         [] t.kind \in {"Claim", "WorkCancellation"} -> Work(t.work) \in f
         [] t.kind = "ClaimCancellation" -> Claim(t.claim) \in f
         [] t.kind = "Completion" ->
                /\ Work(t.work) \in f
                /\ t.claim = Winner(f, t.work)

\* Log l with the facts of a list, one after another, as far as each is allowed
\* when its turn comes.
RECURSIVE Apply(_, _)
Apply(l, list) ==
    IF list = <<>> THEN l
    ELSE Apply(IF Allowed(F(l), Head(list)) THEN Append(l, Head(list)) ELSE l,
               Tail(list))

RECURSIVE Flatten(_)
Flatten(seqs) ==
    IF seqs = <<>> THEN <<>> ELSE Head(seqs) \o Flatten(Tail(seqs))

\* Claims by work and then by number, and workers in the order of their claims.
ClaimOrder ==
    Flatten([w \in Works |->
                SelectSeq([c \in Claims |-> c], LAMBDA c : WorkOf(c) = w)])
WorkerOrder ==
    Flatten([i \in Claims |->
                SelectSeq([a \in Workers |-> a],
                          LAMBDA a : InboundClaim(a) = ClaimOrder[i])])

\* All facts in their one order: by kind, then work, then claim, then attempt.
FactOrder ==
    Flatten(<<[w \in Works |-> Work(w)],
              [i \in Claims |-> Claim(ClaimOrder[i])],
              [i \in Claims |-> ClaimCancellation(ClaimOrder[i])],
              [w \in Works |-> WorkCancellation(w)],
              [i \in Workers |-> Completion(WorkerOrder[i])]>>)

\* A set of facts, each once, in this order.
Canonical(f) == SelectSeq(FactOrder, LAMBDA t : t \in f)

-----------------------------------------------------------------------------

Init ==
    /\ log = <<>>
    /\ head = 0
    /\ dispatch = [d \in Dispatchers |->
                    [phase |-> "agent", local |-> <<>>, serialized |-> <<>>,
                     base |-> 0, source |-> <<>>, candidate |-> <<>>,
                     retries |-> 0]]
    /\ workers = [a \in Workers |->
                    [phase |-> "waiting", finish |-> FALSE, base |-> 0,
                     source |-> <<>>, candidate |-> <<>>, retries |-> 0,
                     activation |-> [ready |-> FALSE, head |-> 0,
                                     admitted |-> FALSE]]]
    /\ compact = [phase |-> "idle", base |-> 0, source |-> <<>>,
                  candidate |-> <<>>, observedRuns |-> {}, retries |-> 0]
    /\ recovery = compact
    /\ deadRuns = {}
    /\ terminalHistory = [w \in Works |-> {}]
    /\ authorizations = <<>>
    /\ effects = <<>>

-----------------------------------------------------------------------------
(* What the actions are made of.                                           *)
(*                                                                         *)
(* Dispatchers, workers and maintainers have records r with a phase and    *)
(* with the candidate for a new log, which is made from the log that was   *)
(* seen, the source, when the head was at the base.                        *)

Prepared(r) == r.phase = "prepared"
Late(r) == Prepared(r) /\ r.base # head

\* r with a candidate for the log as it is now.
Preparing(r, candidate) ==
    [r EXCEPT !.phase = "prepared", !.base = head, !.source = log,
              !.candidate = candidate]

\* r, whose candidate came late: renewed, or given up if that was done often
\* enough.  Who gives up keeps what it had in hand.
Retrying(r, renewed) ==
    IF r.retries = RetryLimit THEN [r EXCEPT !.phase = "failed"]
    ELSE [renewed EXCEPT !.retries = @ + 1]

\* The log is replaced.  What belongs to a work at the moment of its end is
\* noted down for comparison, once and for all.
Commit(candidate) ==
    /\ log' = candidate
    /\ head' = head + 1
    /\ terminalHistory' =
        [w \in Works |->
            IF terminalHistory[w] = {} /\ Terminal(F(candidate), w)
            THEN {t \in F(candidate) : t.work = w}
            ELSE terminalHistory[w]]

\* What changes nothing is no commit.
Write(candidate) ==
    IF candidate = log THEN UNCHANGED shared ELSE Commit(candidate)

\* A candidate takes the place of the log that it was made from, and of no other.
Publish(r) ==
    /\ Prepared(r)
    /\ r.base = head
    /\ r.source = log
    /\ Write(r.candidate)

-----------------------------------------------------------------------------
(* Dispatchers *)

\* The facts that there would be if dispatcher d wrote its list now.
View(d) == F(Apply(log, dispatch[d].local))

\* An intent goes onto the list of d.  It may be written later, and onto another
\* log: it is the present one that it is judged by here.
\*
\* The second disjunction stands as it is, unlike others in this module: that a
\* step counts twice for which both sides are true, an intent without a claim at
\* the last dispatcher, is part of the published figures.
StageIntent(d, t) ==
    /\ dispatch[d].phase = "agent"
    /\ t \notin F(dispatch[d].local)
    /\ Test(\/ Allowed(View(d), t)
            \/ t \in Resubmissions /\ Work(t.work) \in View(d))
    /\ t.kind # "Claim" \/ OwnerOf(t.claim) = d
    /\ dispatch' = [dispatch EXCEPT ![d].local = Append(@, t),
                                    ![d].serialized = Append(@, t)]
    /\ UNCHANGED <<shared, workers, compact, recovery, deadRuns, outside>>

\* Only the oldest work that is available may be claimed.
Stage(d, t) ==
    /\ StageIntent(d, t)
    /\ t.kind # "Claim" \/ t.work = Oldest(View(d))

DispatchCandidate(d) == Apply(log, dispatch[d].local)

PrepareDispatch(d) ==
    /\ dispatch[d].phase = "agent"
    /\ dispatch' = [dispatch EXCEPT ![d] = Preparing(@, DispatchCandidate(d))]
    /\ UNCHANGED <<shared, workers, compact, recovery, deadRuns, outside>>

PushDispatch(d) ==
    /\ Publish(dispatch[d])
    /\ dispatch' = [dispatch EXCEPT ![d].phase = "done"]
    /\ UNCHANGED <<workers, compact, recovery, deadRuns, outside>>

RetryDispatch(d) ==
    /\ Late(dispatch[d])
    /\ dispatch' =
        [dispatch EXCEPT ![d] =
            Retrying(@, Preparing(@, DispatchCandidate(d)))]
    /\ UNCHANGED <<shared, workers, compact, recovery, deadRuns, outside>>

-----------------------------------------------------------------------------
(* Workers *)

\* A worker begins only if its claim has the work in the log as it is now.
Activate(a) ==
    LET c == InboundClaim(a)
        w == WorkOf(c)
        now == Replay(log)
    IN  /\ workers[a].phase = "waiting"
        /\ c \notin deadRuns
        /\ now.claim[c] = "effective"
        /\ now.winner[w] = c
        /\ now.state[w] \notin {"completed", "cancelled"}
        /\ workers' =
            [workers EXCEPT
                ![a].phase = "running",
                ![a].activation = [ready |-> TRUE, head |-> head,
                                   admitted |-> TRUE]]
        /\ UNCHANGED <<shared, dispatch, compact, recovery, deadRuns, outside>>

\* Its agent ends, and has finished the work or not.
EndAgent(a, b) ==
    /\ workers[a].phase = "running"
    /\ workers' = [workers EXCEPT ![a].phase = "ready", ![a].finish = b]
    /\ UNCHANGED <<shared, dispatch, compact, recovery, deadRuns, outside>>

\* The end of the worker on the log l: what is finished is completed, any other
\* claim is given back.  If the claim does not have the work (any more), there is
\* nothing to say.
WorkerCandidate(l, a) ==
    LET c == InboundClaim(a)
        w == WorkOf(c)
    IN  IF ~Terminal(F(l), w) /\ Winner(F(l), w) = c
        THEN Apply(l, <<IF workers[a].finish THEN Completion(a)
                        ELSE ClaimCancellation(c)>>)
        ELSE l

PrepareWorker(a) ==
    /\ workers[a].phase = "ready"
    /\ workers' = [workers EXCEPT ![a] = Preparing(@, WorkerCandidate(log, a))]
    /\ UNCHANGED <<shared, dispatch, compact, recovery, deadRuns, outside>>

PushWorker(a) ==
    /\ Publish(workers[a])
    /\ workers' =
        [workers EXCEPT ![a].phase =
            IF Completion(a) \in F(workers[a].candidate) \ F(log)
            THEN "committed" ELSE "stopped"]
    /\ UNCHANGED <<dispatch, compact, recovery, deadRuns, outside>>

RetryWorker(a) ==
    /\ Late(workers[a])
    /\ workers' =
        [workers EXCEPT ![a] =
            Retrying(@, Preparing(@, WorkerCandidate(log, a)))]
    /\ UNCHANGED <<shared, dispatch, compact, recovery, deadRuns, outside>>

\* An effect needs more than a commit that went well: the completion is looked
\* for in the log.
VerifyCompletion(a) ==
    /\ workers[a].phase = "committed"
    /\ Completion(a) \in F(log)
    /\ Completed(F(log), Completion(a).work) = {Completion(a)}
    /\ authorizations' = Append(authorizations, Completion(a))
    /\ workers' = [workers EXCEPT ![a].phase = "authorized"]
    /\ UNCHANGED <<shared, dispatch, compact, recovery, deadRuns, effects>>

ExternalEffect(a) ==
    /\ workers[a].phase = "authorized"
    /\ effects' = Append(effects, Completion(a))
    /\ workers' = [workers EXCEPT ![a].phase = "done"]
    /\ UNCHANGED <<shared, dispatch, compact, recovery, deadRuns,
                   authorizations>>

-----------------------------------------------------------------------------
(* Runs, maintenance, and the world *)

Ended == {"done", "stopped", "failed"}

\* The run of a claim dies, and with it every worker of the claim, wherever it
\* is: also one that was about to begin, or about to have its effect.
RunTerminates(c) ==
    /\ Claim(c) \in F(log)
    /\ c \notin deadRuns
    /\ deadRuns' = deadRuns \cup {c}
    /\ workers' =
        [a \in Workers |->
            IF InboundClaim(a) = c /\ workers[a].phase \notin Ended
            THEN [workers[a] EXCEPT !.phase = "failed"]
            ELSE workers[a]]
    /\ UNCHANGED <<shared, dispatch, compact, recovery, outside>>

\* The compactor drops repetitions and puts the facts in order.
Compacted(l) == Canonical(F(l))

\* The recovery cancels the claims of dead runs, as far as that is still to do.
Orphans(l, runs) ==
    {c \in runs :
        /\ Claim(c) \in F(l)
        /\ ~Terminal(F(l), WorkOf(c))
        /\ ClaimCancellation(c) \notin F(l)}
Recovered(l, runs) ==
    Apply(l, Canonical({ClaimCancellation(c) : c \in Orphans(l, runs)}))

Maintainer(k) == IF k = "compact" THEN compact ELSE recovery

\* The runs that count as dead to whoever prepares now.
Observed(k) == IF k = "compact" THEN {} ELSE deadRuns

MaintenanceCandidate(k, l, runs) ==
    IF k = "compact" THEN Compacted(l) ELSE Recovered(l, runs)

PreparingMaintenance(k) ==
    [Preparing(Maintainer(k), MaintenanceCandidate(k, log, Observed(k)))
        EXCEPT !.observedRuns = Observed(k)]

Maintained(k, r) ==
    /\ compact' = IF k = "compact" THEN r ELSE compact
    /\ recovery' = IF k = "recovery" THEN r ELSE recovery

\* Maintenance may be done again and again, but not for nothing.
PrepareMaintenance(k) ==
    /\ Maintainer(k).phase \in {"idle", "done"}
    /\ MaintenanceCandidate(k, log, Observed(k)) # log
    /\ Maintained(k, [PreparingMaintenance(k) EXCEPT !.retries = 0])
    /\ UNCHANGED <<shared, dispatch, workers, deadRuns, outside>>

PushMaintenance(k) ==
    /\ Publish(Maintainer(k))
    /\ Maintained(k, [Maintainer(k) EXCEPT !.phase = "done"])
    /\ UNCHANGED <<dispatch, workers, deadRuns, outside>>

\* Here it may turn out that there is nothing to do any more.
RetryMaintenance(k) ==
    /\ Late(Maintainer(k))
    /\ Maintained(k, Retrying(Maintainer(k), PreparingMaintenance(k)))
    /\ UNCHANGED <<shared, dispatch, workers, deadRuns, outside>>

\* A record gets in twice.  It is news to nobody, but makes every candidate late.
DuplicateRecord(t) ==
    /\ t \in F(log)
    /\ Commit(Append(log, t))
    /\ UNCHANGED <<dispatch, workers, compact, recovery, deadRuns, outside>>

-----------------------------------------------------------------------------
(* The protocol *)

Next ==
    \/ \E d \in Dispatchers :
        \/ \E t \in Intents : Stage(d, t)
        \/ PrepareDispatch(d)
        \/ PushDispatch(d)
        \/ RetryDispatch(d)
    \/ \E a \in Workers :
        \/ Activate(a)
        \/ \E b \in BOOLEAN : EndAgent(a, b)
        \/ PrepareWorker(a)
        \/ PushWorker(a)
        \/ RetryWorker(a)
        \/ VerifyCompletion(a)
        \/ ExternalEffect(a)
    \/ \E c \in Claims : RunTerminates(c)
    \/ \E k \in Maintenance :
        \/ PrepareMaintenance(k)
        \/ PushMaintenance(k)
        \/ RetryMaintenance(k)
    \/ \E t \in AllFacts : DuplicateRecord(t)

Spec == Init /\ [][Next]_vars

\* The constraint.  Lists and candidates may be longer than it lets the log be.
Bound ==
    /\ head <= MaxHead
    /\ Len(log) <= MaxLog

-----------------------------------------------------------------------------
(* Deliberate defects.                                                     *)
(*                                                                         *)
(* Each is one step more, which breaks one rule.  A checker that does not  *)
(* find the property violated which the rule protects cannot be trusted    *)
(* with the bounds either.                                                 *)

\* A late candidate is put in place all the same, and what came in between is
\* gone.
UnsafeStalePush(d) ==
    /\ Late(dispatch[d])
    /\ Commit(dispatch[d].candidate)
    /\ dispatch' = [dispatch EXCEPT ![d].phase = "done"]
    /\ UNCHANGED <<workers, compact, recovery, deadRuns, outside>>

\* A completed work is claimed.
UnsafeLateClaim(c) ==
    /\ Completed(F(log), WorkOf(c)) # {}
    /\ Claim(c) \notin F(log)
    /\ Commit(Append(log, Claim(c)))
    /\ UNCHANGED <<dispatch, workers, compact, recovery, deadRuns, outside>>

\* The third is StageIntent: any work that is available may be claimed, or even
\* one that is claimed already.

BrokenCASNext == Next \/ \E d \in Dispatchers : UnsafeStalePush(d)
BrokenTerminalNext == Next \/ \E c \in Claims : UnsafeLateClaim(c)
BrokenQueueSelectionNext ==
    Next \/ \E d \in Dispatchers : \E t \in Intents : StageIntent(d, t)

BrokenCASSpec == Init /\ [][BrokenCASNext]_vars
BrokenTerminalSpec == Init /\ [][BrokenTerminalNext]_vars
BrokenQueueSelectionSpec == Init /\ [][BrokenQueueSelectionNext]_vars

-----------------------------------------------------------------------------
(* Invariants *)

Activations == [ready : BOOLEAN, head : Nat, admitted : BOOLEAN]

TypeOK ==
    /\ log \in Seq(AllFacts)
    /\ head \in Nat
    /\ dispatch \in
        [Dispatchers ->
            [phase : {"agent", "prepared", "done", "failed"},
             local : Seq(Intents), serialized : Seq(Intents),
             base : Nat, source : Seq(AllFacts), candidate : Seq(AllFacts),
             retries : 0..RetryLimit]]
    /\ workers \in
        [Workers ->
            [phase : {"waiting", "running", "ready", "prepared", "committed",
                      "authorized"} \cup Ended,
             finish : BOOLEAN,
             base : Nat, source : Seq(AllFacts), candidate : Seq(AllFacts),
             retries : 0..RetryLimit,
             activation : Activations]]
    /\ {compact, recovery} \subseteq
            [phase : {"idle", "prepared", "done", "failed"},
             base : Nat, source : Seq(AllFacts), candidate : Seq(AllFacts),
             observedRuns : SUBSET Claims,
             retries : 0..RetryLimit]
    /\ deadRuns \subseteq Claims
    /\ terminalHistory \in [Works -> SUBSET AllFacts]
    /\ authorizations \in Seq(CompletionFacts)
    /\ effects \in Seq(CompletionFacts)

\* A completion names the claim that had the work, also in what was said later.
Valid(f) ==
    /\ f \subseteq AllFacts
    /\ \A t \in f :
        /\ t.kind # "Work" => Work(t.work) \in f
        /\ t.kind \in {"ClaimCancellation", "Completion"} => Claim(t.claim) \in f
        /\ t.kind = "Completion" =>
            /\ t = Completion(t.attempt)
            /\ Active(f, t.work) # {}
            /\ t.claim = Smallest(Active(f, t.work))
    /\ \A w \in Works : Cardinality(TerminalFacts(f, w)) <= 1

ValidLog == Valid(F(log))

\* A candidate that can be published says nothing but what its maker may say.
SnapshotValidity ==
    LET Publishable(r) == Prepared(r) /\ r.base = head
        Extends(r) ==
            Publishable(r) =>
                /\ r.source = log
                /\ F(log) \subseteq F(r.candidate)
                /\ Valid(F(r.candidate))
    IN  /\ \A d \in Dispatchers : Extends(dispatch[d])
        /\ \A a \in Workers : Extends(workers[a])
        /\ Extends(recovery)
        /\ Publishable(compact) =>
            /\ compact.source = log
            /\ F(compact.candidate) = F(log)

SnapshotVersions ==
    /\ \A d \in Dispatchers : dispatch[d].base <= head
    /\ \A a \in Workers :
        /\ workers[a].base <= head
        /\ workers[a].activation.ready => workers[a].activation.head <= head
    /\ compact.base <= head
    /\ recovery.base <= head

ActivationSnapshotValidity ==
    \A a \in Workers :
        workers[a].activation.ready => workers[a].activation.admitted

Serialization ==
    \A d \in Dispatchers : dispatch[d].local = dispatch[d].serialized

\* Also a late candidate is what its maker makes of the source.
CandidateDerivation ==
    /\ \A d \in Dispatchers :
        Prepared(dispatch[d]) =>
            dispatch[d].candidate =
                Apply(dispatch[d].source, dispatch[d].serialized)
    /\ \A a \in Workers :
        Prepared(workers[a]) =>
            workers[a].candidate = WorkerCandidate(workers[a].source, a)
    /\ \A k \in Maintenance :
        LET r == Maintainer(k)
        IN  Prepared(r) =>
                r.candidate =
                    MaintenanceCandidate(k, r.source, r.observedRuns)

TerminalHistoryValid ==
    \A w \in Works :
        terminalHistory[w] # {} =>
            /\ Terminal(terminalHistory[w], w)
            /\ \A t \in terminalHistory[w] : t.work = w

\* The end of a work is never taken back,
TerminalPersistence ==
    \A w \in Works : TerminalFacts(terminalHistory[w], w) \subseteq F(log)

\* and nothing is added to the work after it.
TerminalFreeze ==
    \A w \in Works :
        terminalHistory[w] # {} =>
            {t \in F(log) : t.work = w} = terminalHistory[w]

\* True by construction, as is the next one.
SingleCompletionPerWorker ==
    \A a \in Workers :
        Cardinality({t \in F(log) : t.kind = "Completion" /\ t.attempt = a})
            <= 1

SingleEffectiveClaim ==
    \A w \in Works :
        Cardinality({c \in Active(F(log), w) : c = Winner(F(log), w)}) <= 1

AuthorizationSoundness ==
    F(authorizations) \subseteq {t \in F(log) : t.kind = "Completion"}

EffectSoundness == F(effects) \subseteq F(authorizations)

\* How often attempt a occurs in a sequence.
Attempts(seq, a) == Cardinality({i \in DOMAIN seq : seq[i].attempt = a})

\* A worker speaks only of its own claim, and reports only what is finished.
WorkerOrigin ==
    \A a \in Workers :
        LET r == workers[a]
            news == F(r.candidate) \ F(log)
        IN  /\ Prepared(r) /\ r.base = head =>
                /\ news \subseteq
                    {Completion(a), ClaimCancellation(InboundClaim(a))}
                /\ ~r.finish => Completion(a) \notin news
            /\ r.phase = "committed" =>
                /\ r.finish
                /\ Completion(a) \in F(log)
                /\ Attempts(authorizations, a) = 0

FinishRequired == \A t \in F(authorizations) : workers[t.attempt].finish

LifecycleAccounting ==
    \A a \in Workers :
        LET phase == workers[a].phase
            authorized == Attempts(authorizations, a)
            performed == Attempts(effects, a)
        IN  /\ authorized <= 1
            /\ performed <= authorized
            /\ authorized = 1 => phase \in {"authorized", "done", "failed"}
            /\ performed = 1 => phase \in {"done", "failed"}
            /\ phase = "authorized" => authorized = 1 /\ performed = 0
            /\ phase = "done" => performed = 1

AtMostOnePerWork(seq) ==
    \A w \in Works : Cardinality({i \in DOMAIN seq : seq[i].work = w}) <= 1

SingleAuthorization == AtMostOnePerWork(authorizations)
SingleEffect == AtMostOnePerWork(effects)

Safety ==
    /\ TypeOK
    /\ ValidLog
    /\ SnapshotValidity
    /\ SnapshotVersions
    /\ ActivationSnapshotValidity
    /\ Serialization
    /\ CandidateDerivation
    /\ TerminalHistoryValid
    /\ TerminalPersistence
    /\ TerminalFreeze
    /\ SingleCompletionPerWorker
    /\ SingleEffectiveClaim
    /\ AuthorizationSoundness
    /\ EffectSoundness
    /\ WorkerOrigin
    /\ FinishRequired
    /\ LifecycleAccounting
    /\ SingleAuthorization
    /\ SingleEffect

-----------------------------------------------------------------------------
(* Step properties *)

\* A worker that has ended does not begin again.
WorkerOneShot ==
    [][\A a \in Workers :
        workers[a].phase \in Ended => workers'[a].phase = workers[a].phase]_vars

\* Whether the step puts something onto the list of d, and what.
Staged(d) == Len(dispatch'[d].local) > Len(dispatch[d].local)
NewIntent(d) == dispatch'[d].local[Len(dispatch'[d].local)]

\* Only the oldest work that is available is claimed.
QueueSelection ==
    [][\A d \in Dispatchers :
        Staged(d) /\ NewIntent(d).kind = "Claim" =>
            NewIntent(d).work = Oldest(View(d))]_vars

\* To announce a work once more changes nothing.
WorkResubmissionNoOp ==
    [][\A d \in Dispatchers :
        /\ Staged(d)
        /\ NewIntent(d) \in Resubmissions
        /\ Work(NewIntent(d).work) \in View(d)
        => F(Apply(log', dispatch'[d].local)) = View(d)]_vars

-----------------------------------------------------------------------------
(* Witnesses: claims that are wanted to fail.                              *)
(*                                                                         *)
(* A queue that does nothing satisfies all of the above.  The              *)
(* counterexample of each of these is a run that shows it at work.         *)

\* Fails if two claims of one work get into the log.
NoCompetingClaims ==
    \A w \in Works :
        Cardinality({c \in Claims : WorkOf(c) = w /\ Claim(c) \in F(log)}) < 2

\* Fails if the claim of a dead run is cancelled by the recovery.
NoRecoveredOrphan ==
    ~ /\ recovery.phase = "done"
      /\ \E c \in recovery.observedRuns :
            /\ ClaimCancellation(c) \in
                F(recovery.candidate) \ F(recovery.source)
            /\ ClaimCancellation(c) \in F(log)

\* Fails if there is an effect.
NoExternalEffect == effects = <<>>

\* Fails if a work has a claim while an older one is available.  The order of
\* claims is kept on each dispatcher's list, and not in the log.
NoOutOfOrderClaim ==
    \A c \in Claims :
        Claim(c) \in F(log) =>
            \A w \in Available(F(log)) : WorkOf(c) <= w

-----------------------------------------------------------------------------
(* What the model claims.  TLC does not read this. *)

THEOREM \A l, m \in Seq(AllFacts) : F(l) = F(m) => Replay(l) = Replay(m)

THEOREM \A l \in Seq(AllFacts) : Replay(Compacted(l)) = Replay(l)

THEOREM Spec => []Safety

THEOREM Spec => WorkerOneShot

THEOREM Spec => QueueSelection

THEOREM Spec => WorkResubmissionNoOp

=============================================================================
