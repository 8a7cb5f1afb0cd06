------------------------------- MODULE Ferry -------------------------------
(***************************************************************************)
(* A ferry between two banks, and people who want to get to the right one: *)
(* a module for the tests of temporal properties.  Each specification owes *)
(* its actions something else.                                             *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    Crowd,      \* how many people there are
    Moorable,   \* whether the ferry may be moored for good
    Defect      \* what the Rust model gets wrong; means nothing here

VARIABLES
    side,       \* where the ferry is
    moored,
    place       \* where everybody is
vars == <<side, moored, place>>

People == 1..Crowd

Init ==
    /\ side = "left"
    /\ moored = FALSE
    /\ place = [p \in People |-> "left"]

Cross ==
    /\ ~moored
    /\ side' = IF side = "left" THEN "right" ELSE "left"
    /\ UNCHANGED <<moored, place>>

Board(p) ==
    /\ side = "left"
    /\ place[p] = "left"
    /\ place' = [place EXCEPT ![p] = "aboard"]
    /\ UNCHANGED <<side, moored>>

Land(p) ==
    /\ side = "right"
    /\ place[p] = "aboard"
    /\ place' = [place EXCEPT ![p] = "right"]
    /\ UNCHANGED <<side, moored>>

\* There is a bridge for the way back.
Return(p) ==
    /\ place[p] = "right"
    /\ place' = [place EXCEPT ![p] = "left"]
    /\ UNCHANGED <<side, moored>>

Moor ==
    /\ Moorable
    /\ moored' = TRUE
    /\ UNCHANGED <<side, place>>

\* A step that changes nothing: nobody is owed it.
Whistle == UNCHANGED vars

Next ==
    \/ Cross
    \/ \E p \in People : Board(p) \/ Land(p) \/ Return(p)
    \/ Moor
    \/ Whistle

UnfairSpec == Init /\ [][Next]_vars

Crossing == UnfairSpec /\ WF_vars(Cross) /\ WF_vars(Whistle)

\* The ferry comes and goes, so that nobody who waits for it can board all the
\* time: what is owed must be owed strongly, and to each.
Spec == Crossing /\ \A p \in People : SF_vars(Board(p)) /\ SF_vars(Land(p))

WeakSpec == Crossing /\ \A p \in People : WF_vars(Board(p)) /\ WF_vars(Land(p))

SharedSpec == Crossing /\ SF_vars(\E p \in People : Board(p))
                       /\ SF_vars(\E p \in People : Land(p))

Afloat == side \in {"left", "right"}
Together == \A p \in People : place[p] # "right"
Staying == [][moored => side' = side]_vars

\* Who waits gets across.
Carried == \A p \in People : (place[p] = "left") ~> (place[p] = "right")

\* Whom the ferry meets again and again does not wait for ever.
Met == \A p \in People : []<>(side = "left") => []<>(place[p] # "left")

\* The ferry is on the right again and again.
Visits == []<>(side = "right")

\* The ferry is moored in the end.
Moors == <>[]moored
=============================================================================
