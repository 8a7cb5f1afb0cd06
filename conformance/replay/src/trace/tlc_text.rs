//! Behaviours written as TLC prints them.

use std::borrow::Borrow;
use std::io::Write;

use plumb_checker::PropertyKind;
use plumb_tla::Value;

use super::error::TraceError;
use super::{Ending, RecordedLabel, RecordedViolation, TraceItem, out_of_order};

/// Writes behaviours as TLC prints them on standard output.
///
/// What is written is read back as the same states, labels, endings and violations, with one
/// exception: like TLC it writes an action that has no parameters as one of which none are told. Of the
/// rest of a header this form can tell only the version of TLC, and where an action stands in its
/// module it does not know.
///
/// # Errors
///
/// When it cannot be written, or the items are not behaviours: a header, then steps numbered from 1,
/// then the end.
pub fn write_tlc_text<W: Write, I: Borrow<TraceItem>>(
    mut out: W,
    items: impl IntoIterator<Item = I>,
) -> Result<W, TraceError> {
    let mut steps = None;
    for item in items {
        let item = item.borrow();
        match (steps, item) {
            (None, TraceItem::Header(header)) => {
                if let Some(version) = &header.tool
                    && version.starts_with("TLC2 Version ")
                {
                    writeln!(out, "{version}")?;
                }
                if let Some(violation) = &header.violation {
                    writeln!(out, "Error: {}", message(violation))?;
                }
                writeln!(out, "Error: The behavior up to this point is:")?;
                steps = Some(0);
            }
            (Some(before), TraceItem::Step(step))
                if step.number == before + 1 && !step.state.is_empty() =>
            {
                let label = label(&step.label);
                write!(out, "State {}:{label}\n{}\n\n", step.number, step.state)?;
                steps = Some(step.number);
            }
            (Some(count @ 1..), TraceItem::End(ending)) => {
                match ending {
                    Ending::Open => {}
                    Ending::Stuttering => writeln!(out, "State {}: Stuttering", count + 1)?,
                    Ending::BackTo(state, by) => {
                        writeln!(out, "Back to state {state}:{}\n", label(by))?;
                    }
                }
                steps = None;
            }
            (steps, item) => return Err(out_of_order(steps, item)),
        }
    }
    if let Some(count) = steps {
        return Err(TraceError::Unwritable {
            expected: "the end of the behaviour".to_owned(),
            found: format!("the end of the items after state {count}"),
        });
    }
    out.flush()?;
    Ok(out)
}

fn label(label: &RecordedLabel) -> String {
    match label {
        RecordedLabel::Initial => " <Initial predicate>".to_owned(),
        RecordedLabel::Unlabelled => String::new(),
        RecordedLabel::Action {
            name,
            parameters: None,
        } => format!(" <{name}>"),
        RecordedLabel::Action {
            name,
            parameters: Some(values),
        } if values.is_empty() => format!(" <{name}>"),
        RecordedLabel::Action {
            name,
            parameters: Some(values),
        } => {
            let texts: Vec<String> = values.iter().map(Value::to_string).collect();
            format!(" <{name}({})>", texts.join(","))
        }
    }
}

fn message(violation: &RecordedViolation) -> String {
    // TLC prints the place of a property without a name.
    let name = violation.property.as_deref().unwrap_or("without a name");
    match violation.kind {
        PropertyKind::Invariant => format!("Invariant {name} is violated."),
        PropertyKind::Step => format!("Action property {name} is violated."),
        PropertyKind::Temporal if violation.property.is_none() => {
            "Temporal properties were violated.".to_owned()
        }
        PropertyKind::Temporal => format!("Temporal property {name} was violated."),
        PropertyKind::Assumption => format!("Assumption {name} is false."),
        PropertyKind::Deadlock => "Deadlock reached.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_action_with_parameters_has_parentheses() {
        let by = |parameters| {
            label(&RecordedLabel::Action {
                name: "Take".to_owned(),
                parameters,
            })
        };
        assert_eq!(by(None), " <Take>");
        assert_eq!(by(Some(Vec::new())), " <Take>");
        let two = vec![Value::int(1), Value::str("a")];
        assert_eq!(by(Some(two)), " <Take(1,\"a\")>");
    }

    #[test]
    fn an_action_without_parameters_is_read_with_and_without_parentheses() {
        let read = |label: &str| {
            let text = format!(
                "State 1: <Initial predicate>\nn = 1\n\nState 2: <{label} line 1, col 2 to line 3, \
                 col 4 of module M>\nn = 2\n\n"
            );
            let items = crate::trace::read(text.as_bytes(), "t", None).unwrap();
            let labels = items.filter_map(|item| match item.unwrap() {
                TraceItem::Step(step) => Some(step.label),
                _ => None,
            });
            labels.last().unwrap()
        };
        let by = |parameters| RecordedLabel::Action {
            name: "Take".to_owned(),
            parameters,
        };
        assert_eq!(read("Take"), by(None));
        assert_eq!(read("Take()"), by(Some(Vec::new())));
    }
}
