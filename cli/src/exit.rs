//! What the exit status means; the one place that says so.
//!
//! | status | meaning |
//! |---|---|
//! | 0 | everything is as expected |
//! | 1 | something differs from what is expected, or is violated in a user's own cfg |
//! | 2 | wrong usage or unreadable input; a filter that matches nothing is one |
//! | 3 | inconclusive: a search was stopped by a budget or by the user |
//! | 4 | the tool or the machine failed: a panic in a model, TLC crashed or is missing, disk full |
//!
//! Of several, the first of 2, 4, 1, 3 wins.

use std::process::ExitCode;

/// An exit status, by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: everything is as expected.
    Expected,
    /// 1: something differs from what is expected.
    Different,
    /// 2: wrong usage or unreadable input.
    Usage,
    /// 3: a search did not come to its end.
    Inconclusive,
    /// 4: the tool or the machine failed.
    Failed,
}

impl Status {
    /// The number that the process exits with.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Expected => 0,
            Self::Different => 1,
            Self::Usage => 2,
            Self::Inconclusive => 3,
            Self::Failed => 4,
        }
    }

    /// The status of two results together.
    ///
    /// ```
    /// use plumb::exit::Status;
    /// assert_eq!(Status::Different.and(Status::Failed), Status::Failed);
    /// assert_eq!(Status::Different.and(Status::Inconclusive), Status::Different);
    /// ```
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let order = [
            Self::Usage,
            Self::Failed,
            Self::Different,
            Self::Inconclusive,
        ];
        let first = order
            .into_iter()
            .find(|status| *status == self || *status == other);
        first.unwrap_or(Self::Expected)
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{self, Different, Expected, Failed, Inconclusive, Usage};

    #[test]
    fn of_two_statuses_the_first_of_2_4_1_3_wins() {
        let order = [Usage, Failed, Different, Inconclusive, Expected];
        for (place, first) in order.into_iter().enumerate() {
            for second in &order[place..] {
                assert_eq!(first.and(*second), first);
                assert_eq!(second.and(first), first);
            }
        }
        assert_eq!(order.map(Status::code), [2, 4, 1, 3, 0]);
    }
}
