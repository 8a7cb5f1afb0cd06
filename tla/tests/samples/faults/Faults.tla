------------------------------- MODULE Faults -------------------------------
\* A counter in which every kind of fault can be switched on, one at a time.
EXTENDS Integers, Sequences, TLC
CONSTANTS Starts, Fault
VARIABLES count, unit
vars == <<count, unit>>

ASSUME Fault # "assumption"

Init == count \in 1..Starts /\ unit = "a"
Up == count < 4 /\ count' = count + 1 /\ UNCHANGED unit
Assertion == Fault = "assertion" /\ count = 3 /\ Assert(FALSE, "three\nis \"it\"") /\ UNCHANGED vars
Mixed == Fault = "mixed" /\ count = 3 /\ count' = count + unit /\ UNCHANGED unit
Half == Fault = "half" /\ count = 3 /\ count' = 1
Next == Up \/ Assertion \/ Mixed \/ Half
Spec == Init /\ [][Next]_vars

BelowThree == count < 3
AboveOne == count > 1
StartsTwice == Starts = 100
MixedInvariant == count < 3 \/ count = unit
Second == count = 2
ByTwo == [][count' > count]_vars /\ [][count' = count + 2]_vars
MixedStep == [][count' = count + unit]_vars
Tautology == <>(count = 1) \/ TRUE
ReachesNine == <>(count = 9)
=============================================================================
