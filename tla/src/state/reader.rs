//! Many states of one behaviour, read one after the other.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::{Layout, State};
use crate::value::{Failure, KnownValues, Scanner, Value};

/// A value, and where its text stands if that is all there is to it.
type Written = (Option<Range<usize>>, Arc<Value>);

/// Reads many states of one behaviour or graph, which then share their variables' names.
///
/// From one state to the next most variables keep their values, and bounded models have few values
/// for each. So a text that is the same as before is not parsed again.
#[derive(Default)]
pub(crate) struct StateReader {
    layout: Option<Arc<Layout>>,
    /// The text of the state before.
    before: String,
    /// The values in it.
    values: Vec<Written>,
    known: KnownValues,
}

impl StateReader {
    pub(crate) fn read(&mut self, text: &str) -> Result<State, Box<Failure>> {
        let layout = self.layout.take();
        let expected: &[String] = layout.as_ref().map_or(&[], |layout| &layout.names);
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
            scanner.space();
            let range = scanner.at()..end_of_conjunct(text, scanner.at());
            values.push(self.value(&mut scanner, text, position, range)?);
            scanner.space();
            if scanner.is_at_end() {
                break;
            }
            if !conjuncts {
                scanner.end("the end of the state, whose first variable has no `/\\`")?;
            }
            scanner.expect("/\\", "`/\\` or the end of the state")?;
        }
        let layout = match (names, layout) {
            (Some(names), _) => Layout::new(names.ordered),
            (None, Some(known)) if known.names.len() == values.len() => known,
            (None, Some(known)) => Layout::new(known.names[..values.len()].to_vec()),
            (None, None) => Layout::new(Vec::new()),
        };
        self.layout = Some(Arc::clone(&layout));
        self.before.clear();
        self.before.push_str(text);
        self.values = values;
        let values = self.values.iter();
        let values = values.map(|(_, value)| Arc::clone(value)).collect();
        Ok(State { layout, values })
    }

    /// The value that begins here, with its text. That is mostly all of `range`, and then whatever is
    /// known of the same text holds again.
    fn value(
        &mut self,
        scanner: &mut Scanner<'_>,
        text: &str,
        position: usize,
        range: Range<usize>,
    ) -> Result<Written, Box<Failure>> {
        let written = &text[range.clone()];
        let same = match self.values.get(position) {
            Some((Some(known), value)) if self.before[known.clone()] == *written => {
                Some(Arc::clone(value))
            }
            _ => self.known.get(written),
        };
        if let Some(value) = same {
            scanner.skip_to(range.end);
            return Ok((Some(range), value));
        }
        let counted = scanner.interval_elements();
        let value = Arc::new(scanner.value()?);
        scanner.space();
        // The elements of intervals are counted over the whole state.
        if scanner.at() != range.end || scanner.interval_elements() != counted {
            return Ok((None, value));
        }
        self.known.insert(written, &value);
        Ok((Some(range), value))
    }
}

/// Where the next line begins with `/\`, or the text ends.
fn end_of_conjunct(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(found) = text[at..].find('/') {
        let slash = at + found;
        if slash > from && bytes[slash - 1] == b'\n' && bytes.get(slash + 1) == Some(&b'\\') {
            return slash;
        }
        at = slash + 1;
    }
    text.len()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::parse_state;

    /// Reads the texts one after the other, and each for itself.
    fn assert_read_as_alone(texts: &[&str]) {
        let mut reader = StateReader::default();
        for text in texts {
            let read = reader.read(text).map_err(|failure| failure.locate(text));
            assert_eq!(read, parse_state(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_was_read_before_is_the_same_value_again_wherever_it_stands() {
        let texts = [
            "/\\ x = 1\n/\\ y = <<1,\n  2>>\n/\\ z = {a}",
            "/\\ x = 2\n/\\ y = <<1,\n  2>>\n/\\ z = {a}\n",
            "/\\ y = 2\n/\\ x = {a}\n",
            "/\\ x = 1 /\\ y = <<1, 2>>",
            "/\\ x = 1\n/\\ y = <<1,\n  2>>\n/\\ z = {a}",
            "x = 1",
        ];
        assert_read_as_alone(&texts);
        let mut reader = StateReader::default();
        let first = reader.read(texts[0]).unwrap();
        let second = reader.read(texts[1]).unwrap();
        assert!(Arc::ptr_eq(&first.values[1], &second.values[1]));
        assert!(!first.agrees_at(0, &second) && first.agrees_at(2, &second));
    }

    #[test]
    fn what_looks_like_the_end_of_a_value_and_is_none_is_not_remembered() {
        assert_read_as_alone(&[
            "/\\ x = \"a\n/\\ y = b\"\n/\\ z = 1",
            "/\\ x = \"a\n/\\ y = b\"\n/\\ z = 1",
            "/\\ x = \"a\n/\\ y = b",
            "/\\ x = 1 /\\ z = 2",
            "/\\ x = 1 /\\ z = 3",
            "/\\ x = 1 /\\ z = ",
            "/\\ x = 1 .. 2\n/\\ z = 1",
            "/\\ x = 1\n.. 2\n/\\ z = 1",
        ]);
    }

    #[test]
    fn the_elements_of_intervals_are_counted_however_often_they_were_read() {
        let once = "/\\ x = 1..600000\n/\\ y = 1";
        let twice = "/\\ x = 1..600000\n/\\ y = 1..600000";
        assert_read_as_alone(&[once, once, twice]);
    }

    #[test]
    fn an_error_is_at_the_same_place_behind_values_that_are_known() {
        assert_read_as_alone(&[
            "/\\ x = 1\n/\\ y = 2",
            "/\\ x = 1\n/\\ y = 2\n/\\ x = 1",
            "/\\ x = 1\n/\\ y = 2\n/\\ z =",
            "/\\ x = 1\n/\\ y = 2\ny = 3",
        ]);
    }
}
