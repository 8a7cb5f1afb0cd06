//! Section 6.8: the planner knows the length of an Assignment to the byte.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::*;
use plumb_queue::schedule::plan::{PlanRequest, assignment, assignment_text, plan};
use plumb_queue::wire::Wire;
use plumb_queue::wire::commit::Budget;
use plumb_queue::wire::scalar::{CommitId, RequestId, Timestamp};
use serde_json::json;

#[test]
fn a_dispatch_takes_claims_up_to_the_last_byte() {
    // Twelve Claims, so that handles of two and of three characters occur.
    let wide = json!({"max_claims": 16});
    let mut chain = Chain::with_policy(at(policy(), "/pools/default/profiles/default", wide));
    let works = (0..12).map(|index| work("g", &format!("n{index}")));
    chain.push(chain.submit(works.collect(), 2000));
    let planned = |max_claims: usize, max_bytes: usize| {
        let limits = json!({"max_claims": max_claims, "max_bytes": max_bytes});
        let text = canonical(&with(budget(), limits));
        let value = plumb_canonical::parse(&text).unwrap();
        let budget = Budget::read(&value, plumb_queue::Code::RequestInvalid).unwrap();
        let request = PlanRequest {
            budget: &budget,
            request: &RequestId::new("r2").unwrap(),
            commit: &CommitId::new("q2").unwrap(),
            leading: 0,
            at: Timestamp::new(3000).unwrap(),
        };
        plan(&chain.state, request)
    };
    for count in 1..=12 {
        let made = planned(count, 49_152);
        let [group] = &made.groups[..] else {
            panic!("{} Dispatches", made.groups.len())
        };
        let mut granted = chain.clone();
        let claims = made.grants.iter();
        let claims = claims.map(|it| serde_json::from_str(&it.claim.write().to_canonical()));
        let claims = claims.collect::<Result<_, _>>().unwrap();
        let budget = with(budget(), json!({"max_claims": count}));
        granted.push(granted.commit(actor("dispatcher"), "dispatch_next", budget, claims, 3000));
        let text = assignment_text(&assignment(&granted.state, &group.dispatch_id).unwrap());
        assert_eq!(group.bytes, text.len(), "{count} Claims");
        // What fits exactly fits; with a byte less the last one does not go in.
        assert_eq!(planned(count, text.len()).groups.len(), 1, "{count} Claims");
        let short = planned(count, text.len() - 1);
        let first = short.groups.first().map_or(0, |group| group.claims);
        assert_eq!(first, count - 1, "{count} Claims");
    }
}
