//! Objects: members in the order in which they are written.

use std::borrow::Cow;

use crate::value::Value;

/// An object: its members in the order of the UTF-8 bytes of their keys, each key once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// A key that was given twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key \"{0}\" occurs twice")]
pub struct DuplicateKey(pub String);

impl<'a> Object<'a> {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Members that are known to be sorted and different.
    pub(crate) fn from_sorted(members: Vec<(Cow<'a, str>, Value<'a>)>) -> Self {
        Self { members }
    }

    /// An object of these members, given in any order.
    ///
    /// # Errors
    ///
    /// A key occurs twice.
    pub fn from_members<K: Into<Cow<'a, str>>>(
        members: impl IntoIterator<Item = (K, Value<'a>)>,
    ) -> Result<Self, DuplicateKey> {
        let members = members.into_iter().map(|(key, value)| (key.into(), value));
        let mut members: Vec<_> = members.collect();
        members.sort_by(|(left, _), (right, _)| left.cmp(right));
        match members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(DuplicateKey(pair[0].0.to_string())),
            None => Ok(Self { members }),
        }
    }

    /// Sets a member; the value that it had before is returned.
    pub fn insert(&mut self, key: impl Into<Cow<'a, str>>, value: Value<'a>) -> Option<Value<'a>> {
        let key = key.into();
        match self.find(&key) {
            Ok(index) => Some(std::mem::replace(&mut self.members[index].1, value)),
            Err(index) => {
                self.members.insert(index, (key, value));
                None
            }
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let index = self.find(key).ok()?;
        Some(self.members.remove(index).1)
    }

    /// The member of this name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.find(key).ok().map(|index| &self.members[index].1)
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// True of an object without members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members in canonical order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value<'a>)> + Clone {
        self.members.iter().map(|(key, value)| (&**key, value))
    }

    /// The same object, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Object<'static> {
        let owned = |(key, value): (Cow<'a, str>, Value<'a>)| {
            (Cow::Owned(key.into_owned()), value.into_owned())
        };
        Object {
            members: self.members.into_iter().map(owned).collect(),
        }
    }

    pub(crate) fn members(&self) -> &[(Cow<'a, str>, Value<'a>)] {
        &self.members
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        // Most objects are records of a dozen members.
        self.members.binary_search_by(|(name, _)| (**name).cmp(key))
    }
}

impl<'a> IntoIterator for Object<'a> {
    type Item = (Cow<'a, str>, Value<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}
