//! Evidence: a bundle for each configuration, that a stranger can audit.
//!
//! A bundle is a folder, `evidence/<model>/<configuration>/`, and its world is closed:
//!
//! | file | what it is |
//! |---|---|
//! | `result.json` | what must be the same on every repetition: bounds, verdict, counts |
//! | `run.json` | what may differ: tools, machine, times |
//! | `sources/` | exact copies of module and cfg, and the registry's entry |
//! | `trace.jsonl`, `trace.txt` | the counterexample or witness, if there is one |
//! | `tlc.log` | what TLC printed, if it ran |
//! | `manifest.json` | an in-toto Statement that lists all of these with digest and size |
//! | `SHA256SUMS` | the same for `sha256sum -c`, the manifest included |
//! | `manifest.dsse.json` | signatures over the manifest, if somebody signed |
//!
//! Every document has one spelling ([`spelling`]), so that no byte can be changed unseen. What a
//! result is of is said by a [semantic digest](freshness::SemanticRecord): of module, cfg, registry
//! entry, the tokens of the Rust sources, and the versions of their dependencies.
//!
//! An audit ([`verify`]) works out again whatever can be worked out from these files and the model,
//! and says of each claim whether it was recomputed, cross-checked with another tool's log, or is
//! only asserted.
//!
//! # Where things are
//!
//! * [`record`], [`statement`]: the documents; [`bundle`]: all files of one bundle;
//! * [`folder`]: bundles in hostile folders; [`store`]: writing them whole or not at all;
//! * [`verify`]: the audit; [`fault`]: what it can find; [`signature`]: who signed;
//! * [`freshness`]: what a result is of; [`diff`]: what two results differ in;
//! * [`report`]: what may be said of a bundle, in sentences; [`import`]: runs of TLC by others.

pub mod bundle;
pub mod diff;
mod digest;
pub mod fault;
pub mod folder;
pub mod freshness;
pub mod import;
pub mod record;
pub mod report;
pub mod signature;
pub mod spelling;
pub mod statement;
pub mod store;
pub mod verify;

pub use digest::{file_digest, sha256};
