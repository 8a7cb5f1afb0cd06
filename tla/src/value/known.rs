//! Texts of values that were read before.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use super::Value;

/// So many bytes of text are remembered at most, in two halves; values take some twenty times as
/// much memory as their texts.
const MOST_TEXT: usize = 512 << 10;

/// No longer text is remembered.
const LONGEST: usize = MOST_TEXT / 32;

/// The values of texts that were read lately.
///
/// There are two generations: when one is full, the older one is forgotten. What is found in the
/// older one is as good as new.
#[derive(Default)]
pub(crate) struct KnownValues {
    young: HashMap<Box<str>, Arc<Value>>,
    old: HashMap<Box<str>, Arc<Value>>,
    /// How many bytes the young texts have.
    size: usize,
}

impl KnownValues {
    /// The value of this text, if it is known.
    pub(crate) fn get(&mut self, text: &str) -> Option<Arc<Value>> {
        if let Some(value) = self.young.get(text) {
            return Some(Arc::clone(value));
        }
        let (text, value) = self.old.remove_entry(text)?;
        self.add(text, Arc::clone(&value));
        Some(value)
    }

    /// Remembers that this text, all of it, is this value.
    pub(crate) fn insert(&mut self, text: &str, value: &Arc<Value>) {
        if text.len() <= LONGEST {
            self.add(text.into(), Arc::clone(value));
        }
    }

    fn add(&mut self, text: Box<str>, value: Arc<Value>) {
        self.size += text.len();
        if self.size > MOST_TEXT / 2 {
            self.size = text.len();
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(text, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_lately_is_known_and_what_was_read_long_ago_is_forgotten() {
        let mut known = KnownValues::default();
        let text = |number: usize| format!("{number:01000}");
        let value = |number: usize| Arc::new(Value::Int(number as i64));
        for number in 0..10_000 {
            known.insert(&text(number), &value(number));
            let both = known.young.len() + known.old.len();
            assert!(both * 1000 <= MOST_TEXT, "{both} texts are kept");
            // This one is asked for again and again.
            assert_eq!(known.get(&text(0)), Some(value(0)));
        }
        assert_eq!(known.get(&text(9_999)), Some(value(9_999)));
        assert_eq!(known.get(&text(1)), None);
        let long = "1".repeat(LONGEST + 1);
        known.insert(&long, &value(1));
        assert_eq!(known.get(&long), None);
    }
}
