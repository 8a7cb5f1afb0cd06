//! A model whose state graph is written down as a table.

use std::fmt::Write as _;
use std::sync::Arc;

use plumb_checker::{
    ActionLabel, CheckpointError, ConfiguredModel, Encoded, LassoStep, LassoSummary, NotAState,
    Progress, PropertyDescription, Report, SearchIdentity, SearchOptions, Successor,
    ViolatedProperty,
};
use plumb_tla::{State as TlaState, Value};

/// Source, action and target of a step.
pub(crate) type Row = (u8, &'static str, u8);

/// The actions of every table.
const ACTIONS: [&str; 3] = ["Go", "Jump", "Rest"];

/// A state graph written down as a table; its states are small numbers.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) initial: Vec<u8>,
    /// Every way from a state to another, repeats included.
    pub(crate) steps: Vec<Row>,
    /// The states outside the constraint.
    pub(crate) outside: Vec<u8>,
    /// The states that the model cannot read.
    pub(crate) unreadable: Vec<u8>,
    /// A state that the model reads as another one.
    pub(crate) misread: Option<(u8, u8)>,
}

impl Table {
    pub(crate) fn new(initial: &[u8], steps: &[Row]) -> Self {
        Self {
            initial: initial.to_vec(),
            steps: steps.to_vec(),
            outside: Vec::new(),
            unreadable: Vec::new(),
            misread: None,
        }
    }

    /// The graph as TLC would dump it.
    pub(crate) fn dump(&self) -> String {
        let mut text = "strict digraph DiskGraph {\nsubgraph cluster_graph {\n".to_owned();
        let mut open = Vec::new();
        let mut known = Vec::new();
        let label = |n: u8| {
            values(n)
                .to_string()
                .replace('\\', "\\\\")
                .replace('\n', "\\n")
        };
        for state in &self.initial {
            if !self.outside.contains(state) && !known.contains(state) {
                known.push(*state);
                open.push(*state);
                let _ = writeln!(text, "{state} [label=\"{}\",style = filled]", label(*state));
            }
        }
        while !open.is_empty() {
            let source = open.remove(0);
            for (_, action, target) in self.steps.iter().filter(|step| step.0 == source) {
                if self.outside.contains(target) {
                    continue;
                }
                let _ = writeln!(
                    text,
                    "{source} -> {target} [label=\"{action}\",color=\"black\",fontcolor=\"black\"];"
                );
                if !known.contains(target) {
                    known.push(*target);
                    open.push(*target);
                    let _ = writeln!(text, "{target} [label=\"{}\"];", label(*target));
                }
            }
        }
        text + "}\n}\n"
    }
}

/// A state has two variables, so that states can differ in more or less.
fn values(n: u8) -> TlaState {
    TlaState::new([
        ("tens", Value::int(i64::from(n / 10))),
        ("ones", Value::int(i64::from(n % 10))),
    ])
}

impl ConfiguredModel for Table {
    fn name(&self) -> &'static str {
        "table"
    }
    fn module(&self) -> &'static str {
        "Table"
    }
    fn variables(&self) -> &'static [&'static str] {
        &["tens", "ones"]
    }
    fn actions(&self) -> Vec<&'static str> {
        ACTIONS.to_vec()
    }
    fn specification(&self) -> &str {
        "Spec"
    }
    fn constants(&self) -> &[(String, String)] {
        &[]
    }
    fn properties(&self) -> &[PropertyDescription] {
        &[]
    }
    fn constraints(&self) -> Vec<(&'static str, &'static str)> {
        if self.outside.is_empty() {
            Vec::new()
        } else {
            vec![("Inside", "not too far out")]
        }
    }
    fn check(&self, _: &SearchOptions, _: &Progress) -> Report {
        unreachable!("only the graphs are compared")
    }
    fn search_identity(&self, _: &SearchOptions) -> Result<SearchIdentity, CheckpointError> {
        unreachable!("only the graphs are compared")
    }
    fn check_with_stateright(&self, _: &SearchOptions, _: &Arc<Progress>) -> Report {
        unreachable!("only the graphs are compared")
    }
    fn initial_states(&self) -> Vec<Encoded> {
        self.initial.iter().map(|n| vec![*n]).collect()
    }
    fn successors(&self, state: &[u8]) -> Option<Vec<Successor>> {
        let [source] = state else { return None };
        let leaving = self.steps.iter().filter(|step| step.0 == *source);
        Some(
            leaving
                .map(|(_, action, target)| Successor {
                    action: ActionLabel {
                        name: action,
                        parameters: vec![Value::int(i64::from(*target))],
                    },
                    state: vec![*target],
                })
                .collect(),
        )
    }
    fn violated(&self, _: Option<&[u8]>, _: &[u8]) -> Option<Vec<ViolatedProperty>> {
        Some(Vec::new())
    }
    fn within_constraint(&self, state: &[u8]) -> Option<bool> {
        Some(!self.outside.contains(state.first()?))
    }
    fn render(&self, state: &[u8]) -> Option<TlaState> {
        Some(values(*state.first()?))
    }
    fn render_in_rust(&self, state: &[u8]) -> Option<String> {
        Some(format!("State({})", state.first()?))
    }
    fn serve_explorer(&self, _: std::net::SocketAddr) {}
    fn fairness(&self) -> Vec<String> {
        Vec::new()
    }
    fn lasso_step(&self, _: &str, _: &[u8], _: &[u8]) -> Result<LassoStep, String> {
        Err("the table has no temporal properties".to_owned())
    }
    fn judge_lasso_summary(&self, _: &str, _: &LassoSummary) -> Result<String, String> {
        Err("the table has no temporal properties".to_owned())
    }
    fn judge_lasso(&self, _: &str, _: &[Encoded], _: usize) -> Result<String, String> {
        Err("the table has no temporal properties".to_owned())
    }
    fn parse(&self, state: &TlaState) -> Result<Encoded, NotAState> {
        let part = |name| state.get(name).and_then(Value::as_int).unwrap_or_default();
        let n = (part("tens") * 10 + part("ones")) as u8;
        match self.misread {
            _ if self.unreadable.contains(&n) => {
                Err(NotAState::new("ones", "a lucky number", state.get("ones")))
            }
            Some((from, to)) if from == n => Ok(vec![to]),
            _ => Ok(vec![n]),
        }
    }
}
