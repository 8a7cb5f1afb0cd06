//! Constants in words.
//!
//! A cfg says `RetryLimit = 1` and `Dependencies <- ChainDependencies`. What that means, the module
//! says, in the comments beside its declarations and in its definitions; the bundle has a copy of it.

use crate::record::ResultRecord;

/// A constant as a reader is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Its name.
    pub name: String,
    /// Its value in TLA+, or the operator in its place.
    pub value: String,
    /// What the module says of the constant, if it has a comment beside its declaration.
    pub meaning: Option<String>,
    /// The definition of the operator, if the value is one that the module defines.
    pub definition: Option<String>,
}

/// The constants of a result, with what `module`, the text of its copy, says of them.
#[must_use]
pub fn bounds(result: &ResultRecord, module: &str) -> Vec<Bound> {
    let constants = result.constants.iter();
    constants
        .map(|constant| Bound {
            name: constant.name.clone(),
            value: constant.value.clone(),
            meaning: meaning(module, &constant.name),
            definition: definition(module, &constant.value),
        })
        .collect()
}

/// A constraint: states outside it were checked, and not gone on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Its name.
    pub name: String,
    /// Its definition, if the module has one on its own.
    pub definition: Option<String>,
}

/// The constraints of a result, with what `module`, the text of its copy, defines them as.
#[must_use]
pub fn constraints(result: &ResultRecord, module: &str) -> Vec<Constraint> {
    let names = result.constraints.iter();
    names
        .map(|name| Constraint {
            name: name.clone(),
            definition: definition(module, name),
        })
        .collect()
}

/// The comment beside the declaration of a constant, with the lines that it goes on in.
fn meaning(module: &str, name: &str) -> Option<String> {
    let mut lines = module.lines().skip_while(|line| !is_declaration(line));
    let mut first = true;
    let mut comment = lines.by_ref().find_map(|line| {
        let declared = match std::mem::take(&mut first) {
            true => Some(line),
            // The declarations end where another word begins in the first column.
            false if line.starts_with(|c: char| c.is_alphanumeric()) => None,
            false => Some(line),
        };
        // After the last declaration no line can be one.
        let Some(line) = declared else {
            return Some(None);
        };
        let (code, comment) = line.split_once("\\*").unwrap_or((line, ""));
        let code = code.trim_start().trim_start_matches("CONSTANTS");
        let code = code.trim_start_matches("CONSTANT");
        let mut names = code.split(',').map(str::trim);
        names
            .any(|one| one == name)
            .then(|| Some(comment.trim().to_owned()))
    })??;
    for line in lines {
        match line.trim_start().strip_prefix("\\*") {
            // A comment from the first column on is about what follows.
            Some(more) if line.starts_with(char::is_whitespace) => {
                comment.push(' ');
                comment.push_str(more.trim());
            }
            _ => break,
        }
    }
    (!comment.is_empty()).then_some(comment)
}

fn is_declaration(line: &str) -> bool {
    let rest = line
        .strip_prefix("CONSTANTS")
        .or_else(|| line.strip_prefix("CONSTANT"));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// What an operator without parameters is defined as, on one line.
fn definition(module: &str, name: &str) -> Option<String> {
    let mut lines = module.lines();
    let first = lines.by_ref().find_map(|line| {
        let rest = line.strip_prefix(name)?.trim_start();
        rest.strip_prefix("==")
    })?;
    let rest =
        lines.take_while(|line| line.starts_with(char::is_whitespace) && !line.trim().is_empty());
    let lines = std::iter::once(first).chain(rest);
    let words: Vec<&str> = lines
        .map(|line| line.split("\\*").next().unwrap_or_default())
        .flat_map(str::split_whitespace)
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
---- MODULE M ----
CONSTANTS
    Works,      \\* how many works
    Mode,       \\* \"strict\", where the
                \\* smallest wins
    Silent,
    Shape       \\* the form

\\* Not about a constant.
Works2 == 2
Chain == [w \\in 1..Works |->
             IF w = 1 THEN {} ELSE {w - 1}]  \\* one after the other

Next == Works > 1
";

    #[test]
    fn what_a_module_says_beside_a_constant_is_its_meaning() {
        for (name, said) in [
            ("Works", Some("how many works")),
            ("Mode", Some("\"strict\", where the smallest wins")),
            ("Silent", None),
            ("Shape", Some("the form")),
            ("Works2", None),
            ("Other", None),
        ] {
            assert_eq!(meaning(MODULE, name).as_deref(), said, "{name}");
        }
        let alone = "CONSTANT N  \\* how many\n";
        assert_eq!(meaning(alone, "N").as_deref(), Some("how many"));
        assert_eq!(meaning("", "N"), None);
    }

    #[test]
    fn an_operator_in_the_place_of_a_constant_is_told_by_its_definition() {
        for (name, said) in [
            (
                "Chain",
                Some("[w \\in 1..Works |-> IF w = 1 THEN {} ELSE {w - 1}]"),
            ),
            ("Next", Some("Works > 1")),
            ("Works", None),
            ("2", None),
            ("", None),
        ] {
            assert_eq!(definition(MODULE, name).as_deref(), said, "{name}");
        }
    }
}
