//! `plumb graph`: the state graph of a small configuration, to be drawn.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use plumb_checker::{ConfiguredModel, Encoded, Registry};

use crate::arguments::{GraphArguments, GraphFormat};
use crate::error::CliError;
use crate::exit::Status;
use crate::output;
use crate::workspace::Workspace;

/// A state graph in breadth-first order.
struct Graph {
    states: Vec<Encoded>,
    initial: usize,
    /// (source, label, target), by position of the states.
    steps: Vec<(usize, String, usize)>,
}

/// Writes the graph of the chosen configuration.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &GraphArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let configuration = workspace.configuration(&arguments.choice)?;
    let model = configuration.model.as_ref();
    let Some(graph) = explore(model, arguments.max_states) else {
        return Err(CliError::usage(
            format!(
                "{} has more than {} states inside its constraint",
                configuration.name, arguments.max_states
            ),
            Some("a larger graph can be had with --max-states, but hardly be looked at".into()),
        ));
    };
    let GraphFormat::Dot = arguments.format;
    output::print(&dot(&configuration.name, model, &graph))?;
    Ok(Status::Expected)
}

/// The graph of the states inside the constraint; none if there are more than `limit`.
fn explore(model: &dyn ConfiguredModel, limit: usize) -> Option<Graph> {
    let mut numbers: HashMap<Encoded, usize> = HashMap::new();
    let mut graph = Graph {
        states: Vec::new(),
        initial: 0,
        steps: Vec::new(),
    };
    let mut number_of = |state: &Encoded, states: &mut Vec<Encoded>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state.clone());
            states.len() - 1
        })
    };
    let inside = |state: &Encoded| model.within_constraint(state) == Some(true);
    for state in model.initial_states().iter().filter(|state| inside(state)) {
        number_of(state, &mut graph.states);
    }
    graph.initial = graph.states.len();
    let mut source = 0;
    while source < graph.states.len() {
        if graph.states.len() > limit {
            return None;
        }
        let successors = model.successors(&graph.states[source]).unwrap_or_default();
        for successor in successors
            .iter()
            .filter(|successor| inside(&successor.state))
        {
            let target = number_of(&successor.state, &mut graph.states);
            graph
                .steps
                .push((source, successor.action.to_string(), target));
        }
        source += 1;
    }
    Some(graph)
}

fn dot(name: &str, model: &dyn ConfiguredModel, graph: &Graph) -> String {
    let mut text = format!(
        "digraph {} {{\n  node [shape=box, fontname=monospace];\n",
        quoted(name)
    );
    for (number, state) in graph.states.iter().enumerate() {
        let label = model
            .render(state)
            .map(|state| state.pretty(60).to_string());
        // \l ends a line that is aligned to the left.
        let label = quoted(&label.unwrap_or_default()).replace("\\n", "\\l");
        let label = format!("{}\\l\"", label.trim_end_matches('"'));
        let style = if number < graph.initial {
            ", style=bold"
        } else {
            ""
        };
        let _ = writeln!(text, "  {number} [label={label}{style}];");
    }
    for (source, label, target) in &graph.steps {
        let _ = writeln!(text, "  {source} -> {target} [label={}];", quoted(label));
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_backslashes_and_line_ends_are_escaped() {
        assert_eq!(quoted("/\\ x = \"a\"\ny"), r#""/\\ x = \"a\"\ny""#);
    }
}
