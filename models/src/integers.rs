//! Integers in a state's canonical bytes: one byte for the small ones that explorations meet, nine
//! for all others.

/// The first byte of an integer that one byte does not hold: eight bytes follow it.
const LONG: u8 = u8::MAX;

/// Appends an integer.
pub(crate) fn put_integer(integer: i64, bytes: &mut Vec<u8>) {
    match u8::try_from(integer) {
        Ok(short) if short != LONG => bytes.push(short),
        _ => {
            bytes.push(LONG);
            bytes.extend(integer.to_be_bytes());
        }
    }
}

/// Takes the integer at the beginning of `bytes`, if there is one in its only form.
pub(crate) fn take_integer(bytes: &mut &[u8]) -> Option<i64> {
    let (first, mut rest) = bytes.split_first()?;
    let integer = if *first == LONG {
        let (long, after) = rest.split_first_chunk()?;
        rest = after;
        let integer = i64::from_be_bytes(*long);
        // One that fits into a byte is written as one.
        if (0..i64::from(LONG)).contains(&integer) {
            return None;
        }
        integer
    } else {
        i64::from(*first)
    };
    *bytes = rest;
    Some(integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_comes_back_and_has_one_form() {
        for integer in [0, 1, 254, 255, 256, -1, i64::MIN, i64::MAX] {
            let mut bytes = Vec::new();
            put_integer(integer, &mut bytes);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(take_integer(&mut rest), Some(integer));
            assert_eq!(rest, [7], "{integer} takes as many bytes as it is given");
        }
        assert_eq!(take_integer(&mut &[][..]), None);
        assert_eq!(take_integer(&mut &[LONG, 0, 0, 0, 0, 0, 0, 1][..]), None);
        let long_seven = [LONG, 0, 0, 0, 0, 0, 0, 0, 7];
        assert_eq!(take_integer(&mut &long_seven[..]), None, "7 fits into one");
    }
}
