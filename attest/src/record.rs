//! What a bundle says, as values: `result.json` and `run.json`.

use std::collections::BTreeMap;

use plumb_checker::specs::{Registered, Vacuity};
use plumb_checker::{ConfiguredModel, Lasso, Outcome, PropertyKind, Purpose, Report, Verdict};
use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::freshness::SemanticRecord;

/// The format of [`ResultRecord`].
pub const RESULT_FORMAT: &str = "plumb-evidence-result/1";
/// The format of [`RunRecord`].
pub const RUN_FORMAT: &str = "plumb-evidence-run/1";

/// Which program came to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judge {
    /// Plumb's explorer, on the Rust model.
    Plumb,
    /// TLC, on the module, in a run that Plumb did not start: what it printed was imported.
    Tlc,
}

/// How a check ended, as evidence has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictWord {
    /// The queue is empty and everything held.
    Exhausted,
    /// A property is violated.
    Violated,
    /// An assumption over the constants is false.
    Assumption,
    /// Stopped before the end: never a pass.
    Inconclusive,
    /// The set-up, the model or the machine failed: nothing was shown.
    Error,
}

impl VerdictWord {
    /// As in `result.json`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Violated => "violated",
            Self::Assumption => "assumption",
            Self::Inconclusive => "inconclusive",
            Self::Error => "error",
        }
    }
}

/// The verdict and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictRecord {
    /// How the check ended.
    pub word: VerdictWord,
    /// The violated property or assumption. TLC has no name for a temporal one.
    pub property: Option<String>,
    /// How it is checked.
    pub kind: Option<PropertyKind>,
    /// Of a conjunction the conjunct that is false.
    pub conjunct: Option<String>,
    /// Why a check was inconclusive or failed, in a sentence.
    pub reason: Option<String>,
}

/// How many states and steps were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Breadth-first levels. TLC does not always say.
    pub depth: Option<u64>,
    /// States inside the constraint.
    pub distinct: u64,
    /// Initial states and ways to successors.
    pub generated: u64,
    /// Generated states outside the constraint. TLC does not say.
    pub outside: Option<u64>,
    /// States that were found and not expanded.
    pub queue: u64,
}

/// A name and its value as the cfg has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The constant.
    pub name: String,
    /// Its value in TLA+, or the operator that is put in its place.
    pub value: String,
}

/// A property that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// How it is checked.
    pub kind: PropertyKind,
    /// As the cfg names it.
    pub name: String,
}

/// An action that an exhausted search never took.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NeverTaken {
    /// The action.
    pub action: String,
    /// Why that is right, if the registry says so.
    pub reason: Option<String>,
}

/// The counterexample or witness in `trace.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRecord {
    /// Where an infinite behaviour goes back to, as the number of a state: its last one where it
    /// stays there for ever. None for a finite behaviour.
    pub back_to: Option<u64>,
    /// The SHA-256 of `trace.jsonl`.
    pub sha256: String,
    /// How many states it has.
    pub states: u64,
}

/// What an unfinished search left to go on from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointRecord {
    /// Its files. They are not in the bundle.
    pub files: Vec<FileRecord>,
    /// Whether going on from a checkpoint was tried: whether this search itself did.
    pub resumed: bool,
}

/// A file by its content.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FileRecord {
    /// Its path, with slashes, within the folder that is spoken of.
    pub path: String,
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// Its length in bytes.
    pub size: u64,
}

/// What was expected, and whether it was found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRecord {
    /// A sentence for each difference from the expectation.
    pub differences: Vec<String>,
    /// `as_expected`, `unexpected`, or `none` where the check did not come to an end.
    pub outcome: String,
}

/// What must be the same on every repetition: `result.json`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ResultRecord {
    /// How often each action led to a generated state; empty where TLC judged.
    pub actions: BTreeMap<String, u64>,
    /// What an unfinished search left, if it wrote a checkpoint.
    pub checkpoint: Option<CheckpointRecord>,
    /// The configuration's name.
    pub configuration: String,
    /// The constants, in the cfg's order.
    pub constants: Vec<Constant>,
    /// The constraints, in the cfg's order.
    pub constraints: Vec<String>,
    /// How many states and steps were looked at; none if it did not come to that.
    pub counts: Option<Counts>,
    /// Whether states without a successor were reported.
    pub deadlock: bool,
    /// The result against the registry's expectation.
    pub expectation: OutcomeRecord,
    /// [`RESULT_FORMAT`].
    pub format: String,
    /// Who came to the verdict.
    pub judge: Judge,
    /// New states of each breadth-first level; empty where TLC judged.
    pub levels: Vec<u64>,
    /// The model's name.
    pub model: String,
    /// The TLA+ module.
    pub module: String,
    /// Actions that an exhausted search never took.
    pub never_taken: Vec<NeverTaken>,
    /// What was checked, in the cfg's order.
    pub properties: Vec<Property>,
    /// Why the configuration is registered.
    pub purpose: Purpose,
    /// What the result is of.
    pub semantic: SemanticRecord,
    /// The specification that the cfg names.
    pub specification: String,
    /// The counterexample or witness, if there is one.
    pub trace: Option<TraceRecord>,
    /// How the check ended.
    pub verdict: VerdictRecord,
}

/// What a configured model says of itself; part of every result.
pub(crate) struct Subject {
    pub(crate) constants: Vec<Constant>,
    pub(crate) constraints: Vec<String>,
    pub(crate) deadlock: bool,
    pub(crate) properties: Vec<Property>,
    pub(crate) specification: String,
}

impl Subject {
    pub(crate) fn of(model: &dyn ConfiguredModel) -> Self {
        let constants = model.constants().iter().map(|(name, value)| Constant {
            name: name.clone(),
            value: value.clone(),
        });
        let constraints = model.constraints().into_iter();
        let properties = model.properties().iter().map(|property| Property {
            kind: property.kind,
            name: property.name.to_string(),
        });
        Self {
            constants: constants.collect(),
            constraints: constraints.map(|(name, _)| name.to_owned()).collect(),
            deadlock: model.reports_deadlock(),
            properties: properties.collect(),
            specification: model.specification().to_owned(),
        }
    }
}

impl ResultRecord {
    /// A result about which nothing is known yet but what it is of: a set-up that failed, unless
    /// something better is known.
    #[must_use]
    pub fn failed(
        entry: &Registered,
        module: &str,
        semantic: SemanticRecord,
        reason: &str,
    ) -> Self {
        Self {
            actions: BTreeMap::new(),
            checkpoint: None,
            configuration: entry.name.clone(),
            constants: Vec::new(),
            constraints: Vec::new(),
            counts: None,
            deadlock: false,
            expectation: OutcomeRecord {
                differences: Vec::new(),
                outcome: Outcome::None.word().to_owned(),
            },
            format: RESULT_FORMAT.to_owned(),
            judge: Judge::Plumb,
            levels: Vec::new(),
            model: entry.model.clone(),
            module: module.to_owned(),
            never_taken: Vec::new(),
            properties: Vec::new(),
            purpose: entry.purpose,
            semantic,
            specification: String::new(),
            trace: None,
            verdict: VerdictRecord {
                word: VerdictWord::Error,
                property: None,
                kind: None,
                conjunct: None,
                reason: Some(reason.to_owned()),
            },
        }
    }

    /// What Plumb's explorer found. `trace` is the text of `trace.jsonl`, if there is one.
    #[must_use]
    pub fn of_report(
        entry: &Registered,
        model: &dyn ConfiguredModel,
        report: &Report,
        semantic: SemanticRecord,
        trace: Option<&str>,
    ) -> Self {
        let mut record = Self::failed(entry, model.module(), semantic, "");
        record.set_subject(Subject::of(model));
        let verdict = &report.verdict;
        record.verdict = VerdictRecord {
            word: match verdict {
                Verdict::Exhausted => VerdictWord::Exhausted,
                Verdict::Violated { .. } => VerdictWord::Violated,
                Verdict::Assumption { .. } => VerdictWord::Assumption,
                Verdict::Inconclusive(_) => VerdictWord::Inconclusive,
                Verdict::Error { .. } => VerdictWord::Error,
            },
            property: verdict.property().map(str::to_owned),
            kind: verdict.kind(),
            conjunct: verdict.conjunct().map(str::to_owned),
            reason: match verdict {
                Verdict::Inconclusive(reason) => Some(reason.to_string()),
                Verdict::Error { message, .. } => Some(message.clone()),
                _ => None,
            },
        };
        if record.verdict.word != VerdictWord::Assumption {
            record.counts = Some(Counts {
                depth: Some(report.depth() as u64),
                distinct: report.distinct,
                generated: report.generated,
                outside: Some(report.outside),
                queue: report.queue,
            });
            record.levels.clone_from(&report.levels);
            let actions = report.actions.iter();
            record.actions = actions
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect();
        }
        let vacuity = Vacuity::of(report, &entry.never_taken);
        let never_taken = vacuity.never_taken.into_iter();
        record.never_taken = never_taken
            .map(|(action, reason)| NeverTaken {
                action: action.to_owned(),
                reason,
            })
            .collect();
        let states = report.trace.len() as u64;
        record.trace = trace.map(|text| TraceRecord {
            back_to: report.lasso.as_ref().map(|(lasso, _)| match lasso {
                Lasso::BackTo(number) => *number as u64,
                Lasso::Stuttering => states,
            }),
            sha256: sha256(text.as_bytes()),
            states,
        });
        record.expectation = OutcomeRecord::of(&entry.expect.judge(report));
        record
    }

    pub(crate) fn set_subject(&mut self, subject: Subject) {
        self.constants = subject.constants;
        self.constraints = subject.constraints;
        self.deadlock = subject.deadlock;
        self.properties = subject.properties;
        self.specification = subject.specification;
    }

    /// Whether the search went through all reachable states within the bounds.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        match self.verdict.word {
            VerdictWord::Exhausted => true,
            VerdictWord::Violated => self.verdict.kind == Some(PropertyKind::Temporal),
            _ => false,
        }
    }
}

impl OutcomeRecord {
    pub(crate) fn of(outcome: &Outcome) -> Self {
        Self {
            differences: match outcome {
                Outcome::Unexpected(differences) => differences.clone(),
                Outcome::AsExpected | Outcome::None => Vec::new(),
            },
            outcome: outcome.word().to_owned(),
        }
    }
}

/// The Plumb that ran.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlumbTool {
    /// The commit of the working tree, if Git knows one.
    pub commit: Option<String>,
    /// Whether the working tree differed from that commit.
    pub dirty: Option<bool>,
    /// The compiler.
    pub rustc: String,
    /// The digest of the tokens of the sources that the program was built from, if it knows them.
    pub sources: Option<String>,
    /// The platform it was compiled for.
    pub target: String,
    /// Its version.
    pub version: String,
}

/// The TLC that ran.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TlcTool {
    /// Its exit status; none if it is not known.
    pub exit: Option<i32>,
    /// The Java that it ran on, if known.
    pub java: Option<String>,
    /// The SHA-256 of its jar, if known.
    pub jar_sha256: Option<String>,
    /// What it says of itself.
    pub version: String,
}

/// What may differ from one run to the next: `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// The arguments, with paths relative to the project.
    pub command: Vec<String>,
    /// When it ended, in UTC.
    pub ended: String,
    /// [`RUN_FORMAT`].
    pub format: String,
    /// The machine in words.
    pub machine: String,
    /// How long the search took, in milliseconds.
    pub milliseconds: u64,
    /// The largest memory of the process until then, in bytes, if the system tells.
    pub peak_memory: Option<u64>,
    /// The Plumb that ran.
    pub plumb: PlumbTool,
    /// When it began, in UTC.
    pub started: String,
    /// How many threads searched.
    pub threads: u64,
    /// The TLC that ran, if one did.
    pub tlc: Option<TlcTool>,
    /// How long TLC took, in milliseconds, the start of its Java machine included.
    pub tlc_milliseconds: Option<u64>,
}
