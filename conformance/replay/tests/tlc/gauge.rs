//! The Rust side of `Gauge.tla`, which can be told to get something wrong.

use plumb_checker::{
    CheckedModel, ConfigurationError, Constraint, Invariant, ModelEntry, NotAState, Reader,
    Registry, StepProperty,
};
use plumb_replay::Sources;
use plumb_tla::{State as TlaState, Value};

/// What the model gets wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    None,
    /// No step sinks below level 1.
    MissingStep,
    /// Level 0 can be drained.
    ExtraStep,
    /// Sinking keeps the mark.
    OtherTarget,
    /// Holding is called something else.
    OtherName,
    /// Draining the top counts once.
    OtherMultiplicity,
    /// A level of 2 is no state.
    Unreadable,
    /// One more level is inside the constraint.
    OtherConstraint,
    /// Level 1 is not initial.
    OtherInitial,
}

const DEFECTS: [(&str, Defect); 9] = [
    ("none", Defect::None),
    ("missing-step", Defect::MissingStep),
    ("extra-step", Defect::ExtraStep),
    ("other-target", Defect::OtherTarget),
    ("other-name", Defect::OtherName),
    ("other-multiplicity", Defect::OtherMultiplicity),
    ("unreadable", Defect::Unreadable),
    ("other-constraint", Defect::OtherConstraint),
    ("other-initial", Defect::OtherInitial),
];

#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    top: i8,
    defect: Defect,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Level {
    level: i8,
    marks: u32,
    how: How,
    by: i8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum How {
    None,
    Rise,
    Sink,
    Drain,
}

const MOVEMENTS: [(&str, How); 4] = [
    ("none", How::None),
    ("rise", How::Rise),
    ("sink", How::Sink),
    ("drain", How::Drain),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Rise(i8),
    Sink,
    Drain,
    Hold,
}

impl stateright::Model for Gauge {
    type State = Level;
    type Action = Action;

    fn init_states(&self) -> Vec<Level> {
        let levels = [0, 0, 1, 1, self.top + 5, self.top + 5];
        levels
            .into_iter()
            .filter(|level| *level != 1 || self.defect != Defect::OtherInitial)
            .map(|level| Level {
                level,
                marks: 0,
                how: How::None,
                by: 0,
            })
            .collect()
    }

    fn actions(&self, state: &Level, actions: &mut Vec<Action>) {
        actions.extend([Action::Rise(1), Action::Rise(2), Action::Sink]);
        if state.level == self.top && self.defect != Defect::OtherMultiplicity {
            actions.push(Action::Drain);
        }
        actions.extend([Action::Drain, Action::Hold]);
    }

    fn next_state(&self, state: &Level, action: Action) -> Option<Level> {
        let level = state.level;
        Some(match action {
            Action::Rise(by) => Level {
                level: level + by,
                marks: state.marks | 1 << level,
                how: How::Rise,
                by,
            },
            Action::Sink => {
                let least = if self.defect == Defect::MissingStep {
                    1
                } else {
                    0
                };
                if level <= least {
                    return None;
                }
                let gone = if self.defect == Defect::OtherTarget {
                    0
                } else {
                    1 << level
                };
                Level {
                    level: level - 1,
                    marks: state.marks & !gone,
                    how: How::Sink,
                    by: 1,
                }
            }
            Action::Drain => {
                let extra = self.defect == Defect::ExtraStep && level == 0;
                if level <= 1 && level != self.top && !extra {
                    return None;
                }
                Level {
                    level: 0,
                    marks: 0,
                    how: How::Drain,
                    by: level,
                }
            }
            Action::Hold => state.clone(),
        })
    }
}

impl CheckedModel for Gauge {
    const NAME: &'static str = "gauge";
    const MODULE: &'static str = "Gauge";
    const VARIABLES: &'static [&'static str] = &["level", "marks", "last"];
    const ACTIONS: &'static [&'static str] = &["Rise", "Sink", "Drain", "Hold", "Wait"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        Ok(Self {
            top: cfg.count("Top", 1)? as i8,
            defect: cfg.choice("Defect", &DEFECTS)?,
        })
    }

    fn has_action(&self, index: usize) -> bool {
        let unused = if self.defect == Defect::OtherName {
            3
        } else {
            4
        };
        index != unused
    }

    fn action_index(&self, action: &Action) -> usize {
        match action {
            Action::Rise(_) => 0,
            Action::Sink => 1,
            Action::Drain => 2,
            Action::Hold => 3 + usize::from(self.defect == Defect::OtherName),
        }
    }

    fn action_parameters(&self, action: &Action) -> Vec<Value> {
        match action {
            Action::Rise(by) => vec![Value::int(i64::from(*by))],
            Action::Sink | Action::Drain | Action::Hold => Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            Invariant::state(
                "BelowTop",
                "the level is below the top",
                |gauge, state: &Level| state.level < gauge.top,
            ),
            Invariant::state(
                "Natural",
                "the level is not negative",
                |_, state: &Level| state.level >= 0,
            ),
            Invariant::constant("Roomy", "there are more than two levels", |gauge| {
                gauge.top > 2
            }),
        ]
    }

    fn step_properties() -> Vec<StepProperty<Self>> {
        vec![StepProperty::step(
            "FewMarks",
            "nothing is marked at the bottom",
            |_, _, next: &Level| next.level != 0 || next.marks == 0,
        )]
    }

    fn constraints() -> Vec<Constraint<Self>> {
        vec![Constraint::state(
            "Bound",
            "the level is not above the top",
            |gauge: &Self, state: &Level| {
                state.level <= gauge.top + i8::from(gauge.defect == Defect::OtherConstraint)
            },
        )]
    }

    fn encode(&self, state: &Level, bytes: &mut Vec<u8>) {
        bytes.extend(state.level.to_be_bytes());
        bytes.extend(state.marks.to_be_bytes());
        bytes.extend([state.how as u8, state.by as u8]);
    }

    fn decode(&self, bytes: &[u8]) -> Option<Level> {
        let [level, marks @ .., how, by] = bytes else {
            return None;
        };
        Some(Level {
            level: *level as i8,
            marks: u32::from_be_bytes(marks.try_into().ok()?),
            how: MOVEMENTS.get(usize::from(*how))?.1,
            by: *by as i8,
        })
    }

    fn to_tla(&self, state: &Level) -> TlaState {
        let marks = (0..32).filter(|mark| state.marks >> mark & 1 == 1);
        let how = MOVEMENTS.iter().find(|(_, how)| *how == state.how);
        let by = Value::tuple([Value::int(i64::from(state.by))]);
        TlaState::new([
            ("level", Value::int(i64::from(state.level))),
            ("marks", Value::set(marks.map(Value::int))),
            (
                "last",
                Value::record([
                    ("how", Value::str(how.map_or("", |(name, _)| name))),
                    ("by", by),
                ]),
            ),
        ])
    }

    fn parse_tla(&self, state: &TlaState) -> Result<Level, NotAState> {
        let wrong = |name: &str, expected: &str| NotAState::new(name, expected, state.get(name));
        let level = state.get("level").and_then(Value::as_int);
        let level = level.filter(|level| self.defect != Defect::Unreadable || *level != 2);
        let level = level.ok_or_else(|| wrong("level", "an integer that is not 2"))?;
        let Some(Value::Set(marks)) = state.get("marks") else {
            return Err(wrong("marks", "a set"));
        };
        let mut bits = 0;
        for mark in marks {
            let mark = mark.as_int().and_then(|mark| u32::try_from(mark).ok());
            bits |= 1_u32 << mark.ok_or_else(|| wrong("marks", "a set of numbers"))?;
        }
        let last = || wrong("last", "a movement");
        let Some(Value::Record(record)) = state.get("last") else {
            return Err(last());
        };
        let how = record.get("how").and_then(Value::as_str);
        let how = MOVEMENTS
            .iter()
            .find(|(name, _)| Some(*name) == how)
            .ok_or_else(last)?;
        let Some(Value::Tuple(by)) = record.get("by") else {
            return Err(last());
        };
        let by = by.first().and_then(Value::as_int).ok_or_else(last)?;
        Ok(Level {
            level: level as i8,
            marks: bits,
            how: how.1,
            by: by as i8,
        })
    }
}

/// The cfg for a top level, a defect, and further statements.
pub(crate) fn cfg(top: u8, defect: &str, further: &str) -> String {
    format!(
        "SPECIFICATION Spec\nCONSTANTS\n  Top = {top}\n  Defect = \"{defect}\"\n\
         CONSTRAINT Bound\n{further}\n"
    )
}

/// The model, and what TLC gets with such a cfg.
pub(crate) fn gauge(cfg: &str) -> (ModelEntry, Sources) {
    let registry = Registry::new().with::<Gauge>();
    let sources = Sources {
        module: "Gauge".to_owned(),
        text: include_str!("Gauge.tla").to_owned(),
        cfg: cfg.to_owned(),
        others: Vec::new(),
    };
    (*registry.find("gauge").unwrap(), sources)
}
