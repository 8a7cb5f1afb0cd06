//! Issues that show Work: a picture of the queue, never an authority (section 8.14).

use std::sync::Arc;

use crate::code::Code;
use crate::reject::{Rejection, ensure, refuse};
use crate::state::records::WorkRecord;
use crate::wire::operation::{IssueComment, IssueLink};
use crate::wire::scalar::{ClaimId, WorkId};
use crate::wire::{Identity, Resource, ResourceKind};

use super::Step;
use super::admission::check_host;

impl Step<'_> {
    fn shown_work(&self, id: &WorkId) -> Result<WorkRecord, Rejection> {
        let work = self.state.work(id).cloned();
        work.ok_or_else(|| {
            Rejection::new(Code::IssueBindingInvalid, format!("there is no Work {id}"))
        })
    }

    /// That a rule lets this projector show Work of this pool as this resource.
    fn check_projector(
        &self,
        work: &WorkRecord,
        resource: &Resource,
        projector_ref: &Identity,
    ) -> Result<(), Rejection> {
        let actor = &self.commit.actor;
        let rules = self
            .state
            .installed()
            .and_then(|it| it.policy.projectors.as_deref());
        let allows = |rule: &&crate::wire::ProjectorRule| {
            let issues = rule.backing_issues.as_deref();
            rule.principal == actor.principal
                && actor.workflow.as_ref() == Some(&rule.workflow)
                && rule.git_ref == *projector_ref
                && rule.pools.contains(&work.work.pool)
                && rule.repositories.contains(&resource.repository)
                && issues.is_none_or(|issues| issues.iter().any(|issue| issue.is_same(resource)))
        };
        ensure!(
            rules.unwrap_or_default().iter().any(|rule| allows(&rule)),
            ProjectionUnauthorized,
            "no rule lets principal {} show Work of pool {} in {}",
            actor.principal,
            work.work.pool,
            resource.repository
        );
        Ok(())
    }

    fn check_claim_of(&self, claim: Option<&ClaimId>, work: &WorkId) -> Result<(), Rejection> {
        match claim {
            Some(claim) => self.claim_record(claim, work).map(|_| ()),
            None => Ok(()),
        }
    }

    pub(super) fn issue_link(&mut self, link: &IssueLink) -> Result<(), Rejection> {
        let mut work = self.shown_work(&link.work_id)?;
        check_host(&link.resource)?;
        ensure!(
            link.resource.kind == ResourceKind::Issue,
            IssueBindingInvalid,
            "Work is shown as an issue, and not as a {}",
            link.resource.kind
        );
        self.check_projector(&work, &link.resource, &link.projector_ref)?;
        self.check_claim_of(link.claim_id.as_ref(), &link.work_id)?;
        if let Some(known) = &work.issue {
            refuse!(
                IssueBindingConflict,
                "Work {} is shown as {}#{} already",
                link.work_id,
                known.resource.repository,
                known.resource.number
            );
        }
        work.issue = Some(Arc::new(link.clone()));
        self.state.put_work(&link.work_id, work);
        Ok(())
    }

    pub(super) fn issue_comment(&mut self, comment: &IssueComment) -> Result<(), Rejection> {
        let work = self.shown_work(&comment.work_id)?;
        let Some(link) = work.issue.clone() else {
            refuse!(
                IssueBindingInvalid,
                "Work {} is not shown as an issue",
                comment.work_id
            );
        };
        self.check_projector(&work, &link.resource, &comment.projector_ref)?;
        self.check_claim_of(comment.claim_id.as_ref(), &comment.work_id)?;
        self.check_claim_of(comment.authority_claim_id.as_ref(), &comment.work_id)?;
        let key = (comment.work_id.clone(), comment.comment_id.clone());
        ensure!(
            !self.state.comments.contains_key(&key),
            IssueBindingConflict,
            "comment {} is noted already",
            comment.comment_id
        );
        self.state.comments.insert(key, ());
        Ok(())
    }
}
