//! Behaviours as TLC prints them: on standard output and in simulation files.

use std::collections::VecDeque;
use std::io::BufRead;

use plumb_checker::PropertyKind;
use plumb_tla::tlc::{
    LocatedStep, OutputItem, OutputItems, SimulatedSteps, read_output, simulated_steps,
};
use plumb_tla::{StepLabel, TlcVerdict, ViolationKind, parse_values};

use super::error::Fault;
use super::reader::Source;
use super::{Ending, Header, RecordedLabel, RecordedStep, RecordedViolation, TraceItem};

/// What TLC printed while it ran.
pub(super) struct Output<R> {
    items: OutputItems<R>,
    /// What is known of the run, and of the violation that was announced last.
    header: Header,
    /// What has been read and not yet been given away.
    ready: VecDeque<TraceItem>,
    /// Whether a behaviour has begun and not yet ended.
    within: bool,
}

impl<R: BufRead> Output<R> {
    pub(super) fn new(input: R) -> Output<R> {
        Output {
            items: read_output(input),
            header: Header::default(),
            ready: VecDeque::new(),
            within: false,
        }
    }

    fn step(&mut self, located: LocatedStep) {
        let LocatedStep { line, step } = located;
        if step.number == 1 {
            self.end(Ending::Open);
            self.within = true;
            let header = Header {
                violation: self.header.violation.take(),
                ..self.header.clone()
            };
            self.ready.push_back(TraceItem::Header(header));
        }
        match (step.state, step.label) {
            (None, StepLabel::BackTo(state, label)) => {
                self.end(Ending::BackTo(state, recorded(*label)));
            }
            (None, _) => self.end(Ending::Stuttering),
            (Some(state), label) => self.ready.push_back(TraceItem::Step(RecordedStep {
                number: step.number,
                line,
                // When it simulates, TLC 2026 calls the first one by the initial predicate's name.
                label: match step.number {
                    1 => RecordedLabel::Initial,
                    _ => recorded(label),
                },
                state,
            })),
        }
    }

    fn end(&mut self, ending: Ending) {
        if std::mem::take(&mut self.within) {
            self.ready.push_back(TraceItem::End(ending));
        }
    }
}

impl<R: BufRead> Source for Output<R> {
    fn next(&mut self) -> Result<Option<TraceItem>, Box<Fault>> {
        while self.ready.is_empty() {
            match self.items.next().transpose()? {
                None if self.within => self.end(Ending::Open),
                None => return Ok(None),
                Some(OutputItem::Step(step)) => self.step(step),
                Some(OutputItem::Version(version)) => {
                    self.header.tool = Some(format!("TLC2 Version {version}"));
                }
                Some(OutputItem::Module(name)) => self.header.module = Some(name),
                Some(OutputItem::Seed(seed)) => self.header.seed = Some(seed),
                Some(OutputItem::Error(message)) => {
                    if let Some(verdict) = TlcVerdict::of_message(&message) {
                        self.header.violation = violation(verdict);
                    }
                }
                Some(_) => {}
            }
        }
        Ok(self.ready.pop_front())
    }

    fn line(&self) -> u64 {
        self.items.line()
    }
}

fn violation(verdict: TlcVerdict) -> Option<RecordedViolation> {
    let (kind, name) = match verdict {
        TlcVerdict::Violated { kind, name } => (kind, name),
        TlcVerdict::Assumption { name: property } => {
            let kind = PropertyKind::Assumption;
            return Some(RecordedViolation { kind, property });
        }
        _ => return None,
    };
    let kind = match kind {
        ViolationKind::Invariant => PropertyKind::Invariant,
        ViolationKind::Step => PropertyKind::Step,
        ViolationKind::Temporal => PropertyKind::Temporal,
        ViolationKind::Deadlock => PropertyKind::Deadlock,
        // Only TLC knows them.
        ViolationKind::Assert => return None,
    };
    let property = name;
    Some(RecordedViolation { kind, property })
}

/// What TLC says of how a state was reached. If the arguments are no values, they are taken as part
/// of a name, which then is no action's.
pub(crate) fn recorded(label: StepLabel) -> RecordedLabel {
    match label {
        StepLabel::Initial => RecordedLabel::Initial,
        StepLabel::Action {
            name,
            parameters: None,
        } => RecordedLabel::Action {
            name,
            parameters: None,
        },
        StepLabel::Action {
            name,
            parameters: Some(text),
        } => match parse_values(&text) {
            Ok(values) => RecordedLabel::Action {
                name,
                parameters: Some(values),
            },
            Err(_) => RecordedLabel::Action {
                name: format!("{name}({text})"),
                parameters: None,
            },
        },
        StepLabel::Stuttering | StepLabel::BackTo(..) | StepLabel::Unlabelled => {
            RecordedLabel::Unlabelled
        }
    }
}

/// A file that TLC wrote while simulating.
pub(super) struct Simulation<R> {
    steps: SimulatedSteps<R>,
    part: Part,
}

enum Part {
    Before,
    Steps,
    After,
}

impl<R: BufRead> Simulation<R> {
    pub(super) fn new(input: R) -> Simulation<R> {
        Simulation {
            steps: simulated_steps(input),
            part: Part::Before,
        }
    }
}

impl<R: BufRead> Source for Simulation<R> {
    fn next(&mut self) -> Result<Option<TraceItem>, Box<Fault>> {
        match self.part {
            Part::Before => {
                self.part = Part::Steps;
                return Ok(Some(TraceItem::Header(Header::default())));
            }
            Part::After => return Ok(None),
            Part::Steps => {}
        }
        let Some(LocatedStep { line, step }) = self.steps.next().transpose()? else {
            self.part = Part::After;
            return Ok(Some(TraceItem::End(Ending::Open)));
        };
        let Some(state) = step.state else {
            return Err(Fault::line(line, "a state", "none"));
        };
        Ok(Some(TraceItem::Step(RecordedStep {
            number: step.number,
            line,
            label: recorded(step.label),
            state,
        })))
    }

    fn line(&self) -> u64 {
        self.steps.line()
    }
}
