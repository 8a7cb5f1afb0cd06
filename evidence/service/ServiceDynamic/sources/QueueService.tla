---------------------------- MODULE QueueService ----------------------------
(***************************************************************************)
(* How recurring grants are shared out among three keys with weights.      *)
(*                                                                         *)
(* Every key has a clock that a grant to it puts forward by a stride, the  *)
(* shorter the heavier the key, and the grant goes to the eligible key     *)
(* that is furthest behind.  The model asks two things: whether a cycle of *)
(* grants comes out in proportion to the weights, and whether a key that   *)
(* stays eligible is served again and again, whatever the others do.       *)
(*                                                                         *)
(* There is no end to the grants, and yet the model is finite: only the    *)
(* clocks relative to the latest winner's are kept.                        *)
(*                                                                         *)
(* The README beside this file tells the same story at more leisure.  The  *)
(* names are fixed by the shared design, models/service.md.                *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    Weights,    \* key -> its weight: always ReferenceWeights
    Mode,       \* "weighted"; "strict", where the smallest key wins; "broken",
                \* which is strict and claims to be weighted
    Dynamic,    \* whether the eligible keys change (the shares are then not
                \* counted), or all are eligible for ever
    Packable    \* FALSE if the work never fits, so that nothing is granted

\* A configuration file has no notation for a tuple.
ReferenceWeights == <<5, 3, 2>>

\* Scale, CycleLength and the finiteness of the whole rest on these weights.
ASSUME Weights = ReferenceWeights
ASSUME Mode \in {"weighted", "strict", "broken"}
ASSUME {Dynamic, Packable} \subseteq BOOLEAN

VARIABLES
    passes,         \* key -> its clock, less the clock of the latest winner
    active,         \* the keys that were eligible at the latest grant
    eligible,       \* the keys that ask to be served
    counts,         \* key -> its grants in the cycle under way
    phase,          \* how many grants the cycle under way has seen
    completedCycle, \* whether there has been a whole cycle
    cycleCounts,    \* key -> its grants in the latest whole cycle
    served          \* key -> a bit that every grant to it flips

\* What only the static configurations count.
shares == <<counts, phase, completedCycle, cycleCounts>>

vars == <<passes, active, eligible, shares, served>>

-----------------------------------------------------------------------------
(* Arithmetic *)

Keys == 1..3

\* A common multiple of the weights, so that every stride is a whole number.
Scale == 30
Stride(k) == Scale \div Weights[k]

\* The weights add up to this; a cycle gives every key its weight in grants.
CycleLength == 10

Max(a, b) == IF a >= b THEN a ELSE b

\* The clocks as a grant finds them.  A key that was not eligible the last time
\* must not live on credit from the time it was away: its clock is put forward
\* to one stride of its own, unless it is further already.
Prepared ==
    [k \in Keys |->
        IF k \in eligible \ active THEN Max(passes[k], Stride(k))
        ELSE passes[k]]

Smallest(S) == CHOOSE k \in S : \A j \in S : k <= j

\* Whom a grant goes to; asked only if somebody is eligible.
Winner ==
    IF Mode = "weighted"
    THEN Smallest({k \in eligible :
                      \A j \in eligible : Prepared[k] <= Prepared[j]})
    ELSE Smallest(eligible)

\* The clocks after a grant to w.  A clock that has fallen behind the zero is
\* set to it.  That happens to keys that are not eligible, whose credit does not
\* grow while they wait, and where the winner is not the furthest behind.
Charged(w) ==
    [k \in Keys |->
        Max(0, Prepared[k] + (IF k = w THEN Stride(k) ELSE 0) - Prepared[w])]

Zeros == [k \in Keys |-> 0]

-----------------------------------------------------------------------------

Init ==
    /\ passes = Zeros
    /\ active = {}
    /\ eligible = Keys
    /\ counts = Zeros
    /\ phase = 0
    /\ completedCycle = FALSE
    /\ cycleCounts = Zeros
    /\ served = Zeros

\* One more grant to w is entered in the books of the cycle.
Count(w) ==
    LET n == [counts EXCEPT ![w] = @ + 1]
    IN  IF phase = CycleLength - 1
        THEN /\ phase' = 0
             /\ counts' = Zeros
             /\ completedCycle' = TRUE
             /\ cycleCounts' = n
        ELSE /\ phase' = phase + 1
             /\ counts' = n
             /\ UNCHANGED <<completedCycle, cycleCounts>>

Grant ==
    /\ eligible # {}
    /\ Packable
    /\ passes' = Charged(Winner)
    /\ active' = eligible
    /\ served' = [served EXCEPT ![Winner] = 1 - @]
    /\ IF Dynamic THEN UNCHANGED shares ELSE Count(Winner)
    /\ UNCHANGED eligible

\* Anybody may come or go at any time; that nobody does is one of the ways.
\* Which keys count as newly active is decided by the grants alone: who leaves
\* and comes back between two of them has not been away.
ChangeEligibility ==
    /\ Dynamic
    /\ eligible' \in SUBSET Keys
    /\ UNCHANGED <<passes, active, shares, served>>

Next == Grant \/ ChangeEligibility

UnfairSpec == Init /\ [][Next]_vars

\* As long as something can be granted, something is.  That the grant goes to
\* the right key is then up to the clocks.
Spec == UnfairSpec /\ WF_vars(Grant)

-----------------------------------------------------------------------------
(* Properties *)

Counters == [Keys -> 0..CycleLength]

TypeOK ==
    /\ passes \in [Keys -> Nat]
    /\ active \subseteq Keys
    /\ eligible \subseteq Keys
    /\ counts \in Counters
    /\ phase \in 0..(CycleLength - 1)
    /\ completedCycle \in BOOLEAN
    /\ cycleCounts \in Counters
    /\ served \in [Keys -> {0, 1}]

\* There is a share to be kept only if the same keys compete all the time and
\* the weights are to decide between them.
SharesMatter == ~Dynamic /\ Mode # "strict"

\* Within a cycle no key is ever more than three grants away from its exact
\* share, which is phase times its weight, by the weight of all.  Multiplied
\* out, since the share need not be a whole number.
Tolerance == 3 * CycleLength

ServiceDeviation ==
    SharesMatter =>
        \A k \in Keys :
            LET difference == CycleLength * counts[k] - phase * Weights[k]
            IN  difference \in -Tolerance..Tolerance

\* At the end of a cycle the shares are exact.
FixedCycleShare == SharesMatter /\ completedCycle => cycleCounts = Weights

\* A key that is eligible from some time on is served infinitely often: its bit
\* never comes to rest.
EventualService ==
    \A k \in Keys :
        <>[](k \in eligible) =>
            /\ []<>(served[k] = 0)
            /\ []<>(served[k] = 1)

=============================================================================
