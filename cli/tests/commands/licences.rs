//! The licences of everything that the workspace is built from.

use std::process::Command;

use serde_json::Value;

use crate::program::root;

/// Licences that ask for no more than their text beside the program.
const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages with another licence, and why they may be used all the same.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Whether an expression (SPDX; in older packages a slash for `OR`) can be met by allowed ones.
fn allowed(expression: &str) -> bool {
    let expression = expression.trim();
    if let Some((left, right)) = split(expression, &[" OR ", "/"]) {
        return allowed(left) || allowed(right);
    }
    if let Some((left, right)) = split(expression, &[" AND "]) {
        return allowed(left) && allowed(right);
    }
    match expression
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'))
    {
        Some(inner) => allowed(inner),
        None => ALLOWED.contains(&expression),
    }
}

/// Splits at the first of the operators outside parentheses.
fn split<'e>(expression: &'e str, operators: &[&str]) -> Option<(&'e str, &'e str)> {
    let mut depth = 0;
    for (place, letter) in expression.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            for operator in operators {
                if let Some(rest) = expression[place..].strip_prefix(operator) {
                    return Some((&expression[..place], rest));
                }
            }
        }
    }
    None
}

#[test]
fn expressions_are_read_as_spdx_reads_them() {
    for right in [
        "MIT",
        "MIT OR GPL-3.0",
        "GPL-3.0/MIT",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "MIT AND (ISC OR X)",
    ] {
        assert!(allowed(right), "{right}");
    }
    for wrong in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR ISC) AND GPL-3.0",
        "Apache-2.0 WITH X",
    ] {
        assert!(!allowed(wrong), "{wrong}");
    }
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let members = metadata["workspace_members"].as_array().unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > members.len());
    let mut refused = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or("");
        let excepted = EXCEPTIONS.iter().any(|(known, _)| *known == name);
        if members.contains(&package["id"]) {
            assert_eq!(
                licence, "MIT OR Apache-2.0",
                "{name}, a member of the workspace"
            );
        } else if !allowed(licence) && !excepted {
            refused.push(format!("{name}: {licence:?}"));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
