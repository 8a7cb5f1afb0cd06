//! Bundles that were tampered with: by bytes, by files, and by forgers who make all digests right.

#![allow(missing_docs, reason = "tests have no readers of documentation")]

mod bundles;
mod bytes;
mod files;
mod forgeries;
