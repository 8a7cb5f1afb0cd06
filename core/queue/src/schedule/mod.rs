//! Which Work comes next, and into which Dispatch (section 6).
//!
//! Everything here is a pure function of the state, the budget and the time, because replay must come
//! to the same choice as the writer did.
//!
//! | module | question |
//! |---|---|
//! | [`stride`] | whose turn is it? |
//! | [`contest`] | which Work is it, among all that are eligible? |
//! | [`eligibility`] | is a Work eligible, and if not, why? |
//! | [`plan`](mod@plan) | how many are granted, and in which Dispatches? |

pub mod contest;
pub mod eligibility;
pub mod plan;
pub mod stride;

pub use eligibility::{Caller, why_not};
pub use plan::{Grant, Group, Plan, PlanRequest, plan};
