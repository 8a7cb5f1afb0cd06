//! Temporal properties, one at a time.
//!
//! Each is compared by a cfg that names nothing else. Where both engines find it violated, neither
//! is believed: both counterexamples are replayed on the Rust model, and each must be a fair
//! behaviour of it that violates the property.

use plumb_checker::{ConfigurationError, ConfiguredModel, PropertyKind, Report, Verdict};
use plumb_tla::Cfg;
use plumb_tla::tlc::{TlcReport, TlcVerdict, ViolationKind};

use crate::comparison::{Agreement, Judgement, LassoReplay, Row};
use crate::lasso::{replay_plumb, replay_tlc};
use crate::rows::kind_word;

/// Turns a cfg into a model.
pub(crate) type Configure<'a> =
    dyn Fn(&Cfg) -> Result<Box<dyn ConfiguredModel>, ConfigurationError> + 'a;

/// A temporal property alone.
pub(crate) struct Alone {
    pub(crate) property: &'static str,
    /// The text of the cfg that names nothing else.
    pub(crate) cfg: String,
    /// The model of that cfg.
    pub(crate) model: Box<dyn ConfiguredModel>,
}

/// The temporal properties of `cfg`, whose model is `model`, each alone.
pub(crate) fn one_by_one(
    configure: &Configure<'_>,
    cfg: &Cfg,
    model: &dyn ConfiguredModel,
) -> Result<Vec<Alone>, ConfigurationError> {
    names(model)
        .map(|property| {
            let mut cfg = cfg.clone();
            cfg.invariants.clear();
            cfg.properties.retain(|name| name.value == property);
            cfg.properties.truncate(1);
            Ok(Alone {
                property,
                model: configure(&cfg)?,
                cfg: cfg.to_string(),
            })
        })
        .collect()
}

/// The cfg without its temporal properties.
pub(crate) fn without_temporal(cfg: &Cfg, model: &dyn ConfiguredModel) -> Cfg {
    let mut rest = cfg.clone();
    rest.properties
        .retain(|name| names(model).all(|temporal| temporal != name.value));
    rest
}

/// The names of the temporal properties, in the cfg's order.
fn names(model: &dyn ConfiguredModel) -> impl Iterator<Item = &'static str> {
    let properties = model.properties().iter();
    properties
        .filter(|property| property.kind == PropertyKind::Temporal)
        .map(|property| property.name)
}

/// What one engine says about a property.
struct Answer {
    word: String,
    /// The counterexample, replayed.
    lasso: Option<LassoReplay>,
}

/// Both answers about a property alone.
pub(crate) struct Answers<'a> {
    property: &'a str,
    tlc: Answer,
    plumb: Answer,
}

impl<'a> Answers<'a> {
    /// What the two reports on this cfg say.
    pub(crate) fn read(alone: &'a Alone, tlc: &TlcReport, plumb: &Report) -> Self {
        let (property, model) = (alone.property, alone.model.as_ref());
        let tlc_violated = matches!(
            tlc.verdict,
            TlcVerdict::Violated {
                kind: ViolationKind::Temporal,
                ..
            }
        );
        let plumb_violated = plumb.verdict.kind() == Some(PropertyKind::Temporal);
        Self {
            property,
            tlc: Answer {
                word: tlc_word(&tlc.verdict),
                lasso: tlc_violated.then(|| replay_tlc(model, property, tlc)),
            },
            plumb: Answer {
                word: plumb_word(&plumb.verdict),
                lasso: plumb_violated.then(|| replay_plumb(model, property, plumb)),
            },
        }
    }

    /// Whether TLC finds the property violated.
    pub(crate) fn violated_for_tlc(&self) -> bool {
        self.tlc.word != HOLDS
    }

    /// The rows `temporal NAME` and, if there is a counterexample, `lasso NAME`.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> {
        let verdict = Row {
            what: format!("temporal {}", self.property),
            tlc: Some(self.tlc.word.clone()),
            plumb: Some(self.plumb.word.clone()),
            agree: Agreement::of(self.tlc.word == self.plumb.word),
        };
        std::iter::once(verdict).chain(self.lasso_row())
    }

    fn lasso_row(&self) -> Option<Row> {
        let (tlc, plumb) = (self.tlc.lasso.as_ref(), self.plumb.lasso.as_ref());
        let alone = |engine: &str| {
            Agreement::NotCompared(format!("only {engine} finds the property violated"))
        };
        let agree = match (tlc, plumb) {
            (None, None) => return None,
            (Some(tlc), Some(plumb)) => Agreement::of(tlc.is_violation() && plumb.is_violation()),
            // A behaviour that Plumb accepts as a violation, of a property that it says holds.
            (Some(tlc), None) if tlc.is_violation() => Agreement::Different,
            (Some(_), None) => alone("TLC"),
            // Nor may it refuse what it found itself.
            (None, Some(plumb)) if !plumb.is_violation() => Agreement::Different,
            (None, Some(_)) => alone("Plumb"),
        };
        Some(Row {
            what: format!("lasso {}", self.property),
            tlc: tlc.map(describe),
            plumb: plumb.map(describe),
            agree,
        })
    }

    /// The replayed counterexamples: TLC's and Plumb's.
    pub(crate) fn into_lassos(self) -> (Option<LassoReplay>, Option<LassoReplay>) {
        (self.tlc.lasso, self.plumb.lasso)
    }
}

/// The row of a property that is not compared, because something else is violated.
pub(crate) fn uncompared(property: &str) -> Row {
    let reason = "something else is violated, and a temporal property is decided on the whole state \
                  graph only";
    Row {
        what: format!("temporal {property}"),
        tlc: None,
        plumb: None,
        agree: Agreement::NotCompared(reason.to_owned()),
    }
}

fn describe(lasso: &LassoReplay) -> String {
    match &lasso.judgement {
        Judgement::Violates(_) => "a fair violation".to_owned(),
        Judgement::Refused(reason) => format!("refused: {reason}"),
    }
}

const HOLDS: &str = "holds";
const VIOLATED: &str = "violated";

fn plumb_word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Exhausted => HOLDS.to_owned(),
        Verdict::Violated {
            kind: PropertyKind::Temporal,
            ..
        } => VIOLATED.to_owned(),
        Verdict::Violated { kind, .. } => format!("{VIOLATED} as {kind}"),
        // A search without a verdict is an error before it comes here.
        Verdict::Assumption { .. } | Verdict::Inconclusive(_) | Verdict::Error { .. } => {
            verdict.word().to_owned()
        }
    }
}

fn tlc_word(verdict: &TlcVerdict) -> String {
    match verdict {
        TlcVerdict::Success => HOLDS.to_owned(),
        TlcVerdict::Violated {
            kind: ViolationKind::Temporal,
            ..
        } => VIOLATED.to_owned(),
        TlcVerdict::Violated { kind, .. } => format!("{VIOLATED} as {}", kind_word(*kind)),
        TlcVerdict::Assumption { .. } => "assumption".to_owned(),
        // The driver makes errors of these.
        TlcVerdict::Error { .. } | TlcVerdict::Usage { .. } | TlcVerdict::Unfinished => {
            "none".to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
