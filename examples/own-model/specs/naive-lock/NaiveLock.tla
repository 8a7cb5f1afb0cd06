----------------------------- MODULE NaiveLock -----------------------------
(* A lock that is taken without care. A worker looks whether the lock is    *)
(* free, and takes it in a later step, by which time it may be taken.       *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Workers,  \* how many workers there are
  Atomic    \* TRUE: looking and taking are one step

ASSUME Workers \in Nat /\ Workers > 0
ASSUME Atomic \in BOOLEAN

VARIABLE phase  \* phase[w]: what worker w is doing

Everyone == 1..Workers

TypeOK == phase \in [Everyone -> {"away", "looked", "holding"}]

Free == \A w \in Everyone : phase[w] # "holding"

Init == phase = [w \in Everyone |-> "away"]

Look(w) == /\ ~Atomic
           /\ phase[w] = "away"
           /\ Free
           /\ phase' = [phase EXCEPT ![w] = "looked"]

\* The bug: nobody looks again.
Take(w) == /\ phase[w] = "looked"
           /\ phase' = [phase EXCEPT ![w] = "holding"]

LookAndTake(w) == /\ Atomic
                  /\ phase[w] = "away"
                  /\ Free
                  /\ phase' = [phase EXCEPT ![w] = "holding"]

Release(w) == /\ phase[w] = "holding"
              /\ phase' = [phase EXCEPT ![w] = "away"]

Next == \E w \in Everyone : Look(w) \/ Take(w) \/ LookAndTake(w) \/ Release(w)

Spec == Init /\ [][Next]_phase

MutualExclusion == Cardinality({w \in Everyone : phase[w] = "holding"}) <= 1
=============================================================================
