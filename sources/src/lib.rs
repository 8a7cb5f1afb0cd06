//! Digests of Rust sources by what they mean.
//!
//! Evidence says of which sources a verdict is. A digest of their bytes would call it stale after a
//! comment was reworded, so that nobody would heed the word; a digest of their *tokens* changes
//! when the program may have changed, and only then:
//!
//! ```
//! use plumb_sources::token_digest;
//!
//! let written = "fn two() -> u32 { 1 + 1 }";
//! let reworded = "/// Two.\nfn two() -> u32 {\n    1 + 1 // by adding\n}\n";
//! let another = "fn two() -> u32 { 1 - 1 }";
//! assert_eq!(token_digest(written)?, token_digest(reworded)?);
//! assert_ne!(token_digest(written)?, token_digest(another)?);
//! # Ok::<(), plumb_sources::NotRust>(())
//! ```
//!
//! # What is digested
//!
//! A [`SourceTable`] names the crates that a program's verdicts depend on, and which part of them
//! is which model. From it come
//!
//! * [`Sources`]: every `.rs` file of these crates' `src` folders with two digests, of its bytes
//!   and of its tokens, either read from a working tree or built into a program by [`embed`];
//! * [`Sources::model`] and [`Sources::engine`]: the digest of one model's files, and of all files
//!   that belong to no model;
//! * [`Sources::locked`]: the exact versions of everything else that the crates are built of, from
//!   `Cargo.lock`.
//!
//! # Where things are
//!
//! * `tokens`: the digest of one file; `tree`: of many; `locked`: versions out of a lock file;
//! * `embed`: for build scripts.

mod embed;
mod locked;
mod tokens;
mod tree;

pub use embed::embed;
pub use locked::LockError;
pub use tokens::{NotRust, token_digest};
pub use tree::{SourceFile, SourceTable, Sources, SourcesError};
