//! The shapes of the shortest counterexamples, action by action.
//!
//! Shared design, models/fair-work-queue.md, section 15.

use plumb_models::FairWorkQueue;
use plumb_models::fair_work_queue::{Claim, ClaimStatus, Numbered, Operation, State};

use crate::harness::expectation::Expected;
use crate::harness::walk::{ends, holds};
use crate::registered::{CONTROLS, Line, WITNESSES};

fn line(name: &str) -> &'static Line {
    let mut lines = CONTROLS.iter().chain(WITNESSES);
    lines.find(|line| line.name == name).unwrap()
}

/// The actions lead to a violation of the configuration's property, and there are as many as the
/// published trace has steps. Returns the model and the states that violate it.
fn published(name: &str, actions: &str) -> (FairWorkQueue, Vec<State>) {
    let line = line(name);
    let Expected::Violated(property, trace) = line.expected else {
        panic!("{name} is to be violated");
    };
    let names: Vec<&str> = actions.split_whitespace().collect();
    assert_eq!(names.len() + 1, trace, "{name}");
    let model = line.setting.model();
    let mut ends = ends(&model, &names);
    assert!(!ends.is_empty(), "{name}: {actions} is no behaviour");
    ends.retain(|state| !holds(&model, property, state));
    assert!(!ends.is_empty(), "{name}: {actions} violates nothing");
    (model, ends)
}

#[test]
fn plans_that_must_not_be_made() {
    let claims = |name: &str, actions: &str| {
        let (_, states) = published(name, actions);
        let of_second = |state: &State| {
            let records: Vec<_> = state.log().records().collect();
            assert_eq!(records.len(), 2, "{name}");
            records[1].operations.to_vec()
        };
        states.iter().map(of_second).collect::<Vec<_>>()
    };
    let of_claim = |index: usize| {
        let group = plumb_models::fair_work_queue::Group::at(0);
        vec![Operation::Claim(group, Claim::at(index))]
    };
    assert_eq!(
        claims("BrokenBatchSelection", "BrokenSelect Push"),
        [of_claim(1)]
    );
    assert_eq!(
        claims("BrokenDAGDependency", "BrokenDependency Push"),
        [of_claim(1)]
    );
    assert_eq!(
        claims("BrokenExternalDependency", "BrokenExternal Push"),
        [of_claim(0)]
    );
}

#[test]
fn one_claim_of_a_batch_speaks_for_another() {
    let batch = "Prepare Push Launch Bind FinishIntent BeginFinalize Finalize";
    let (_, states) = published("BrokenClaimEffects", &format!("{batch} BrokenEffect"));
    let second = |state: &State| state.effects[0].claim == Claim::at(1);
    assert!(states.iter().any(second));
    published("BrokenBatchRelease", &format!("{batch} BrokenRelease"));
    published("PartialCompletionWitness", batch);
    // Of a chain only work 1 is ready, so that the batch is one Claim.
    let (_, states) = published("BrokenDAGResult", &format!("{batch} BrokenResult"));
    let one = |state: &State| state.projection().claims.made().len() == 1;
    assert!(states.iter().all(one));
}

#[test]
fn a_group_completes_what_another_claimed() {
    let (_, states) = published(
        "BrokenAssignmentHandle",
        "Prepare Push Launch Bind BeginFinalize Prepare Push BrokenHandle",
    );
    let as_described = |state: &State| {
        let second = plumb_models::fair_work_queue::Group::at(1);
        state.pending(second).base == 4
            && state.projection().claim(Claim::at(3)) == ClaimStatus::Completed
    };
    assert!(states.iter().any(as_described));
}

#[test]
fn a_late_plan_undoes_a_completion() {
    let (_, states) = published(
        "BrokenBatchCAS",
        "Prepare Prepare Push Launch Bind FinishIntent BeginFinalize Finalize BrokenPush",
    );
    let as_described = |state: &State| {
        let ids: Vec<i64> = state.log().records().map(|record| record.id).collect();
        ids == [1, 6]
            && state.head() == 6
            && state.is_completed(Claim::at(0))
            && state.projection().claim(Claim::at(0)) == ClaimStatus::Absent
    };
    assert!(states.iter().any(as_described));
}

#[test]
fn single_steps_and_short_ways() {
    published("BrokenPRClosedAsMerged", "BrokenPRObservation");
    published("BrokenProjection", "BrokenProjection");
    published("BatchedAssignmentWitness", "Prepare Push");
    let (_, states) = published(
        "CheckpointRaceWitness",
        "Prepare PrepareCheckpoint Push RetryCheckpoint",
    );
    assert!(
        states
            .iter()
            .all(|state| state.checkpoint_pending.base == 2)
    );
}

#[test]
fn the_way_to_the_join_is_as_described() {
    let of_one = "Prepare Push Launch Bind FinishIntent BeginFinalize Finalize Effect \
                  VerifyDelivery PublishResult Terminate Release";
    let of_two = "Prepare Push Launch Bind FinishIntent FinishIntent BeginFinalize Finalize \
                  Finalize Effect Effect VerifyDelivery VerifyDelivery PublishResult PublishResult";
    let (model, states) = published("DAGJoinWitness", &format!("{of_one} {of_two} Prepare Push"));
    let as_described = |state: &State| {
        let groups: Vec<_> = model.constants().all_groups().collect();
        let claims = |group: usize| {
            let members = state.projection().members(groups[group]);
            members.map(Numbered::number).collect::<Vec<_>>()
        };
        let bases: Vec<i64> = groups
            .iter()
            .map(|group| state.pending(*group).base)
            .collect();
        (claims(0), claims(1), claims(2)) == (vec![1], vec![6, 7], vec![12]) && bases == [1, 8, 15]
    };
    assert!(states.iter().any(as_described));
}
