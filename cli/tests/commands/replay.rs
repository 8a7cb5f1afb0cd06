//! `plumb replay`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Run, empty_folder, folder_with, plumb_in, root, run, without_times};

/// A counterexample as TLC 2.15 prints it.
pub(crate) const RECORDED: &str = "claim-scope/SingleClaimScopeWitness/counterexample.txt";

pub(crate) fn recorded(path: &str) -> String {
    fs::read_to_string(root().join("traces").join(path)).unwrap()
}

/// The recorded counterexample with this change.
pub(crate) fn changed(from: &str, to: &str) -> String {
    let text = recorded(RECORDED);
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

pub(crate) fn replay(folder: &Path, arguments: &str) -> Run {
    run(plumb_in(folder, &format!("replay {arguments}")))
}

/// What a replay of one file with this text says, the file being called `t`.
pub(crate) fn replay_text(text: &str, arguments: &str) -> Run {
    let folder = folder_with(&[("t", text)]);
    replay(folder.path(), &format!("t {arguments}"))
}

pub(crate) const WITNESS: &str = "--config SingleClaimScopeWitness";

pub(crate) fn traces(run: &Run) -> Vec<Value> {
    run.json()["traces"].as_array().unwrap().clone()
}

#[test]
fn every_recorded_trace_is_accepted_and_ends_in_what_the_registry_expects() {
    let run = replay(&root(), "--json");
    assert_eq!((run.status, &*run.err), (0, ""), "{}", run.out);
    let expected = run_json("list --json");
    let expected = expected["configurations"].as_array().unwrap();
    let traces = traces(&run);
    let mut ends = 0;
    for trace in &traces {
        let file = trace["file"].as_str().unwrap();
        assert_eq!(trace["accepted"], true, "{trace:#}");
        assert_eq!(trace["stale"].as_array().unwrap().len(), 0, "{trace:#}");
        let name = trace["configuration"].as_str().unwrap();
        assert!(file.contains(name), "{file}");
        let entry = expected.iter().find(|entry| entry["name"] == name).unwrap();
        let violated = entry["expect"]["property"].as_str();
        assert_eq!(trace["ends_in"].as_str(), violated, "{file}");
        assert_eq!(trace["lasso"], name.contains("Starvation"), "{file}");
        ends += usize::from(violated.is_some());
    }
    assert_eq!((ends, traces.len()), (16, 16 + 18));
}

fn run_json(arguments: &str) -> Value {
    run(plumb_in(root(), arguments)).json()
}

#[test]
fn an_accepted_trace_is_told_in_a_sentence() {
    let run = replay_text(&recorded(RECORDED), WITNESS);
    assert_eq!((run.status, &*run.err), (0, ""), "{}", run.out);
    insta::assert_snapshot!("an_accepted_trace", without_times(&run.out));
}

#[test]
fn a_refused_step_is_told_with_what_the_model_would_have_allowed() {
    let text = changed("State 4: <BeginFinalize", "State 4: <Effect");
    let named = replay_text(&text, WITNESS);
    assert_eq!((named.status, &*named.err), (1, ""), "{}", named.out);
    insta::assert_snapshot!("a_refused_name", without_times(&named.out));
    let text = recorded(RECORDED).replace("outputs = <<0>>", "outputs = <<7>>");
    let value = replay_text(&text, WITNESS);
    assert_eq!((value.status, &*value.err), (1, ""), "{}", value.out);
    insta::assert_snapshot!("a_refused_value", without_times(&value.out));
}

#[test]
fn json_tells_where_a_trace_is_refused() {
    let text = changed("State 4: <BeginFinalize", "State 4: <Effect");
    let run = replay_text(&text, &format!("{WITNESS} --json"));
    assert_eq!((run.status, &*run.err), (1, ""), "{}", run.out);
    let trace = &traces(&run)[0];
    assert_eq!(trace["file"], "t");
    assert_eq!(trace["format"], "tlc");
    assert_eq!(trace["steps"], 6);
    assert_eq!(trace["accepted"], false);
    assert_eq!(trace["refused_at"], 4);
    assert_eq!(trace["why"], "not_enabled");
    assert_eq!(trace["ends_in"], Value::Null);
    assert_eq!(trace["nearest"]["action"], "BeginFinalize");
}

#[test]
fn each_status_is_reached_by_what_it_stands_for() {
    let right = recorded(RECORDED);
    // How an intent ends is not told, and two ways look the same.
    let partial = right
        .lines()
        .filter(|line| !line.starts_with("/\\ intents"));
    let partial: String = partial.map(|line| format!("{line}\n")).collect();
    let other_name = changed("State 4: <BeginFinalize", "State 4: <Effect");
    let garbage = changed("/\\ phase = \"agent\"", "/\\ phase = \"agent");
    let folder = folder_with(&[
        ("right", &right),
        ("refused", &other_name),
        ("unreadable", &garbage),
        ("partial", &partial),
    ]);
    let packed = "--config LifecyclePacked";
    let table = [
        (0, format!("right {WITNESS}")),
        (1, format!("refused {WITNESS}")),
        (2, format!("unreadable {WITNESS}")),
        (0, format!("partial {WITNESS}")),
        (3, format!("partial {WITNESS} --max-candidates 1")),
        // Of several the first of 2, 4, 1, 3 wins.
        (1, format!("right refused {WITNESS}")),
        (2, format!("refused unreadable {WITNESS}")),
        // Whatever the trace says of itself.
        (2, format!("right {packed}")),
        (2, "right".to_owned()),
    ];
    for (status, arguments) in table {
        let run = replay(folder.path(), &arguments);
        assert_eq!(run.status, status, "{arguments}: {run:?}");
    }
}

/// What TLC prints of a second sender; `-continue` adds behaviours that go on from there.
fn two_senders() -> (String, String) {
    let text = run(plumb_in(root(), "trace BrokenLifecycleSender --format tlc")).out;
    let error = text.find("Error: ").unwrap();
    let last = text.find("State 6: ").unwrap();
    let body = text[last..].split_once('\n').unwrap().1;
    let body = body.split_once("\n\n").unwrap().0;
    let end = last + text[last..].find("\n\n").unwrap() + 2;
    let place = "line 1, col 1 to line 1, col 2 of module QueueLifecycle";
    let longer = format!("{}State 7: <Next {place}>\n{body}\n\n", &text[error..end]);
    (text, longer)
}

#[test]
fn a_checker_that_went_on_passes_violations_that_it_told_before() {
    let (first, longer) = two_senders();
    let sender = "--config BrokenLifecycleSender";
    let both = replay_text(&format!("{first}{longer}"), sender);
    assert_eq!(both.status, 0, "{both:?}");
    assert!(
        both.out.contains("2 traces, 13 steps: 2 accepted"),
        "{}",
        both.out
    );
    // What is violated in the middle of the first behaviour is news.
    let alone = replay_text(&longer, sender);
    assert_eq!(alone.status, 1, "{alone:?}");
    assert!(
        alone.out.contains("violated here, before the end"),
        "{}",
        alone.out
    );
    // The end must be the violation all the same.
    let to_another = longer.replace("OneSender", "TypeOK");
    let other = replay_text(&format!("{first}{to_another}"), sender);
    assert_eq!(other.status, 1, "{other:?}");
}

#[test]
fn what_was_recorded_for_nothing_and_is_violated_on_the_way_is_counted() {
    let (_, longer) = two_senders();
    let states = longer.find("Error: The behavior").unwrap();
    let run = replay_text(&longer[states..], "--config BrokenLifecycleSender");
    assert_eq!(run.status, 1, "{run:?}");
    assert!(
        run.out.contains("on the way, step 6 violates"),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("1 trace, 7 steps: 1 violated, in"),
        "{}",
        run.out
    );
}

#[test]
fn a_bad_trace_does_not_keep_the_others_from_being_replayed() {
    let folder = folder_with(&[
        ("all/1-right", &recorded(RECORDED)),
        ("all/2-cut", &recorded(RECORDED)[..700]),
        ("all/3-nothing", ""),
        ("all/4-right", &recorded(RECORDED)),
        ("all/.hidden", "not a trace"),
        ("all/README.md", "not a trace"),
    ]);
    let run = replay(folder.path(), &format!("all {WITNESS} --json"));
    assert_eq!(run.status, 2, "{run:?}");
    let traces = traces(&run);
    let outcomes: Vec<_> = traces
        .iter()
        .map(|trace| trace["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(
        outcomes,
        ["accepted", "unreadable", "unreadable", "accepted"]
    );
}

#[test]
fn what_cannot_be_replayed_is_one_error_that_names_the_place() {
    let cases = [
        (
            "a value that does not parse",
            changed("<<0>>", "<<0"),
            WITNESS,
        ),
        (
            "a value that is none",
            changed("/\\ rejected = {}", "/\\ rejected = ?"),
            WITNESS,
        ),
        (
            "a variable that the model does not have",
            recorded(RECORDED).replace("/\\ rejected", "/\\ refused"),
            WITNESS,
        ),
        (
            "two states of one number",
            changed("State 3:", "State 2:"),
            WITNESS,
        ),
        (
            "a trace of another model",
            recorded(RECORDED),
            "--config LifecyclePacked",
        ),
        ("a file of zeros", "\0".repeat(100), WITNESS),
        ("no trace at all", "hello\n".to_owned(), WITNESS),
        (
            "no states",
            "TLC2 Version 2.15\nModel checking completed.\n".to_owned(),
            WITNESS,
        ),
        (
            "another format",
            recorded(RECORDED),
            "--config SingleClaimScopeWitness --format itf",
        ),
        ("nobody's", recorded(RECORDED), ""),
    ];
    let said: Vec<_> = cases
        .iter()
        .map(|(name, text, arguments)| {
            let run = replay_text(text, arguments);
            assert_eq!(run.status, 2, "{name}: {run:?}");
            let first = run.out.lines().next().unwrap_or_default();
            format!("{name}\n  {first}")
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_wrong_command_line_is_refused() {
    let folder = folder_with(&[("t", &recorded(RECORDED)), ("my.cfg", "SPECIFICATION Spec")]);
    let lines = [
        "nowhere",
        "t --config NoSuch",
        "t --model claim-scope",
        "t --model lifecycle --config SingleClaimScopeWitness",
        "t --cfg my.cfg",
        "t --config SingleClaimScopeWitness --cfg my.cfg --model claim-scope",
        "t --format xml",
        "t --max-candidates 0",
        "t --annotations gitlab",
        "",
    ];
    let said: Vec<_> = lines
        .iter()
        .map(|line| {
            let run = replay(folder.path(), line);
            assert_eq!((run.status, &*run.out), (2, ""), "{line}: {run:?}");
            format!("$ plumb replay {line}\n{}", run.err)
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn an_empty_folder_is_an_error() {
    let folder = empty_folder();
    let run = replay(folder.path(), ".");
    assert_eq!((run.status, &*run.out), (2, ""), "{run:?}");
    assert!(run.err.contains("there is no trace in ."), "{}", run.err);
}

#[test]
fn a_cfg_of_ones_own_is_replayed_against() {
    let cfg = fs::read_to_string(root().join("specs/claim-scope/SingleClaimScopeWitness.cfg"));
    let folder = folder_with(&[("t", &recorded(RECORDED)), ("my.cfg", &cfg.unwrap())]);
    let run = replay(folder.path(), "t --model claim-scope --cfg my.cfg --json");
    assert_eq!(run.status, 0, "{run:?}");
    let trace = &traces(&run)[0];
    assert_eq!(trace["configuration"], "my");
    assert_eq!(trace["ends_in"], "NoAutomaticScope");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    let text = format!("\u{feff}{}", recorded(RECORDED).replace('\n', "\r\n"));
    let run = replay_text(&text, WITNESS);
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn listings_and_graphs_are_no_behaviours_and_held_against_the_model() {
    let state = "/\\ phase = \"agent\"\n/\\ outputs = <<-1>>\n/\\ rejected = {}\n/\\ log = <<>>\n\
                 /\\ intents = <<\"none\">>\n/\\ verified = {}\n/\\ admitted = {}\n/\\ effects = {}\n";
    let config = "--config ClaimScopeSingle";
    let dump = format!("State 1:\n{state}\n");
    let run = replay_text(&dump, config);
    assert_eq!(run.status, 0, "{run:?}");
    let said = "t: 1 state, each one of the model; a listing is no behaviour";
    assert!(run.out.contains(said), "{}", run.out);
    let wrong = replay_text(&dump.replace("\"agent\"", "\"gardener\""), config);
    assert_eq!(wrong.status, 1, "{wrong:?}");
    let label = state
        .trim_end()
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    let next = label.replace("<<-1>>", "<<0>>");
    let dot = format!(
        "strict digraph DiskGraph {{\nsubgraph cluster_graph {{\n1 [label=\"{label}\",style = filled]\n\
         1 -> 2 [label=\"StageOutput\",color=\"black\",fontcolor=\"black\"];\n2 [label=\"{next}\"];\n}}\n}}\n"
    );
    let run = replay_text(&dot, config);
    assert_eq!(run.status, 0, "{run:?}");
    let said = "t: 2 states and 1 edge, each one of the model; a graph is no behaviour";
    assert!(run.out.contains(said), "{}", run.out);
    let wrong = replay_text(&dot.replace("StageOutput", "Finalize"), config);
    assert_eq!(wrong.status, 1, "{wrong:?}");
    assert!(
        wrong.out.contains("Finalize is not enabled in state 1"),
        "{}",
        wrong.out
    );
}

#[test]
fn a_pipe_is_read_as_a_file_is() {
    let mut shell = crate::program::settled("bash");
    let file = root().join("traces/service/StrictServiceStarvation/counterexample.txt");
    let command = format!(
        "{} replay <(cat {}) --config StrictServiceStarvation",
        crate::program::PLUMB,
        file.display()
    );
    shell.args(["-c", &command]).current_dir(root());
    let run = run(shell);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.out
            .contains("ends in a lasso that violates temporal property EventualService")
    );
}
