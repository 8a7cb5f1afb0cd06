//! What readers of evidence are told: the report, and what changed in meaning.

use std::fs;

use crate::evidence::{JAR, imported, recorded};
use crate::pages::{browser, load};
use crate::program::{empty_folder, plumb_in, root, run};

#[test]
fn the_report_says_no_more_than_the_verdicts() {
    let folder = recorded("ServiceFixed BrokenServiceShare UnfairServiceStarvation BrokenDAGCycle");
    run(plumb_in(
        &folder,
        "check ServiceDynamic --max-states 9 --evidence ev",
    ));
    fs::write(
        folder.path().join("ev/service/BrokenServiceShare/run.json"),
        "{}\n",
    )
    .unwrap();
    let found = run(plumb_in(&folder, "evidence report ev"));
    let (summary, rest) = found
        .out
        .split_once("## What is wrong with the folder")
        .unwrap();
    assert!(summary.contains("Something is wrong"));
    let rest = rest.split_once("\n## fair-work-queue").unwrap().1;
    // Digests follow the sources, and sizes the machine.
    let filters = [("[0-9a-f]{64}", "<digest>"), (r"says \d+", "says <size>")];
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!("evidence_report", rest);
    });
}

#[test]
fn a_browser_loads_the_report_and_sees_text_where_a_bundle_has_markup() {
    let Some(browser) = browser() else { return };
    let folder = recorded("ServiceFixed");
    let result = folder.path().join("ev/service/ServiceFixed/result.json");
    let text = fs::read_to_string(&result).unwrap();
    fs::write(
        &result,
        text.replace("\"weighted\"", "<script>alert(1)</script>"),
    )
    .unwrap();
    fs::write(folder.path().join("ev/service/ServiceFixed/<b>fast"), "").unwrap();
    let made = run(plumb_in(&folder, "evidence report ev --html out.html"));
    assert_eq!(made.status, 1, "{made:?}");
    let profile = empty_folder();
    let page = folder.path().join("out.html");
    let (dom, complaints) = load(browser, profile.path(), &page, "");
    assert_eq!(complaints, "");
    assert!(dom.contains("Nothing is claimed"), "{dom}");
    assert!(dom.contains("&lt;b&gt;fast"), "{dom}");
    assert!(
        !dom.contains("<script>") && !dom.contains("<b>fast"),
        "{dom}"
    );
}

#[test]
fn what_tlc_alone_said_is_told_as_its_word() {
    let folder = recorded("ServiceFixed");
    let log = root().join("attest/tests/tamper/ClaimScopeSingle.log");
    fs::copy(log, folder.path().join("tlc.txt")).unwrap();
    fs::write(folder.path().join("tla2tools.jar"), JAR).unwrap();
    let specs = root().join("specs/claim-scope");
    let import = format!(
        "evidence import-tlc tlc.txt --module {0}/ClaimScopedWorker.tla --cfg \
         {0}/ClaimScopeSingle.cfg --jar tla2tools.jar --evidence ev",
        specs.display()
    );
    assert_eq!(run(plumb_in(&folder, &import)).status, 0);
    let summary = run(plumb_in(&folder, "evidence report ev")).out;
    let line = |name: &str| {
        let mut lines = summary.lines();
        lines
            .find(|line| line.starts_with(&format!("| [{name}]")))
            .unwrap()
    };
    assert!(
        line("ClaimScopeSingle").contains("TLC says, in a log of a run that Plumb did not start"),
        "{summary}"
    );
    assert!(
        line("ServiceFixed").contains("Nothing but the bundle says so"),
        "{summary}"
    );
    assert!(
        summary.contains("1 only asserted, 1 asserted by TLC's log alone"),
        "{summary}"
    );
}

#[test]
fn a_search_without_an_end_is_in_the_headline() {
    let folder = recorded("ServiceDynamic --max-states 9");
    let bundle = "ev/service/ServiceDynamic";
    let found = run(plumb_in(&folder, &format!("evidence report {bundle}")));
    assert_eq!(found.status, 3, "{found:?}");
    assert!(
        found.out.contains(
            "Every bundle is valid, but one search did not come to its end and shows nothing."
        ),
        "{found:?}"
    );
    let page = format!("evidence report {bundle} --html out.html");
    assert_eq!(run(plumb_in(&folder, &page)).status, 3);
    let page = fs::read_to_string(folder.path().join("out.html")).unwrap();
    assert!(page.contains("class=\"headline lacking\""));
    assert!(!page.contains("class=\"good\""), "nothing is green");
    assert!(!page.contains("positive result ·"), "nothing is called one");
}

#[test]
fn every_link_of_the_page_leads_to_a_file_whatever_the_folder_is_called() {
    let folder = recorded("ServiceFixed UnfairServiceStarvation");
    let odd = folder.path().join("my evidence #1?/50%");
    fs::create_dir_all(odd.parent().unwrap()).unwrap();
    fs::rename(folder.path().join("ev"), &odd).unwrap();
    for (page, bundles) in [
        ("out.html", "my evidence #1?/50%"),
        ("my evidence #1?/50%/report.html", "my evidence #1?/50%"),
        (
            "my evidence #1?/report.html",
            "my evidence #1?/50%/service/ServiceFixed",
        ),
    ] {
        let mut command = plumb_in(&folder, "evidence report --html");
        command.args([page, bundles]);
        let made = run(command);
        let place = folder.path().join(page);
        let text = fs::read_to_string(&place).unwrap_or_else(|error| panic!("{error}: {made:?}"));
        let links = text.split("href=\"").skip(1);
        let links = links.map(|rest| rest.split('"').next().unwrap().replace("&#x2f;", "/"));
        let links: Vec<String> = links.collect();
        let files = links.iter().filter(|link| !link.starts_with('#'));
        let mut seen = 0;
        for link in files {
            let decoded = percent_encoding::percent_decode_str(link)
                .decode_utf8()
                .unwrap();
            let path = place.parent().unwrap().join(decoded.as_ref());
            assert!(path.is_file(), "{link}");
            seen += 1;
        }
        assert!(seen >= 7, "{seen} links: {links:?}");
        if place.starts_with(&odd) {
            fs::remove_file(place).unwrap();
        }
    }
}

#[test]
fn what_cannot_be_looked_into_is_not_told_as_removed() {
    let (old, new) = (recorded("ServiceFixed"), recorded("ServiceFixed"));
    let diff = format!("evidence diff {}/ev ev", old.path().display());
    let same = run(plumb_in(&new, &diff));
    assert_eq!(same.status, 0, "{same:?}");
    let bundle = new.path().join("ev/service/ServiceFixed");
    let aside = new.path().join("aside");
    fs::rename(&bundle, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &bundle).unwrap();
    let linked = run(plumb_in(&new, &diff));
    assert_eq!(linked.status, 2, "{linked:?}");
    assert!(
        linked.err.contains("ev/service/ServiceFixed: it is a link"),
        "{linked:?}"
    );
    fs::remove_file(&bundle).unwrap();
    fs::rename(&aside, &bundle).unwrap();
    fs::hard_link(bundle.join("result.json"), new.path().join("other")).unwrap();
    let linked = run(plumb_in(&new, &diff));
    assert_eq!(linked.status, 2, "{linked:?}");
    assert!(linked.err.contains("a hard link"), "{linked:?}");
}

#[test]
fn a_difference_of_levels_is_told_by_the_first() {
    let (old, new) = (
        recorded("ServiceDynamic --max-states 40"),
        recorded("ServiceDynamic --max-states 5000"),
    );
    let diff = format!("evidence diff {}/ev ev", old.path().display());
    let found = run(plumb_in(&new, &diff));
    assert_eq!(found.status, 1, "{found:?}");
    let first = found
        .out
        .lines()
        .filter(|line| line.contains("the first that differs"));
    assert_eq!(first.count(), 1, "{found:?}");
}

#[test]
fn the_log_of_another_module_is_no_evidence() {
    let log = include_str!("../../../attest/tests/tamper/ClaimScopeSingle.log");
    let (made, found) = imported("ServiceFixed", log);
    assert_eq!(made.status, 2, "{made:?}");
    assert!(
        made.err
            .contains("does not say that TLC parsed the module QueueService"),
        "{made:?}"
    );
    assert_eq!(found.status, 2, "nothing was written");
}

#[test]
fn what_is_no_jar_of_tlc_is_not_taken_for_one() {
    let folder = recorded("ServiceFixed");
    let log = root().join("attest/tests/tamper/ClaimScopeSingle.log");
    fs::copy(log, folder.path().join("tlc.txt")).unwrap();
    let specs = root().join("specs/claim-scope");
    for (jar, text) in [("a.jar", "a jar"), ("b.jar", "PK\u{3}\u{4} other.class")] {
        fs::write(folder.path().join(jar), text).unwrap();
        let import = format!(
            "evidence import-tlc tlc.txt --module {0}/ClaimScopedWorker.tla --cfg \
             {0}/ClaimScopeSingle.cfg --jar {jar} --evidence ev",
            specs.display()
        );
        let refused = run(plumb_in(&folder, &import));
        assert_eq!(refused.status, 2, "{refused:?}");
        assert!(refused.err.contains("expected a jar"), "{refused:?}");
    }
}

#[test]
fn a_report_that_runs_the_checks_again_asserts_less() {
    let folder = recorded("ServiceFixed");
    let bundle = "ev/service/ServiceFixed";
    let before = run(plumb_in(&folder, &format!("evidence report {bundle}"))).out;
    assert!(
        before.contains("Nothing but the bundle says so"),
        "{before}"
    );
    let after = run(plumb_in(
        &folder,
        &format!("evidence report {bundle} --repeat=1m"),
    ))
    .out;
    assert!(after.contains("Verdicts: 1 recomputed."), "{after}");
    // A bundle by itself says nothing of controls.
    assert!(!after.contains("control"), "{after}");
}
