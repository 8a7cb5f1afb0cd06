//! Bundles that were tampered with: by bytes, by files, and by forgers who make all digests right.

#![allow(missing_docs, reason = "tests have no readers of documentation")]
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod bundles;
mod bytes;
mod files;
mod forgeries;
mod forgeries_of_logs;
mod forgeries_of_traces;
