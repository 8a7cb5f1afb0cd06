//! What an audit allows to be said of bundles, in sentences for people who were not there.
//!
//! No sentence says more than the verdict: a search says something of the states within its bounds,
//! what TLC alone said is told as TLC's, and a bundle in which something is wrong says nothing.
//!
//! * [`claim`]: what one bundle says;
//! * [`bounds`]: the constants, with what the module says of them;
//! * [`guards`]: which controls and witnesses stand beside a positive result, and what has none;
//! * [`overview`]: all bundles in a few lines.

mod bounds;
mod claim;
mod guards;
mod overview;

pub use bounds::{Bound, Constraint, bounds, constraints};
pub use claim::{claim, grouped, sentence};
pub use guards::{Guard, Guards, descriptions, guards};
pub use overview::{Overview, Tone, is_unfinished, overview, tone};
