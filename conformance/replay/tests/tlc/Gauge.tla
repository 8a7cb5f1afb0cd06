------------------------------- MODULE Gauge -------------------------------
(***************************************************************************)
(* A level that rises and sinks: a module for the tests of the comparison. *)
(* It has what a comparison can stumble over: repeated initial states, one *)
(* outside the constraint, steps that change nothing, a step that counts   *)
(* twice, and several kinds of values.                                     *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    Top,        \* the highest level inside the constraint
    Defect      \* what the Rust model gets wrong; means nothing here

VARIABLES
    level,
    marks,      \* the levels passed on the way up since the last drain
    last        \* the last movement
vars == <<level, marks, last>>

Moved(how, by) == [how |-> how, by |-> <<by>>]

Init ==
    /\ level \in {0, 1, Top + 5}
    /\ \E repeat \in {1, 2} : marks = {}
    /\ last = Moved("none", 0)

Rise(by) ==
    /\ level' = level + by
    /\ marks' = marks \cup {level}
    /\ last' = Moved("rise", by)

Sink ==
    /\ level > 0
    /\ level' = level - 1
    /\ marks' = marks \ {level}
    /\ last' = Moved("sink", 1)

\* Where both guards are true, TLC counts two steps.
Drain ==
    /\ level = Top \/ level > 1
    /\ level' = 0
    /\ marks' = {}
    /\ last' = Moved("drain", level)

Hold == UNCHANGED vars

Next == (\E by \in {1, 2} : Rise(by)) \/ Sink \/ Drain \/ Hold
Spec == Init /\ [][Next]_vars

Bound == level <= Top

BelowTop == level < Top
Natural == level >= 0
Roomy == Top > 2
FewMarks == [][level' = 0 => marks' = {}]_vars
=============================================================================
