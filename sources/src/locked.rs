//! The versions that crates are built of, out of their lock file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// A manifest or lock file that does not say what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// The file is none of the kind.
    #[error("{file}: {message}")]
    Malformed {
        /// Which file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A package is not in the lock file.
    #[error("{file} has no package {package}")]
    Missing {
        /// The lock file.
        file: String,
        /// The package as it was asked for.
        package: String,
    },
}

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

#[derive(Deserialize)]
struct Manifest {
    package: Named,
    #[serde(default)]
    dependencies: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

fn read<T: for<'de> Deserialize<'de>>(file: &str, text: &str) -> Result<T, LockError> {
    toml::from_str(text).map_err(|error| LockError::Malformed {
        file: file.to_owned(),
        message: error.message().to_owned(),
    })
}

/// One line for each package that the crates of `manifests` need when they are built, crates of the
/// workspace left out: `name version checksum`, sorted. What only tests need is not among them.
///
/// `manifests` and `lock` are names and texts of files; the names are for messages.
pub(crate) fn versions(
    manifests: &[(String, String)],
    lock: (&str, &str),
) -> Result<String, LockError> {
    let (lock_name, lock_text) = lock;
    let lock: Lock = read(lock_name, lock_text)?;
    let missing = |package: &str| LockError::Missing {
        file: lock_name.to_owned(),
        package: package.to_owned(),
    };
    // A dependency is told by its name, with its version where the name alone is not clear, and
    // with its source where that is not.
    let find = |wanted: &str| {
        let mut words = wanted.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        let source = words.next().map(|source| source.trim_matches(['(', ')']));
        lock.package.iter().find(|package| {
            package.name == name
                && version.is_none_or(|version| package.version == version)
                && source.is_none_or(|source| package.source.as_deref() == Some(source))
        })
    };
    let mut waiting: Vec<&str> = Vec::new();
    for (file, text) in manifests {
        let manifest: Manifest = read(file, text)?;
        let name = &manifest.package.name;
        let own = find(name).ok_or_else(|| missing(name))?;
        let needed = own.dependencies.iter().filter(|dependency| {
            let name = dependency.split(' ').next().unwrap_or_default();
            manifest.dependencies.contains_key(name)
        });
        waiting.extend(needed.map(String::as_str));
    }
    let mut lines = BTreeSet::new();
    let mut seen = BTreeSet::new();
    while let Some(wanted) = waiting.pop() {
        if !seen.insert(wanted) {
            continue;
        }
        let package = find(wanted).ok_or_else(|| missing(wanted))?;
        if package.source.is_none() {
            // A crate of the workspace: its sources are what counts, if it is named.
            continue;
        }
        lines.insert(format!(
            "{} {} {}\n",
            package.name,
            package.version,
            package.checksum.as_deref().unwrap_or("-")
        ));
        waiting.extend(package.dependencies.iter().map(String::as_str));
    }
    Ok(lines.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4
[[package]]
name = "own"
version = "0.1.0"
dependencies = ["left 2.0.0", "other-own", "test-only"]
[[package]]
name = "other-own"
version = "0.1.0"
dependencies = ["left 1.0.0"]
[[package]]
name = "left"
version = "1.0.0"
source = "registry+x"
checksum = "aa"
[[package]]
name = "left"
version = "2.0.0"
source = "registry+x"
checksum = "bb"
dependencies = ["right"]
[[package]]
name = "right"
version = "0.3.1"
source = "registry+x"
checksum = "cc"
dependencies = ["left 2.0.0"]
[[package]]
name = "test-only"
version = "1.0.0"
source = "registry+x"
checksum = "dd"
"#;

    fn manifest(dependencies: &str) -> (String, String) {
        let text = format!("[package]\nname = \"own\"\n[dependencies]\n{dependencies}");
        ("own/Cargo.toml".to_owned(), text)
    }

    #[test]
    fn what_is_built_in_is_listed_and_what_tests_need_is_not() {
        let own = manifest("left.workspace = true\nother-own = { path = \"../other\" }\n");
        let lines = versions(&[own], ("Cargo.lock", LOCK)).unwrap();
        assert_eq!(lines, "left 2.0.0 bb\nright 0.3.1 cc\n");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let foreign = manifest("").1.replace("own", "foreign");
        let manifests = [("foreign/Cargo.toml".to_owned(), foreign)];
        let error = versions(&manifests, ("Cargo.lock", LOCK)).unwrap_err();
        assert_eq!(error.to_string(), "Cargo.lock has no package foreign");
        let broken = versions(&[manifest("left = ")], ("Cargo.lock", LOCK)).unwrap_err();
        assert!(broken.to_string().starts_with("own/Cargo.toml: "));
    }
}
