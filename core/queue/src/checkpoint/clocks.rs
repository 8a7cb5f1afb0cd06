//! Clocks as JSON (section 6.4): numbers of any length are decimal strings.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use plumb_canonical::{Object, Value};

use crate::code::Code;
use crate::identity::object;
use crate::schedule::contest::Clocks;
use crate::schedule::stride::Level;
use crate::wire::scalar::{FairnessKey, Priority};
use crate::wire::{Wire, WireError, closed};

/// The longest number of a clock, in digits. The least common multiple of all weights up to 1000 has
/// 433.
const LONGEST_NUMBER: usize = 1000;

/// A competitor as the name of a member.
trait Key: Ord + Clone {
    fn name(&self) -> String;
    fn named(name: &str) -> Option<Self>;
}

impl Key for Priority {
    fn name(&self) -> String {
        self.get().to_string()
    }

    fn named(name: &str) -> Option<Self> {
        let priority = Self::new(name.parse().ok()?)?;
        (priority.name() == name).then_some(priority)
    }
}

impl Key for FairnessKey {
    fn name(&self) -> String {
        self.as_str().to_owned()
    }

    fn named(name: &str) -> Option<Self> {
        Self::new(name)
    }
}

impl Wire for Clocks {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let members = closed(value, code, "clocks", &["classes", "keys"])?;
        let missing = Value::Null;
        let classes = read_level(members.get("classes").unwrap_or(&missing))?;
        let keys = crate::wire::object(members.get("keys").unwrap_or(&missing), code)?;
        let keys = keys.iter().map(|(name, level)| {
            let class = Priority::named(name);
            let class = class.ok_or_else(|| WireError::expected(code, "a priority", level))?;
            Ok((class, read_level(level)?))
        });
        Ok(Self {
            classes,
            keys: keys.collect::<Result<_, WireError>>()?,
        })
    }

    fn write(&self) -> Value<'_> {
        let mut keys = Object::new();
        for (class, level) in &self.keys {
            keys.insert(class.name(), write_level(level));
        }
        object([
            ("classes", write_level(&self.classes)),
            ("keys", keys.into()),
        ])
    }
}

fn write_level<K: Key>(level: &Level<K>) -> Value<'_> {
    let mut pass = Object::new();
    for (key, number) in &level.pass {
        pass.insert(key.name(), number.write());
    }
    let mut active = Object::new();
    for key in &level.active {
        active.insert(key.name(), Value::Bool(true));
    }
    object([
        ("v", level.v.write()),
        ("pass", pass.into()),
        ("active", active.into()),
    ])
}

fn read_level<K: Key>(value: &Value<'_>) -> Result<Level<K>, WireError> {
    let code = Code::CheckpointInvalid;
    let members = closed(value, code, "level of clocks", &["v", "pass", "active"])?;
    let missing = Value::Null;
    let get = |name| members.get(name).unwrap_or(&missing);
    let key = |name: &str| {
        K::named(name).ok_or_else(|| WireError::expected(code, "a competitor", &Value::from(name)))
    };
    let pass = crate::wire::object(get("pass"), code)?.iter();
    let pass = pass.map(|(name, pass)| Ok((key(name)?, BigUint::read(pass, code)?)));
    let pass: BTreeMap<K, BigUint> = pass.collect::<Result<_, WireError>>()?;
    let active = crate::wire::object(get("active"), code)?.iter();
    let active = active.map(|(name, is_active)| match is_active {
        Value::Bool(true) => key(name),
        other => Err(WireError::expected(code, "true", other)),
    });
    let active: BTreeSet<K> = active.collect::<Result<_, WireError>>()?;
    if !active.iter().all(|key| pass.contains_key(key)) {
        return Err(WireError::rule(
            code,
            "a competitor is active and has no pass",
        ));
    }
    Ok(Level {
        v: BigUint::read(get("v"), code)?,
        pass,
        active,
    })
}

impl Wire for BigUint {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let number = value.as_str().and_then(|text| {
            let is_plain = text == "0"
                || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
            (is_plain && text.len() <= LONGEST_NUMBER).then(|| text.parse().ok())?
        });
        number.ok_or_else(|| WireError::expected(code, "a decimal number", value))
    }

    fn write(&self) -> Value<'_> {
        Value::from(self.to_string())
    }
}
