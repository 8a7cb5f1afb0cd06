//! A configuration as the text of a file.

use std::fmt::{self, Display, Formatter};

use super::{Binding, Cfg, CheckKind};

impl Display for Cfg {
    /// The text of a file that says the same, without comments: invariants and properties stand in
    /// their order, everything else by kind.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if let Some(specification) = &self.specification {
            writeln!(out, "SPECIFICATION {}", specification.value)?;
        }
        if !self.constants.is_empty() {
            writeln!(out, "CONSTANTS")?;
        }
        for constant in &self.constants {
            let name = &constant.name.value;
            match &constant.binding {
                Binding::Value(value) => writeln!(out, "  {name} = {}", value.value)?,
                Binding::Operator(operator) => writeln!(out, "  {name} <- {}", operator.value)?,
            }
        }
        for (kind, name) in self.checks() {
            let keyword = match kind {
                CheckKind::Invariant => "INVARIANT",
                CheckKind::Property => "PROPERTY",
            };
            writeln!(out, "{keyword} {}", name.value)?;
        }
        for constraint in &self.constraints {
            writeln!(out, "CONSTRAINT {}", constraint.value)?;
        }
        if let Some(check) = &self.check_deadlock {
            writeln!(
                out,
                "CHECK_DEADLOCK {}",
                if check.value { "TRUE" } else { "FALSE" }
            )?;
        }
        Ok(())
    }
}
