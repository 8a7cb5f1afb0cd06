//! `plumb completions` and `plumb man`: both come from the grammar, so they know every command.

use super::{plumb, stderr, stdout};

#[test]
fn every_shell_gets_completions_that_know_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&plumb(folder.path(), &["completions", shell]), 0);
        for word in ["check", "compare", "expect", "max-states"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    stderr(&plumb(folder.path(), &["completions", "sh"]), 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    stdout(&plumb(folder.path(), &["man", "--out", "pages"]), 0);
    for command in [
        "",
        "-check",
        "-list",
        "-show",
        "-trace",
        "-compare",
        "-expect-update",
    ] {
        let page = folder.path().join(format!("pages/plumb{command}.1"));
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(page.contains(".SH NAME"), "{command}");
    }
    assert!(stdout(&plumb(folder.path(), &["man"]), 0).contains(".TH plumb 1"));
    std::fs::write(folder.path().join("file"), "").unwrap();
    stderr(&plumb(folder.path(), &["man", "--out", "file"]), 4);
}
