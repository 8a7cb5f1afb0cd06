--------------------------- MODULE QueueLifecycle ---------------------------
(***************************************************************************)
(* How admitted work is packed into launches, launched at most once,       *)
(* recognised when it comes up, delivered, given up, and replaced.         *)
(*                                                                         *)
(* Three roots a, b, c wait in this order.  A grant packs a fair prefix of *)
(* them into at most two groups; a group is one native dispatch, and its   *)
(* launch may leave the queue in doubt: the one send was made, the answer  *)
(* was lost.  The model asks whether the queue, without ever resolving a   *)
(* doubt by guessing, keeps launches single, reservations held until they  *)
(* may be given back, and Results apart from recorded failures.            *)
(*                                                                         *)
(* The README beside this file tells the same story at more leisure.  The  *)
(* names are fixed by the shared design, models/lifecycle.md.              *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    GroupBudget,    \* native dispatches that one grant may create; every value
                    \* except 1 means two, as there are only two profiles
    EpochBound,     \* the last epoch
    Broken          \* which deliberate defect is switched on, or "none"

VARIABLES
    epoch,                  \* 1..EpochBound
    admissionPaused,        \* an operator's switch: nothing is admitted
    grantsPaused,           \* an operator's switch: nothing more is launched
    admitted,               \* the work of this epoch was let in
    assignment,             \* group -> its roots, in queue order
    markers,                \* groups with the durable note "about to be sent"
    sends,                  \* group -> how often it was sent
    phase,                  \* group -> how far its launch is known to be
    binding,                \* group -> the activation it is bound to, 0 if none
    terminal,               \* groups of which it is proven that they have ended
    released,               \* groups whose native slot was given back
    status,                 \* claim -> where its logical slot stands
    effects,                \* roots with a receipt of their effect
    results,                \* roots with a Result
    failures,               \* roots with a recorded delivery failure
    replacements,           \* failed roots that got a new node
    violation,              \* which forbidden thing was done, or "none"
    verificationAttempts    \* root -> how often its delivery was looked for

\* The variables by concern, so that an action can name what it leaves alone.
pauses == <<admissionPaused, grantsPaused>>
window == <<epoch, admitted, assignment>>
launch == <<markers, sends, phase, binding>>
slots == <<terminal, released>>
delivery == <<effects, results, failures, replacements, verificationAttempts>>

vars == <<pauses, window, launch, slots, status, delivery, violation>>

-----------------------------------------------------------------------------
(* Vocabulary *)

Roots == {"a", "b", "c"}
SuccessorNodes == {"join", "blocked"}
Claims == Roots \cup SuccessorNodes
Groups == {"X", "Y"}

\* A group gathers the roots of one immutable profile.
GroupOf(c) == IF c = "b" THEN "Y" ELSE "X"

\* The roots whose Results a successor node waits for.
Needs(n) == IF n = "join" THEN {"a", "c"} ELSE {"b"}

Elements(seq) == {seq[i] : i \in DOMAIN seq}

\* TLC follows a disjunction that stands in an action branch by branch, and
\* would count a step twice whose guard is true in two ways.  What is wrapped in
\* Test is a plain boolean to it.
Test(p) == p = TRUE

-----------------------------------------------------------------------------
(* Packing *)

Queue == <<"a", "b", "c">>
Budget == IF GroupBudget = 1 THEN 1 ELSE 2

\* The groups needed to launch the first n roots of the queue.
GroupsOfFirst(n) == {GroupOf(Queue[i]) : i \in 1..n}

\* How many roots a grant takes: as many as the budget carries, counted from the
\* head.  The first root that would need one dispatch too many ends the grant.
\* It is not jumped over, or a stream of small work behind it could keep it
\* waiting for ever.
PrefixLength ==
    CHOOSE n \in 0..Len(Queue) :
        /\ Cardinality(GroupsOfFirst(n)) <= Budget
        /\ \A m \in (n + 1)..Len(Queue) : Cardinality(GroupsOfFirst(m)) > Budget

PackedPrefix ==
    [g \in Groups |->
        LET inGroup(c) == GroupOf(c) = g
        IN  SelectSeq(SubSeq(Queue, 1, PrefixLength), inGroup)]

Nothing == [g \in Groups |-> <<>>]

OneGroup(seq) == [Nothing EXCEPT !["X"] = seq]

\* What a grant hands out.  The defect jumps over b for the sake of c.
Grantable ==
    IF Broken = "skip-prefix" /\ Budget = 1
    THEN OneGroup(<<"a", "c">>)
    ELSE PackedPrefix

-----------------------------------------------------------------------------
(* What follows from the state *)

Members(g) == Elements(assignment[g])
Assigned == UNION {Members(g) : g \in Groups}

\* An activation can be checked against the send it answers, as long as the
\* slot is still ours.
TrustedActivation(g) == sends[g] >= 1 /\ g \notin released

\* Proof of the end is taken for a launch that was made and on which no two
\* activations disagree.
TrustedTerminal(g) == sends[g] >= 1 /\ phase[g] \in {"bound", "uncertain"}

\* Only the one launch that is bound, unreleased and undisputed may act for its
\* members.
Authorized(c) ==
    LET g == GroupOf(c)
    IN  /\ c \in Assigned
        /\ binding[g] = 1
        /\ g \notin released
        /\ phase[g] = "bound"

CompletedRoots == {c \in Roots : status[c] = "completed"}

\* Neither delivered nor given up.
Undelivered(c) == c \notin results /\ c \notin failures

-----------------------------------------------------------------------------

Init ==
    /\ epoch = 1
    /\ admissionPaused = FALSE
    /\ grantsPaused = FALSE
    /\ admitted = FALSE
    /\ assignment = Nothing
    /\ markers = {}
    /\ sends = [g \in Groups |-> 0]
    /\ phase = [g \in Groups |-> "idle"]
    /\ binding = [g \in Groups |-> 0]
    /\ terminal = {}
    /\ released = {}
    /\ status = [n \in Claims |-> "waiting"]
    /\ effects = {}
    /\ results = {}
    /\ failures = {}
    /\ replacements = {}
    /\ violation = "none"
    /\ verificationAttempts = [c \in Roots |-> 0]

-----------------------------------------------------------------------------
(* Operators' switches.  They hold back what has not begun and touch nothing  *)
(* that has: no guard of a launch under way, of a release, or of a delivery   *)
(* mentions them.                                                             *)

Control ==
    \/ /\ admissionPaused' = ~admissionPaused
       /\ UNCHANGED <<grantsPaused, window, launch, slots, status, delivery,
                      violation>>
    \/ /\ grantsPaused' = ~grantsPaused
       /\ UNCHANGED <<admissionPaused, window, launch, slots, status, delivery,
                      violation>>

-----------------------------------------------------------------------------
(* From admission to the reservation *)

Admit ==
    /\ ~admitted
    /\ ~admissionPaused
    /\ admitted' = TRUE
    /\ UNCHANGED <<pauses, epoch, assignment, launch, slots, status, delivery,
                   violation>>

Grant ==
    /\ admitted
    /\ assignment = Nothing
    /\ ~grantsPaused
    /\ assignment' = Grantable
    /\ phase' = [g \in Groups |->
                    IF Grantable[g] = <<>> THEN "idle" ELSE "reserved"]
    /\ status' = [n \in Claims |->
                    IF \E g \in Groups : n \in Elements(Grantable[g])
                    THEN "open" ELSE "waiting"]
    /\ UNCHANGED <<pauses, epoch, admitted, markers, sends, binding, slots,
                   delivery, violation>>

-----------------------------------------------------------------------------
(* The launch of a group.                                                  *)
(*                                                                         *)
(* The marker is written before the one send.  Without it the launch is    *)
(* known not to have happened; with it, nobody can know that any more      *)
(* without proof from outside.                                             *)

Mark(g) ==
    /\ phase[g] = "reserved"
    /\ ~grantsPaused
    /\ g \notin released
    /\ markers' = markers \cup {g}
    /\ phase' = [phase EXCEPT ![g] = "marked"]
    /\ UNCHANGED <<pauses, window, sends, binding, slots, status, delivery,
                   violation>>

\* The defect takes an unanswered send for one that got lost.
Sendable(g) ==
    \/ phase[g] = "marked"
    \/ Broken = "second-sender" /\ phase[g] = "uncertain" /\ sends[g] = 1

Send(g) ==
    /\ g \notin released
    /\ Test(Sendable(g))
    /\ sends' = [sends EXCEPT ![g] = @ + 1]
    /\ phase' = [phase EXCEPT ![g] = "uncertain"]
    /\ UNCHANGED <<pauses, window, markers, binding, slots, status, delivery,
                   violation>>

Bind(g) ==
    /\ binding' = [binding EXCEPT ![g] = 1]
    /\ phase' = [phase EXCEPT ![g] = "bound"]
    /\ UNCHANGED <<pauses, window, markers, sends, slots, status, delivery>>

\* The launch has come up and proves it: the doubt is resolved.
Activate(g) ==
    /\ TrustedActivation(g)
    /\ phase[g] = "uncertain"
    /\ Bind(g)
    /\ UNCHANGED violation

\* A second launch proves that it came up, too.  The queue does not choose
\* between the two: the group loses its authority and keeps its reservation.
\* No action of this epoch leads out again.  The defect lets the later one win.
ConflictingActivation(g) ==
    /\ TrustedActivation(g)
    /\ binding[g] = 1
    /\ phase[g] = "bound"
    /\ phase' = [phase EXCEPT ![g] = "conflict"]
    /\ binding' = [binding EXCEPT ![g] =
                      IF Broken = "conflicting-binding" THEN 2 ELSE @]
    /\ UNCHANGED <<pauses, window, markers, sends, slots, status, delivery,
                   violation>>

\* A defect: somebody says that the launch came up, and nobody checks.  It does
\* not even matter whether the slot is still ours.
UnauthenticatedActivation(g) ==
    /\ Broken = "unauthenticated-activation"
    /\ phase[g] = "uncertain"
    /\ Bind(g)
    /\ violation' = "unauthenticated"

-----------------------------------------------------------------------------
(* Work and delivery of a root *)

\* The launch closes the logical slot of a member.  The native slot of the
\* group is another matter, see Release.
Finish(c, outcome) ==
    /\ Authorized(c)
    /\ status[c] = "open"
    /\ status' = [status EXCEPT ![c] = outcome]
    /\ UNCHANGED <<pauses, window, launch, slots, delivery, violation>>

\* The effect is entered by the first attempt alone; the defect accepts one that
\* comes from a second run.  A failure recorded before does not stop it.
Effect(c, attempt) ==
    /\ status[c] = "completed"
    /\ Authorized(c)                \* which includes that c is assigned
    /\ c \notin effects
    /\ Test(attempt = 1 \/ Broken = "rerun-effects")
    /\ effects' = effects \cup {c}
    /\ violation' = IF attempt = 1 THEN violation ELSE "rerun"
    /\ UNCHANGED <<pauses, window, launch, slots, status, results, failures,
                   replacements, verificationAttempts>>

\* A Result needs the receipt and nothing of the launch: it may arrive late,
\* after a conflict or after the release, but not after a recorded failure.
Result(c) ==
    /\ status[c] = "completed"
    /\ c \in effects
    /\ c \notin results
    /\ Test(c \notin failures \/ Broken = "result-after-failure")
    /\ results' = results \cup {c}
    /\ UNCHANGED <<pauses, window, launch, slots, status, effects, failures,
                   replacements, verificationAttempts, violation>>

\* Proof that the launch has ended.  It says nothing about how the launch went,
\* so the phase stays: a checked activation may still arrive afterwards.
TerminalEvidence(g) ==
    /\ TrustedTerminal(g)
    /\ g \notin terminal
    /\ terminal' = terminal \cup {g}
    /\ UNCHANGED <<pauses, window, launch, released, status, delivery,
                   violation>>

\* A delivery that has not shown itself although the launch has ended.
Overdue(c) ==
    /\ c \in Assigned
    /\ status[c] = "completed"
    /\ GroupOf(c) \in terminal
    /\ Undelivered(c)

\* Somebody looks for it in vain, at most twice.  There may be a receipt all the
\* same, and the Result may still come in between.
VerifyDelivery(c) ==
    /\ Overdue(c)
    /\ verificationAttempts[c] < 2
    /\ verificationAttempts' = [verificationAttempts EXCEPT ![c] = @ + 1]
    /\ UNCHANGED <<pauses, window, launch, slots, status, effects, results,
                   failures, replacements, violation>>

DeliveryFailure(c) ==
    /\ Overdue(c)
    /\ Test(verificationAttempts[c] = 2 \/ Broken = "early-delivery-failure")
    /\ failures' = failures \cup {c}
    /\ UNCHANGED <<pauses, window, launch, slots, status, effects, results,
                   replacements, verificationAttempts, violation>>

-----------------------------------------------------------------------------
(* Giving back, replacing, going on *)

\* A native slot may be given back if the launch has provably ended, or provably
\* never began; not while two launches are in conflict, and never in doubt.
Releasable(g) ==
    \/ phase[g] = "reserved"
    \/ g \in terminal /\ phase[g] # "conflict"
    \/ Broken = "ambiguous-release" /\ phase[g] = "uncertain"
    \/ Broken = "conflict-release" /\ g \in terminal /\ phase[g] = "conflict"

\* Members still open are cancelled.  The phase is not reset: that a released
\* group does nothing more is the business of the other guards.
Release(g) ==
    /\ g \notin released
    /\ assignment[g] # <<>>
    /\ Test(Releasable(g))
    /\ released' = released \cup {g}
    /\ status' = [n \in Claims |->
                    IF n \in Members(g) /\ status[n] = "open"
                    THEN "cancelled" ELSE status[n]]
    /\ violation' = IF g \notin terminal /\ g \in markers
                    THEN "unproved-release" ELSE violation
    /\ UNCHANGED <<pauses, window, launch, terminal, delivery>>

\* A failed root gets a new node, once, if it is settled what became of the old
\* one's effect: there is none, or it has been remediated.  Which of the two is
\* not recorded, so both lead to one state.  The defect is content with not
\* knowing.  The successors of the old node stay where they are.
Replace(c, disposition) ==
    /\ c \in failures
    /\ c \notin replacements
    /\ Test(disposition # "unknown" \/ Broken = "unsafe-replacement")
    /\ replacements' = replacements \cup {c}
    /\ violation' = IF disposition = "unknown" THEN "unsafe-replacement"
                    ELSE violation
    /\ UNCHANGED <<pauses, window, launch, slots, status, effects, results,
                   failures, verificationAttempts>>

Successor(n) ==
    /\ status[n] = "waiting"
    /\ Needs(n) \subseteq results
    /\ status' = [status EXCEPT ![n] = "ready"]
    /\ UNCHANGED <<pauses, window, launch, slots, delivery, violation>>

\* A defect: the switch stops what is running.
Preempt ==
    /\ Broken = "pause-preempts"
    /\ grantsPaused
    /\ "a" \in Assigned
    /\ status["a"] = "open"
    /\ status' = [status EXCEPT !["a"] = "cancelled"]
    /\ violation' = "preempted"
    /\ UNCHANGED <<pauses, window, launch, slots, delivery>>

\* Everything handed out is closed, given back, and either delivered or given
\* up: the next epoch begins afresh.  The operators' switches stay as they are.
Repeat ==
    /\ epoch < EpochBound
    /\ Assigned # {}
    /\ {g \in Groups : assignment[g] # <<>>} \subseteq released
    /\ \A c \in Assigned : status[c] \in {"completed", "cancelled"}
    /\ Assigned \cap CompletedRoots \subseteq results \cup failures
    /\ epoch' = epoch + 1
    /\ admitted' = FALSE
    /\ assignment' = Nothing
    /\ markers' = {}
    /\ sends' = [g \in Groups |-> 0]
    /\ phase' = [g \in Groups |-> "idle"]
    /\ binding' = [g \in Groups |-> 0]
    /\ terminal' = {}
    /\ released' = {}
    /\ status' = [n \in Claims |-> "waiting"]
    /\ effects' = {}
    /\ results' = {}
    /\ failures' = {}
    /\ replacements' = {}
    /\ verificationAttempts' = [c \in Roots |-> 0]
    /\ UNCHANGED <<pauses, violation>>

-----------------------------------------------------------------------------

Next ==
    \/ Control
    \/ Admit
    \/ Grant
    \/ \E g \in Groups :
          \/ Mark(g)
          \/ Send(g)
          \/ Activate(g)
          \/ ConflictingActivation(g)
          \/ UnauthenticatedActivation(g)
          \/ TerminalEvidence(g)
          \/ Release(g)
    \/ \E c \in Roots :
          \/ \E outcome \in {"completed", "cancelled"} : Finish(c, outcome)
          \/ \E attempt \in {1, 2} : Effect(c, attempt)
          \/ Result(c)
          \/ VerifyDelivery(c)
          \/ DeliveryFailure(c)
          \/ \E disposition \in {"none", "remediated", "unknown"} :
                Replace(c, disposition)
    \/ \E n \in SuccessorNodes : Successor(n)
    \/ Preempt
    \/ Repeat

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Invariants *)

\* Deliberately weak: the invariants below pin the other variables where it
\* matters.
TypeOK ==
    /\ epoch \in 1..EpochBound
    /\ results \subseteq Roots
    /\ failures \subseteq Roots
    /\ replacements \subseteq Roots

\* What Grant computes by the rule is here written out.
PackingOracle ==
    IF GroupBudget = 1
    THEN OneGroup(<<"a">>)
    ELSE [g \in Groups |-> IF g = "X" THEN <<"a", "c">> ELSE <<"b">>]

FairPrefixPacking == assignment \in {Nothing, PackingOracle}

OneSender ==
    \A g \in Groups :
        /\ sends[g] <= 1
        /\ sends[g] > 0 => g \in markers

BindingAuthority ==
    /\ \A g \in Groups : binding[g] \in {0, 1}
    /\ violation # "unauthenticated"

AttemptOneEffects == violation # "rerun"

\* Structural on purpose: it does not read violation.
ReservationAuthority ==
    \A g \in released :
        /\ g \in terminal \/ (g \notin markers /\ sends[g] = 0)
        /\ phase[g] # "conflict"

ControlNotPreemption == violation # "preempted"

DeliveryExclusivity == results \cap failures = {}

DeliveryFailureBudget ==
    \A c \in failures :
        /\ verificationAttempts[c] = 2
        /\ GroupOf(c) \in terminal

ResultSoundness == results \subseteq CompletedRoots \cap effects

ReplacementSafety ==
    /\ replacements \subseteq failures
    /\ violation # "unsafe-replacement"

DAGBarrier ==
    \A n \in SuccessorNodes : status[n] = "ready" => Needs(n) \subseteq results

-----------------------------------------------------------------------------
(* Witnesses: claims that are wanted to fail.                              *)
(*                                                                         *)
(* A queue that launches nothing satisfies all of the above.  The          *)
(* counterexample of each of these is a run that shows the protocol at     *)
(* work.                                                                   *)

\* Fails if a launch in doubt is recovered by its activation.
NoActivationRecoveryWitness ==
    ~ \E g \in Groups : phase[g] = "bound" /\ sends[g] = 1 /\ binding[g] = 1

\* Fails if a conflict holds its reservation.
NoConflictReservationWitness ==
    ~ \E g \in Groups :
        phase[g] = "conflict" /\ binding[g] = 1 /\ g \notin released

\* Fails if, with both switches on, the work that had begun runs on to its
\* successor while the rest is cancelled and holds its own successor back.
NoMixedLifecycleWitness ==
    ~ /\ status["a"] = "completed"
      /\ status["c"] = "completed"
      /\ status["b"] = "cancelled"
      /\ status["join"] = "ready"
      /\ status["blocked"] = "waiting"
      /\ admissionPaused
      /\ grantsPaused

=============================================================================
