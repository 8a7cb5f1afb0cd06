//! How a recorded behaviour ends: in the violation that it was recorded for, or for ever.

use plumb_checker::{PropertyKind, ViolatedProperty, model_panic};

use super::behaviour::{Replayer, refusal};
use super::outcome::{EndsIn, Outcome, Replayed, Why};
use super::refusal::Wanted;
use super::rounds::{NotJudged, Rounds};
use crate::trace::{Ending, RecordedViolation};

/// The behaviour goes on for ever, and its states were not kept: it must be replayed again with
/// [`keep_history`](super::ReplayOptions::keep_history).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryNeeded;

impl Replayer<'_> {
    /// Ends the replay.
    ///
    /// # Errors
    ///
    /// The behaviour goes on for ever and its states were not kept.
    pub fn end(mut self, ending: &Ending) -> Result<Replayed, HistoryNeeded> {
        self.replayed.lasso = !matches!(ending, Ending::Open);
        if self.replayed.lasso && !self.is_decided() && !self.options.keep_history {
            return Err(HistoryNeeded);
        }
        if !self.is_decided() {
            let judged = model_panic::catch(|| self.judge(ending));
            let failed = |message| {
                let step = self.last.0;
                Err(Outcome::Failed { step, message })
            };
            if let Err(outcome) = judged.unwrap_or_else(failed) {
                self.replayed.outcome = outcome;
            }
        }
        Ok(self.replayed)
    }

    fn judge(&mut self, ending: &Ending) -> Result<(), Outcome> {
        if self.replayed.steps == 0 {
            return Err(Outcome::Unreadable {
                line: 0,
                message: "the behaviour has no states".to_owned(),
            });
        }
        let mut states = self.current.iter();
        self.replayed.outside_constraint = states.all(|one| !self.is_inside(&one.state));
        let closed = match ending {
            Ending::Open => None,
            Ending::Stuttering => Some(self.close(self.last.0, Wanted::Any)?),
            Ending::BackTo(number, label) => {
                let wanted = self.wanted_by(label, 0)?;
                Some(self.close(*number, wanted)?)
            }
        };
        self.replayed.ends_in = match (self.header.violation.clone(), &closed) {
            (None, None) => self.certain.first().map(ends_in),
            (None, Some(rounds)) => match self.certain.first() {
                Some(violated) => Some(ends_in(violated)),
                None => self.violated_by_all(rounds)?,
            },
            (Some(recorded), _) => Some(match (recorded.kind, &closed) {
                (PropertyKind::Temporal, Some(rounds)) => {
                    self.violated_by_one(&recorded, rounds)?
                }
                (PropertyKind::Temporal, None) => self.violated_finitely(&recorded, true)?,
                (PropertyKind::Deadlock, _) => self.deadlocked()?,
                _ => self.violated_finitely(&recorded, false)?,
            }),
        };
        Ok(())
    }

    fn ends_wrongly(&self, why: Why, reason: String) -> Outcome {
        refusal(self.last.0, self.last.1, why, reason)
    }

    /// The violation in the last state or on the last step. What TLC calls temporal may be a
    /// predicate that the initial state violates.
    fn violated_finitely(
        &self,
        recorded: &RecordedViolation,
        is_temporal: bool,
    ) -> Result<EndsIn, Outcome> {
        let Some(name) = &recorded.property else {
            let mut found = self.possible.iter();
            let found = found.find(|violated| violated.kind == recorded.kind);
            return found.map(ends_in).ok_or_else(|| {
                let kind = recorded.kind;
                let reason = format!("it was recorded for the violation of a {kind}, and none is");
                self.ends_wrongly(Why::OtherViolation, reason)
            });
        };
        let mut found = self.possible.iter();
        if let Some(found) = found.find(|violated| violated.property == name) {
            return Ok(ends_in(found));
        }
        let mut properties = self.model.properties().iter();
        let reason = if properties.all(|property| property.name != name) {
            format!("it was recorded for {name}, which the configuration does not check")
        } else if is_temporal {
            format!("it was recorded for {name}, and does not say how it goes on")
        } else if let Some(other) = self.possible.first() {
            format!(
                "it was recorded for {name}, which holds, and ends in the violation of {}",
                other.property
            )
        } else {
            format!("it was recorded for the violation of {name}, which holds to the end")
        };
        Err(self.ends_wrongly(Why::OtherViolation, reason))
    }

    fn deadlocked(&self) -> Result<EndsIn, Outcome> {
        let stuck = |state: &[u8]| {
            self.model
                .successors(state)
                .is_some_and(|all| all.is_empty())
        };
        if self.current.iter().any(|one| stuck(&one.state)) {
            return Ok(EndsIn {
                property: "Deadlock".to_owned(),
                kind: PropertyKind::Deadlock,
                conjunct: None,
            });
        }
        let reason = "it was recorded for a deadlock, and actions are enabled in its last state";
        Err(self.ends_wrongly(Why::OtherViolation, reason.to_owned()))
    }

    /// The ways through the states that come back to the one of this number.
    fn close(&self, number: u64, wanted: Wanted<'_>) -> Result<Rounds, Outcome> {
        let last = self.last.0;
        let Some(back_to) = self.history.index_of(number) else {
            return Err(Outcome::Unreadable {
                line: self.last.1,
                message: format!("it goes back to state {number}, which it does not have"),
            });
        };
        if self.replayed.outside_constraint {
            let reason = format!("state {last} is outside the constraint, where a behaviour ends");
            return Err(self.ends_wrongly(Why::LassoDoesNotClose, reason));
        }
        let rounds = self.rounds(back_to, wanted)?;
        if rounds.is_empty() {
            let by = match wanted {
                Wanted::Any => "no action leads".to_owned(),
                Wanted::Action { name, .. } => format!("{name} does not lead"),
            };
            let reason = format!("{by} from state {last} back to state {number}");
            return Err(self.ends_wrongly(Why::LassoDoesNotClose, reason));
        }
        Ok(rounds)
    }

    /// The names of the temporal properties, in the cfg's order.
    fn temporal(&self) -> impl Iterator<Item = &'static str> {
        let properties = self.model.properties().iter();
        let temporal = properties.filter(|property| property.kind == PropertyKind::Temporal);
        temporal.map(|property| property.name)
    }

    /// The recorded property, or any where no name was recorded, which one of the lassos violates.
    fn violated_by_one(
        &self,
        recorded: &RecordedViolation,
        rounds: &Rounds,
    ) -> Result<EndsIn, Outcome> {
        let names: Vec<&str> = match &recorded.property {
            Some(name) => vec![name],
            None => self.temporal().collect(),
        };
        let mut first_reason = None;
        for name in &names {
            let mut note = |reason: String| {
                first_reason
                    .get_or_insert_with(|| format!("it is no violation of {name}: {reason}"));
            };
            let meanings = match self.meanings(rounds, name) {
                Ok(meanings) => meanings,
                Err(NotJudged::Undecided(outcome)) => return Err(outcome),
                Err(NotJudged::Reason(reason)) => {
                    note(reason);
                    continue;
                }
            };
            for meaning in &meanings {
                match self.model.judge_lasso_summary(name, meaning) {
                    Ok(conjunct) => return Ok(temporal(name, conjunct)),
                    Err(reason) => note(reason),
                }
            }
        }
        let reason = first_reason
            .unwrap_or_else(|| "the configuration checks no temporal property".to_owned());
        Err(self.ends_wrongly(Why::OtherViolation, reason))
    }

    /// The first temporal property that every lasso violates.
    fn violated_by_all(&self, rounds: &Rounds) -> Result<Option<EndsIn>, Outcome> {
        for name in self.temporal() {
            let meanings = match self.meanings(rounds, name) {
                Ok(meanings) => meanings,
                Err(NotJudged::Undecided(outcome)) => return Err(outcome),
                Err(NotJudged::Reason(_)) => continue,
            };
            let judge = |meaning| self.model.judge_lasso_summary(name, meaning).ok();
            let conjuncts: Option<Vec<String>> = meanings.iter().map(judge).collect();
            if let Some(conjunct) = conjuncts.and_then(|all| all.into_iter().next()) {
                return Ok(Some(temporal(name, conjunct)));
            }
        }
        Ok(None)
    }
}

fn ends_in(violated: &ViolatedProperty) -> EndsIn {
    EndsIn {
        property: violated.property.to_owned(),
        kind: violated.kind,
        conjunct: violated.conjunct.map(str::to_owned),
    }
}

fn temporal(name: &str, conjunct: String) -> EndsIn {
    EndsIn {
        property: name.to_owned(),
        kind: PropertyKind::Temporal,
        // A property that is no conjunction has its whole formula there.
        conjunct: Some(conjunct),
    }
}
