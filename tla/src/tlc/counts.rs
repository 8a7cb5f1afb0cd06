//! Numbers of states as TLC prints them.

/// How far a run had come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The breadth-first level reached.
    pub depth: u64,
    /// States generated.
    pub generated: u64,
    /// Different states found.
    pub distinct: u64,
    /// States still to be expanded.
    pub queue: u64,
}

/// The number that `text` begins with, thousands separated by commas or not.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b',')
        .count();
    text[..length].replace(',', "").parse().ok()
}

/// `G states generated, D distinct states found, Q states left on queue.`; without the last part
/// after a depth-first search.
pub(super) fn read_totals(line: &str) -> Option<(u64, u64, Option<u64>)> {
    let (generated, rest) = line.split_once(" states generated, ")?;
    let (distinct, rest) = rest.split_once(" distinct states found")?;
    let queue = match rest.strip_prefix(", ") {
        Some(rest) => Some(whole_number(rest.strip_suffix(" states left on queue.")?)?),
        None => None,
    };
    Some((whole_number(generated)?, whole_number(distinct)?, queue))
}

/// `d) at TIME: G states generated (x s/min), D distinct states found (y ds/min), Q states left on
/// queue.`
pub(super) fn read_progress(text: &str) -> Option<Progress> {
    let depth = leading_number(text)?;
    let (_, counts) = text.split_once(": ")?;
    let generated = leading_number(counts)?;
    let mut parts = counts.split(", ").skip(1);
    let distinct = leading_number(parts.next()?)?;
    let queue = leading_number(parts.next()?)?;
    Some(Progress {
        depth,
        generated,
        distinct,
        queue,
    })
}

fn whole_number(text: &str) -> Option<u64> {
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b',');
    if digits { leading_number(text) } else { None }
}
