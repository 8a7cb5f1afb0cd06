//! One state of a behaviour: a value for each variable.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt::{self, Debug, Display, Formatter, Write};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::error::ParseError;
use crate::value::{Failure, Place, Scanner, Value, write_value};

mod difference;

pub use difference::{Difference, difference};

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
    values: Vec<Value>,
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
                values[known] = value;
            } else {
                names.push(name);
                values.push(value);
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
        let position = self.layout.names.iter().position(|name| name == variable)?;
        self.values.get(position)
    }

    /// The variables with their values, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.layout
            .names
            .iter()
            .map(String::as_str)
            .zip(&self.values)
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
            .map(|at| (layout.names[*at].as_str(), &self.values[*at]))
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

/// Reads many states of one behaviour or graph, which then share their variables' names.
#[derive(Default)]
pub(crate) struct StateReader {
    layout: Option<Arc<Layout>>,
}

impl StateReader {
    pub(crate) fn read(&mut self, text: &str) -> Result<State, Box<Failure>> {
        let known = self.layout.take();
        let expected: &[String] = known.as_ref().map_or(&[], |layout| &layout.names);
        let mut values = Vec::with_capacity(expected.len());
        // The names, once one is not as in the state before.
        let mut names: Option<Names> = None;

        let mut scanner = Scanner::new(text);
        scanner.space();
        let conjuncts = scanner.take("/\\");
        loop {
            scanner.space();
            let at = scanner.at();
            let name = scanner.identifier("a variable's name")?;
            let position = values.len();
            if names.is_some() || expected.get(position).is_none_or(|known| known != name) {
                let names = names.get_or_insert_with(|| Names::from(&expected[..position]));
                if !names.add(name) {
                    return Err(scanner.failure(at, "a variable that has no value yet"));
                }
            }
            scanner.space();
            scanner.expect("=", "`=`")?;
            values.push(scanner.value()?);
            scanner.space();
            if scanner.is_at_end() {
                break;
            }
            if !conjuncts {
                scanner.end("the end of the state, whose first variable has no `/\\`")?;
            }
            scanner.expect("/\\", "`/\\` or the end of the state")?;
        }
        let layout = match (names, known) {
            (Some(names), _) => Layout::new(names.ordered),
            (None, Some(known)) if known.names.len() == values.len() => known,
            (None, Some(known)) => Layout::new(known.names[..values.len()].to_vec()),
            (None, None) => Layout::new(Vec::new()),
        };
        self.layout = Some(Arc::clone(&layout));
        Ok(State { layout, values })
    }
}

/// Names in the order in which they were read, none of them twice.
struct Names {
    ordered: Vec<String>,
    known: HashSet<String>,
}

impl Names {
    fn from(names: &[String]) -> Names {
        Names {
            ordered: names.to_vec(),
            known: names.iter().cloned().collect(),
        }
    }

    /// Adds a name, unless it is there.
    fn add(&mut self, name: &str) -> bool {
        let new = self.known.insert(name.to_owned());
        if new {
            self.ordered.push(name.to_owned());
        }
        new
    }
}
