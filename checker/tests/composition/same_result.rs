//! With components or without, in memory or on disk, by one thread or many: the same report.

use std::num::NonZeroUsize;

use plumb_checker::{ActionLabel, ConfiguredModel, Progress, Report, SearchOptions, Verdict};
use plumb_tla::State;
use proptest::prelude::*;

use crate::cluster::{cluster, large};

type Summary = (
    Verdict,
    [u64; 4],
    Vec<u64>,
    Vec<(&'static str, u64)>,
    Vec<(Option<ActionLabel>, State)>,
);

/// A report without its times and bytes.
pub(crate) fn summary(report: Report) -> Summary {
    let trace = report.trace.into_iter();
    (
        report.verdict,
        [
            report.distinct,
            report.generated,
            report.outside,
            report.queue,
        ],
        report.levels,
        report.actions,
        trace.map(|step| (step.action, step.state)).collect(),
    )
}

pub(crate) fn options(threads: usize, components: bool) -> SearchOptions {
    SearchOptions {
        threads: NonZeroUsize::new(threads).unwrap(),
        components,
        ..SearchOptions::default()
    }
}

pub(crate) fn check(model: &dyn ConfiguredModel, options: &SearchOptions) -> Summary {
    summary(model.check(options, &Progress::default()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn components_change_no_report(
        seed in any::<u32>(),
        shared in 1..9_u64,
        own in 1..6_u64,
        processes in 2..5_u64,
        rarity in prop_oneof![Just(0), 2..5_u64, 20..400_u64],
        spoils in proptest::bool::weighted(0.2),
        deadlock in any::<bool>(),
        chosen in proptest::sample::subsequence(
            vec![
                "INVARIANT Own", "INVARIANT Safety", "INVARIANT Fragile", "INVARIANT Whole",
                "PROPERTY Calm", "CONSTRAINT Near", "CONSTRAINT NearAsAWhole",
            ],
            0..4,
        ),
    ) {
        let constants = [seed.into(), shared, own, processes, rarity];
        let model = cluster(constants, spoils, &chosen.join("\n"));
        let with = |options: SearchOptions| {
            check(model.as_ref(), &SearchOptions { deadlock, ..options })
        };
        let expected = with(options(1, false));
        prop_assert_eq!(&with(options(1, true)), &expected);
        prop_assert_eq!(&with(options(3, true)), &expected);
        let on_disk = SearchOptions { level_memory: 0, ..options(2, true) };
        prop_assert_eq!(&with(on_disk), &expected);
    }
}

#[test]
fn a_search_of_many_states_is_the_same_with_components_and_on_disk() {
    for cfg in ["INVARIANT Safety PROPERTY Calm", "CONSTRAINT Near"] {
        let model = large(5, cfg);
        let expected = check(model.as_ref(), &options(2, false));
        assert!(expected.1[0] > 100_000, "{:?}", expected.1);
        for threads in [1, 2, 5] {
            assert_eq!(check(model.as_ref(), &options(threads, true)), expected);
        }
        let on_disk = SearchOptions {
            level_memory: 10_000,
            ..options(2, true)
        };
        assert_eq!(check(model.as_ref(), &on_disk), expected);
    }
}

#[test]
fn a_folder_that_takes_no_file_ends_the_search_with_its_name() {
    let model = large(5, "");
    let options = SearchOptions {
        level_memory: 0,
        temporary: Some("/nowhere/at/all".into()),
        ..options(2, true)
    };
    let report = model.check(&options, &Progress::default());
    let Verdict::Error { message, .. } = &report.verdict else {
        panic!("{:?}", report.verdict);
    };
    assert!(message.contains("/nowhere/at/all"), "{message}");
}
