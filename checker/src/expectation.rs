//! What a registered check is expected to find, and whether it did.

use serde::{Deserialize, Serialize};

use crate::report::Report;

/// Why a configuration is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// A bounded search that must be exhausted with everything holding.
    Bound,
    /// A negative control: a deliberate defect that the named property must catch.
    Control,
    /// A claim of unreachability that must be violated, to show that the state is reached.
    Witness,
}

/// The verdicts that can be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpectedVerdict {
    /// The search ends and everything holds.
    Exhausted,
    /// The named property is violated.
    Violated,
    /// The named assumption is false.
    Assumption,
}

/// A registered expectation: published figures that an exploration has to meet.
///
/// A figure that is not given is not compared. Counts at the moment of a violation depend on the
/// order of successors, so only an exhausted search has them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// How the check must end.
    pub verdict: ExpectedVerdict,
    /// The property or assumption that must be violated.
    pub property: Option<String>,
    /// The conjunct of it that must be false.
    pub conjunct: Option<String>,
    /// Distinct states.
    pub distinct: Option<u64>,
    /// Generated states.
    pub generated: Option<u64>,
    /// Breadth-first levels.
    pub depth: Option<u64>,
    /// States of the shortest counterexample.
    pub trace: Option<u64>,
}

/// A check's verdict held against its expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that is expected was found, and nothing else.
    AsExpected,
    /// Something differs; a sentence for each difference.
    Unexpected(Vec<String>),
    /// There was nothing to compare: no expectation, or the check did not come to an end.
    None,
}

impl Outcome {
    /// The outcome's word in JSON and tables.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::AsExpected => "as_expected",
            Self::Unexpected(_) => "unexpected",
            Self::None => "none",
        }
    }
}

impl Expectation {
    /// What is incoherent about the expectation itself, or with its purpose, if anything.
    pub(crate) fn fault(&self, purpose: Purpose) -> Option<&'static str> {
        match (purpose, self.verdict) {
            (Purpose::Bound, ExpectedVerdict::Exhausted)
            | (Purpose::Control, ExpectedVerdict::Violated | ExpectedVerdict::Assumption)
            | (Purpose::Witness, ExpectedVerdict::Violated) => {}
            (Purpose::Bound, _) => return Some("a bound is to be exhausted"),
            (Purpose::Control, _) => return Some("a control is a defect that must be found"),
            (Purpose::Witness, _) => return Some("a witness is to be violated"),
        }
        let counts = self.distinct.is_some() || self.generated.is_some() || self.depth.is_some();
        match self.verdict {
            ExpectedVerdict::Exhausted if self.property.is_some() || self.conjunct.is_some() => {
                Some("an exhausted search has no violated property")
            }
            ExpectedVerdict::Exhausted if self.trace.is_some() => {
                Some("an exhausted search has no trace")
            }
            ExpectedVerdict::Exhausted => None,
            _ if self.property.is_none() => Some("the violated property is not named"),
            _ if counts => Some("counts at a violation depend on the order of successors"),
            ExpectedVerdict::Assumption if self.trace.is_some() => {
                Some("a false assumption has no trace")
            }
            ExpectedVerdict::Violated | ExpectedVerdict::Assumption => None,
        }
    }

    /// Holds a report against the expectation.
    #[must_use]
    pub fn judge(&self, report: &Report) -> Outcome {
        self.judge_figures(&Figures::of(report))
    }

    /// Holds what is known of a check against the expectation.
    #[must_use]
    pub fn judge_figures(&self, found: &Figures<'_>) -> Outcome {
        if let "inconclusive" | "error" = found.verdict {
            return Outcome::None;
        }
        let mut differences = Vec::new();
        let mut compare = |what: &str, expected: Option<String>, found: Option<String>| {
            if let Some(expected) = expected
                && found.as_ref() != Some(&expected)
            {
                let found = found.unwrap_or_else(|| "none".to_owned());
                differences.push(format!("{what}: expected {expected}, found {found}"));
            }
        };
        let verdict = match self.verdict {
            ExpectedVerdict::Exhausted => "exhausted",
            ExpectedVerdict::Violated => "violated",
            ExpectedVerdict::Assumption => "assumption",
        };
        compare(
            "verdict",
            Some(verdict.to_owned()),
            Some(found.verdict.to_owned()),
        );
        let property = found.property.map(str::to_owned);
        let wanted = self.property.clone().or_else(|| {
            // A violation that nobody expects is named in the differences.
            property.as_ref().map(|_| "none".to_owned())
        });
        compare("property", wanted, property);
        let conjunct = found.conjunct.map(str::to_owned);
        compare("conjunct", self.conjunct.clone(), conjunct);
        let text = |figure: Option<u64>| figure.map(|figure| figure.to_string());
        compare("distinct", text(self.distinct), text(found.distinct));
        compare("generated", text(self.generated), text(found.generated));
        if found.depth.is_some() {
            compare("depth", text(self.depth), text(found.depth));
        }
        if found.trace.is_some() {
            compare("trace length", text(self.trace), text(found.trace));
        }
        if differences.is_empty() {
            Outcome::AsExpected
        } else {
            Outcome::Unexpected(differences)
        }
    }
}

/// What is known of a check and can be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures<'a> {
    /// The verdict's word.
    pub verdict: &'a str,
    /// The violated property or assumption.
    pub property: Option<&'a str>,
    /// The conjunct of it that is false.
    pub conjunct: Option<&'a str>,
    /// Distinct states.
    pub distinct: Option<u64>,
    /// Generated states.
    pub generated: Option<u64>,
    /// Breadth-first levels. A figure that is unknown here is not compared.
    pub depth: Option<u64>,
    /// States of the counterexample. As for the depth, what is unknown is not compared.
    pub trace: Option<u64>,
}

impl<'a> Figures<'a> {
    fn of(report: &'a Report) -> Self {
        // stateright's engine knows no levels, and with several threads its counterexamples are not
        // the shortest; but a search without states has no levels either.
        let breadth_first = !report.levels.is_empty() || report.distinct == 0;
        Self {
            verdict: report.verdict.word(),
            property: report.verdict.property(),
            conjunct: report.verdict.conjunct(),
            distinct: Some(report.distinct),
            generated: Some(report.generated),
            depth: breadth_first.then_some(report.depth() as u64),
            trace: breadth_first.then_some(report.trace.len() as u64),
        }
    }
}
