//! What stands beside a positive result, so that it is not believed for nothing.
//!
//! That no state violates a property can have two bad reasons: the property cannot see the defect,
//! or what it is about never happens. Against the first there are *controls*, in which a deliberate
//! defect is found, and against the second *witnesses*.

use std::collections::BTreeSet;

use plumb_checker::{PropertyDescription, Purpose, Registry};

use crate::bundle::cfg_path;
use crate::record::{ResultRecord, VerdictWord};
use crate::verify::{Audit, Status};

/// A control beside the positive result that it guards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Guard {
    /// The property, or the part of it, that finds the control's defect.
    pub property: String,
    /// The control's configuration.
    pub configuration: String,
}

/// What guards one positive result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// Controls of the same model, by the property that finds their defect.
    pub controls: Vec<Guard>,
    /// Witnesses of the same model.
    pub witnesses: Vec<String>,
    /// Properties, or parts of them, that no control is found by.
    pub without: Vec<String>,
}

/// What guards a positive result, out of all bundles that were audited; none if it is no positive
/// result, or not a valid one. Only valid bundles guard anything, and nothing is said to be without
/// a guard if one of the model's bundles is not valid.
#[must_use]
pub fn guards(registry: &Registry, audits: &[Audit], audit: &Audit) -> Option<Guards> {
    let result = valid(audit)?;
    if result.purpose != Purpose::Bound || result.verdict.word != VerdictWord::Exhausted {
        return None;
    }
    let checked = checked(registry, audit, result);
    let of_model = audits.iter().filter(|other| other.model == audit.model);
    let others: Vec<Option<&ResultRecord>> = of_model.map(valid).collect();
    let all_valid = others.iter().all(Option::is_some);
    let mut guards = Guards::default();
    let mut guarded = BTreeSet::new();
    for other in others.into_iter().flatten() {
        let verdict = &other.verdict;
        let found = matches!(
            verdict.word,
            VerdictWord::Violated | VerdictWord::Assumption
        );
        match other.purpose {
            Purpose::Control if found => {
                // A conjunct says more than the conjunction.
                let names = [&verdict.conjunct, &verdict.property].into_iter().flatten();
                let Some(property) = names.into_iter().find(|name| checked.contains(*name)) else {
                    continue;
                };
                guarded.insert(property.clone());
                guards.controls.push(Guard {
                    property: property.clone(),
                    configuration: other.configuration.clone(),
                });
            }
            Purpose::Witness if found => guards.witnesses.push(other.configuration.clone()),
            _ => {}
        }
    }
    guards.controls.sort();
    guards.witnesses.sort();
    if all_valid {
        guards.without = checked.difference(&guarded).cloned().collect();
    }
    Some(guards)
}

fn valid(audit: &Audit) -> Option<&ResultRecord> {
    let result = audit.result.as_ref();
    result.filter(|_| audit.status == Status::Valid)
}

/// Names of what was checked: of a conjunction its parts.
fn checked(registry: &Registry, audit: &Audit, result: &ResultRecord) -> BTreeSet<String> {
    let known = descriptions(registry, audit);
    let mut names = BTreeSet::new();
    for property in &result.properties {
        let known = known.iter().find(|known| known.name == property.name);
        let parts: &[_] = known.map_or(&[], |known| &known.conjuncts);
        if parts.is_empty() {
            names.insert(property.name.clone());
        }
        names.extend(parts.iter().map(|(part, _)| (*part).to_owned()));
    }
    names
}

/// What this program knows of the properties that were checked. Nothing, if the bundle is of other
/// sources than those that lie there now: then they may mean something else.
#[must_use]
pub fn descriptions(registry: &Registry, audit: &Audit) -> Vec<PropertyDescription> {
    let described = || {
        let result = audit
            .result
            .as_ref()
            .filter(|_| audit.status == Status::Valid)?;
        let text = std::str::from_utf8(audit.bundle.file(&cfg_path(result))?).ok()?;
        let cfg = plumb_tla::parse_cfg(text).ok()?;
        let model = registry.find(&result.model)?.configure(&cfg).ok()?;
        Some(model.properties().to_vec())
    };
    described().unwrap_or_default()
}
