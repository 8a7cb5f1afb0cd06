//! Rust models with one conjunct of one guard missing, which the comparison has to notice.

use plumb_checker::{
    CheckedModel, ConfigurationError, DroppedConjunct, ModelEntry, NotAState, Reader, Registry,
};
use plumb_models::QueueLifecycle;
use plumb_replay::graph::{DifferenceKind, Side};
use plumb_replay::{Agreement, CompareOptions, Sources, compare};
use plumb_tla::{State as TlaState, Value};
use stateright::Model;

use crate::models::Case;
use crate::turn;

/// The lifecycle model without the conjunct `CONJUNCT` of the guard of its action `ACTION`.
#[derive(Clone, Debug)]
struct Mutant<const ACTION: usize, const CONJUNCT: usize>(QueueLifecycle);

impl<const A: usize, const C: usize> Model for Mutant<A, C> {
    type State = <QueueLifecycle as Model>::State;
    type Action = <QueueLifecycle as Model>::Action;

    fn init_states(&self) -> Vec<Self::State> {
        self.0.init_states()
    }
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        self.0.actions(state, actions);
    }
    fn next_state(&self, state: &Self::State, action: Self::Action) -> Option<Self::State> {
        self.0.next_state(state, action)
    }
}

impl<const A: usize, const C: usize> CheckedModel for Mutant<A, C> {
    const NAME: &'static str = QueueLifecycle::NAME;
    const MODULE: &'static str = QueueLifecycle::MODULE;
    const VARIABLES: &'static [&'static str] = QueueLifecycle::VARIABLES;
    const ACTIONS: &'static [&'static str] = QueueLifecycle::ACTIONS;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let dropped = DroppedConjunct {
            action: A,
            conjunct: C,
        };
        Ok(Self(
            QueueLifecycle::configure(cfg)?.without_conjunct(dropped),
        ))
    }
    fn has_action(&self, index: usize) -> bool {
        self.0.has_action(index)
    }
    fn action_index(&self, action: &Self::Action) -> usize {
        self.0.action_index(action)
    }
    fn action_parameters(&self, action: &Self::Action) -> Vec<Value> {
        self.0.action_parameters(action)
    }
    fn encode(&self, state: &Self::State, bytes: &mut Vec<u8>) {
        self.0.encode(state, bytes);
    }
    fn decode(&self, bytes: &[u8]) -> Option<Self::State> {
        self.0.decode(bytes)
    }
    fn to_tla(&self, state: &Self::State) -> TlaState {
        self.0.to_tla(state)
    }
    fn parse_tla(&self, state: &TlaState) -> Result<Self::State, NotAState> {
        self.0.parse_tla(state)
    }
}

const CFG: &str = "SPECIFICATION Spec\n\
    CONSTANTS GroupBudget = 1 EpochBound = 1 Broken = \"none\"\n";

fn mutant<const A: usize, const C: usize>() -> (ModelEntry, Sources) {
    let registry = Registry::new().with::<Mutant<A, C>>();
    let case = Case::new(&registry, QueueLifecycle::NAME, "mutant", CFG).unwrap();
    (case.entry, case.sources)
}

#[test]
fn a_missing_conjunct_is_found_with_the_shortest_path() {
    let Some(_turn) = turn() else { return };
    // Admit without "not yet admitted" is a step that changes nothing, out of every state in which
    // admission is not paused: the nearest one follows the first Admit.
    const ADMIT: usize = 1;
    assert_eq!(QueueLifecycle::ACTIONS[ADMIT], "Admit");
    let (model, sources) = mutant::<ADMIT, 0>();
    let options = CompareOptions {
        graph: true,
        ..CompareOptions::default()
    };
    let found = compare(&model, &sources, &options).unwrap();
    assert!(!found.agrees());
    assert_eq!(found.row("distinct").unwrap().agree, Agreement::Equal);
    assert_eq!(found.row("generated").unwrap().agree, Agreement::Different);
    let graph = found.graph.unwrap();
    let first = &graph.differences[0];
    assert_eq!(first.kind, DifferenceKind::Step { side: Side::Plumb });
    let actions: Vec<_> = first
        .path
        .iter()
        .map(|step| step.action.as_deref())
        .collect();
    assert_eq!(actions, [None, Some("Admit")]);
    let step = first.step.as_ref().unwrap();
    assert_eq!(step.step.label.as_deref(), Some("Admit"));
    assert_eq!(step.step.state, first.path[1].state, "it changes nothing");
    assert!(step.nearest.is_none(), "TLC takes no Admit there");
}

#[test]
fn states_that_a_missing_conjunct_opens_up_are_found() {
    let Some(_turn) = turn() else { return };
    // A marker for a group that was released before it was marked.
    const MARK: usize = 3;
    assert_eq!(QueueLifecycle::ACTIONS[MARK], "Mark");
    let (model, sources) = mutant::<MARK, 2>();
    let options = CompareOptions {
        graph: true,
        ..CompareOptions::default()
    };
    let found = compare(&model, &sources, &options).unwrap();
    assert!(!found.agrees());
    let graph = found.graph.unwrap();
    let side = Side::Plumb;
    let kinds: Vec<_> = graph.differences.iter().map(|found| &found.kind).collect();
    assert_eq!(
        kinds,
        [
            &DifferenceKind::Step { side },
            &DifferenceKind::State { side }
        ]
    );
    let path = &graph.differences[1].path;
    let labels: Vec<_> = path
        .iter()
        .filter_map(|step| step.label.as_deref())
        .collect();
    assert_eq!(labels, ["Admit", "Grant", "Release(\"X\")", "Mark(\"X\")"]);
    assert!(graph.states.plumb_only > 0 && graph.states.tlc_only == 0);
}
