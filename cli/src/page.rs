//! Behaviours as one HTML page: self-contained, readable without a network, without a script and on
//! paper. Whatever a behaviour is made of is text: nothing in it can become markup.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, HtmlEscape, Value, context};
use plumb_checker::{ConfiguredModel, PropertyKind};
use plumb_tla::{Difference, State, difference};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::CliError;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Width to which values are wrapped.
const WIDTH: usize = 84;

/// A behaviour to be shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behaviour {
    /// What it is called: the configuration, or a file.
    pub(crate) name: String,
    /// The line below the name.
    pub(crate) lead: String,
    /// Where it comes from: names and values, in the order in which they are shown.
    pub(crate) facts: Vec<(String, String)>,
    /// Its states, in their order.
    pub(crate) steps: Vec<ShownStep>,
    /// How it goes on after them.
    pub(crate) ending: ShownEnding,
    /// What is violated, if anything is.
    pub(crate) violation: Option<ShownViolation>,
    /// What was found, if it is no violation; or what else there is to say of it as a whole.
    pub(crate) findings: Vec<Finding>,
}

/// One state, and the step to it.
#[derive(Clone, Debug)]
pub(crate) struct ShownStep {
    /// Its number, as messages have it.
    pub(crate) number: u64,
    /// The action with its parameters; none for an initial state, or where it is not known.
    pub(crate) action: Option<String>,
    /// Who took the step.
    pub(crate) actor: Option<String>,
    /// The state.
    pub(crate) state: State,
}

/// How a behaviour goes on after its last state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ShownEnding {
    /// Nothing is said.
    #[default]
    Open,
    /// It stays there for ever.
    Stuttering,
    /// It goes back to the state of this number, by this action.
    BackTo(u64, Option<String>),
}

/// The violation that a behaviour ends in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownViolation {
    /// How the property is checked.
    pub(crate) kind: PropertyKind,
    /// Its name.
    pub(crate) property: String,
    /// What it says, in words.
    pub(crate) meaning: String,
    /// The conjunct that is false, and what that one says, if anybody knows.
    pub(crate) conjunct: Option<(String, String)>,
}

impl ShownViolation {
    /// The violation, with what the model says of the property.
    pub(crate) fn of(
        model: &dyn ConfiguredModel,
        kind: PropertyKind,
        property: &str,
        conjunct: Option<&str>,
    ) -> Self {
        let mut properties = model.properties().iter();
        let known = properties.find(|known| known.name == property);
        let meaning = match (known, kind) {
            (Some(known), _) => sentence(known.meaning),
            (None, PropertyKind::Deadlock) => "The last state has no successor.".to_owned(),
            (None, _) => String::new(),
        };
        let conjunct = conjunct.map(|conjunct| {
            let conjuncts = known.map(|known| known.conjuncts.iter());
            let mut conjuncts = conjuncts.into_iter().flatten();
            let meaning = conjuncts.find(|(name, _)| *name == conjunct);
            let meaning = meaning.map_or_else(String::new, |(_, meaning)| sentence(meaning));
            (conjunct.to_owned(), meaning)
        });
        Self {
            kind,
            property: property.to_owned(),
            meaning,
            conjunct,
        }
    }
}

/// Something that is to be said of a step, or of the behaviour as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The number of the state that it is about.
    pub(crate) step: Option<u64>,
    /// Whether it is what is wrong with the behaviour.
    pub(crate) bad: bool,
    /// What is to be said, in a sentence.
    pub(crate) text: String,
}

/// The page that shows these behaviours.
///
/// # Errors
///
/// The template failed, which is a defect of Plumb.
pub(crate) fn render(title: &str, behaviours: &[Behaviour]) -> Result<String, CliError> {
    let several = behaviours.len() > 1;
    let traces: Vec<Trace> = (1..)
        .zip(behaviours)
        .map(|(place, behaviour)| {
            let prefix = if several {
                format!("behaviour-{place}-")
            } else {
                String::new()
            };
            Trace::of(&prefix, behaviour)
        })
        .collect();
    let mut environment = Environment::new();
    environment.add_filter("value", unbroken);
    let page = environment
        // The name's ending says that values are to be escaped.
        .add_template("page.html", TEMPLATE)
        .and_then(|()| environment.get_template("page.html"))
        .and_then(|template| {
            template.render(context! {
                title => title,
                tool => concat!("plumb ", env!("CARGO_PKG_VERSION")),
                traces => Value::from(Serde(&traces)),
                style => STYLE,
                style_hash => source_hash(STYLE),
                script => SCRIPT,
                script_hash => source_hash(SCRIPT),
            })
        });
    page.map_err(|error| CliError::failed(format!("cannot make the page: {error:#}"), None))
}

/// Text in TLA+ notation in which no line breaks within `|->`.
fn unbroken(text: &str) -> Value {
    let escaped = HtmlEscape(text).to_string();
    Value::from_safe_string(escaped.replace("|-&gt;", "<span class=\"to\">|-&gt;</span>"))
}

/// What a content security policy calls an inline source by.
fn source_hash(source: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(source)))
}

/// A meaning as a sentence of its own.
fn sentence(meaning: &str) -> String {
    let mut letters = meaning.chars();
    let Some(first) = letters.next() else {
        return String::new();
    };
    let end = if meaning.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

/// A behaviour as the template has it.
#[derive(Serialize)]
struct Trace {
    id: String,
    name: String,
    lead: String,
    bad: bool,
    headline: String,
    meaning: String,
    conjunct: Option<String>,
    conjunct_meaning: String,
    remarks: Vec<String>,
    facts: Vec<(String, String)>,
    lanes: Vec<String>,
    steps: Vec<Step>,
    ending: End,
}

#[derive(Serialize)]
struct Step {
    id: String,
    number: u64,
    /// The action, if one is named.
    label: Option<String>,
    /// What stands there otherwise.
    untold: &'static str,
    actor: Option<String>,
    lane: Option<usize>,
    /// Whether it is taken again and again.
    looped: bool,
    /// What is wrong here, in two words.
    bad: Option<&'static str>,
    findings: Vec<String>,
    summary: String,
    variables: Vec<Variable>,
}

#[derive(Serialize)]
struct Variable {
    name: String,
    value: String,
    changes: Vec<Change>,
}

#[derive(Serialize)]
struct Change {
    path: String,
    before: Option<String>,
    after: Option<String>,
    word: &'static str,
}

#[derive(Serialize)]
struct End {
    lasso: bool,
    id: String,
    text: String,
    short: String,
    back_to_id: Option<String>,
}

/// The lane of steps that nobody in particular takes.
const NOBODY: &str = "nobody in particular";

impl Trace {
    fn of(prefix: &str, behaviour: &Behaviour) -> Self {
        let id = |number: u64| format!("{prefix}step-{number}");
        let last = behaviour.steps.last().map(|step| step.number);
        let lanes = lanes(&behaviour.steps);
        let loop_start = match &behaviour.ending {
            ShownEnding::Open => None,
            ShownEnding::Stuttering => last,
            ShownEnding::BackTo(number, _) => Some(*number),
        };
        // A lasso violates its property as a whole, anything else in its last state.
        let violated_at = match &behaviour.violation {
            Some(violation) if violation.kind != PropertyKind::Temporal => last,
            _ => None,
        };
        let mut before: Option<&State> = None;
        let mut steps = Vec::new();
        for (index, step) in behaviour.steps.iter().enumerate() {
            let findings = behaviour.findings.iter();
            let here: Vec<&Finding> = findings
                .filter(|finding| finding.step == Some(step.number))
                .collect();
            let (variables, summary) = variables(before, &step.state);
            let bad = if violated_at == Some(step.number) {
                Some("violated here")
            } else {
                here.iter()
                    .any(|finding| finding.bad)
                    .then_some("refused here")
            };
            steps.push(Step {
                id: id(step.number),
                number: step.number,
                label: step.action.clone(),
                untold: if index == 0 {
                    "initial state"
                } else {
                    "not told"
                },
                actor: step.actor.clone(),
                lane: lane(&lanes, index, step),
                looped: loop_start.is_some_and(|start| step.number >= start),
                bad,
                findings: here.iter().map(|finding| finding.text.clone()).collect(),
                summary,
                variables,
            });
            before = Some(&step.state);
        }
        let whole = behaviour.findings.iter();
        let mut remarks: Vec<&Finding> = whole.filter(|finding| finding.step.is_none()).collect();
        let bad = behaviour.violation.is_some() || behaviour.findings.iter().any(|f| f.bad);
        let headline = match &behaviour.violation {
            Some(ShownViolation { kind, property, .. }) => match kind {
                PropertyKind::Deadlock => "Deadlock: a state without any successor".to_owned(),
                kind => format!("The {kind} {property} is violated"),
            },
            // The worst that was found, or else the first.
            None => match behaviour.findings.iter().find(|finding| finding.bad) {
                Some(finding) => finding.text.clone(),
                None if remarks.is_empty() => "A behaviour of the model".to_owned(),
                None => remarks.remove(0).text.clone(),
            },
        };
        remarks.retain(|finding| finding.text != headline);
        let violation = behaviour.violation.as_ref();
        let conjunct = violation.and_then(|violation| violation.conjunct.as_ref());
        Self {
            id: format!("{prefix}trace"),
            name: behaviour.name.clone(),
            lead: behaviour.lead.clone(),
            bad,
            headline,
            meaning: violation.map_or_else(String::new, |violation| violation.meaning.clone()),
            conjunct: conjunct.map(|(name, _)| name.clone()),
            conjunct_meaning: conjunct.map_or_else(String::new, |(_, meaning)| meaning.clone()),
            remarks: remarks.iter().map(|finding| finding.text.clone()).collect(),
            facts: behaviour.facts.clone(),
            lanes,
            steps,
            ending: End::of(behaviour, format!("{prefix}for-ever"), id),
        }
    }
}

impl End {
    fn of(behaviour: &Behaviour, id: String, step_id: impl Fn(u64) -> String) -> Self {
        let (lasso, text, short, back_to_id) = match &behaviour.ending {
            ShownEnding::Open => (false, String::new(), String::new(), None),
            ShownEnding::Stuttering => (
                true,
                "And so for ever: it stutters in the last state.".to_owned(),
                "stutters".to_owned(),
                None,
            ),
            ShownEnding::BackTo(number, action) => {
                let by = action.as_ref();
                let by = by.map_or_else(String::new, |action| format!(" by {action}"));
                let known = behaviour.steps.iter().any(|step| step.number == *number);
                (
                    true,
                    format!("And so for ever: back to state {number}{by}."),
                    format!("back to state {number}"),
                    known.then(|| step_id(*number)),
                )
            }
        };
        Self {
            lasso,
            id,
            text,
            short,
            back_to_id,
        }
    }
}

/// The actors, in the order in which they first act; none if no step names one.
fn lanes(steps: &[ShownStep]) -> Vec<String> {
    let mut lanes: Vec<String> = Vec::new();
    for actor in steps.iter().filter_map(|step| step.actor.as_ref()) {
        if !lanes.contains(actor) {
            lanes.push(actor.clone());
        }
    }
    let nobody = |step: &ShownStep| step.actor.is_none();
    if !lanes.is_empty() && steps.iter().skip(1).any(nobody) {
        lanes.push(NOBODY.to_owned());
    }
    lanes
}

fn lane(lanes: &[String], index: usize, step: &ShownStep) -> Option<usize> {
    let actor = match &step.actor {
        Some(actor) => actor,
        None if index > 0 => NOBODY,
        None => return None,
    };
    lanes.iter().position(|lane| lane == actor)
}

/// The state's variables with what changed in each, and that in a sentence.
fn variables(before: Option<&State>, state: &State) -> (Vec<Variable>, String) {
    let differences = before.map_or_else(Vec::new, |before| difference(before, state));
    let mut shown: Vec<Variable> = state
        .iter()
        .map(|(name, value)| Variable {
            name: name.to_owned(),
            value: value.pretty(WIDTH).to_string(),
            changes: changes(name, &differences),
        })
        .collect();
    // Partial observations may lose sight of a variable.
    let lost = before.into_iter().flat_map(State::iter);
    for (name, _) in lost.filter(|(name, _)| state.get(name).is_none()) {
        shown.push(Variable {
            name: name.to_owned(),
            value: String::new(),
            changes: changes(name, &differences),
        });
    }
    let changed = shown.iter().filter(|shown| !shown.changes.is_empty());
    let names: Vec<&str> = changed.map(|shown| &*shown.name).collect();
    let summary = match (before, &names[..]) {
        (None, _) => "The state as a whole.".to_owned(),
        (Some(_), []) => "Nothing changes.".to_owned(),
        (Some(_), [only]) => format!("{only} changes."),
        (Some(_), [first @ .., last]) => format!("{} and {last} change.", first.join(", ")),
    };
    (shown, summary)
}

/// What changed in one variable.
fn changes(name: &str, differences: &[Difference]) -> Vec<Change> {
    let within = differences.iter().filter_map(|difference| {
        let path = difference.path.strip_prefix(name)?;
        // `ab` is no part of `a`.
        (path.is_empty() || path.starts_with(['.', '['])).then(|| Change {
            path: path.trim_start_matches('.').to_owned(),
            before: difference.before.as_ref().map(ToString::to_string),
            after: difference.after.as_ref().map(ToString::to_string),
            word: match (&difference.before, &difference.after, difference.element) {
                (None, Some(_), true) => "added to the set",
                (Some(_), None, true) => "removed from the set",
                (None, Some(_), false) => "added",
                (Some(_), None, false) => "removed",
                (Some(_), Some(_), _) | (None, None, _) => "",
            },
        })
    });
    within.collect()
}

#[cfg(test)]
mod tests;
