------------------------- MODULE ClaimScopedWorker -------------------------
(***************************************************************************)
(* One worker process that has been assigned several Claims at once.       *)
(*                                                                         *)
(* An agent stages outputs and declares how each Claim should end, and it  *)
(* names the Claim it means with a selector that it may omit or get wrong. *)
(* A finalizer then closes the Claims one by one, performs their effects,  *)
(* and publishes Results, on which successor work waits.  The model asks   *)
(* whether anything done under one Claim can ever be booked to another.    *)
(*                                                                         *)
(* The README beside this file tells the same story at more leisure.  The  *)
(* names are fixed by the shared design, models/claim-scope.md.            *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANT ClaimCount     \* how many Claims the worker is assigned: 1 or 3

\* The two registered shapes of the successor graph exist for these two
\* numbers only (see Predecessors), so no other number has a meaning.
ASSUME ClaimCount \in {1, 3}

VARIABLES
    phase,      \* "agent", "finalizing" or "terminal"
    intents,    \* Claim -> how the agent wants it to end, "none" until it says
    outputs,    \* Claim -> the raw handle its output was staged with, or -1
    log,        \* the durable entries in the order in which they were written
    effects,    \* what reached the outside: which Claim, by which raw handle
    verified,   \* Claims whose delivery has been checked from outside
    admitted,   \* successor works that were let in
    rejected    \* raw handles that were turned away

vars == <<phase, intents, outputs, log, effects, verified, admitted, rejected>>

-----------------------------------------------------------------------------
(* Domains and the scope rule *)

Claims == 1..ClaimCount

\* What the agent may write where a Claim is asked for: 0 stands for "nothing
\* written", ClaimCount + 1 for a Claim that belongs to somebody else.
RawHandles == 0..(ClaimCount + 1)

Unresolved == 0         \* never a Claim
NoOutput == -1          \* never a raw handle

\* The whole point of the protocol in one rule.  An omitted selector is filled
\* in only if the assignment S leaves no choice; a written one must be a
\* member of S; whatever is left has no scope.  S is always the assignment as
\* it was handed out: how many of its Claims happen to be open still must not
\* matter (BrokenLastOpenScope shows what goes wrong if it does).
Scope(S, raw) ==
    IF raw = 0 /\ Cardinality(S) = 1 THEN CHOOSE c \in S : TRUE
    ELSE IF raw \in S THEN raw
    ELSE Unresolved

\* Two works wait for Results of this worker.  Their numbers continue those of
\* the Claims and have nothing to do with the foreign raw handle.
FirstSuccessor == ClaimCount + 1
SecondSuccessor == ClaimCount + 2
Successors == {FirstSuccessor, SecondSuccessor}

\* With three Claims the first successor joins the outer two and the second
\* hangs on the middle one, so that one can be ready while the other must not.
Predecessors(w) ==
    IF w = FirstSuccessor THEN {1, ClaimCount}
    ELSE IF ClaimCount = 1 THEN {1} ELSE {2}

-----------------------------------------------------------------------------
(* What follows from the state: never stored, always read off *)

Kinds == {"Completion", "ClaimCancellation", "Result"}

Logged(kind) == {log[i].claim : i \in {j \in DOMAIN log : log[j].kind = kind}}

Completed == Logged("Completion")
Cancelled == Logged("ClaimCancellation")
Results == Logged("Result")
Closed == Completed \cup Cancelled

EffectClaims == {e.claim : e \in effects}

\* Successors that may be admitted.  Only Results count: a Claim that is merely
\* completed, let alone cancelled, satisfies nobody.
Ready == {w \in Successors : Predecessors(w) \subseteq Results}

-----------------------------------------------------------------------------

Init ==
    /\ phase = "agent"
    /\ intents = [c \in Claims |-> "none"]
    /\ outputs = [c \in Claims |-> NoOutput]
    /\ log = <<>>
    /\ effects = {}
    /\ verified = {}
    /\ admitted = {}
    /\ rejected = {}

-----------------------------------------------------------------------------
(* The agent at work.                                                      *)
(*                                                                         *)
(* A handle without scope is not a disabled step: the request is made and  *)
(* turned away.  As rejected is a set, turning the same handle away again  *)
(* changes nothing and is a step from the state to itself.                 *)

Reject(raw) ==
    /\ rejected' = rejected \cup {raw}
    /\ UNCHANGED <<phase, intents, outputs, log, effects, verified, admitted>>

\* The raw handle is kept, not just the fact: the effect will have to resolve
\* it once more.
StageOutput(raw) ==
    /\ phase = "agent"
    /\ LET c == Scope(Claims, raw)
       IN  IF c = Unresolved
           THEN Reject(raw)
           ELSE /\ outputs[c] = NoOutput
                /\ outputs' = [outputs EXCEPT ![c] = raw]
                /\ UNCHANGED <<phase, intents, log, effects, verified,
                               admitted, rejected>>

FinishIntent(raw, o) ==
    /\ phase = "agent"
    /\ LET c == Scope(Claims, raw)
       IN  IF c = Unresolved
           THEN Reject(raw)
           ELSE /\ intents[c] = "none"
                /\ intents' = [intents EXCEPT ![c] = o]
                /\ UNCHANGED <<phase, outputs, log, effects, verified,
                               admitted, rejected>>

-----------------------------------------------------------------------------
(* The life of the process *)

EnterPhase(next) ==
    /\ phase' = next
    /\ UNCHANGED <<intents, outputs, log, effects, verified, admitted,
                   rejected>>

BeginFinalize ==
    /\ phase = "agent"
    /\ EnterPhase("finalizing")

\* The orderly end.
Terminate ==
    /\ phase = "finalizing"
    /\ Closed = Claims
    /\ EnterPhase("terminal")

\* The other end.  It may come when everything is closed, too, and then it
\* leads to the very state that Terminate leads to.
Crash ==
    /\ phase \in {"agent", "finalizing"}
    /\ EnterPhase("terminal")

-----------------------------------------------------------------------------
(* Finalization: closing, effects, delivery *)

Write(kind, c) ==
    /\ log' = Append(log, [kind |-> kind, claim |-> c])
    /\ UNCHANGED <<phase, intents, outputs, effects, verified, admitted,
                   rejected>>

\* A Claim about which the agent said nothing is cancelled, never completed.
Finalize(c) ==
    /\ phase = "finalizing"
    /\ c \notin Closed
    /\ Write(IF intents[c] = "completed" THEN "Completion"
             ELSE "ClaimCancellation", c)

Perform(c) ==
    /\ effects' = effects \cup {[claim |-> c, raw_handle |-> outputs[c]]}
    /\ UNCHANGED <<phase, intents, outputs, log, verified, admitted, rejected>>

\* Completion authorises the effect, and the handle must resolve to the Claim
\* that is completed.  A process that has ended performs nothing any more, so a
\* completed Claim that has no effect by then never gets one.
Effect(c) ==
    /\ phase = "finalizing"
    /\ c \in Completed
    /\ c \notin EffectClaims
    /\ outputs[c] # NoOutput
    /\ Scope(Claims, outputs[c]) = c
    /\ Perform(c)

\* This and the next two are done by others, who do not depend on the process:
\* hence no guard on phase.
VerifyDelivery(c) ==
    /\ c \in Completed
    /\ c \in EffectClaims
    /\ c \notin verified
    /\ verified' = verified \cup {c}
    /\ UNCHANGED <<phase, intents, outputs, log, effects, admitted, rejected>>

PublishResult(c) ==
    /\ c \in Completed
    /\ c \in verified
    /\ c \notin Results
    /\ Write("Result", c)

LetIn(w) ==
    /\ admitted' = admitted \cup {w}
    /\ UNCHANGED <<phase, intents, outputs, log, effects, verified, rejected>>

Admit(w) ==
    /\ w \in Ready
    /\ w \notin admitted
    /\ LetIn(w)

\* After the end, open Claims are cancelled whatever the agent had intended:
\* an intention is not a Completion.
Recover(c) ==
    /\ phase = "terminal"
    /\ c \notin Closed
    /\ Write("ClaimCancellation", c)

-----------------------------------------------------------------------------

Next ==
    \/ \E raw \in RawHandles :
          \/ StageOutput(raw)
          \/ \E o \in {"completed", "cancelled"} : FinishIntent(raw, o)
    \/ BeginFinalize
    \/ Terminate
    \/ Crash
    \/ \E c \in Claims :
          \/ Finalize(c)
          \/ Effect(c)
          \/ VerifyDelivery(c)
          \/ PublishResult(c)
          \/ Recover(c)
    \/ \E w \in Successors : Admit(w)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Deliberate defects.                                                     *)
(*                                                                         *)
(* Each of these steps breaks one rule.  A checker that does not find the  *)
(* invariant violated which the rule protects cannot be trusted with the   *)
(* bounds either.                                                          *)

\* A handle that resolves to nothing is booked to the first Claim after all.
BrokenScope(raw) ==
    /\ phase = "agent"
    /\ outputs[1] = NoOutput
    /\ Scope(Claims, raw) = Unresolved
    /\ outputs' = [outputs EXCEPT ![1] = raw]
    /\ UNCHANGED <<phase, intents, log, effects, verified, admitted, rejected>>

\* An omitted selector is read as "the only Claim still open", as if closing
\* the others had shrunk the assignment.  At most one c fits, so this is one
\* step at most.
BrokenLastOpenScope ==
    /\ phase = "finalizing"
    /\ ClaimCount > 1
    /\ \E c \in Claims :
          /\ Claims \ Closed = {c}
          /\ outputs[c] = NoOutput
          /\ outputs' = [outputs EXCEPT ![c] = 0]
    /\ UNCHANGED <<phase, intents, log, effects, verified, admitted, rejected>>

\* A cancelled Claim's staged output gets out nevertheless.
BrokenCancelledEffect(c) ==
    /\ c \in Cancelled
    /\ c \notin EffectClaims
    /\ outputs[c] # NoOutput
    /\ Perform(c)

\* Being closed, in whatever way, is taken for having a Result.
BrokenDAGAdmission(w) ==
    /\ w \notin admitted
    /\ Predecessors(w) \subseteq Closed
    /\ ~(Predecessors(w) \subseteq Results)
    /\ LetIn(w)

MissingScopeNext == Next \/ BrokenScope(0)
ForeignScopeNext == Next \/ BrokenScope(ClaimCount + 1)
LastOpenScopeNext == Next \/ BrokenLastOpenScope
CancelledOutputNext == Next \/ \E c \in Claims : BrokenCancelledEffect(c)
MixedDAGNext == Next \/ \E w \in Successors : BrokenDAGAdmission(w)

BrokenMissingScopeSpec == Init /\ [][MissingScopeNext]_vars
BrokenForeignScopeSpec == Init /\ [][ForeignScopeNext]_vars
BrokenLastOpenScopeSpec == Init /\ [][LastOpenScopeNext]_vars
BrokenCancelledOutputSpec == Init /\ [][CancelledOutputNext]_vars
BrokenMixedDAGSpec == Init /\ [][MixedDAGNext]_vars

-----------------------------------------------------------------------------
(* Invariants *)

TypeOK ==
    /\ phase \in {"agent", "finalizing", "terminal"}
    /\ intents \in [Claims -> {"none", "completed", "cancelled"}]
    /\ outputs \in [Claims -> {NoOutput} \cup RawHandles]
    /\ log \in Seq([kind : Kinds, claim : Claims])
    /\ effects \subseteq [claim : Claims, raw_handle : RawHandles]
    /\ verified \subseteq Claims
    /\ admitted \subseteq Successors
    /\ rejected \subseteq RawHandles

\* Says nothing about the state: it holds Scope to its description, on every
\* assignment that three Claims allow and every handle around them.
ScopeResolution ==
    \A S \in SUBSET (1..3) : \A raw \in 0..4 :
        LET c == Scope(S, raw)
        IN  /\ c # Unresolved => c \in S
            /\ raw = 0 => (c # Unresolved <=> Cardinality(S) = 1)
            /\ raw # 0 => c = (IF raw \in S THEN raw ELSE Unresolved)

OutputScope ==
    \A c \in Claims : outputs[c] # NoOutput => Scope(Claims, outputs[c]) = c

\* The last line says that no Claim has two effects.
EffectAuthorization ==
    /\ EffectClaims \subseteq Completed
    /\ \A e \in effects : Scope(Claims, e.raw_handle) = e.claim
    /\ Cardinality(effects) = Cardinality(EffectClaims)

Entries(c, kinds) ==
    {i \in DOMAIN log : log[i].claim = c /\ log[i].kind \in kinds}

\* A Claim is closed once, in one way.
ClosureIntegrity ==
    /\ Completed \cap Cancelled = {}
    /\ \A c \in Claims : Cardinality(Entries(c, Kinds \ {"Result"})) <= 1

ResultAuthority ==
    /\ verified \subseteq Completed \cap EffectClaims
    /\ Results \subseteq Completed \cap verified
    /\ \A c \in Claims : Cardinality(Entries(c, {"Result"})) <= 1

DAGAuthorization == admitted \subseteq Ready

Safety ==
    /\ TypeOK
    /\ ScopeResolution
    /\ OutputScope
    /\ EffectAuthorization
    /\ ClosureIntegrity
    /\ ResultAuthority
    /\ DAGAuthorization

-----------------------------------------------------------------------------
(* Witnesses: claims that are wanted to fail.                              *)
(*                                                                         *)
(* A protocol that does nothing is safe.  The counterexample of each of    *)
(* these is a run that shows the good thing happening.                     *)

\* Fails if an omitted selector reaches an authorised effect.
NoAutomaticScope == \A e \in effects : e.raw_handle # 0

\* Fails if the outer two Claims deliver and admit their common successor while
\* the middle one, although it had staged an output, is cancelled as intended
\* and its own successor stays out.
NoMixedDAGProgress ==
    ~ /\ phase = "terminal"
      /\ Completed = {1, 3}
      /\ Cancelled = {2}
      /\ intents[2] = "cancelled"
      /\ Results = {1, 3}
      /\ EffectClaims = {1, 3}
      /\ outputs[2] = 2
      /\ admitted = {4}

=============================================================================
