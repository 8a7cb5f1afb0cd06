//! Which variables a step may have changed.

/// One bit for each variable, the lowest for the first.
pub(crate) fn bits<const N: usize>(differ: [bool; N]) -> u64 {
    const { assert!(N <= 64, "there are more variables than bits") };
    (0..).zip(differ).fold(0, |bits, (index, differs)| {
        bits | u64::from(differs) << index
    })
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn the_first_variable_has_the_lowest_bit() {
        assert_eq!(bits([true, false, true]), 0b101);
        assert_eq!(bits([]), 0);
    }
}
