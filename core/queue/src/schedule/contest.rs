//! The contest for the next grant: classes of priority, accounts in them, and the Works of each
//! account in the order in which they came (sections 6.2 and 6.3).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use num_bigint::BigUint;

use super::stride::{Level, Turns, strides};
use crate::wire::policy::{Mode, QueuePolicy};
use crate::wire::scalar::{FairnessKey, Priority};

/// The clocks of a pool (section 6.4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// The classes of priority.
    pub classes: Level<Priority>,
    /// For each class, its accounts.
    pub keys: BTreeMap<Priority, Level<FairnessKey>>,
}

/// What a policy fixes about contests.
#[derive(Clone, Debug)]
pub struct Rules {
    mode: Mode,
    classes: BTreeMap<Priority, BigUint>,
    keys: BTreeMap<FairnessKey, BigUint>,
    none: BigUint,
}

impl Rules {
    /// Those of this policy.
    #[must_use]
    pub fn new(policy: &QueuePolicy) -> Self {
        let weights = policy.class_weights.0.iter().map(|weight| weight.get());
        let keys = policy.accounting_weights.iter();
        Self::of(
            policy.mode,
            weights,
            keys.map(|(key, weight)| (key.clone(), weight.get())),
        )
    }

    /// Those of these weights: of the five classes, the most urgent first, and of the accounts.
    #[must_use]
    pub fn of(
        mode: Mode,
        classes: impl IntoIterator<Item = u64>,
        keys: impl IntoIterator<Item = (FairnessKey, u64)>,
    ) -> Self {
        let classes = (1..).zip(classes);
        let classes = classes.filter_map(|(class, weight)| Some((Priority::new(class)?, weight)));
        Self {
            mode,
            classes: strides(classes),
            keys: strides(keys),
            none: BigUint::ZERO,
        }
    }

    /// True of clocks that grants under these rules can have left behind.
    pub(crate) fn allow(&self, clocks: &Clocks) -> bool {
        let is_strict = self.mode == Mode::StrictPriority;
        let classes = match is_strict {
            true => clocks.classes == Level::default(),
            false => clocks.classes.is_possible(|class| self.classes.get(class)),
        };
        let mut keys = clocks.keys.iter();
        classes
            && keys.all(|(class, level)| {
                level.is_possible(|key| self.keys.get(key))
                    && (is_strict || clocks.classes.pass.contains_key(class))
            })
    }

    fn class(&self, class: Priority) -> &BigUint {
        self.classes.get(&class).unwrap_or(&self.none)
    }

    /// An account without a weight is never admitted.
    fn key(&self, key: &FairnessKey) -> &BigUint {
        self.keys.get(key).unwrap_or(&self.none)
    }
}

/// Who would be next, and with which passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn<T> {
    /// The Work.
    pub work: T,
    /// Its class.
    pub class: Priority,
    /// Its account.
    pub key: FairnessKey,
    /// The pass of the class; none where the class clock is not asked (strict mode).
    pub class_pass: Option<BigUint>,
    /// The pass of the account.
    pub key_pass: BigUint,
}

/// A contest among what was eligible when it began. Works leave it, and none join.
#[derive(Clone, Debug)]
pub struct Contest<'r, T> {
    rules: &'r Rules,
    clocks: Clocks,
    classes: Turns<Priority>,
    accounts: BTreeMap<Priority, Turns<FairnessKey>>,
    buckets: BTreeMap<(Priority, FairnessKey), VecDeque<T>>,
}

impl<'r, T: Clone> Contest<'r, T> {
    /// A contest among these, each bucket's in the order in which they came.
    #[must_use]
    pub fn new(
        rules: &'r Rules,
        clocks: Clocks,
        works: impl IntoIterator<Item = (Priority, FairnessKey, T)>,
    ) -> Self {
        let mut buckets: BTreeMap<_, VecDeque<T>> = BTreeMap::new();
        for (class, key, work) in works {
            buckets.entry((class, key)).or_default().push_back(work);
        }
        let mut eligible: BTreeMap<Priority, BTreeSet<FairnessKey>> = BTreeMap::new();
        for (class, key) in buckets.keys() {
            eligible.entry(*class).or_default().insert(key.clone());
        }
        let classes = Turns::new(clocks.classes.clone(), eligible.keys().copied().collect());
        let level = |class: &Priority| clocks.keys.get(class).cloned().unwrap_or_default();
        let accounts = eligible.into_iter().map(|(class, keys)| {
            let turns = Turns::new(level(&class), keys);
            (class, turns)
        });
        let accounts = accounts.collect();
        Self {
            rules,
            clocks,
            classes,
            accounts,
            buckets,
        }
    }

    /// Who is next; nobody is charged.
    pub fn peek(&mut self) -> Option<Turn<T>> {
        let rules = self.rules;
        let (class, class_pass) = match rules.mode {
            Mode::WeightedPriority => {
                let (class, pass) = self.classes.peek(|class| rules.class(*class))?;
                (class, Some(pass))
            }
            Mode::StrictPriority => {
                let class = self.accounts.iter().find(|(_, turns)| !turns.is_empty())?.0;
                (*class, None)
            }
        };
        let (key, key_pass) = self.accounts.get_mut(&class)?.peek(|key| rules.key(key))?;
        let work = self.buckets.get(&(class, key.clone()))?.front()?.clone();
        Some(Turn {
            work,
            class,
            key,
            class_pass,
            key_pass,
        })
    }

    /// Charges whose turn it was, and takes the Work out.
    pub fn take(&mut self, turn: &Turn<T>) {
        let rules = self.rules;
        if rules.mode == Mode::WeightedPriority {
            self.classes.take(&turn.class, |class| rules.class(*class));
        }
        if let Some(accounts) = self.accounts.get_mut(&turn.class) {
            accounts.take(&turn.key, |key| rules.key(key));
        }
        let bucket = self.buckets.get_mut(&(turn.class, turn.key.clone()));
        let is_empty = bucket.is_none_or(|bucket| {
            bucket.pop_front();
            bucket.is_empty()
        });
        if is_empty {
            self.drop_bucket(turn.class, &turn.key);
        }
    }

    /// Takes all Works of an account out, in every class.
    pub fn drop_account(&mut self, key: &FairnessKey) {
        let classes: Vec<_> = self.accounts.keys().copied().collect();
        for class in classes {
            self.drop_bucket(class, key);
        }
    }

    fn drop_bucket(&mut self, class: Priority, key: &FairnessKey) {
        self.buckets.remove(&(class, key.clone()));
        if let Some(accounts) = self.accounts.get_mut(&class) {
            accounts.drop_out(key);
            if accounts.is_empty() {
                self.classes.drop_out(&class);
            }
        }
    }

    /// The clocks as they are now.
    #[must_use]
    pub fn into_clocks(self) -> Clocks {
        let mut clocks = self.clocks;
        clocks.classes = self.classes.into_level();
        for (class, turns) in self.accounts {
            let level = turns.into_level();
            // A class that was never asked has no clock.
            if level != Level::default() {
                clocks.keys.insert(class, level);
            }
        }
        clocks
    }
}
