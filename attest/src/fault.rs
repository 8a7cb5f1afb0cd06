//! What can be wrong with evidence: a stable code, a sentence, and the file.

use std::fmt;

use serde::Serialize;

/// What kind of fault it is. The words do not change from one version to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// A file or folder cannot be read.
    Unreadable,
    /// Something that is no plain file or folder: a link, a pipe, a device.
    NotAFile,
    /// A file with a second name: whoever changes it there changes the bundle.
    HardLink,
    /// A name that is none for a file of a bundle, or that another one differs from only in case.
    BadName,
    /// A file larger than any file of a bundle is.
    TooLarge,
    /// A file that has to be there and is not.
    MissingFile,
    /// A file that the manifest does not list.
    ExtraFile,
    /// A document that is no JSON, has a key twice, or is spelled otherwise than Plumb writes it.
    Spelling,
    /// A document with other members, another format, or values that cannot be.
    Schema,
    /// A file that has not the digest or size that the manifest says.
    Digest,
    /// `SHA256SUMS` is not what Plumb would write.
    Sums,
    /// The manifest does not say what the result says.
    Manifest,
    /// The bundle lies in the folder of another configuration.
    Misplaced,
    /// Parts of the result contradict each other.
    Inconsistent,
    /// The result is not of the copies of its sources, or they configure nothing.
    Sources,
    /// The trace is none of the model, or does not end as the result says.
    Trace,
    /// What TLC printed says otherwise.
    TlcLog,
    /// The result is not what the registry expects.
    Expectation,
    /// The check was not ended, or its set-up failed.
    NoVerdict,
    /// An action was never taken, and the registry does not say why.
    Vacuous,
    /// A registered configuration has no bundle.
    NotCovered,
    /// A bundle of nothing that is registered, or a file that belongs to no bundle.
    Orphan,
    /// What was checked is not what lies there now.
    Stale,
    /// A signature that is none, or by a key that was not given.
    Signature,
    /// Run again, the check did not give the same result.
    Repetition,
}

impl Code {
    /// Whether the bundle itself is in order, and only the world has gone on.
    #[must_use]
    pub fn is_staleness(self) -> bool {
        self == Self::Stale
    }

    /// Whether something is there that was not looked into, so that nobody can say what it holds.
    #[must_use]
    pub fn hides_content(self) -> bool {
        matches!(
            self,
            Self::Unreadable | Self::NotAFile | Self::HardLink | Self::BadName | Self::TooLarge
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The words are serde's, so that there is one list of them.
        self.serialize(f)
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fault {
    /// The kind.
    pub code: Code,
    /// The file or folder, relative to the folder of all evidence.
    pub file: String,
    /// What is wrong, in a sentence.
    pub message: String,
}

impl Fault {
    /// A fault.
    #[must_use]
    pub fn new(code: Code, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            file: excerpt(file.into()),
            message: excerpt(message.into()),
        }
    }
}

/// A text that a bundle may have put in a fault, cut where it is longer than anybody reads.
fn excerpt(text: String) -> String {
    const LONGEST: usize = 500;
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.file, self.message, self.code)
    }
}
