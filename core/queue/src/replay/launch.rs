//! Dispatches: launch, binding and release (sections 8.1 and 8.2).

use std::sync::Arc;

use crate::code::Code;
use crate::reject::{Rejection, ensure};
use crate::state::records::{ClaimState, DispatchRecord, DispatchState};
use crate::wire::operation::{Dispatch, DispatchStep, Release};
use crate::wire::policy::PoolPolicy;
use crate::wire::scalar::DispatchId;
use crate::wire::{Evidence, EvidenceKind, EvidenceSource, Role, RunBinding};

use super::Step;

impl Step<'_> {
    fn dispatch_record(&self, id: &DispatchId) -> Result<DispatchRecord, Rejection> {
        let record = self.state.dispatch(id).cloned();
        record.ok_or_else(|| {
            Rejection::new(Code::DispatchMissing, format!("there is no Dispatch {id}"))
        })
    }

    pub(super) fn dispatch(&mut self, operation: &Dispatch) -> Result<(), Rejection> {
        let id = &operation.dispatch_id;
        let mut record = self.dispatch_record(id)?;
        ensure!(
            record.release.is_none(),
            DispatchInvalid,
            "Dispatch {id} is released"
        );
        let role = self.commit.actor.role;
        ensure!(
            role != Role::Worker || operation.state == DispatchStep::Bound,
            UnauthorizedOperation,
            "a worker may only bind its Dispatch"
        );
        let Some(pool) = self.state.installed.clone() else {
            return Ok(());
        };
        let Some(pool) = pool.pool(&record.pool) else {
            return Ok(());
        };
        let limit = pool.reconciliation.max_attempts.get() + 4;
        ensure!(
            record.writes < limit,
            ReconciliationLimit,
            "Dispatch {id} was written {} times, and {limit} are allowed",
            record.writes
        );
        if operation.state != DispatchStep::Started {
            let sender = operation.sender.as_ref();
            let principal = operation.credential_principal.as_ref();
            ensure!(
                sender.is_none_or(|sender| record.sender.as_deref() == Some(sender))
                    && principal.is_none_or(|it| record.principal.as_ref() == Some(it)),
                AssignmentImmutable,
                "who launched Dispatch {id} is fixed when it is started"
            );
        }
        match operation.state {
            DispatchStep::Started => self.started(operation, &mut record)?,
            DispatchStep::Bound => self.bound(operation, &mut record)?,
            DispatchStep::Rejected => self.rejected(operation, &mut record)?,
            DispatchStep::Uncertain | DispatchStep::Unresolved => {
                self.unknown(operation, &mut record, pool)?;
            }
        }
        record.writes += 1;
        self.state.put_dispatch(id, record);
        Ok(())
    }

    fn started(&self, operation: &Dispatch, record: &mut DispatchRecord) -> Result<(), Rejection> {
        let id = &operation.dispatch_id;
        let role = self.commit.actor.role;
        ensure!(
            role == Role::Dispatcher,
            UnauthorizedOperation,
            "a {role} may not launch"
        );
        ensure!(
            record.state == DispatchState::Reserved,
            LaunchStarted,
            "Dispatch {id} is {}, so its launch was started before",
            record.state
        );
        ensure!(
            !self.state.grants_paused,
            DispatchInvalid,
            "grants are paused, so Dispatch {id} may not be launched"
        );
        let sender = operation.sender.as_ref().filter(|sender| {
            **sender == self.commit.actor && sender.workflow.is_some() && sender.run_id.is_some()
        });
        let Some(sender) = sender else {
            return Err(invalid(
                "a launch names its actor, with workflow and run, as its sender",
            ));
        };
        ensure!(
            operation.run.is_none() && operation.evidence.is_none(),
            DispatchInvalid,
            "a launch that is started has no run or evidence yet"
        );
        let (given, profile) = (&operation.credential_principal, &record.profile.principal);
        match (given, profile) {
            (None, None) => {
                return Err(invalid(
                    "the profile leaves the principal open, so the launch names it",
                ));
            }
            (Some(given), Some(profile)) => ensure!(
                given == profile,
                RunPrincipalMismatch,
                "the launch is made as principal {given}, and the profile's is {profile}"
            ),
            _ => {}
        }
        record.principal = given.clone().or_else(|| profile.clone());
        record.sender = Some(Arc::new(sender.clone()));
        record.state = DispatchState::Started;
        Ok(())
    }

    fn bound(
        &mut self,
        operation: &Dispatch,
        record: &mut DispatchRecord,
    ) -> Result<(), Rejection> {
        let id = &operation.dispatch_id;
        let Some(run) = &operation.run else {
            return Err(invalid("binding names a run"));
        };
        let actor = &self.commit.actor;
        if actor.role == Role::Worker {
            ensure!(
                actor.dispatch_id.as_ref() == Some(id)
                    && actor.run_id.as_ref() == Some(&run.run_id)
                    && actor.workflow.as_ref() == Some(&run.workflow)
                    && actor.principal == run.principal,
                OwnershipUnauthorized,
                "a worker binds its own Dispatch to its own run"
            );
        }
        ensure!(
            !matches!(
                record.state,
                DispatchState::Reserved | DispatchState::Rejected
            ),
            DispatchInvalid,
            "Dispatch {id} is {}, so it has no run",
            record.state
        );
        self.check_run(run, record)?;
        let evidence = self.evidence(operation, record)?;
        ensure!(
            matches!(
                evidence.source,
                EvidenceSource::GithubApi | EvidenceSource::TrustedActivation
            ),
            EvidenceInvalid,
            "a run is bound by what the host or its activation says, and not by {}",
            evidence.source
        );
        ensure!(
            evidence.run_id.as_ref() == Some(&run.run_id),
            EvidenceInvalid,
            "the evidence is not about run {}",
            run.run_id
        );
        if let Some(bound) = &record.run {
            ensure!(
                bound.run_id == run.run_id,
                RunBindingConflict,
                "Dispatch {id} is bound to run {}, and not to {}",
                bound.run_id,
                run.run_id
            );
        }
        if let Some(other) = self.state.runs.get(&run.run_id) {
            ensure!(
                other == id,
                RunBindingConflict,
                "run {} is bound to Dispatch {other}",
                run.run_id
            );
        }
        self.state.runs.insert(run.run_id.clone(), id.clone());
        record.run = Some(Arc::new(run.clone()));
        record.state = DispatchState::Bound;
        Ok(())
    }

    /// That a run is of the profile that was frozen when the Dispatch was granted.
    fn check_run(&self, run: &RunBinding, record: &DispatchRecord) -> Result<(), Rejection> {
        let profile = &record.profile;
        let is_queue = self.state.repository.as_ref() == Some(&run.repository);
        ensure!(
            is_queue && run.workflow == profile.workflow && run.git_ref == profile.git_ref,
            RunRefMismatch,
            "the run is of {} {} at {}, and the profile of {} at {}",
            run.repository,
            run.workflow,
            run.git_ref,
            profile.workflow,
            profile.git_ref
        );
        ensure!(
            record.principal.as_ref() == Some(&run.principal),
            RunPrincipalMismatch,
            "the run is principal {}'s, and the Dispatch's is {}",
            run.principal,
            record
                .principal
                .as_ref()
                .map_or("open", |principal| principal.as_str())
        );
        Ok(())
    }

    fn rejected(&self, operation: &Dispatch, record: &mut DispatchRecord) -> Result<(), Rejection> {
        ensure!(
            record.state == DispatchState::Started,
            DispatchInvalid,
            "Dispatch {} is {}, so the host cannot have refused it",
            operation.dispatch_id,
            record.state
        );
        ensure!(
            operation.run.is_none(),
            DispatchInvalid,
            "what the host refused has no run"
        );
        let evidence = self.evidence(operation, record)?;
        ensure!(
            evidence.kind == EvidenceKind::Nonlaunch
                && evidence.source == EvidenceSource::GithubApi,
            NonlaunchEvidenceRequired,
            "a refusal is shown by nonlaunch evidence of the host, and not by {} of {}",
            evidence.kind,
            evidence.source
        );
        record.state = DispatchState::Rejected;
        Ok(())
    }

    fn unknown(
        &self,
        operation: &Dispatch,
        record: &mut DispatchRecord,
        pool: &PoolPolicy,
    ) -> Result<(), Rejection> {
        use DispatchState::{Started, Uncertain, Unresolved};
        let is_possible = match operation.state {
            DispatchStep::Uncertain => matches!(record.state, Started | Uncertain),
            _ => matches!(record.state, Uncertain | Unresolved),
        };
        ensure!(
            is_possible && record.run.is_none(),
            DispatchInvalid,
            "Dispatch {} is {}, and cannot become {}",
            operation.dispatch_id,
            record.state,
            operation.state
        );
        ensure!(
            operation.reason.is_some() && operation.run.is_none(),
            DispatchInvalid,
            "a launch whose end is not known has a reason and no run"
        );
        if operation.state == DispatchStep::Uncertain {
            if let Some(evidence) = &operation.evidence {
                self.check_evidence(evidence, record)?;
            }
            record.state = Uncertain;
            return Ok(());
        }
        let evidence = self.evidence(operation, record)?;
        let (attempts, needed) = (
            evidence
                .attempts
                .map_or(0, crate::wire::scalar::Bounded::get),
            pool.reconciliation.max_attempts.get(),
        );
        ensure!(
            evidence.kind == EvidenceKind::Reconciliation && attempts >= needed,
            ReconciliationInvalid,
            "{} evidence of {attempts} attempts, and reconciliation of {needed} is needed",
            evidence.kind
        );
        record.state = Unresolved;
        Ok(())
    }

    /// The operation's evidence, which must be there and about this Dispatch.
    fn evidence<'o>(
        &self,
        operation: &'o Dispatch,
        record: &DispatchRecord,
    ) -> Result<&'o Evidence, Rejection> {
        let evidence = operation.evidence.as_ref().ok_or_else(|| {
            Rejection::new(
                Code::EvidenceInvalid,
                format!("a Dispatch becomes {} by evidence only", operation.state),
            )
        })?;
        self.check_evidence(evidence, record)?;
        Ok(evidence)
    }

    pub(super) fn release(&mut self, operation: &Release) -> Result<(), Rejection> {
        let id = &operation.dispatch_id;
        let mut record = self.dispatch_record(id)?;
        if record.release.is_some() {
            // A slot is given back once.
            return Ok(());
        }
        let evidence = &operation.evidence;
        self.check_evidence(evidence, &record)?;
        check_release(evidence, &record)?;
        let is_open = |claim: &&crate::wire::scalar::ClaimId| {
            self.state
                .claim(claim)
                .is_some_and(|claim| claim.state == ClaimState::Open)
        };
        let open = record.claims.iter().filter(is_open).count();
        ensure!(
            open == 0,
            ReleaseOpenClaims,
            "Dispatch {id} has {open} open Claims"
        );
        record.release = Some(Arc::new(operation.clone()));
        self.state.put_dispatch(id, record);
        Ok(())
    }
}

/// What shows that nothing runs, or will, depends on how far the Dispatch has come.
fn check_release(evidence: &Evidence, record: &DispatchRecord) -> Result<(), Rejection> {
    match record.state {
        DispatchState::Reserved => ensure!(
            evidence.kind == EvidenceKind::Prelaunch
                && evidence.source == EvidenceSource::TrustedPublisher,
            NonlaunchEvidenceRequired,
            "what was never launched is released by prelaunch evidence of the publisher, and not by \
             {} of {}",
            evidence.kind,
            evidence.source
        ),
        DispatchState::Rejected => ensure!(
            evidence.kind == EvidenceKind::Nonlaunch,
            NonlaunchEvidenceRequired,
            "what the host refused is released by nonlaunch evidence, and not by {}",
            evidence.kind
        ),
        DispatchState::Started
        | DispatchState::Bound
        | DispatchState::Uncertain
        | DispatchState::Unresolved => {
            ensure_terminal(evidence, record)?;
        }
    }
    Ok(())
}

/// That evidence says that the bound run has ended.
pub(super) fn ensure_terminal(
    evidence: &Evidence,
    record: &DispatchRecord,
) -> Result<(), Rejection> {
    let run = record.run.as_ref().map(|run| &run.run_id);
    ensure!(
        evidence.kind == EvidenceKind::TerminalRun
            && evidence.status.is_some()
            && evidence
                .conclusion
                .as_ref()
                .is_some_and(|it| !it.as_str().is_empty())
            && run.is_some()
            && evidence.run_id.as_ref() == run,
        TerminalEvidenceRequired,
        "terminal evidence about run {} with a conclusion is needed, and this is {} about {}",
        run.map_or("none", |run| run.as_str()),
        evidence.kind,
        evidence.run_id.as_ref().map_or("none", |run| run.as_str())
    );
    Ok(())
}

fn invalid(message: &'static str) -> Rejection {
    Rejection::new(Code::DispatchInvalid, message)
}
