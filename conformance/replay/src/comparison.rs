//! What a comparison found, as commands print it and `--json` writes it.

use serde::{Serialize, Serializer};

use crate::graph::GraphComparison;

/// A model held against TLC on one configuration.
///
/// As JSON it is an object with the fields below, in this order: texts as strings, times as
/// numbers of seconds, `temporal` as an array that is empty where no temporal property was
/// compared, and `graph` as `null` where the graphs were not. The shapes of [`Row`],
/// [`TemporalComparison`] and [`GraphComparison`] are documented there.
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
    /// The temporal properties of the cfg, in its order, each compared alone. There are none if
    /// the search for other violations did not come to its end on both sides; the rows of the
    /// properties then say so.
    pub temporal: Vec<TemporalComparison>,
    /// The whole state graphs, where they were asked for and could be compared. If they were asked
    /// for and could not, the row `graph` says why.
    pub graph: Option<GraphComparison>,
    /// TLC's version as it names itself.
    pub tlc_version: String,
    /// Wall time of TLC, the start of its Java machine included: the sum of all its runs.
    pub tlc_seconds: f64,
    /// Wall time of Plumb's check of the whole cfg.
    pub plumb_seconds: f64,
    /// All that TLC printed on standard output in the run without the temporal properties.
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
/// | row | what stands there |
/// |---|---|
/// | `verdict` | `exhausted`, `violated` or `assumption`, for the whole cfg |
/// | `kind`, `property` | of a violation: what sort of property is violated, and its name |
/// | `distinct`, `generated`, `depth` | the size of the state graph |
/// | `trace` | how many states the counterexample has |
/// | `temporal NAME` | for each temporal property of the cfg: `holds` or `violated`, checked alone |
/// | `lasso NAME` | where it is violated: what the Rust model makes of each engine's counterexample |
/// | `graph` | if the graphs are compared: how many states and steps they have |
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
    /// The name of the row, as in the table above.
    pub what: String,
    /// What TLC says, if it says anything.
    pub tlc: Option<String>,
    /// What Plumb says, if it says anything.
    pub plumb: Option<String>,
    /// Whether the two are the same.
    pub agree: Agreement,
}

/// One temporal property, the only one of a cfg that has the same specification and constants and
/// checks nothing else: TLC does not say which of several it found violated, and Plumb stops at the
/// first.
///
/// As JSON: an object with these fields; a counterexample that does not exist is `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TemporalComparison {
    /// The property's name.
    pub property: String,
    /// The text of the cfg.
    pub cfg: String,
    /// TLC's counterexample; none if it finds the property to hold.
    pub tlc_lasso: Option<LassoReplay>,
    /// Plumb's counterexample; none if it finds the property to hold.
    pub plumb_lasso: Option<LassoReplay>,
    /// Wall time of this run of TLC.
    pub tlc_seconds: f64,
    /// Wall time of this check of Plumb's.
    pub plumb_seconds: f64,
    /// All that TLC printed on standard output.
    pub tlc_log: String,
}

/// An infinite behaviour that an engine shows as a counterexample, replayed on the Rust model.
///
/// The two engines' behaviours are not compared with each other: TLC's are not the shortest.
///
/// As JSON: `{"states": 20, "back_to": 11, "judgement": {"violates": "[]<>(p)"}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LassoReplay {
    /// How many states are shown.
    pub states: usize,
    /// The number of the state with which it goes on after the last one, counted from 1; none if
    /// it stays in the last one.
    pub back_to: Option<u64>,
    /// What came of it.
    pub judgement: Judgement,
}

impl LassoReplay {
    /// Whether it is a behaviour of the Rust model that is fair and violates the property.
    #[must_use]
    pub fn is_violation(&self) -> bool {
        matches!(self.judgement, Judgement::Violates(_))
    }
}

/// What the Rust model makes of a counterexample.
///
/// As JSON: `{"violates": "…"}` or `{"refused": "…"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It is a fair behaviour that violates this conjunct of the property.
    Violates(String),
    /// It is none, for this reason.
    Refused(String),
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
            what: &'a str,
            tlc: Option<&'a str>,
            plumb: Option<&'a str>,
            agreement: &'static str,
            reason: Option<&'a str>,
        }
        Shape {
            what: &self.what,
            tlc: self.tlc.as_deref(),
            plumb: self.plumb.as_deref(),
            agreement: self.agree.word(),
            reason: self.agree.reason(),
        }
        .serialize(serializer)
    }
}
