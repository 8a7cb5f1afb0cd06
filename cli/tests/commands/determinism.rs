//! The same model, configuration and version give the same result, byte for byte.

use crate::program::{plumb, without_seconds};

/// The models whose figures are published in a document each, and met exactly.
const MODELS: &str = "claim-scope lifecycle";

#[test]
fn the_json_is_the_same_for_any_number_of_threads_and_at_any_time() {
    let found = |threads: u32| {
        let run = plumb(&format!("check {MODELS} --threads {threads} --json"));
        assert_eq!(run.status, 0, "{threads} threads: {run:?}");
        without_seconds(&run.out)
    };
    let one = found(1);
    assert_eq!(one.matches("\"seconds\":?").count(), 25);
    assert_eq!(one.matches("\"outcome\":\"as_expected\"").count(), 25);
    for threads in [1, 2, 8] {
        assert_eq!(found(threads), one, "{threads} threads");
    }
}

#[test]
fn a_trace_is_the_same_for_any_number_of_threads() {
    for name in ["MixedClaimDAGWitness", "LifecycleMixedDAGWitness"] {
        let trace = |threads: u32| plumb(&format!("trace {name} --full --threads {threads}")).out;
        let one = trace(1);
        for threads in [2, 8] {
            assert_eq!(trace(threads), one, "{name}, {threads} threads");
        }
    }
}
