//! TLC's configuration files (`*.cfg`), as far as Plumb gives them a meaning.
//!
//! A file is a list of statements in any order, each a keyword and what belongs to it. Statements of
//! one kind add up. Comments are `\*` to the end of the line and `(* … *)`, which may be nested.
//!
//! | statement | meaning |
//! |---|---|
//! | `SPECIFICATION Spec` | the behaviours to explore; once |
//! | `CONSTANTS X = value`, `X <- Operator` | what the module's constants stand for, any number of them |
//! | `INVARIANTS A B` | names separated by spaces (a comma is an error, in TLC as here) |
//! | `PROPERTIES A B` | likewise |
//! | `CONSTRAINTS A B` | likewise |
//! | `CHECK_DEADLOCK TRUE` | whether a state without successors is an error; once |
//!
//! `CONSTANT`, `INVARIANT`, `PROPERTY` and `CONSTRAINT` are the same words. A value is an integer, a
//! string, `TRUE`, `FALSE`, a model value, or a set of values. Whatever else TLC knows (`VIEW`,
//! `SYMMETRY`, module overrides and so on) is refused with the reason, since leaving it out would
//! check something else than what the file says.

mod error;
mod lexer;
mod parser;
mod print;

pub use error::CfgError;
pub use parser::parse_cfg;

use crate::error::Position;
use crate::value::Value;

/// Something read from a text, and where it begins there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Spanned<T> {
    /// What was read.
    pub value: T,
    /// Where it begins.
    pub position: Position,
}

/// A configuration: everything a `.cfg` file says, in the order of the file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Cfg {
    /// The name after `SPECIFICATION`.
    pub specification: Option<Spanned<String>>,
    /// What the constants stand for; no name occurs twice.
    pub constants: Vec<Constant>,
    /// The names after `INVARIANT`.
    pub invariants: Vec<Spanned<String>>,
    /// The names after `PROPERTY`.
    pub properties: Vec<Spanned<String>>,
    /// The names after `CONSTRAINT`.
    pub constraints: Vec<Spanned<String>>,
    /// The choice after `CHECK_DEADLOCK`.
    pub check_deadlock: Option<Spanned<bool>>,
}

/// One line of `CONSTANTS`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// The constant's name.
    pub name: Spanned<String>,
    /// What it stands for.
    pub binding: Binding,
}

/// What a constant stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// `X = value`.
    Value(Spanned<Value>),
    /// `X <- Operator`: the definition of that name in the module.
    Operator(Spanned<String>),
}

/// Under which keyword a name is to be checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckKind {
    /// `INVARIANT`.
    Invariant,
    /// `PROPERTY`.
    Property,
}

impl Cfg {
    /// What the constant stands for.
    #[must_use]
    pub fn constant(&self, name: &str) -> Option<&Binding> {
        let found = self
            .constants
            .iter()
            .find(|constant| constant.name.value == name);
        found.map(|constant| &constant.binding)
    }

    /// Invariants and properties together, in the order of the file.
    #[must_use]
    pub fn checks(&self) -> Vec<(CheckKind, &Spanned<String>)> {
        let invariants = self
            .invariants
            .iter()
            .map(|name| (CheckKind::Invariant, name));
        let properties = self
            .properties
            .iter()
            .map(|name| (CheckKind::Property, name));
        let mut checks: Vec<_> = invariants.chain(properties).collect();
        checks.sort_by_key(|(_, name)| name.position);
        checks
    }
}
