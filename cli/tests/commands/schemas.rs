//! The JSON of every command is what its schema says, and the schemas say all of it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::model_faults::faulty;
use crate::program::{Run, folder_with, lifecycle, plumb, plumb_in, root, run};
use crate::tlc;

const SCHEMAS: [(&str, &str); 16] = [
    ("check", include_str!("../../schemas/check.schema.json")),
    ("list", include_str!("../../schemas/list.schema.json")),
    ("show", include_str!("../../schemas/show.schema.json")),
    ("trace", include_str!("../../schemas/trace.schema.json")),
    (
        "trace-diff",
        include_str!("../../schemas/trace-diff.schema.json"),
    ),
    (
        "simulate",
        include_str!("../../schemas/simulate.schema.json"),
    ),
    ("compare", include_str!("../../schemas/compare.schema.json")),
    ("replay", include_str!("../../schemas/replay.schema.json")),
    (
        "evidence-verify",
        include_str!("../../schemas/evidence-verify.schema.json"),
    ),
    (
        "evidence-diff",
        include_str!("../../schemas/evidence-diff.schema.json"),
    ),
    (
        "queue-replay",
        include_str!("../../schemas/queue-replay.schema.json"),
    ),
    (
        "queue-stats",
        include_str!("../../schemas/queue-stats.schema.json"),
    ),
    (
        "queue-state",
        include_str!("../../schemas/queue-state.schema.json"),
    ),
    (
        "queue-inspect",
        include_str!("../../schemas/queue-inspect.schema.json"),
    ),
    (
        "queue-explain",
        include_str!("../../schemas/queue-explain.schema.json"),
    ),
    (
        "queue-trace",
        include_str!("../../schemas/queue-trace.schema.json"),
    ),
];

fn schema(command: &str) -> Value {
    let (_, text) = SCHEMAS.iter().find(|(name, _)| *name == command).unwrap();
    serde_json::from_str(text).unwrap()
}

/// Holds what a run printed against the schema of `command`.
fn assert_valid(command: &str, run: &Run) {
    let validator = jsonschema::draft202012::new(&schema(command)).unwrap();
    let json = run.json();
    let faults: Vec<_> = validator
        .iter_errors(&json)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{}\n{json:#}", faults.join("\n"));
}

#[test]
fn the_schemas_are_schemas() {
    for (name, _) in SCHEMAS {
        let schema = schema(name);
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{name}");
        assert_eq!(schema["$id"], format!("{name}.schema.json"));
    }
}

#[test]
fn every_field_is_described_and_required_and_no_other_is_allowed() {
    /// The description of a field, its own or the one of what it refers to.
    fn described(root: &Value, field: &Value) -> bool {
        let target = field["$ref"].as_str();
        let target = target.and_then(|path| root.pointer(&path[1..]));
        let said = [Some(field), target].into_iter().flatten();
        let mut said = said.filter_map(|schema| schema["description"].as_str());
        said.any(|text| text.ends_with('.'))
    }
    fn visit(place: &str, root: &Value, schema: &Value) {
        if let Some(fields) = schema["properties"].as_object() {
            assert_eq!(schema["additionalProperties"], false, "{place}");
            let required = schema["required"].as_array().unwrap();
            let names: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
            assert_eq!(names, set(required), "{place}");
            for (name, field) in fields {
                let place = format!("{place}/{name}");
                assert!(described(root, field), "{place}");
                visit(&place, root, field);
            }
        } else {
            let others = &schema["additionalProperties"];
            if others.is_object() {
                visit(place, root, others);
            }
        }
        if let Some(definitions) = schema["$defs"].as_object() {
            for (name, definition) in definitions {
                visit(&format!("{place}#{name}"), root, definition);
            }
        }
        for choice in ["anyOf", "oneOf"] {
            for choice in schema[choice].as_array().into_iter().flatten() {
                visit(place, root, choice);
            }
        }
        if schema["items"].is_object() {
            visit(place, root, &schema["items"]);
        }
    }
    fn set(names: &[Value]) -> BTreeSet<&str> {
        names.iter().map(|name| name.as_str().unwrap()).collect()
    }
    for (name, _) in SCHEMAS {
        let schema = schema(name);
        visit(name, &schema, &schema);
    }
}

#[test]
fn check_prints_what_its_schema_says() {
    assert_valid(
        "check",
        &plumb("check claim-scope lifecycle service projection --json"),
    );
    assert_valid("check", &plumb("check BrokenDAGCycle --json"));
    assert_valid(
        "check",
        &plumb("check claim-scope --engine stateright --json"),
    );
    assert_valid(
        "check",
        &plumb("check ServiceFixed --engine stateright --json"),
    );
    assert_valid(
        "check",
        &plumb("check LifecyclePacked --max-states 9 --json"),
    );
    assert_valid("check", &faulty("check --json"));
    let folder = folder_with(&[]);
    let search = "check ClaimScopeSingle --json --max-states";
    for arguments in [
        format!("{search} 1 --checkpoint ck"),
        format!("{search} 2 --resume ck"),
        "check ClaimScopeSingle --json --checkpoint new".to_owned(),
    ] {
        let found = run(plumb_in(&folder, &arguments));
        assert!(found.json()["checkpoint"].is_object(), "{arguments}");
        assert_valid("check", &found);
    }
    let cfg = lifecycle(1) + "INVARIANT NoActivationRecoveryWitness\n";
    let folder = folder_with(&[
        ("own.cfg", &cfg),
        ("deadlock.cfg", "SPECIFICATION Spec CONSTANT ClaimCount = 1"),
    ]);
    for arguments in [
        "check --model lifecycle --cfg own.cfg --json",
        "check --model claim-scope --cfg deadlock.cfg --deadlock --json",
    ] {
        let found = run(plumb_in(&folder, arguments));
        assert_eq!(found.status, 1, "{found:?}");
        assert_valid("check", &found);
    }
}

#[test]
fn evidence_prints_what_its_schemas_say() {
    let folder = folder_with(&[]);
    let recorded = run(plumb_in(
        &folder,
        "check claim-scope BrokenDAGCycle --evidence ev --json",
    ));
    assert_eq!(recorded.json()["evidence"]["new"], 10);
    assert_valid("check", &recorded);
    // The other configurations have no bundle.
    let audited = run(plumb_in(&folder, "evidence verify ev --repeat=1s --json"));
    assert_eq!(audited.status, 1);
    assert_eq!(audited.json()["repeated"], 10);
    assert_valid("evidence-verify", &audited);
    let same = run(plumb_in(&folder, "evidence diff ev ev --json"));
    assert_eq!(same.status, 0);
    assert_valid("evidence-diff", &same);
    run(plumb_in(
        &folder,
        "check claim-scope --max-states 9 --evidence less",
    ));
    let different = run(plumb_in(&folder, "evidence diff ev less --json"));
    assert_eq!(different.status, 1);
    assert_valid("evidence-diff", &different);
    let bundle = "less/claim-scope/ClaimScopeMixed";
    let unfinished = run(plumb_in(
        &folder,
        &format!("evidence verify {bundle} --json"),
    ));
    assert_eq!(unfinished.status, 3, "{unfinished:?}");
    assert_valid("evidence-verify", &unfinished);
}

#[test]
fn list_prints_what_its_schema_says() {
    assert_valid("list", &plumb("list --json"));
}

#[test]
fn show_prints_what_its_schema_says() {
    let listed = plumb("list --json").json();
    for entry in listed["configurations"].as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        assert_valid("show", &plumb(&format!("show {name} --json")));
    }
    let folder = folder_with(&[("own.cfg", &lifecycle(1))]);
    let own = run(plumb_in(
        &folder,
        "show --model lifecycle --cfg own.cfg --json",
    ));
    assert_valid("show", &own);
}

#[test]
fn trace_prints_what_its_schema_says() {
    let traces = [
        ("SingleClaimScopeWitness", false),
        ("BrokenLifecycleSender", false),
        ("StrictServiceStarvation", true),
        ("UnfairServiceStarvation", true),
    ];
    for (name, endless) in traces {
        let run = plumb(&format!("trace {name} --format json"));
        assert_valid("trace", &run);
        assert_eq!(run.json()["lasso"].is_object(), endless, "{name}");
    }
}

#[test]
fn simulate_prints_what_its_schema_says() {
    assert_valid(
        "simulate",
        &plumb("simulate FairBatch --num 3 --seed 1 --json"),
    );
    let violated = plumb("simulate BrokenLifecycleSender --seed 1 --out walks --json");
    assert_valid("simulate", &violated);
    let violation = &violated.json()["violation"];
    assert_eq!(violation["property"], "OneSender");
    assert!(violation["file"].is_string());
    assert_valid("simulate", &faulty("simulate Panics --json"));
}

#[test]
fn trace_diff_prints_what_its_schema_says() {
    let folder = folder_with(&[]);
    let ask = |arguments: &str| run(plumb_in(&folder, arguments));
    for arguments in [
        "trace SingleClaimScopeWitness --out one",
        "trace BrokenForeignClaimScope --out other",
        "trace StrictServiceStarvation --out lasso",
    ] {
        assert_eq!(ask(arguments).status, 0);
    }
    for (pair, status) in [("one one", 0), ("one other", 1), ("lasso one", 1)] {
        let found = ask(&format!("trace diff {pair} --json"));
        assert_eq!(found.status, status, "{found:?}");
        assert_valid("trace-diff", &found);
    }
}

#[test]
fn replay_prints_what_its_schema_says() {
    let recorded = run(plumb_in(root(), "replay --json"));
    assert_eq!(recorded.status, 0, "{recorded:?}");
    assert_valid("replay", &recorded);
    // One of each outcome that there is a file for.
    let file = root().join("traces/claim-scope/SingleClaimScopeWitness/counterexample.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let refused = text.replace("outputs = <<0>>", "outputs = <<7>>");
    let longer = text.replace("Error: ", "Note: ");
    let folder = folder_with(&[
        ("accepted", &text),
        ("refused", &refused),
        ("unreadable", "nothing"),
        ("violated", &longer),
    ]);
    let arguments = "replay --json --config SingleClaimScopeWitness";
    for file in ["accepted", "refused", "unreadable", "violated"] {
        assert_valid(
            "replay",
            &run(plumb_in(&folder, &format!("{arguments} {file}"))),
        );
    }
}

#[test]
fn queue_prints_what_its_schemas_say() {
    let log = plumb("queue demo --log").out;
    // The whole life, and a part of it in which things are under way.
    let part: String = log
        .lines()
        .take(6)
        .map(|line| format!("{line}\n"))
        .collect();
    for log in [&log, &part] {
        let folder = folder_with(&[("log.jsonl", log)]);
        let ask = |arguments: &str| run(plumb_in(&folder, &format!("queue {arguments} --json")));
        for command in ["replay", "stats", "state", "inspect"] {
            assert_valid(
                &format!("queue-{command}"),
                &ask(&format!("{command} log.jsonl")),
            );
        }
        for node in ["docs", "release"] {
            assert_valid("queue-explain", &ask(&format!("explain log.jsonl {node}")));
        }
        let commits = ask("inspect log.jsonl").json();
        for commit in commits["commits"].as_array().unwrap() {
            let request = commit["request_id"].as_str().unwrap();
            assert_valid("queue-trace", &ask(&format!("trace log.jsonl {request}")));
        }
    }
}

#[test]
fn compare_prints_what_its_schema_says() {
    let Some(_turn) = tlc::turn() else { return };
    let agrees = plumb(
        "compare --graph --json ClaimScopeSingle BrokenMissingClaimScope StrictServiceStarvation",
    );
    assert_eq!(agrees.status, 0, "{agrees:?}");
    assert_valid("compare", &agrees);
    let differs = faulty("compare --graph --json Differs");
    assert_eq!(differs.status, 1, "{differs:?}");
    assert_valid("compare", &differs);
    let differences = &differs.json()["comparisons"][0]["comparison"]["graph"]["differences"];
    assert!(!differences.as_array().unwrap().is_empty());
}

#[test]
fn a_comparison_that_failed_prints_what_the_schema_says() {
    let failed = faulty("compare --json Panics");
    assert_eq!(failed.status, 4, "{failed:?}");
    assert_valid("compare", &failed);
}
