//! Sets of states, one bit for each rank.

/// A set of ranks.
#[derive(Clone, Debug)]
pub(crate) struct StateSet(Vec<u64>);

impl StateSet {
    /// The set with these words: bit `r % 64` of word `r / 64` says whether rank `r` is in it.
    pub(crate) fn from_words(words: Vec<u64>) -> Self {
        Self(words)
    }

    /// The set of `members`, which are below `states`.
    pub(crate) fn from_members(states: usize, members: &[u32]) -> Self {
        let mut set = Self(vec![0; states.div_ceil(64)]);
        for member in members {
            set.insert(*member);
        }
        set
    }

    pub(crate) fn contains(&self, rank: u32) -> bool {
        self.0[rank as usize / 64] >> (rank % 64) & 1 == 1
    }

    /// Adds a rank; whether it is new.
    pub(crate) fn insert(&mut self, rank: u32) -> bool {
        let word = &mut self.0[rank as usize / 64];
        let bit = 1 << (rank % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// The members in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(index as u32 * 64 + bit)
            })
        })
    }
}
