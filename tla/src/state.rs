//! One state of a behaviour: a value for each variable.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Display, Formatter, Write};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::error::ParseError;
use crate::value::{Place, Value, write_value};

mod difference;
mod reader;

pub use difference::{Difference, difference};
pub(crate) use reader::StateReader;

/// The values of a module's variables, in the order in which they were declared or printed.
///
/// Two states are equal when the same variables have the same values, in whatever order.
///
/// ```
/// use plumb_tla::{State, Value, parse_state};
///
/// let state = State::new([("turn", Value::int(2)), ("queue", Value::tuple([Value::str("a")]))]);
/// assert_eq!(state.to_string(), "/\\ turn = 2\n/\\ queue = <<\"a\">>");
/// assert_eq!(parse_state("/\\ queue = <<\"a\">>\n/\\ turn = 2")?, state);
/// # Ok::<(), plumb_tla::ParseError>(())
/// ```
#[derive(Clone)]
pub struct State {
    layout: Arc<Layout>,
    values: Vec<Arc<Value>>,
}

/// The variables, which all states of one behaviour or graph share.
struct Layout {
    names: Vec<String>,
    /// The positions of the names in alphabetical order.
    sorted: Vec<usize>,
}

impl Layout {
    fn new(names: Vec<String>) -> Arc<Layout> {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_by(|a, b| names[*a].cmp(&names[*b]));
        Arc::new(Layout { names, sorted })
    }
}

impl State {
    /// A state with these variables. Of a variable given twice the last value counts.
    #[must_use]
    pub fn new<N: Into<String>>(variables: impl IntoIterator<Item = (N, Value)>) -> State {
        let mut names: Vec<String> = Vec::new();
        let mut values = Vec::new();
        for (name, value) in variables {
            let name = name.into();
            if let Some(known) = names.iter().position(|other| *other == name) {
                values[known] = Arc::new(value);
            } else {
                names.push(name);
                values.push(Arc::new(value));
            }
        }
        State {
            layout: Layout::new(names),
            values,
        }
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, variable: &str) -> Option<&Value> {
        self.at(self.position(variable)?)
    }

    /// The place of a variable, counted from 0; the same in all states that [share](Self::shares_variables_of) their variables.
    #[must_use]
    pub fn position(&self, variable: &str) -> Option<usize> {
        self.layout.names.iter().position(|name| name == variable)
    }

    /// The value of the variable at this place.
    #[must_use]
    pub fn at(&self, position: usize) -> Option<&Value> {
        self.values.get(position).map(Arc::as_ref)
    }

    /// Whether the variable at this place has the same value in `other`. Where both states were read
    /// one after the other this is mostly known without a look at the values.
    #[must_use]
    pub fn agrees_at(&self, position: usize, other: &State) -> bool {
        // Equal pointers are told first.
        self.values.get(position) == other.values.get(position)
    }

    /// Whether `other` has the same variables at the same places, as states of one behaviour have
    /// that were read one after the other. Other states may be said not to.
    #[must_use]
    pub fn shares_variables_of(&self, other: &State) -> bool {
        Arc::ptr_eq(&self.layout, &other.layout)
    }

    /// The variables with their values, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.layout
            .names
            .iter()
            .map(String::as_str)
            .zip(self.values.iter().map(Arc::as_ref))
    }

    /// How many variables there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no variables.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether `other` has the same variables, whatever their values.
    #[must_use]
    pub fn has_variables_of(&self, other: &State) -> bool {
        Arc::ptr_eq(&self.layout, &other.layout)
            || self
                .sorted()
                .map(|(name, _)| name)
                .eq(other.sorted().map(|(name, _)| name))
    }

    /// The values of `other` at the places of this state, if both have the same variables.
    #[must_use]
    pub fn with_values_of(&self, other: &State) -> Option<State> {
        let place = |name: &String| Some(Arc::clone(other.values.get(other.position(name)?)?));
        let values: Option<Vec<_>> = self.layout.names.iter().map(place).collect();
        let layout = Arc::clone(&self.layout);
        (self.len() == other.len()).then_some(State {
            layout,
            values: values?,
        })
    }

    /// The state with long values wrapped, so that lines stay within `width` characters where the
    /// values allow it. What is printed is read back as the same state.
    #[must_use]
    pub fn pretty(&self, width: usize) -> PrettyState<'_> {
        PrettyState { state: self, width }
    }

    /// The variables in alphabetical order.
    fn sorted(&self) -> impl Iterator<Item = (&str, &Value)> {
        let layout = &*self.layout;
        layout
            .sorted
            .iter()
            .map(|at| (layout.names[*at].as_str(), &*self.values[*at]))
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        if Arc::ptr_eq(&self.layout, &other.layout) {
            return self.values == other.values;
        }
        self.len() == other.len() && self.sorted().eq(other.sorted())
    }
}

impl Eq for State {}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &State) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for State {
    /// The order of the variables, taken alphabetically, and their values.
    fn cmp(&self, other: &State) -> Ordering {
        self.sorted().cmp(other.sorted())
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.len().hash(hasher);
        for variable in self.sorted() {
            variable.hash(hasher);
        }
    }
}

impl Debug for State {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl Display for State {
    /// One conjunct for each variable, each on one line, as TLC prints states.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for (position, (name, value)) in self.iter().enumerate() {
            let separator = if position > 0 { "\n" } else { "" };
            write!(out, "{separator}/\\ {name} = {value}")?;
        }
        Ok(())
    }
}

/// Prints a state with long values wrapped; made by [`State::pretty`].
#[derive(Clone, Copy, Debug)]
pub struct PrettyState<'a> {
    state: &'a State,
    width: usize,
}

impl Display for PrettyState<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for (position, (name, value)) in self.state.iter().enumerate() {
            if position > 0 {
                out.write_char('\n')?;
            }
            write!(out, "/\\ {name} = ")?;
            let column = "/\\ ".len() + name.chars().count() + " = ".len();
            write_value(
                out,
                value,
                Place {
                    indent: "/\\ ".len(),
                    column,
                    width: self.width,
                },
            )?;
        }
        Ok(())
    }
}

/// Reads a state as TLC prints it: a `/\ name = value` for each variable, over any number of lines;
/// a state with one variable may be written `name = value`.
///
/// # Errors
///
/// When the text is anything else, or a variable occurs twice.
pub fn parse_state(text: &str) -> Result<State, ParseError> {
    StateReader::default()
        .read(text)
        .map_err(|failure| failure.locate(text))
}
