//! What a comparison found, as commands print it and `--json` writes it.

use serde::{Serialize, Serializer};

use crate::graph::GraphComparison;

/// A model held against TLC on one configuration.
///
/// As JSON it is an object with the fields below, in this order: texts as strings, times as
/// numbers of seconds, and `graph` as `null` where the graphs were not compared. The shapes of
/// [`Row`] and [`GraphComparison`] are documented there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The model's name: its folder below `specs/`.
    pub model: String,
    /// The TLA+ module.
    pub module: String,
    /// The specification that the cfg names.
    pub specification: String,
    /// What was compared, in the order in which it is shown.
    pub rows: Vec<Row>,
    /// The whole state graphs, where they were asked for and could be compared. If they were asked
    /// for and could not, the row `graph` says why.
    pub graph: Option<GraphComparison>,
    /// TLC's version as it names itself.
    pub tlc_version: String,
    /// Wall time of TLC, the start of its Java machine included.
    pub tlc_seconds: f64,
    /// Wall time of Plumb's search.
    pub plumb_seconds: f64,
    /// All that TLC printed on standard output.
    pub tlc_log: String,
}

impl Comparison {
    /// Whether nothing that was compared differs.
    ///
    /// The verdicts are always among what is compared: a run without a verdict is an error and
    /// makes no comparison.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differences().next().is_none()
    }

    /// The rows that differ.
    pub fn differences(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| row.agree == Agreement::Different)
    }

    /// The row of this name.
    #[must_use]
    pub fn row(&self, what: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.what == what)
    }
}

/// One thing that both engines say something about.
///
/// As JSON: `{"what": "distinct", "tlc": "144", "plumb": "144", "agreement": "equal", "reason":
/// null}`, where `agreement` is `equal`, `different` or `not_compared`, and `reason` is a string
/// where something was not compared.
///
/// Of several properties that are violated equally near to an initial state, TLC names the first
/// that it meets and Plumb the first of the cfg. A difference in the row `property` alone may mean
/// no more than that: one property to a cfg decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `verdict`, `kind`, `property`, `distinct`, `generated`, `depth`, `trace` or `graph`.
    pub what: &'static str,
    /// What TLC says, if it says anything.
    pub tlc: Option<String>,
    /// What Plumb says, if it says anything.
    pub plumb: Option<String>,
    /// Whether the two are the same.
    pub agree: Agreement,
}

/// Whether two answers are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// They are.
    Equal,
    /// They are not.
    Different,
    /// They have no common meaning here; why, in a sentence.
    NotCompared(String),
}

impl Agreement {
    /// The word for it in JSON and tables.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Different => "different",
            Self::NotCompared(_) => "not_compared",
        }
    }

    /// Why nothing was compared.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::NotCompared(reason) => Some(reason),
            Self::Equal | Self::Different => None,
        }
    }

    /// Equal if `same`, else different.
    pub(crate) fn of(same: bool) -> Self {
        if same { Self::Equal } else { Self::Different }
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename = "Row")]
        struct Shape<'a> {
            what: &'static str,
            tlc: Option<&'a str>,
            plumb: Option<&'a str>,
            agreement: &'static str,
            reason: Option<&'a str>,
        }
        Shape {
            what: self.what,
            tlc: self.tlc.as_deref(),
            plumb: self.plumb.as_deref(),
            agreement: self.agree.word(),
            reason: self.agree.reason(),
        }
        .serialize(serializer)
    }
}
