//! The end of a search that explored everything: its temporal properties.

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use super::expand::Expander;
use super::store::StateStore;
use super::{End, Search};
use crate::model::CheckedModel;
use crate::model_panic;
use crate::report::{Lasso, PropertyKind, StopReason, Verdict};
use crate::temporal::{self, Behaviour, GraphError, StateGraph};

impl<M: CheckedModel> Search<'_, M> {
    /// The end of a search that explored everything: what remains are the temporal properties,
    /// decided on the complete graph.
    pub(super) fn check_temporal(&mut self) -> End {
        let selection = self.expander.selection;
        if selection.temporal.is_empty() {
            return End::without_trace(Verdict::Exhausted, 0);
        }
        let decided = model_panic::catch(|| self.decide_temporal());
        match decided {
            Ok(Ok(None)) => End::without_trace(Verdict::Exhausted, 0),
            Ok(Ok(Some(end))) => end,
            Ok(Err(GraphError::Stopped)) => {
                let reason = self.reason_to_stop().unwrap_or(StopReason::Interrupted);
                End::without_trace(Verdict::Inconclusive(reason), 0)
            }
            Ok(Err(GraphError::TooManyConditions)) => {
                let message = "there are more than 64 fairness conditions".to_owned();
                End::error(message)
            }
            Ok(Err(GraphError::Storage(error))) => End::error(error.to_string()),
            Ok(Err(GraphError::Model(message))) | Err(message) => End::error(message),
        }
    }

    fn decide_temporal(&mut self) -> Result<Option<End>, GraphError> {
        let Expander {
            model, selection, ..
        } = self.expander;
        let empty = StateStore::new(1, PathBuf::new(), 0);
        let store = std::mem::replace(&mut self.store, empty).freeze();
        // A search with temporal properties takes states as a whole.
        let Some(store) = store else {
            return Err(GraphError::Model("the states have components".to_owned()));
        };
        let fairness = model.fairness();
        let stop = || self.reason_to_stop().is_some();
        let pool = self.pool.as_ref();
        let graph = StateGraph::build(model, &fairness, store, pool, &stop)?;
        let memory = graph.memory();
        self.progress.memory.store(memory, Relaxed);
        self.peak_memory = self.peak_memory.max(memory);
        for property in &selection.temporal {
            for conjunct in &property.conjuncts {
                if self.reason_to_stop().is_some() {
                    return Err(GraphError::Stopped);
                }
                let pool = self.pool.as_ref();
                if let Some(behaviour) = temporal::violation(model, &graph, conjunct, pool) {
                    let single = property.conjuncts.len() == 1;
                    let verdict = Verdict::Violated {
                        property: property.name.to_owned(),
                        kind: PropertyKind::Temporal,
                        conjunct: (!single).then(|| conjunct.conjunct.clone()),
                    };
                    return self.lasso_end(verdict, &graph, &behaviour).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn lasso_end(
        &self,
        verdict: Verdict,
        graph: &StateGraph,
        behaviour: &Behaviour,
    ) -> Result<End, GraphError> {
        let ranks = behaviour.stem.iter().chain(&behaviour.round);
        let states: Vec<Vec<u8>> = ranks.map(|rank| graph.bytes(*rank).to_vec()).collect();
        let entry = behaviour.stem.len();
        let lasso = if behaviour.round.is_empty() {
            (Lasso::Stuttering, None)
        } else {
            let last = states
                .last()
                .and_then(|last| self.expander.model.decode(last));
            let closing =
                last.and_then(|last| self.expander.action_between(&last, &states[entry - 1]));
            (Lasso::BackTo(entry), closing)
        };
        let trace = self.expander.label(&states).map_err(GraphError::Model)?;
        Ok(End {
            verdict,
            queue: 0,
            trace,
            lasso: Some(lasso),
        })
    }
}
