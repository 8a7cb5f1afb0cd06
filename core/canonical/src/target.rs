//! What the reader builds: a tree of values, or canonical text without a tree in between.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::object::Object;
use crate::value::Value;
use crate::write::{write_string, write_value};

/// Takes what the reader meets, in the order of the text.
pub(crate) trait Target<'a> {
    /// What a value becomes.
    type Value;
    /// An array whose end has not come.
    type Elements;
    /// An object whose end has not come.
    type Members;

    /// A value that is neither an array nor an object.
    fn scalar(&mut self, value: Value<'a>) -> Self::Value;

    fn start_array(&mut self) -> Self::Elements;
    /// An element follows, and this many stand before it.
    fn before_element(&mut self, count: usize);
    fn element(&mut self, elements: &mut Self::Elements, value: Self::Value);
    fn end_array(&mut self, elements: Self::Elements) -> Self::Value;

    fn start_object(&mut self) -> Self::Members;
    /// The key of the member that follows; it is handed back if the object has it already.
    fn key(&mut self, members: &mut Self::Members, key: Cow<'a, str>) -> Result<(), Cow<'a, str>>;
    fn member(&mut self, members: &mut Self::Members, value: Self::Value);
    fn end_object(&mut self, members: Self::Members) -> Self::Value;
}

/// The longest object out of order whose keys are compared one by one.
const FEW: usize = 16;

/// The keys of an object, for finding duplicates.
///
/// Canonical text has its keys in order, and then the last one is all there is to compare with. Where
/// they are not, a few are compared one by one, and many go into a set, whose hashes are seeded: no
/// text can make it slow.
#[derive(Default)]
struct Keys<'a> {
    unsorted: bool,
    many: Option<HashSet<Cow<'a, str>>>,
}

impl<'a> Keys<'a> {
    /// Takes a key that comes after those of `before`; false if it is one of them.
    #[expect(clippy::ptr_arg, reason = "a copy of a borrowed key borrows")]
    fn add<'b>(
        &mut self,
        key: &Cow<'a, str>,
        before: impl DoubleEndedIterator<Item = &'b Cow<'a, str>> + ExactSizeIterator + Clone,
    ) -> bool
    where
        'a: 'b,
    {
        if let Some(keys) = &mut self.many {
            return keys.insert(key.clone());
        }
        if !self.unsorted && before.clone().next_back().is_none_or(|last| last < key) {
            return true;
        }
        self.unsorted = true;
        if before.len() <= FEW {
            return !before.clone().any(|other| other == key);
        }
        let mut keys: HashSet<_> = before.cloned().collect();
        let is_new = keys.insert(key.clone());
        self.many = Some(keys);
        is_new
    }
}

/// Builds [`Value`]s.
pub(crate) struct Tree;

/// An object of a tree that is being read.
#[derive(Default)]
pub(crate) struct TreeMembers<'a> {
    keys: Keys<'a>,
    next: Cow<'a, str>,
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Target<'a> for Tree {
    type Value = Value<'a>;
    type Elements = Vec<Value<'a>>;
    type Members = TreeMembers<'a>;

    fn scalar(&mut self, value: Value<'a>) -> Value<'a> {
        value
    }

    fn start_array(&mut self) -> Vec<Value<'a>> {
        Vec::new()
    }

    fn before_element(&mut self, _: usize) {}

    fn element(&mut self, elements: &mut Vec<Value<'a>>, value: Value<'a>) {
        elements.push(value);
    }

    fn end_array(&mut self, elements: Vec<Value<'a>>) -> Value<'a> {
        Value::Array(elements)
    }

    fn start_object(&mut self) -> TreeMembers<'a> {
        TreeMembers::default()
    }

    fn key(&mut self, object: &mut TreeMembers<'a>, key: Cow<'a, str>) -> Result<(), Cow<'a, str>> {
        if !object
            .keys
            .add(&key, object.members.iter().map(|(key, _)| key))
        {
            return Err(key);
        }
        object.next = key;
        Ok(())
    }

    fn member(&mut self, object: &mut TreeMembers<'a>, value: Value<'a>) {
        object
            .members
            .push((std::mem::take(&mut object.next), value));
    }

    fn end_object(&mut self, mut object: TreeMembers<'a>) -> Value<'a> {
        if object.keys.unsorted {
            object
                .members
                .sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        }
        Value::Object(Object::from_sorted(object.members))
    }
}

/// Writes canonical text.
///
/// Members are written as they come. Only where an object's keys are not in order are its members put
/// in order when it ends.
pub(crate) struct Text<'a> {
    text: String,
    /// The members of all open objects: the key, and where the member starts in the text.
    open: Vec<(Cow<'a, str>, usize)>,
    /// For putting members in order.
    scratch: String,
}

/// An object of a text that is being written.
#[derive(Default)]
pub(crate) struct TextMembers<'a> {
    keys: Keys<'a>,
    /// Where its members start among those of all open objects.
    first: usize,
}

impl Text<'_> {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            open: Vec::new(),
            scratch: String::new(),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

impl<'a> Target<'a> for Text<'a> {
    type Value = ();
    type Elements = ();
    type Members = TextMembers<'a>;

    fn scalar(&mut self, value: Value<'a>) {
        write_value(&value, &mut self.text);
    }

    fn start_array(&mut self) {
        self.text.push('[');
    }

    fn before_element(&mut self, count: usize) {
        if count > 0 {
            self.text.push(',');
        }
    }

    fn element(&mut self, (): &mut (), (): ()) {}

    fn end_array(&mut self, (): ()) {
        self.text.push(']');
    }

    fn start_object(&mut self) -> TextMembers<'a> {
        self.text.push('{');
        TextMembers {
            keys: Keys::default(),
            first: self.open.len(),
        }
    }

    fn key(&mut self, object: &mut TextMembers<'a>, key: Cow<'a, str>) -> Result<(), Cow<'a, str>> {
        let before = &self.open[object.first..];
        if !object.keys.add(&key, before.iter().map(|(key, _)| key)) {
            return Err(key);
        }
        if !before.is_empty() {
            self.text.push(',');
        }
        let start = self.text.len();
        write_string(&key, &mut self.text);
        self.text.push(':');
        self.open.push((key, start));
        Ok(())
    }

    fn member(&mut self, _: &mut TextMembers<'a>, (): ()) {}

    fn end_object(&mut self, object: TextMembers<'a>) {
        if object.keys.unsorted {
            self.sort(object.first);
        }
        self.open.truncate(object.first);
        self.text.push('}');
    }
}

impl Text<'_> {
    /// Puts the members of the innermost object in order; its text has no closing brace yet.
    fn sort(&mut self, first: usize) {
        let members = &self.open[first..];
        let Some((_, start)) = members.first() else {
            return;
        };
        let (start, end) = (*start, self.text.len());
        // A member ends before the comma that precedes the next one.
        let ends = members
            .iter()
            .skip(1)
            .map(|(_, start)| start - 1)
            .chain([end]);
        let mut spans: Vec<_> = members
            .iter()
            .zip(ends)
            .map(|((key, start), end)| (key, *start..end))
            .collect();
        spans.sort_unstable_by_key(|(key, _)| *key);
        self.scratch.clear();
        for (index, (_, span)) in spans.into_iter().enumerate() {
            if index > 0 {
                self.scratch.push(',');
            }
            self.scratch.push_str(&self.text[span]);
        }
        self.text.truncate(start);
        self.text.push_str(&self.scratch);
    }
}
