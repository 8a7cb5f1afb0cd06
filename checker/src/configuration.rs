//! From a parsed cfg to a configured model: typed access to constants, with errors that point at
//! the line.
//!
//! A [`Reader`] hands a model its specification and constants by name and type. Whatever the cfg
//! names and the model did not ask for is an error: nothing in a cfg is ever ignored.

use std::collections::BTreeSet;

use plumb_tla::{Binding, Cfg, CfgError, Constant, Position, Spanned, Value};

/// Why a cfg does not configure a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// The text is not in the cfg language.
    #[error(transparent)]
    Syntax(#[from] CfgError),
    /// There is no `SPECIFICATION` statement.
    #[error(
        "the configuration names no SPECIFICATION: expected one of {}",
        list(known)
    )]
    MissingSpecification {
        /// The specifications that the module has.
        known: Vec<String>,
    },
    /// A constant of the module has no value.
    #[error("constant {name} has no value: expected {expected}")]
    MissingConstant {
        /// The constant.
        name: String,
        /// The type or the choice of values.
        expected: String,
    },
    /// A name that the module does not have.
    #[error("unknown {kind} {name}: expected {}", list_or_none(known))]
    UnknownName {
        /// What was looked for: "constant", "invariant" and so on.
        kind: &'static str,
        /// The name found.
        name: String,
        /// Where it stands.
        position: Position,
        /// The names that exist.
        known: Vec<String>,
        /// What to do instead, where the name exists as something else.
        hint: Option<String>,
    },
    /// A temporal property of the model is not one that can be decided.
    #[error(
        "temporal property {name}: cannot decide {formula}: expected conjunctions of []<>p, <>[]p, \
         p ~> q, and implications between the first two, over state predicates"
    )]
    UndecidableFormula {
        /// The property.
        name: String,
        /// Where the cfg names it.
        position: Position,
        /// The part of its formula that is outside of what can be decided.
        formula: String,
    },
    /// A temporal property is asked for together with a constraint.
    #[error("temporal property {name} cannot be decided under the constraint {constraint}")]
    TemporalUnderConstraint {
        /// The property.
        name: String,
        /// Where the cfg names it.
        position: Position,
        /// The constraint.
        constraint: String,
    },
    /// A constant has a value of the wrong type, or one outside of what the module assumes.
    #[error("constant {name}: expected {expected}, found {found}")]
    WrongValue {
        /// The constant.
        name: String,
        /// Where its value stands.
        position: Position,
        /// What the module can take.
        expected: String,
        /// The value found.
        found: String,
    },
}

impl ConfigurationError {
    /// Line and column in the cfg, where the fault is something that stands there.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Syntax(error) => Some(error.position()),
            Self::MissingSpecification { .. } | Self::MissingConstant { .. } => None,
            Self::UnknownName { position, .. }
            | Self::UndecidableFormula { position, .. }
            | Self::TemporalUnderConstraint { position, .. }
            | Self::WrongValue { position, .. } => Some(*position),
        }
    }

    /// What to do about it, where that is more than the message says.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Syntax(error) => error.hint(),
            Self::MissingSpecification { known } => Some(format!(
                "add a line such as `SPECIFICATION {}`",
                known.first()?
            )),
            Self::MissingConstant { name, .. } => {
                Some(format!("add a line such as `CONSTANT {name} = …`"))
            }
            Self::UnknownName { hint, .. } => hint.clone(),
            Self::TemporalUnderConstraint { .. } => Some(
                "what a constraint cuts off may be the way out of a cycle; bound the model by its \
                 constants instead"
                    .to_owned(),
            ),
            Self::UndecidableFormula { .. } | Self::WrongValue { .. } => None,
        }
    }
}

pub(crate) fn list(names: &[String]) -> String {
    names.join(", ")
}

fn list_or_none(names: &[String]) -> String {
    match names {
        [] => "none, the model has no such thing".into(),
        [one] => one.clone(),
        _ => format!("one of {}", list(names)),
    }
}

/// Typed access to the specification and the constants of a cfg.
///
/// ```
/// use plumb_checker::Reader;
/// let cfg = plumb_tla::parse_cfg("SPECIFICATION Spec\nCONSTANTS Limit = 3 Mode = \"strict\"")?;
/// let mut reader = Reader::new(&cfg);
/// let strict = reader.choice("Mode", &[("weighted", false), ("strict", true)])?;
/// assert_eq!((reader.integer("Limit")?, strict), (3, true));
/// assert!(reader.boolean("Packable").is_err(), "a missing constant is an error");
/// # Ok::<(), plumb_checker::ConfigurationError>(())
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    cfg: &'a Cfg,
    asked: BTreeSet<&'a str>,
    known: Vec<String>,
    asked_for_specification: bool,
}

impl<'a> Reader<'a> {
    /// A reader over `cfg`.
    #[must_use]
    pub fn new(cfg: &'a Cfg) -> Self {
        Self {
            cfg,
            asked: BTreeSet::new(),
            known: Vec::new(),
            asked_for_specification: false,
        }
    }

    /// The entry of `table` that the `SPECIFICATION` statement names.
    ///
    /// # Errors
    ///
    /// No such statement, or a name that is not in the table.
    pub fn specification<T: Copy>(&mut self, table: &[(&str, T)]) -> Result<T, ConfigurationError> {
        self.asked_for_specification = true;
        let known = || table.iter().map(|(name, _)| (*name).to_owned()).collect();
        let Some(Spanned {
            value: name,
            position,
        }) = &self.cfg.specification
        else {
            return Err(ConfigurationError::MissingSpecification { known: known() });
        };
        pick(table, name).ok_or_else(|| ConfigurationError::UnknownName {
            kind: "specification",
            name: name.clone(),
            position: *position,
            known: known(),
            hint: None,
        })
    }

    /// An integer constant.
    ///
    /// # Errors
    ///
    /// The constant is missing or not an integer.
    pub fn integer(&mut self, name: &str) -> Result<i64, ConfigurationError> {
        self.typed(name, "an integer", Value::as_int)
    }

    /// An integer constant of at least `least`, as a module assumes of a count.
    ///
    /// # Errors
    ///
    /// The constant is missing, not an integer, smaller, or too large to count with.
    pub fn count(&mut self, name: &str, least: u32) -> Result<u32, ConfigurationError> {
        let number = self.integer(name)?;
        match u32::try_from(number) {
            Ok(number) if number >= least => Ok(number),
            Err(_) if number > 0 => {
                Err(self.refuse(name, format!("an integer of at most {}", u32::MAX)))
            }
            _ => Err(self.refuse(name, format!("an integer of at least {least}"))),
        }
    }

    /// A boolean constant.
    ///
    /// # Errors
    ///
    /// The constant is missing or not a boolean.
    pub fn boolean(&mut self, name: &str) -> Result<bool, ConfigurationError> {
        self.typed(name, "TRUE or FALSE", Value::as_bool)
    }

    /// A string constant out of a closed list.
    ///
    /// # Errors
    ///
    /// The constant is missing, not a string, or a string that is not in the table.
    pub fn choice<T: Copy>(
        &mut self,
        name: &str,
        table: &[(&str, T)],
    ) -> Result<T, ConfigurationError> {
        let names: Vec<_> = table.iter().map(|(name, _)| format!("{name:?}")).collect();
        let expected = format!("one of {}", list(&names));
        self.typed(name, &expected, |value| pick(table, value.as_str()?))
    }

    /// A constant that the cfg defines by an operator of the module: `Name <- Operator`.
    ///
    /// # Errors
    ///
    /// The constant is missing, given as a value, or names an operator that is not in the table.
    pub fn operator<T: Copy>(
        &mut self,
        name: &str,
        table: &[(&str, T)],
    ) -> Result<T, ConfigurationError> {
        let known: Vec<_> = table.iter().map(|(name, _)| (*name).to_owned()).collect();
        let expected = format!("`{name} <- …` with one of {}", list(&known));
        let Some(constant) = self.constant(name) else {
            return Err(ConfigurationError::MissingConstant {
                name: name.into(),
                expected,
            });
        };
        match &constant.binding {
            Binding::Operator(operator) => {
                pick(table, &operator.value).ok_or_else(|| ConfigurationError::UnknownName {
                    kind: "operator",
                    name: operator.value.clone(),
                    position: operator.position,
                    known,
                    hint: None,
                })
            }
            Binding::Value(value) => Err(ConfigurationError::WrongValue {
                name: name.into(),
                position: value.position,
                expected,
                found: value.value.to_string(),
            }),
        }
    }

    /// The error for a constant whose value the module's `ASSUME` excludes.
    #[must_use]
    pub fn refuse(&self, name: &str, expected: impl Into<String>) -> ConfigurationError {
        let expected = expected.into();
        match self
            .cfg
            .constants
            .iter()
            .find(|constant| constant.name.value == name)
        {
            Some(constant) => {
                let (position, found) = written(constant);
                ConfigurationError::WrongValue {
                    name: name.into(),
                    position,
                    expected,
                    found,
                }
            }
            None => ConfigurationError::MissingConstant {
                name: name.into(),
                expected,
            },
        }
    }

    /// Ends the reading: whatever the cfg defines and nobody asked for is an error.
    ///
    /// # Errors
    ///
    /// The first constant of the cfg that the model did not ask for, or the specification.
    pub fn finish(self) -> Result<(), ConfigurationError> {
        if let Some(Spanned { value, position }) = &self.cfg.specification
            && !self.asked_for_specification
        {
            return Err(ConfigurationError::UnknownName {
                kind: "specification",
                name: value.clone(),
                position: *position,
                known: Vec::new(),
                hint: None,
            });
        }
        let unknown = self
            .cfg
            .constants
            .iter()
            .find(|constant| !self.asked.contains(constant.name.value.as_str()));
        match unknown {
            None => Ok(()),
            Some(constant) => Err(ConfigurationError::UnknownName {
                kind: "constant",
                name: constant.name.value.clone(),
                position: constant.name.position,
                known: self.known,
                hint: None,
            }),
        }
    }

    fn constant(&mut self, name: &str) -> Option<&'a Constant> {
        if self.known.iter().all(|known| known != name) {
            self.known.push(name.to_owned());
        }
        let found = self
            .cfg
            .constants
            .iter()
            .find(|constant| constant.name.value == name)?;
        self.asked.insert(&found.name.value);
        Some(found)
    }

    fn typed<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, ConfigurationError> {
        let Some(constant) = self.constant(name) else {
            return Err(ConfigurationError::MissingConstant {
                name: name.into(),
                expected: expected.into(),
            });
        };
        let value = match &constant.binding {
            Binding::Value(value) => read(&value.value),
            Binding::Operator(_) => None,
        };
        value.ok_or_else(|| {
            let (position, found) = written(constant);
            ConfigurationError::WrongValue {
                name: name.into(),
                position,
                expected: expected.into(),
                found,
            }
        })
    }
}

fn pick<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, entry)| *entry)
}

/// How a constant is written in the cfg, and where.
fn written(constant: &Constant) -> (Position, String) {
    match &constant.binding {
        Binding::Value(value) => (value.position, value.value.to_string()),
        Binding::Operator(operator) => (
            operator.position,
            format!("the operator {}", operator.value),
        ),
    }
}
