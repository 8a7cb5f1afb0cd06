//! Digests of whole trees: what changes which of them.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plumb_sources::{SourceTable, Sources, token_digest};
use proptest::prelude::*;
use tempfile::TempDir;

/// A project of two crates and two models.
fn project() -> (TempDir, SourceTable) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("engine/src/lib.rs", "pub fn explore() {}"),
        ("engine/src/deep/store.rs", "pub struct Store;"),
        (
            "engine/Cargo.toml",
            "[package]\nname = \"engine\"\n[dependencies]\nleft = \"1\"\n",
        ),
        ("models/src/lib.rs", "pub mod one; pub mod two;"),
        ("models/src/one/mod.rs", "pub fn one() -> u8 { 1 }"),
        ("models/src/two.rs", "pub fn two() -> u8 { 2 }"),
        ("models/src/notes.md", "no source"),
        ("models/Cargo.toml", "[package]\nname = \"models\"\n"),
        (
            "Cargo.lock",
            "[[package]]\nname = \"engine\"\nversion = \"0.1.0\"\ndependencies = [\"left\"]\n\
             [[package]]\nname = \"models\"\nversion = \"0.1.0\"\n\
             [[package]]\nname = \"left\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"aa\"\n",
        ),
    ] {
        write(folder.path(), path, text);
    }
    let table = SourceTable {
        crates: vec!["engine".to_owned(), "models".to_owned()],
        lock: "Cargo.lock".to_owned(),
        models: BTreeMap::from([
            ("one".to_owned(), "models/src/one".to_owned()),
            ("two".to_owned(), "models/src/two.rs".to_owned()),
        ]),
    };
    (folder, table)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Which digests differ after `path` has this text: of the first model, its folder as it is, the
/// second model, the engine, and the versions.
fn differing(path: &str, text: &str) -> Vec<&'static str> {
    let (folder, table) = project();
    let before = Sources::read(folder.path(), &table).unwrap();
    write(folder.path(), path, text);
    let after = Sources::read(folder.path(), &table).unwrap();
    let pairs = [
        ("one", before.model("one") == after.model("one")),
        (
            "folder of one",
            before.folder_digest("one") == after.folder_digest("one"),
        ),
        ("two", before.model("two") == after.model("two")),
        ("engine", before.engine() == after.engine()),
        ("versions", before.locked() == after.locked()),
    ];
    let whole = before.whole() == after.whole();
    let meant = pairs
        .iter()
        .any(|(what, same)| !same && *what != "folder of one");
    assert_eq!(
        whole, !meant,
        "the digest of everything differs if one part does"
    );
    let different = pairs.into_iter().filter(|(_, same)| !same);
    different.map(|(what, _)| what).collect()
}

#[test]
fn a_change_counts_where_it_is_made_and_nowhere_else() {
    let one = "models/src/one/mod.rs";
    let lock = fs::read_to_string(project().0.path().join("Cargo.lock")).unwrap();
    let changes = [
        (
            one,
            "pub fn one() -> u8 { 1 } // more",
            vec!["folder of one"],
        ),
        (
            one,
            "pub fn one() -> u8 { 3 }",
            vec!["one", "folder of one"],
        ),
        ("models/src/one/new.rs", "", vec!["one", "folder of one"]),
        ("models/src/two.rs", "pub fn two() -> u8 { 3 }", vec!["two"]),
        ("models/src/one_more.rs", "pub fn f() {}", vec!["engine"]),
        (
            "engine/src/deep/store.rs",
            "pub enum Store {}",
            vec!["engine"],
        ),
        ("models/src/notes.md", "nothing", vec![]),
        (
            "Cargo.lock",
            &lock.replace("1.0.0", "1.0.1"),
            vec!["versions"],
        ),
        ("Cargo.lock", &lock.replace("aa", "bb"), vec!["versions"]),
        ("Cargo.lock", &format!("{lock}\n# a remark\n"), vec![]),
    ];
    for (path, text, wanted) in changes {
        assert_eq!(differing(path, text), wanted, "{path}: {text}");
    }
}

#[test]
fn what_changed_since_it_was_read_is_found() {
    let (folder, table) = project();
    let sources = Sources::read(folder.path(), &table).unwrap();
    assert_eq!(sources.changed(folder.path(), &table), None);
    let two = "models/src/two.rs";
    write(folder.path(), two, "pub fn two() -> u8 { 2 } // now");
    assert_eq!(sources.changed(folder.path(), &table).as_deref(), Some(two));
    let again = Sources::read(folder.path(), &table).unwrap();
    assert!(
        sources.differences(&again).is_empty(),
        "by their tokens they are the same"
    );
    write(folder.path(), "engine/src/new.rs", "");
    let again = Sources::read(folder.path(), &table).unwrap();
    assert_eq!(sources.differences(&again), ["engine/src/new.rs"]);
    let new = |sources: &Sources| sources.changed(folder.path(), &table);
    write(folder.path(), two, "pub fn two() -> u8 { 2 }");
    let sources = Sources::read(folder.path(), &table).unwrap();
    write(folder.path(), "engine/src/newer.rs", "");
    assert_eq!(new(&sources).as_deref(), Some("engine/src/newer.rs"));
    let sources = Sources::read(folder.path(), &table).unwrap();
    let lock = std::fs::read_to_string(folder.path().join("Cargo.lock")).unwrap();
    write(folder.path(), "Cargo.lock", &lock.replace("1.0.0", "1.0.1"));
    assert_eq!(new(&sources).as_deref(), Some("Cargo.lock"));
    std::fs::remove_file(folder.path().join("Cargo.lock")).unwrap();
    assert_eq!(new(&sources).as_deref(), Some("Cargo.lock"));
    std::fs::remove_file(folder.path().join(two)).unwrap();
    assert_eq!(new(&sources).as_deref(), Some(two));
}

#[test]
fn what_cannot_be_read_is_named() {
    type Change = fn(&Path, &mut SourceTable);
    let break_it: [(&str, Change, &str); 5] = [
        (
            "no lock",
            |root, _| fs::remove_file(root.join("Cargo.lock")).unwrap(),
            "Cargo.lock",
        ),
        (
            "no crate",
            |_, table| table.crates.push("none".to_owned()),
            "none/src",
        ),
        (
            "no Rust",
            |root, _| write(root, "engine/src/lib.rs", "fn f( {"),
            "engine/src/lib.rs: line 1",
        ),
        (
            "no model",
            |_, table| {
                table
                    .models
                    .insert("three".to_owned(), "models/src/three".to_owned());
            },
            "models/src/three",
        ),
        (
            "no manifest",
            |root, _| write(root, "engine/Cargo.toml", "nonsense"),
            "engine/Cargo.toml",
        ),
    ];
    for (what, change, named) in break_it {
        let (folder, mut table) = project();
        change(folder.path(), &mut table);
        let error = Sources::read(folder.path(), &table)
            .unwrap_err()
            .to_string();
        assert!(error.contains(named), "{what}: {error}");
    }
}

/// Tokens that cannot run together when blanks are between them.
fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}".prop_filter("no prefix of a literal", |word| ![
            "b", "c", "r", "br", "cr"
        ]
        .contains(&word.as_str())),
        (0u32..1000).prop_map(|number| number.to_string()),
        "\"[a-z /*]{0,6}\"",
        prop::sample::select(vec!["+", "::", "->", "&&", "..=", ";", "#", "!"])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn layout_and_comments_make_no_difference_and_tokens_do(
        tokens in prop::collection::vec(token(), 1..20),
        gaps in prop::collection::vec(
            prop::sample::select(vec![" ", "\n", " /* a */ ", " // b\n", "\t /* /* c */ */ ", " /*\n*/ "]),
            20,
        ),
        at in any::<prop::sample::Index>(),
    ) {
        let plain = tokens.join(" ");
        let digest = token_digest(&plain).unwrap();
        let mut dressed = String::new();
        for (token, gap) in tokens.iter().zip(&gaps) {
            dressed.push_str(token);
            dressed.push_str(gap);
        }
        prop_assert_eq!(&token_digest(&dressed).unwrap(), &digest);
        let mut other = tokens;
        let at = at.index(other.len());
        other[at] = "something_else".to_owned();
        prop_assert_ne!(&token_digest(&other.join(" ")).unwrap(), &digest);
    }
}
