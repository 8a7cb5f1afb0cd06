//! BrokenQueueSelection: step property QueueSelection is violated, 4 states.
//!
//! Written by `plumb trace --as-test`. The test holds as long as this is a behaviour of the model
//! that violates the property. When the model is mended, it fails at the first step that is no
//! longer possible: then it has done its work, or is turned round.

use std::error::Error;

use plumb_checker::Encoded;
use plumb_tla::{parse_cfg, parse_state};

/// The model.
const MODEL: &str = "work-queue";

/// The configuration.
const CFG: &str = r"\* A dispatcher claims another work than the oldest that is available.
SPECIFICATION BrokenQueueSelectionSpec
CONSTANTS
    WorkCount = 2
    ClaimCount = 2
    WorkerCount = 2
    DispatcherCount = 1
    RetryLimit = 1
    MaxHead = 2
    MaxLog = 4
CONSTRAINT Bound
INVARIANT Safety
PROPERTY QueueSelection
";

/// What it violates.
const PROPERTY: &str = "QueueSelection";

/// Each state, with the action that leads to it; none leads to the first.
#[rustfmt::skip]
const STEPS: &[(&str, &str)] = &[
    ("", r#"/\ log = <<>>
/\ head = 0
/\ dispatch = <<
     [
       base |-> 0,
       candidate |-> <<>>,
       local |-> <<>>,
       phase |-> "agent",
       retries |-> 0,
       serialized |-> <<>>,
       source |-> <<>>
     ]
   >>
/\ workers = <<
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ],
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ]
   >>
/\ compact = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ recovery = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ deadRuns = {}
/\ terminalHistory = <<{}, {}>>
/\ authorizations = <<>>
/\ effects = <<>>"#),
    (r#"Stage(1, [attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1])"#, r#"/\ log = <<>>
/\ head = 0
/\ dispatch = <<
     [
       base |-> 0,
       candidate |-> <<>>,
       local |-> <<
         [attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1]
       >>,
       phase |-> "agent",
       retries |-> 0,
       serialized |-> <<
         [attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1]
       >>,
       source |-> <<>>
     ]
   >>
/\ workers = <<
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ],
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ]
   >>
/\ compact = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ recovery = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ deadRuns = {}
/\ terminalHistory = <<{}, {}>>
/\ authorizations = <<>>
/\ effects = <<>>"#),
    (r#"Stage(1, [attempt |-> 0, claim |-> 0, enqueued |-> 2, kind |-> "Work", work |-> 2])"#, r#"/\ log = <<>>
/\ head = 0
/\ dispatch = <<
     [
       base |-> 0,
       candidate |-> <<>>,
       local |-> <<
         [attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1],
         [attempt |-> 0, claim |-> 0, enqueued |-> 2, kind |-> "Work", work |-> 2]
       >>,
       phase |-> "agent",
       retries |-> 0,
       serialized |-> <<
         [attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1],
         [attempt |-> 0, claim |-> 0, enqueued |-> 2, kind |-> "Work", work |-> 2]
       >>,
       source |-> <<>>
     ]
   >>
/\ workers = <<
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ],
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ]
   >>
/\ compact = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ recovery = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ deadRuns = {}
/\ terminalHistory = <<{}, {}>>
/\ authorizations = <<>>
/\ effects = <<>>"#),
    (r#"StageIntent(1, [attempt |-> 0, claim |-> 2, enqueued |-> 0, kind |-> "Claim", work |-> 2])"#, r#"/\ log = <<>>
/\ head = 0
/\ dispatch = <<
     [
       base |-> 0,
       candidate |-> <<>>,
       local |-> <<
         [attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1],
         [attempt |-> 0, claim |-> 0, enqueued |-> 2, kind |-> "Work", work |-> 2],
         [attempt |-> 0, claim |-> 2, enqueued |-> 0, kind |-> "Claim", work |-> 2]
       >>,
       phase |-> "agent",
       retries |-> 0,
       serialized |-> <<
         [attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1],
         [attempt |-> 0, claim |-> 0, enqueued |-> 2, kind |-> "Work", work |-> 2],
         [attempt |-> 0, claim |-> 2, enqueued |-> 0, kind |-> "Claim", work |-> 2]
       >>,
       source |-> <<>>
     ]
   >>
/\ workers = <<
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ],
     [
       activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE],
       base |-> 0,
       candidate |-> <<>>,
       finish |-> FALSE,
       phase |-> "waiting",
       retries |-> 0,
       source |-> <<>>
     ]
   >>
/\ compact = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ recovery = [
     base |-> 0,
     candidate |-> <<>>,
     observedRuns |-> {},
     phase |-> "idle",
     retries |-> 0,
     source |-> <<>>
   ]
/\ deadRuns = {}
/\ terminalHistory = <<{}, {}>>
/\ authorizations = <<>>
/\ effects = <<>>"#),
];

const FOREIGN: &str = "the model does not know its own state";

#[test]
fn the_trace_of_broken_queue_selection_is_still_there() -> Result<(), Box<dyn Error>> {
    let registry = plumb_models::registry();
    let entry = registry.find(MODEL).ok_or("there is no such model")?;
    let model = entry.configure(&parse_cfg(CFG)?)?;
    let mut behaviour: Vec<Encoded> = Vec::new();
    for (number, (action, values)) in (1..).zip(STEPS) {
        let state = model.parse(&parse_state(values)?)?;
        let possible = match behaviour.last() {
            None => model.initial_states().contains(&state),
            Some(before) => {
                let mut ways = model.successors(before).ok_or(FOREIGN)?.into_iter();
                ways.any(|way| way.state == state && way.action.to_string() == *action)
            }
        };
        assert!(possible, "state {number} cannot be reached so: {action}");
        behaviour.push(state);
    }
    let last = behaviour.pop().ok_or("there is no state")?;
    let before = behaviour.pop();
    let violated = model.violated(before.as_deref(), &last).ok_or(FOREIGN)?;
    let mut violated = violated.iter().map(|violated| violated.property);
    assert!(violated.any(|name| name == PROPERTY), "{PROPERTY} holds");
    Ok(())
}
