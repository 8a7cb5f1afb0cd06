//! The commands, one module each.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod list;
pub(crate) mod show;
pub(crate) mod trace;

mod search;
