------------------------------- MODULE Values -------------------------------
\* States whose values TLC prints in unexpected ways.
EXTENDS Integers, Sequences, TLC
CONSTANTS Word, Words
VARIABLES text, functions, sets
vars == <<text, functions, sets>>

Init == /\ text = [escapes |-> "a\nb\tc\\ \"d\" \r \f", word |-> Word, number |-> -5]
        /\ functions = << [k \in {"work-1", "a b", "x"} |-> k], [k \in {} |-> 1], [k \in {"x", "y"} |-> 1],
                          [k \in {-1, 2} |-> {<<>>}], [k \in {2, 3} |-> k], [k \in {1, 2} |-> k],
                          [k \in {<<1>>, <<"b", TRUE>>} |-> [k2 \in {Word} |-> k]] >>
        /\ sets = << 1..3, -1..1, 3..1, Words, SUBSET {1, 2}, [{1} -> {TRUE, FALSE}], {1} \X {2, 3},
                     [f : {1, 2}, g : {Word}], [{Word} -> {1, 2}] >>
Next == /\ text.number < -3
        /\ text' = [text EXCEPT !.number = @ + 1]
        /\ functions' = [functions EXCEPT ![1]["a b"] = "c"]
        /\ UNCHANGED sets
Spec == Init /\ [][Next]_vars
Never == text.number < -4
=============================================================================
