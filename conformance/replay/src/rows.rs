//! Verdicts, counts and traces side by side.

use plumb_checker::{PropertyKind, Report, Verdict};
use plumb_tla::tlc::{TlcReport, TlcVerdict, ViolationKind};

use crate::comparison::{Agreement, Row};

/// What both engines say about the whole cfg, row by row. A row is left out where neither has
/// anything to say.
///
/// `tlc` is the run without the temporal properties; `violated` is the first of those that TLC
/// finds violated alone, with the report of that run.
pub(crate) fn rows(
    plumb: &Report,
    tlc: &TlcReport,
    violated: Option<(&str, &TlcReport)>,
) -> Vec<Row> {
    let mut found = Findings::of_tlc(tlc);
    if let Some((property, alone)) = violated {
        found = Findings {
            // TLC prints no name; the cfg had no other.
            property: Some(property.to_owned()),
            whole: found.whole,
            ..Findings::of_tlc(alone)
        };
    }
    let own = Findings::of_plumb(plumb);
    let mut rows = vec![Row {
        what: "verdict".to_owned(),
        tlc: Some(found.verdict.to_owned()),
        plumb: Some(own.verdict.to_owned()),
        agree: Agreement::of(found.verdict == own.verdict),
    }];
    let mut compare =
        |what: &str, tlc: Option<String>, plumb: Option<String>, obstacle: Option<&str>| {
            if tlc.is_none() && plumb.is_none() {
                return;
            }
            let agree = match (obstacle, &tlc, &plumb) {
                (Some(reason), _, _) => Agreement::NotCompared(reason.to_owned()),
                (None, Some(tlc), Some(plumb)) => Agreement::of(tlc == plumb),
                (None, None, _) => Agreement::NotCompared("TLC does not say".to_owned()),
                (None, _, None) => Agreement::NotCompared("Plumb does not say".to_owned()),
            };
            rows.push(Row {
                what: what.to_owned(),
                tlc,
                plumb,
                agree,
            });
        };
    // What depends on the verdict has a common meaning only where the verdicts are the same.
    let other = (found.verdict != own.verdict).then_some("the verdicts differ");
    compare("kind", found.kind, own.kind, other);
    let nameless = found
        .property
        .is_none()
        .then_some("TLC prints no name for it");
    compare("property", found.property, own.property, other.or(nameless));
    let partial = "counts at a violation depend on the order of successors";
    let partial = if found.whole && own.whole {
        None
    } else {
        other.or(Some(partial))
    };
    let count = |count: u64| Some(count.to_string());
    let counts = [
        ("distinct", tlc.distinct, plumb.distinct),
        ("generated", tlc.generated, plumb.generated),
        ("depth", tlc.depth, plumb.depth() as u64),
    ];
    if own.verdict != "assumption" || found.verdict != "assumption" {
        for (what, tlc, plumb) in counts {
            compare(what, tlc.and_then(count), count(plumb), partial);
        }
    }
    let lasso =
        (found.temporal || own.temporal).then_some("TLC's way into a cycle is not the shortest");
    let length = |states: usize| (states > 0).then(|| states.to_string());
    compare(
        "trace",
        length(found.trace),
        length(plumb.trace.len()),
        other.or(lasso),
    );
    rows
}

/// Whether the search went through the whole state graph: it found nothing, or a temporal property
/// violated, which is decided in the end.
pub(crate) fn explored_whole(plumb: &Report) -> bool {
    plumb.verdict == Verdict::Exhausted || plumb.verdict.kind() == Some(PropertyKind::Temporal)
}

/// What one engine found, in words that both share.
struct Findings {
    verdict: &'static str,
    kind: Option<String>,
    temporal: bool,
    property: Option<String>,
    /// How many states the trace has.
    trace: usize,
    /// Whether the counts are those of the whole state graph.
    whole: bool,
}

impl Findings {
    fn of_plumb(report: &Report) -> Self {
        let kind = report.verdict.kind();
        Self {
            verdict: report.verdict.word(),
            kind: kind.map(|kind| kind.to_string()),
            temporal: kind == Some(PropertyKind::Temporal),
            property: report.verdict.property().map(str::to_owned),
            trace: report.trace.len(),
            whole: explored_whole(report),
        }
    }

    fn of_tlc(report: &TlcReport) -> Self {
        let (verdict, kind, property) = match &report.verdict {
            TlcVerdict::Success => ("exhausted", None, None),
            TlcVerdict::Violated { kind, name } => {
                ("violated", Some(kind_word(*kind)), name.clone())
            }
            TlcVerdict::Assumption { name } => {
                let kind = PropertyKind::Assumption.to_string();
                ("assumption", Some(kind), name.clone())
            }
            // The driver makes errors of these; here they agree with nothing.
            TlcVerdict::Error { .. } | TlcVerdict::Usage { .. } | TlcVerdict::Unfinished => {
                ("none", None, None)
            }
        };
        let temporal = matches!(
            report.verdict,
            TlcVerdict::Violated {
                kind: ViolationKind::Temporal,
                ..
            }
        );
        let states = report.trace.iter().filter(|step| step.state.is_some());
        Self {
            verdict,
            kind,
            temporal,
            property,
            trace: states.count(),
            whole: report.verdict == TlcVerdict::Success,
        }
    }
}

/// The word for what TLC found that Plumb has for it, too.
pub(crate) fn kind_word(kind: ViolationKind) -> String {
    let kind = match kind {
        ViolationKind::Invariant => PropertyKind::Invariant,
        ViolationKind::Step => PropertyKind::Step,
        ViolationKind::Temporal => PropertyKind::Temporal,
        ViolationKind::Deadlock => PropertyKind::Deadlock,
        ViolationKind::Assert => return "assertion in the module".to_owned(),
    };
    kind.to_string()
}

#[cfg(test)]
mod tests {
    use plumb_checker::{
        CheckedModel, ConfigurationError, NotAState, Progress, Reader, Registry, SearchOptions,
        TraceStep,
    };
    use plumb_tla::tlc::read_report;
    use plumb_tla::{State, Value};

    use super::*;

    /// A model of one state.
    #[derive(Clone, Copy)]
    struct Still;

    fn values(n: i64) -> State {
        State::new([("n", Value::int(n))])
    }

    impl stateright::Model for Still {
        type State = ();
        type Action = ();

        fn init_states(&self) -> Vec<()> {
            vec![()]
        }
        fn actions(&self, _: &(), _: &mut Vec<()>) {}
        fn next_state(&self, _: &(), _: ()) -> Option<()> {
            None
        }
    }

    impl CheckedModel for Still {
        const NAME: &'static str = "still";
        const MODULE: &'static str = "Still";
        const VARIABLES: &'static [&'static str] = &["n"];
        const ACTIONS: &'static [&'static str] = &["Go"];

        fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
            cfg.specification(&[("Spec", Still)])
        }
        fn action_index(&self, (): &()) -> usize {
            0
        }
        fn action_parameters(&self, (): &()) -> Vec<Value> {
            Vec::new()
        }
        fn encode(&self, (): &(), _: &mut Vec<u8>) {}
        fn decode(&self, bytes: &[u8]) -> Option<()> {
            bytes.is_empty().then_some(())
        }
        fn to_tla(&self, (): &()) -> State {
            values(0)
        }
        fn parse_tla(&self, _: &State) -> Result<(), NotAState> {
            Ok(())
        }
    }

    fn plumb(verdict: Verdict, trace: usize) -> Report {
        // Made by a real search, because only the explorer makes reports.
        let registry = Registry::new().with::<Still>();
        let cfg = plumb_tla::parse_cfg("SPECIFICATION Spec").unwrap();
        let still = registry.find("still").unwrap().configure(&cfg).unwrap();
        let mut report = still.check(&SearchOptions::default(), &Progress::default());
        let step = TraceStep {
            action: None,
            state: values(0),
        };
        report.verdict = verdict;
        report.trace = vec![step; trace];
        (report.distinct, report.generated) = (10, 20);
        report.levels = vec![1, 9];
        report
    }

    fn violated(property: &str, kind: PropertyKind) -> Verdict {
        Verdict::Violated {
            property: property.to_owned(),
            kind,
            conjunct: None,
        }
    }

    fn tlc(exit: i32, output: &str) -> TlcReport {
        let output = format!("TLC2 Version 2.15\n{output}");
        read_report(output.as_bytes(), Some(exit)).unwrap()
    }

    fn exhausted() -> TlcReport {
        tlc(
            0,
            "Model checking completed. No error has been found.\n\
             20 states generated, 10 distinct states found, 0 states left on queue.\n\
             The depth of the complete state graph search is 2.\n",
        )
    }

    const VIOLATED: &str = "Error: Invariant Small is violated.\n\
         Error: The behavior up to this point is:\n\
         State 1: <Initial predicate>\nn = 0\n\n\
         State 2: <Go line 1, col 1 to line 1, col 2 of module M>\nn = 9\n\n\
         7 states generated, 6 distinct states found, 3 states left on queue.\n\
         The depth of the complete state graph search is 2.\n";

    /// The rows as `what: word`.
    fn words(rows: &[Row]) -> Vec<String> {
        rows.iter()
            .map(|row| format!("{}: {}", row.what, row.agree.word()))
            .collect()
    }

    fn different(rows: &[Row]) -> Vec<&str> {
        rows.iter()
            .filter(|row| row.agree == Agreement::Different)
            .map(|row| row.what.as_str())
            .collect()
    }

    #[test]
    fn two_exhausted_searches_compare_their_counts() {
        let rows = rows(&plumb(Verdict::Exhausted, 0), &exhausted(), None);
        assert_eq!(
            words(&rows),
            [
                "verdict: equal",
                "distinct: equal",
                "generated: equal",
                "depth: equal"
            ]
        );
        assert_eq!(rows[1].tlc.as_deref(), Some("10"));
    }

    #[test]
    fn each_count_can_differ() {
        let check = |change: fn(&mut Report)| {
            let mut report = plumb(Verdict::Exhausted, 0);
            change(&mut report);
            different(&rows(&report, &exhausted(), None)).join(" ")
        };
        assert_eq!(check(|report| report.distinct += 1), "distinct");
        assert_eq!(check(|report| report.generated -= 1), "generated");
        assert_eq!(check(|report| report.levels.push(1)), "depth");
    }

    #[test]
    fn at_a_violation_name_kind_and_length_count_and_counts_do_not() {
        let small = violated("Small", PropertyKind::Invariant);
        let rows = rows(&plumb(small, 2), &tlc(12, VIOLATED), None);
        assert_eq!(
            words(&rows),
            [
                "verdict: equal",
                "kind: equal",
                "property: equal",
                "distinct: not_compared",
                "generated: not_compared",
                "depth: not_compared",
                "trace: equal"
            ]
        );
        let reason = rows[3].agree.reason().unwrap();
        assert_eq!(
            reason,
            "counts at a violation depend on the order of successors"
        );
    }

    #[test]
    fn another_name_kind_or_length_is_a_difference() {
        let check = |name, kind, length| {
            let rows = rows(
                &plumb(violated(name, kind), length),
                &tlc(12, VIOLATED),
                None,
            );
            different(&rows).join(" ")
        };
        assert_eq!(check("Other", PropertyKind::Invariant, 2), "property");
        assert_eq!(check("Small", PropertyKind::Step, 2), "kind");
        assert_eq!(check("Small", PropertyKind::Invariant, 3), "trace");
    }

    #[test]
    fn different_verdicts_leave_the_rest_uncompared() {
        let rows = rows(&plumb(Verdict::Exhausted, 0), &tlc(12, VIOLATED), None);
        assert_eq!(different(&rows), ["verdict"]);
        let rest = rows.iter().skip(1);
        assert!(rest.clone().count() > 3);
        for row in rest {
            assert_eq!(
                row.agree.reason(),
                Some("the verdicts differ"),
                "{}",
                row.what
            );
        }
    }

    #[test]
    fn a_false_invariant_over_constants_is_an_assumption() {
        let report = tlc(151, "Error: The invariant of Scoped is equal to FALSE\n");
        let assumption = |name: &str| Verdict::Assumption {
            name: name.to_owned(),
            conjunct: None,
        };
        let rows_of = |name| rows(&plumb(assumption(name), 0), &report, None);
        assert_eq!(
            words(&rows_of("Scoped")),
            ["verdict: equal", "kind: equal", "property: equal"]
        );
        assert_eq!(different(&rows_of("Other")), ["property"]);
    }

    #[test]
    fn where_tlc_prints_no_name_none_is_compared() {
        let output = "Error: Assumption line 3, col 8 to line 3, col 12 of module M is false.\n";
        let assumption = Verdict::Assumption {
            name: "Sane".to_owned(),
            conjunct: None,
        };
        let rows = rows(&plumb(assumption, 0), &tlc(10, output), None);
        assert_eq!(words(&rows)[2], "property: not_compared");
        assert!(different(&rows).is_empty());
    }

    #[test]
    fn a_temporal_violation_compares_the_counts_of_the_whole_graph() {
        let own = plumb(violated("Served", PropertyKind::Temporal), 2);
        let alone = crate::walk::tlc_lasso(&[0, 1, 2], &crate::walk::back_to(2));
        let found = rows(&own, &exhausted(), Some(("Served", &alone)));
        assert_eq!(
            words(&found),
            [
                "verdict: equal",
                "kind: equal",
                "property: equal",
                "distinct: equal",
                "generated: equal",
                "depth: equal",
                "trace: not_compared"
            ]
        );
        let trace = &found[6];
        assert_eq!(
            (trace.tlc.as_deref(), trace.plumb.as_deref()),
            (Some("3"), Some("2"))
        );

        // Another property, or one side only.
        let other = rows(&own, &exhausted(), Some(("Other", &alone)));
        assert_eq!(different(&other), ["property"]);
        let one = rows(&own, &exhausted(), None);
        assert_eq!(different(&one), ["verdict"]);
        assert_eq!(words(&one)[3], "distinct: equal");
        let none = plumb(Verdict::Exhausted, 0);
        let one = rows(&none, &exhausted(), Some(("Served", &alone)));
        assert_eq!(different(&one), ["verdict"]);
        let mut fewer = own.clone();
        fewer.distinct -= 1;
        let found = rows(&fewer, &exhausted(), Some(("Served", &alone)));
        assert_eq!(different(&found), ["distinct"]);

        // TLC found something else before.
        let early = rows(&own, &tlc(12, VIOLATED), None);
        assert_eq!(different(&early), ["kind", "property"]);
    }

    #[test]
    fn a_row_in_json() {
        let row = Row {
            what: "depth".to_owned(),
            tlc: None,
            plumb: Some("2".to_owned()),
            agree: Agreement::NotCompared("TLC does not say".to_owned()),
        };
        assert_eq!(
            serde_json::to_value(row).unwrap(),
            serde_json::json!({
                "what": "depth",
                "tlc": null,
                "plumb": "2",
                "agreement": "not_compared",
                "reason": "TLC does not say"
            })
        );
    }
}
