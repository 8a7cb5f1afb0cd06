//! TLA+ as TLC speaks it: values and states, configuration files, and what TLC prints.
//!
//! This crate knows no model and checks nothing. It is the common language of all that does: a model
//! in Rust turns its states into [`State`]s, a configuration is read into a [`Cfg`], and what TLC
//! found about the same module is read into a [`TlcReport`] or a state graph, so that the two can be
//! compared value by value and never text by text.
//!
//! | module | what it holds |
//! |---|---|
//! | [`value`] | [`Value`]: one normal form for each TLA+ value, read from and printed in TLC's notation |
//! | [`state`] | [`State`]: values of variables; [`difference`]: what changed from one state to the next |
//! | [`cfg`](mod@cfg) | [`parse_cfg`]: TLC's configuration files, with the line and column of every name |
//! | [`tlc`] | readers of TLC's reports, dumped states, state graphs and simulated behaviours |
//!
//! Nothing that is read can make a reader panic, exhaust the stack or take more than linear time:
//! what is not understood is an error that names the place, what was expected there and what was
//! found. Strings may hold any character but NUL; integers have 64 bits; values may be nested 200
//! deep.
//!
//! # Example
//!
//! TLC found a step that breaks an invariant. What did that step change?
//!
//! ```
//! use plumb_tla::tlc::{TlcVerdict, read_report};
//! use plumb_tla::{Binding, Value, difference, parse_cfg};
//!
//! let cfg = parse_cfg(r#"
//!     SPECIFICATION Spec
//!     CONSTANTS Workers = {w1, w2}   \* two are enough
//!               Limit = 1
//!     INVARIANT AtMostOne
//! "#)?;
//! let Some(Binding::Value(limit)) = cfg.constant("Limit") else { panic!() };
//! assert_eq!(limit.value, Value::int(1));
//!
//! let output = r#"TLC2 Version 2026.11.30
//! Error: Invariant AtMostOne is violated.
//! Error: The behavior up to this point is:
//! State 1: <Initial predicate>
//! /\ queue = <<"a", "b">>
//! /\ holds = (w1 :> {"c"} @@ w2 :> {})
//!
//! State 2: <Take(w1) line 9, col 12 to line 12, col 40 of module Workers>
//! /\ queue = <<"b">>
//! /\ holds = (w1 :> {"a", "c"} @@ w2 :> {})
//!
//! 4 states generated, 3 distinct states found, 1 states left on queue.
//! "#;
//! let report = read_report(output.as_bytes(), Some(12))?;
//! let TlcVerdict::Violated { name: Some(name), .. } = &report.verdict else { panic!() };
//! assert_eq!(*name, cfg.invariants[0].value);
//!
//! let [before, after] = &report.trace[..] else { panic!() };
//! assert_eq!(after.label.action(), Some("Take"));
//! let (Some(before), Some(after)) = (&before.state, &after.state) else { panic!() };
//! let changes: Vec<String> = difference(before, after).iter().map(ToString::to_string).collect();
//! assert_eq!(changes, [r#"queue[1]: removed "a""#, r#"holds[w1]: added element "a""#]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(missing_docs)]

pub mod cfg;
mod error;
pub mod state;
pub mod tlc;
pub mod value;

pub use cfg::{Binding, Cfg, CfgError, CheckKind, Constant, Spanned, parse_cfg};
pub use error::{ParseError, Position};
pub use state::{Difference, State, difference, parse_state};
pub use tlc::{
    DotItem, StepLabel, TlcOutputError, TlcReport, TlcStep, TlcVerdict, ViolationKind, read_dot,
    read_dump, read_report, read_simulation,
};
pub use value::{Value, parse_values};
