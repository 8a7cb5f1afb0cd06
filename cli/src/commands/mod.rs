//! The commands, one module each.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod evidence;
pub(crate) mod expect;
pub(crate) mod explore;
pub(crate) mod graph;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod queue;
pub(crate) mod replay;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod trace;

pub(crate) mod annotations;
mod junit;
mod recording;
mod search;
