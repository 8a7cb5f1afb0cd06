//! Launching a Dispatch and finding out what became of it, at most once (section 12).
//!
//! The order is what makes it safe: first the log says that the launch is about to happen, and only
//! who wrote that line itself may launch. If the answer of the host is lost, nobody launches again; the
//! Dispatch stays `uncertain`, and keeps its slot, until its run is found.

use std::time::Duration;

use crate::code::Code;
use crate::host::{Host, Launched};
use crate::reject::Rejection;
use crate::schedule::plan::{assignment, assignment_text};
use crate::state::records::DispatchRecord;
use crate::store::{PublishError, Published, Queue, Store};
use crate::wire::operation::{Dispatch, DispatchStep, Release};
use crate::wire::scalar::{Bounded, DispatchId, Principal, ReasonCode, RequestId, Timestamp};
use crate::wire::{
    Actor, Evidence, EvidenceKind, EvidenceSource, Operation, RequestKind, RunBinding,
};
use crate::writer::{Asker, Intent};

/// Who operates, and the time.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The actor of what it writes: a dispatcher for launches, a reconciler for the rest.
    pub actor: Actor,
    /// The time now.
    pub at: Timestamp,
    /// As whom launches are made, where a profile leaves it open.
    pub principal: Option<Principal>,
}

/// What a launch came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its run is known.
    Bound(RunBinding),
    /// The host refused it.
    Rejected,
    /// Nobody knows.
    Uncertain,
    /// Somebody else is launching it: the line that says so is not ours.
    NotOurs,
    /// More than one run says that it is the Dispatch's; none is believed.
    Conflict,
}

/// Why it is not known what became of a launch.
const UNCONFIRMED: &str = "post_response_unconfirmed";
/// Why more than one run is as good as none.
const SEVERAL_RUNS: &str = "run_binding_conflict";

type Result<T, S> = std::result::Result<T, PublishError<<S as Store>::Error>>;

impl Operator {
    /// A request of this operator about a Dispatch; asking again is asking for the same.
    fn ask(&self, what: &str, dispatch: &DispatchId) -> Asker {
        let what = format!("{what} by {}", self.actor.role);
        let id = crate::identity::request_id(&what, dispatch.as_str());
        Asker {
            request: id,
            actor: self.actor.clone(),
            at: self.at,
        }
    }

    fn evidence(
        &self,
        record: &DispatchRecord,
        kind: EvidenceKind,
        source: EvidenceSource,
    ) -> std::result::Result<Evidence, Rejection> {
        let profile = &record.profile;
        let principal = record
            .principal
            .clone()
            .or_else(|| profile.principal.clone());
        let principal = principal
            .or_else(|| self.principal.clone())
            .ok_or_else(|| {
                Rejection::new(Code::EvidenceInvalid, "nobody says whose the Dispatch is")
            })?;
        Ok(Evidence {
            kind,
            source,
            repository: self.actor.repository.clone(),
            workflow: profile.workflow.clone(),
            git_ref: profile.git_ref.clone(),
            principal,
            checked_at: self.at,
            run_id: None,
            run_attempt: None,
            status: None,
            conclusion: None,
            receipt: None,
            attempts: None,
            effects: None,
        })
    }

    /// Launches a Dispatch, once.
    ///
    /// # Errors
    ///
    /// Something could not be published. The launch is then not made, or its end is not known, and
    /// [`reconcile`](Self::reconcile) finds out.
    pub fn launch<S: Store>(
        &self,
        queue: &mut Queue<S>,
        host: &mut impl Host,
        dispatch: &DispatchId,
        mut pause: impl FnMut(Duration),
    ) -> Result<Outcome, S> {
        let record = self.record(queue, dispatch)?;
        let principal = match record.profile.principal {
            Some(_) => None,
            None => self.principal.clone(),
        };
        let mut started = step(dispatch, DispatchStep::Started);
        started.sender = Some(self.actor.clone());
        started.credential_principal = principal;
        let asker = self.ask("start", dispatch);
        match queue.publish(&asker, &say(started), &mut pause)? {
            Published::Now(_) => {}
            // The line is an earlier attempt's, which may have launched already.
            Published::Recovered(_) | Published::Nothing(_) => return Ok(Outcome::NotOurs),
        }
        let Some(assignment) = assignment(queue.state(), dispatch) else {
            return Err(missing(dispatch).into());
        };
        let launched = host.launch(dispatch, &record.profile, &assignment_text(&assignment));
        let record = self.record(queue, dispatch)?;
        match launched {
            Launched::Launched(run) => self.bind(queue, dispatch, &record, run, pause),
            Launched::Refused(_) => {
                let mut rejected = step(dispatch, DispatchStep::Rejected);
                rejected.evidence = Some(self.evidence(
                    &record,
                    EvidenceKind::Nonlaunch,
                    EvidenceSource::GithubApi,
                )?);
                queue.publish(&self.ask("reject", dispatch), &say(rejected), pause)?;
                Ok(Outcome::Rejected)
            }
            Launched::Unknown => {
                self.doubt(queue, dispatch, UNCONFIRMED, Outcome::Uncertain, pause)
            }
        }
    }

    /// Finds out what became of a launch whose answer was lost, by asking for the runs of the
    /// Dispatch.
    ///
    /// # Errors
    ///
    /// Something could not be published.
    pub fn reconcile<S: Store>(
        &self,
        queue: &mut Queue<S>,
        host: &mut impl Host,
        dispatch: &DispatchId,
        pause: impl FnMut(Duration),
    ) -> Result<Outcome, S> {
        let record = self.record(queue, dispatch)?;
        let runs = host.runs(dispatch).unwrap_or_default();
        match &runs[..] {
            [] => Ok(Outcome::Uncertain),
            // It is known already.
            [run] if record.run.as_deref() == Some(&run.binding) => {
                Ok(Outcome::Bound(run.binding.clone()))
            }
            [run] => self.bind(queue, dispatch, &record, run.binding.clone(), pause),
            _ if record.run.is_some() => Ok(Outcome::Conflict),
            _ => self.doubt(queue, dispatch, SEVERAL_RUNS, Outcome::Conflict, pause),
        }
    }

    /// Gives the slot of a Dispatch back, once its run has ended.
    ///
    /// # Errors
    ///
    /// Something could not be published: `terminal_evidence_required` while the run has not ended.
    pub fn release<S: Store>(
        &self,
        queue: &mut Queue<S>,
        host: &mut impl Host,
        dispatch: &DispatchId,
        pause: impl FnMut(Duration),
    ) -> Result<Published, S> {
        let record = self.record(queue, dispatch)?;
        let (kind, source) = match record.state {
            crate::state::records::DispatchState::Reserved => {
                (EvidenceKind::Prelaunch, EvidenceSource::TrustedPublisher)
            }
            crate::state::records::DispatchState::Rejected => {
                (EvidenceKind::Nonlaunch, EvidenceSource::GithubApi)
            }
            _ => (EvidenceKind::TerminalRun, EvidenceSource::GithubApi),
        };
        let mut evidence = self.evidence(&record, kind, source)?;
        if let Some(bound) = &record.run {
            let runs = host.runs(dispatch).unwrap_or_default();
            let run = runs
                .into_iter()
                .find(|run| run.binding.run_id == bound.run_id);
            evidence.run_id = Some(bound.run_id.clone());
            evidence.run_attempt = Bounded::new(1);
            if let Some(conclusion) = run.and_then(|run| run.conclusion) {
                evidence.status = Some(crate::wire::evidence::RunStatus::Completed);
                evidence.conclusion = crate::wire::scalar::Conclusion::new(&conclusion);
            }
        }
        let release = Release {
            dispatch_id: dispatch.clone(),
            evidence,
        };
        let intent = Intent::Operations {
            kind: RequestKind::Release,
            operations: vec![Operation::Release(release)],
        };
        queue.publish(&self.ask("release", dispatch), &intent, pause)
    }

    fn bind<S: Store>(
        &self,
        queue: &mut Queue<S>,
        dispatch: &DispatchId,
        record: &DispatchRecord,
        run: RunBinding,
        pause: impl FnMut(Duration),
    ) -> Result<Outcome, S> {
        let mut evidence = self.evidence(
            record,
            EvidenceKind::Reconciliation,
            EvidenceSource::GithubApi,
        )?;
        evidence.run_id = Some(run.run_id.clone());
        evidence.run_attempt = Some(run.run_attempt);
        let mut bound = step(dispatch, DispatchStep::Bound);
        bound.run = Some(run.clone());
        bound.evidence = Some(evidence);
        queue.publish(&self.ask("bind", dispatch), &say(bound), pause)?;
        Ok(Outcome::Bound(run))
    }

    fn doubt<S: Store>(
        &self,
        queue: &mut Queue<S>,
        dispatch: &DispatchId,
        reason: &str,
        outcome: Outcome,
        pause: impl FnMut(Duration),
    ) -> Result<Outcome, S> {
        let mut uncertain = step(dispatch, DispatchStep::Uncertain);
        uncertain.reason = ReasonCode::new(reason);
        queue.publish(&self.ask(reason, dispatch), &say(uncertain), pause)?;
        Ok(outcome)
    }

    fn record<S: Store>(
        &self,
        queue: &Queue<S>,
        dispatch: &DispatchId,
    ) -> Result<DispatchRecord, S> {
        let record = queue.state().dispatch(dispatch).cloned();
        record.ok_or_else(|| missing(dispatch).into())
    }
}

fn missing(dispatch: &DispatchId) -> Rejection {
    Rejection::new(
        Code::DispatchMissing,
        format!("there is no Dispatch {dispatch}"),
    )
}

fn step(dispatch: &DispatchId, state: DispatchStep) -> Dispatch {
    Dispatch {
        dispatch_id: dispatch.clone(),
        state,
        sender: None,
        credential_principal: None,
        run: None,
        evidence: None,
        reason: None,
    }
}

fn say(dispatch: Dispatch) -> Intent {
    Intent::Operations {
        kind: RequestKind::Dispatch,
        operations: vec![Operation::Dispatch(dispatch)],
    }
}

impl RequestId {
    /// The id of a request about something, the same each time it is asked.
    #[must_use]
    pub fn about(what: &str, subject: &str) -> Self {
        crate::identity::request_id(what, subject)
    }
}
