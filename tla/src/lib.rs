//! TLA+ values, TLC's configuration files and TLC's printed output.

#![deny(missing_docs)]

pub mod cfg;
mod error;
pub mod state;
pub mod tlc;
pub mod value;

pub use cfg::{Binding, Cfg, CfgError, Constant, Spanned, parse_cfg};
pub use error::{ParseError, Position};
pub use state::{Difference, State, difference, parse_state};
pub use value::Value;
