//! The page of a trace, in a real browser where there is one.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{Run, empty_folder, folder_with, lifecycle, plumb_in, run, tell};

/// The browser; who has none may do without it, and is told.
pub(crate) fn browser() -> Option<&'static str> {
    let known = ["chromium", "chromium-browser", "google-chrome"];
    let found = known.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        tell("skipped, no page was loaded: there is no Chromium");
    }
    found
}

/// Loads the page at `address`, and gives back its document as the script left it and what the
/// browser complained of.
pub(crate) fn load(browser: &str, profile: &Path, page: &Path, fragment: &str) -> (String, String) {
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(["--enable-logging=stderr", "--disable-background-networking"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}{fragment}", page.display()));
    let Run { status, out, err } = run(command);
    assert_eq!(status, 0, "{err}");
    // What a page writes to its console, errors of its script and its policy included.
    let complaints = err.lines().filter(|line| line.contains("CONSOLE"));
    (out, complaints.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_browser_loads_the_page_without_errors_and_shows_the_step_that_the_address_names() {
    let Some(browser) = browser() else { return };
    let folder = folder_with(&[(
        "one.cfg",
        &(lifecycle(1) + "INVARIANT NoActivationRecoveryWitness\n"),
    )]);
    for (name, last) in [
        ("LifecycleMixedDAGWitness", "step-16"),
        ("StrictServiceStarvation", "for-ever"),
        ("BrokenMissingClaimScope", "step-2"),
    ] {
        let arguments = format!("trace {name} --format html --out page.html");
        assert_eq!(run(plumb_in(&folder, &arguments)).status, 0);
        let page = folder.path().join("page.html");
        let profile = empty_folder();
        for (fragment, shown) in [
            ("", "step-1"),
            (&*format!("#{last}"), last),
            ("#none", "step-1"),
        ] {
            let (dom, complaints) = load(browser, profile.path(), &page, fragment);
            assert_eq!(complaints, "", "{name}{fragment}");
            assert!(
                dom.contains("<html lang=\"en\" class=\"js\">"),
                "the script ran"
            );
            let here: Vec<&str> = dom
                .split('<')
                .filter(|tag| tag.starts_with("section class=") && tag.contains(" here\""))
                .collect();
            assert_eq!(here.len(), 1, "{name}{fragment}: {here:?}");
            assert!(here[0].contains(&format!("id=\"{shown}\"")), "{here:?}");
            let current = format!("href=\"#{shown}\" aria-current=\"step\"");
            assert!(dom.contains(&current), "{name}{fragment}");
        }
    }
}

#[test]
fn a_browser_that_is_sent_markup_in_a_trace_sees_text() {
    let Some(browser) = browser() else { return };
    let Some(page) = hostile_page() else { return };
    let profile = empty_folder();
    let (dom, complaints) = load(browser, profile.path(), &page.1, "");
    assert_eq!(complaints, "");
    assert!(!dom.contains("<b>"), "{dom}");
    assert!(dom.contains("&lt;b&gt;"), "{dom}");
}

/// The page of a configuration whose path is markup.
fn hostile_page() -> Option<(tempfile::TempDir, std::path::PathBuf)> {
    let name = "<b>bold<b>.cfg";
    let cfg = lifecycle(1).replace("none", "second-sender") + "INVARIANT OneSender\n";
    let folder = empty_folder();
    fs::write(folder.path().join(name), cfg).ok()?;
    let found = run(plumb_in(
        &folder,
        &format!("trace --model lifecycle --cfg {name} --format html --out page.html"),
    ));
    assert_eq!(found.status, 1, "{found:?}");
    let page = folder.path().join("page.html");
    Some((folder, page))
}

#[test]
fn without_a_script_the_page_is_a_document_with_every_step() {
    let folder = empty_folder();
    let arguments = "trace LifecycleMixedDAGWitness --format html";
    let page = run(plumb_in(&folder, arguments)).out;
    assert_eq!(page, run(plumb_in(&folder, arguments)).out, "byte for byte");
    for number in 1..=16 {
        assert_eq!(
            page.matches(&format!(
                "<section class=\"step{} id=\"step-{number}\"",
                if number == 1 { " first\"" } else { "\"" }
            ))
            .count(),
            1,
            "{number}"
        );
    }
    for part in [
        "The invariant NoMixedLifecycleWitness is violated",
        "<dt>Constants</dt>",
        ">Mark(&quot;X&quot;)</a>",
        "group X",
        "violated here",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
