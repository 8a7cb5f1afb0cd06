//! Strict canonical JSON: the only JSON that the QueueCommit protocol accepts.
//!
//! Two programs that hash the same record must hash the same bytes. So each value has exactly one
//! canonical text (section 3 of the protocol), and this crate reads text into values, writes values
//! as canonical text, and names a value by the SHA-256 of that text.
//!
//! ```
//! use plumb_canonical::{canonicalize, parse, Digest};
//!
//! // A reader is lenient about layout ...
//! let value = parse(r#" { "b": 2, "a": "\u0041" } "#)?;
//! // ... a writer never is.
//! assert_eq!(value.to_canonical(), r#"{"a":"A","b":2}"#);
//! assert_eq!(value.digest(), Digest::of(br#"{"a":"A","b":2}"#));
//!
//! // What the protocol does not accept has a code and a place.
//! let fault = canonicalize(b"{\"a\":1,\n \"\\u0061\":2}").unwrap_err();
//! assert_eq!(fault.code().as_str(), "duplicate_key");
//! assert_eq!((fault.line(), fault.column(), fault.offset()), (2, 2, 9));
//! # Ok::<(), plumb_canonical::Fault>(())
//! ```
//!
//! # What is read
//!
//! JSON text in UTF-8 of any layout, with these rules on top:
//!
//! | rule | code of its breach |
//! |---|---|
//! | the whole text is UTF-8; said before anything else | `invalid_utf8` |
//! | no key occurs twice in one object, compared after its escapes are decoded | `duplicate_key` |
//! | a number is a plain integer within ±(2⁵³−1): no fraction, exponent, leading zero, plus sign or minus zero | `noncanonical_number` |
//! | an escaped surrogate is one of a pair | `invalid_unicode` |
//! | no value is deeper than [`MAX_DEPTH`], no array longer than [`MAX_ELEMENTS`], no text longer than its reader's limit | `resource_limit` |
//! | everything else that is not JSON; a byte order mark is not | `invalid_json` |
//!
//! The first fault in the order of the text is the one that is reported. Depth counts the root as 0.
//! An object may have as many members as its bytes can hold.
//!
//! # What is written
//!
//! Members in the order of the UTF-8 bytes of their keys, no space, and no escape but those that
//! JSON demands: `\"`, `\\`, `\b`, `\f`, `\n`, `\r`, `\t`, and `\u00xx` in lower case for the other
//! characters below U+0020. Text is not normalised.
//!
//! # Where the protocol is silent
//!
//! * Depth, length and size have no code of their own in the protocol's list for this reader; they are
//!   reported as `resource_limit`.
//! * Characters that could be a number but are not one in any of the ways that the protocol lists,
//!   such as `1.`, `1e` or `-`, are `invalid_json`. Number forms that it does list, such as `+1`,
//!   `01`, `1.0` and `1e3`, are `noncanonical_number`, although JSON itself knows neither `+1` nor
//!   `01`.
//! * Of two faults at the same place, depth comes before what the value is.
//!
//! # Cost
//!
//! Reading is one pass and linear in the text. Strings without escapes are borrowed from it. Nesting
//! is bounded by [`MAX_DEPTH`], so the stack cannot be exhausted.

#![deny(missing_docs)]

mod digest;
mod fault;
mod object;
mod read;
mod target;
mod value;
mod write;

pub use digest::{Digest, DigestError, Hasher};
pub use fault::{Fault, FaultCode, FaultKind};
pub use object::{DuplicateKey, Object};
pub use read::{
    MAX_DEPTH, MAX_ELEMENTS, MAX_LINE_BYTES, MAX_LOG_BYTES, Reader, canonicalize, parse,
};
pub use value::{Integer, IntegerError, Kind, Value};
