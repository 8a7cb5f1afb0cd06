//! Reading a model's state from TLA+ values, with errors that name the place.

use std::borrow::Cow;
use std::rc::Rc;

use plumb_checker::NotAState;
use plumb_tla::{State as TlaState, Value};

use crate::finite::{Finite, Map, Subset};

/// The variables of a state, all of them known and none missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variables<'a> {
    state: &'a TlaState,
}

impl<'a> Variables<'a> {
    /// # Errors
    ///
    /// The state has other variables than `expected`.
    pub(crate) fn of(state: &'a TlaState, expected: &[&str]) -> Result<Self, NotAState> {
        if let Some(missing) = expected.iter().find(|name| state.get(name).is_none()) {
            return Err(NotAState::new(*missing, "a value", None));
        }
        match state.iter().find(|(name, _)| !expected.contains(name)) {
            Some((unknown, value)) => Err(NotAState::new(
                unknown,
                format!("no such variable (the module has {})", expected.join(", ")),
                Some(value),
            )),
            None => Ok(Self { state }),
        }
    }

    /// The value of a variable.
    pub(crate) fn place(self, variable: &str) -> Place<'a> {
        Place {
            path: Path::Variable(variable.to_owned()),
            value: self.state.get(variable),
        }
    }
}

/// Where in a state something stands. It is put into words for an error only.
#[derive(Clone, Debug)]
enum Path {
    Variable(String),
    Element(Rc<Path>, usize),
    Field(Rc<Path>, Cow<'static, str>),
}

impl Path {
    /// In TLA+'s notation: `pending[1].phase`.
    fn in_words(&self) -> String {
        let mut parts = Vec::new();
        let mut path = self;
        loop {
            path = match path {
                Self::Variable(name) => {
                    parts.push(name.clone());
                    break;
                }
                Self::Element(of, number) => {
                    parts.push(format!("[{number}]"));
                    of
                }
                Self::Field(of, name) => {
                    parts.push(format!(".{name}"));
                    of
                }
            };
        }
        parts.reverse();
        parts.concat()
    }
}

/// A value and where in the state it stands.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    path: Path,
    value: Option<&'a Value>,
}

impl<'a> Place<'a> {
    /// The error that something else is expected here.
    pub(crate) fn refuse(&self, expected: impl Into<String>) -> NotAState {
        NotAState::new(self.path.in_words(), expected, self.value)
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&'a Value) -> Option<T>,
        expected: impl FnOnce() -> String,
    ) -> Result<T, NotAState> {
        self.value
            .and_then(read)
            .ok_or_else(|| self.refuse(expected()))
    }

    pub(crate) fn boolean(&self) -> Result<bool, NotAState> {
        self.read(Value::as_bool, || "TRUE or FALSE".into())
    }

    pub(crate) fn integer(&self) -> Result<i64, NotAState> {
        self.read(Value::as_int, || "an integer".into())
    }

    /// A value of a finite type.
    pub(crate) fn finite<E: Finite>(&self) -> Result<E, NotAState> {
        self.read(E::from_value, || format!("one of {}", listed::<E>()))
    }

    /// A set of values of a finite type.
    pub(crate) fn subset<E: Finite>(&self) -> Result<Subset<E>, NotAState> {
        let read = |value: &Value| {
            let elements = value.as_set()?.iter().map(E::from_value);
            Some(Subset::of(elements.collect::<Option<Vec<_>>>()?))
        };
        self.read(read, || format!("a subset of {{{}}}", listed::<E>()))
    }

    /// The elements of a set, each of them at the place of the whole.
    pub(crate) fn elements(&self) -> Result<Vec<Place<'a>>, NotAState> {
        let elements = self.read(Value::as_set, || "a set".into())?;
        Ok(elements
            .iter()
            .map(|element| Place {
                path: self.path.clone(),
                value: Some(element),
            })
            .collect())
    }

    /// The elements of a sequence.
    pub(crate) fn sequence(&self) -> Result<Vec<Place<'a>>, NotAState> {
        let elements = self.read(Value::as_tuple, || "a sequence".into())?;
        let path = Rc::new(self.path.clone());
        Ok((1..)
            .zip(elements)
            .map(|(number, element)| Place {
                path: Path::Element(Rc::clone(&path), number),
                value: Some(element),
            })
            .collect())
    }

    /// The results of a function on `1..length`.
    pub(crate) fn function_on(&self, length: usize) -> Result<Vec<Place<'a>>, NotAState> {
        let results = self.sequence()?;
        if results.len() == length {
            Ok(results)
        } else {
            Err(self.refuse(format!("a function on 1..{length}")))
        }
    }

    /// The fields of a record that has exactly these.
    pub(crate) fn record<const N: usize>(
        &self,
        fields: [&'static str; N],
    ) -> Result<[Place<'a>; N], NotAState> {
        let fits = |record: &std::collections::BTreeMap<String, Value>| {
            record.len() == N && fields.iter().all(|field| record.contains_key(*field))
        };
        let record = self.read(
            |value| value.as_record().filter(|record| fits(record)),
            || format!("a record with the fields {}", fields.join(", ")),
        )?;
        let path = Rc::new(self.path.clone());
        Ok(fields.map(|field| Place {
            path: Path::Field(Rc::clone(&path), Cow::Borrowed(field)),
            value: record.get(field),
        }))
    }

    /// A function from a finite type of strings.
    pub(crate) fn map<E: Finite, V: Finite, const N: usize>(
        &self,
    ) -> Result<Map<E, V, N>, NotAState> {
        let names = || E::ALL.iter().map(|element| element.to_value());
        let is_domain = |value: &&Value| {
            let names: Vec<Value> = names().collect();
            value.as_record().is_some_and(|record| {
                record.len() == names.len()
                    && record.keys().all(|name| names.contains(&Value::str(name)))
            })
        };
        let record = self.read(
            |value| Some(value).filter(is_domain),
            || format!("a function on {{{}}}", listed::<E>()),
        )?;
        let path = Rc::new(self.path.clone());
        Map::try_from_fn(|element: E| {
            let argument = element.to_value();
            let name = argument.as_str().unwrap_or_default();
            let place = Place {
                path: Path::Field(Rc::clone(&path), Cow::Owned(name.to_owned())),
                value: record.apply(&argument),
            };
            place.finite()
        })
    }
}

/// All values of a finite type as TLA+ writes them.
fn listed<E: Finite>() -> String {
    let values: Vec<String> = E::ALL
        .iter()
        .map(|element| element.to_value().to_string())
        .collect();
    values.join(", ")
}
