//! Section 5.7, the end: what a repository may wish of its queue.

#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use plumb_queue::settings::{Settings, default_policy};
use plumb_queue::wire::scalar::Repository;
use plumb_queue::wire::{QueuePolicy, Wire, WorkerProfile};
use serde_json::{Value, json};

fn read<T: Wire>(value: &Value) -> T {
    let text = canonical(value);
    let value = plumb_canonical::parse(&text).unwrap();
    T::read(&value, plumb_queue::Code::PolicyInvalid).unwrap()
}

fn repository() -> Repository {
    Repository::new(REPOSITORY).unwrap()
}

fn approved() -> QueuePolicy {
    let allowed = Repository::new("acme/app").unwrap();
    let mut policy = default_policy(read::<WorkerProfile>(&profile()), vec![allowed]);
    // What is approved may be more than what is wished for; a run has one Claim all the same.
    for pool in policy.pools.values_mut() {
        for it in pool.profiles.values_mut() {
            *it = read(&profile());
        }
    }
    policy
}

/// The policy that comes of these wishes, as JSON.
fn applied(wishes: &Value) -> Value {
    let file = canonical(&json!({"work_queue": wishes, "other": {"tool": 1}}));
    let settings = Settings::parse(file.as_bytes()).unwrap();
    let policy = settings.apply(&approved(), &repository()).unwrap();
    serde_json::from_str(&policy.write().to_canonical()).unwrap()
}

#[test]
fn the_default_policy_has_the_protocols_numbers() {
    let policy = default_policy(read(&profile()), vec![]);
    policy.check(&repository()).unwrap();
    let pool = json!({
        "default_profile": "default", "logical_limit": 16, "native_limit": 16,
        "allowed_repositories": [], "max_observation_age_ms": 60_000,
        "retry": {"max_attempts": 3, "backoff_ms": 30_000},
        "reconciliation": {"max_attempts": 5, "deadline_ms": 300_000},
        "profiles": {"default": with(profile(), json!({"max_claims": 1, "share_keys": false}))},
    });
    let expected = json!({
        "authorization": "aw", "mode": "weighted-priority", "class_weights": [8, 4, 2, 1, 1],
        "accounting_weights": {"": 1}, "producers": {}, "pools": {"default": pool},
        "limits": limits(),
    });
    assert_eq!(policy.write().to_canonical(), canonical(&expected));
}

#[test]
fn wishes_change_what_they_name_and_runs_have_one_claim() {
    let nothing = applied(&json!({}));
    let expected = serde_json::from_str(&approved().write().to_canonical()).unwrap();
    let one = json!({"max_claims": 1, "share_keys": false});
    let expected = at(expected, "/pools/default/profiles/default", one);
    assert_eq!(nothing, expected);
    let policy = applied(&json!({
        "mode": "strict-priority", "class_weights": [5, 4, 3, 2, 1],
        "accounting_weights": {"team": 7}, "concurrency": 4, "pending_limit": 9,
        "retry": {"max_attempts": 2, "backoff_seconds": 3600},
        "pools": {
            "slow": {"concurrency": 1, "per_account_limit": 1, "retry": {"backoff_seconds": 1}},
            "plain": {},
            "default": {"per_account_limit": 3},
        },
        "issues": {"label": "queue"},
    }));
    let wanted = [
        ("/mode", json!("strict-priority")),
        ("/class_weights", json!([5, 4, 3, 2, 1])),
        ("/accounting_weights", json!({"": 1, "team": 7})),
        ("/limits/pending_nodes", json!(9)),
        ("/pools/default/logical_limit", json!(4)),
        ("/pools/default/native_limit", json!(4)),
        ("/pools/default/per_account_limit", json!(3)),
        (
            "/pools/default/retry",
            json!({"max_attempts": 2, "backoff_ms": 3_600_000}),
        ),
        ("/pools/slow/logical_limit", json!(1)),
        ("/pools/slow/native_limit", json!(1)),
        ("/pools/slow/per_account_limit", json!(1)),
        (
            "/pools/slow/retry",
            json!({"max_attempts": 3, "backoff_ms": 1000}),
        ),
        ("/pools/slow/profiles/default/max_claims", json!(1)),
        ("/pools/plain/logical_limit", json!(16)),
        ("/pools/plain/allowed_repositories", json!(["acme/app"])),
        (
            "/pools/plain/retry",
            json!({"max_attempts": 3, "backoff_ms": 30_000}),
        ),
    ];
    for (pointer, value) in wanted {
        assert_eq!(policy.pointer(pointer), Some(&value), "{pointer}");
    }
}

#[test]
fn issues_are_shown_if_that_is_wished() {
    let label = |wishes: Value| {
        let file = canonical(&json!({ "work_queue": wishes }));
        let settings = Settings::parse(file.as_bytes()).unwrap();
        settings.label().map(str::to_owned)
    };
    assert_eq!(label(json!({})), None);
    assert_eq!(label(json!({"issues": false})), None);
    assert_eq!(label(json!({"issues": true})).unwrap(), "work");
    assert_eq!(label(json!({"issues": {}})).unwrap(), "work");
    let longest = "l".repeat(33);
    assert_eq!(
        label(json!({"issues": {"label": longest}})).unwrap(),
        longest
    );
    assert_eq!(Settings::parse(b"{}").unwrap().label(), None);
}

#[test]
fn what_is_not_a_wish_is_refused() {
    let accounts = |count: usize| {
        let names = (0..count).map(|number| (format!("a{number}"), json!(1)));
        Value::Object(names.collect())
    };
    let pools = |count: usize| {
        let names = (0..count).map(|number| (format!("p{number}"), json!({})));
        Value::Object(names.collect())
    };
    let parse = |wishes: &Value| {
        let file = canonical(&json!({ "work_queue": wishes }));
        Settings::parse(file.as_bytes()).map_err(|error| error.code.as_str())
    };
    for wishes in [
        json!({"accounting_weights": accounts(1023)}),
        json!({"pools": pools(64)}),
        json!({"concurrency": 4096, "pending_limit": 4096, "pools": {"p": {"per_account_limit": 0}}}),
    ] {
        assert!(parse(&wishes).is_ok(), "{wishes}");
    }
    for wishes in [
        json!(null),
        json!([]),
        json!({"speed": 1}),
        json!({"mode": null}),
        json!({"mode": "random"}),
        json!({"class_weights": [1, 1, 1, 1]}),
        json!({"class_weights": [0, 1, 1, 1, 1]}),
        json!({"accounting_weights": {"": 2}}),
        json!({"accounting_weights": accounts(1024)}),
        json!({"accounting_weights": {"a\u{85}b": 1}}),
        json!({"concurrency": 0}),
        json!({"concurrency": 4097}),
        json!({"pending_limit": 0}),
        json!({"retry": {"max_attempts": 17}}),
        json!({"retry": {"backoff_seconds": 0}}),
        json!({"retry": {"backoff_seconds": 3601}}),
        json!({"retry": {"backoff_ms": 1}}),
        json!({"pools": pools(65)}),
        json!({"pools": {"p": {"mode": "strict-priority"}}}),
        json!({"pools": {"p": {"per_account_limit": 4097}}}),
        json!({"issues": "work"}),
        json!({"issues": {"label": ""}}),
        json!({"issues": {"label": "l".repeat(34)}}),
        json!({"issues": {"label": null}}),
        json!({"issues": {"label": "a\u{7f}"}}),
        json!({"issues": {"name": "a"}}),
    ] {
        assert_eq!(parse(&wishes).unwrap_err(), "policy_invalid", "{wishes}");
    }
    for file in [
        &br#"{"work_queue":{"concurrency":1,"concurrency":1}}"#[..],
        br#"{"work_queue":{"concurrency":1.0}}"#,
        b"[]",
        b"",
        b"\xff",
    ] {
        let error = Settings::parse(file).unwrap_err();
        assert_eq!(error.code.as_str(), "policy_invalid");
    }
    let mut other = approved();
    other.pools.clear();
    let nothing = Settings::parse(b"{}").unwrap();
    let refused = nothing.apply(&other, &repository()).unwrap_err();
    assert_eq!(refused.code.as_str(), "policy_invalid");
}
