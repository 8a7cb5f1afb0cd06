//! The scheduler by itself: the document's vectors, and the slow reference on random configurations
//! and histories.
//!
//! Shared design, models/fair-work-queue.md, sections 4, 5 and 14. The registered counts hardly
//! test the arithmetic; this does.

use std::collections::{BTreeSet, HashSet};

use plumb_models::FairWorkQueue;
use plumb_models::fair_work_queue::{
    Claim, Constants, Group, Log, Numbered, Operation, Outcome, Projection, RawStatus, Resource,
    eligible, next_work, normalize, plan,
};
use plumb_models::finite::Finite;
use proptest::prelude::*;

use crate::harness::laws::encoded;
use crate::reference::{Picture, Rules, Step, picture};
use crate::setting::Setting;

/// The projection of the initial log.
fn initial(constants: &Constants) -> Projection {
    Projection::of(constants, &Log::opening(constants))
}

/// Clocks and charges as section 14 prints them.
fn printed(rules: &Rules, projection: &Projection) -> String {
    let s = picture(rules, projection);
    let set = |numbers: &BTreeSet<i64>| {
        let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        format!("{{{}}}", numbers.join(","))
    };
    let keys = |p: i64| format!("({},{})", s.kp[&(p, 1)], s.kp[&(p, 2)]);
    format!(
        "{},{} | {} | {},{} | {},{} | {} | {},{} | {},{}",
        s.cp[&1],
        s.cp[&2],
        s.cv,
        keys(1),
        keys(2),
        s.kv[&1],
        s.kv[&2],
        set(&s.ca),
        set(&s.ka[&1]),
        set(&s.ka[&2]),
        s.charges[&1],
        s.charges[&2],
    )
}

/// The works of one plan, and the clocks after each of its Claims.
fn planned(setting: Setting, limit: i64) -> (Vec<i64>, Vec<String>) {
    let model: FairWorkQueue = setting.model();
    let constants = model.constants();
    let rules = Rules::of(&setting);
    let mut projection = initial(constants);
    let (mut works, mut clocks) = (Vec::new(), Vec::new());
    for operation in plan(constants, &projection, Group::at(0), limit) {
        let Operation::Claim(_, claim) = operation else {
            panic!("a plan consists of Claims");
        };
        works.push(constants.work_of(claim).number());
        projection.apply(constants, operation, 0);
        clocks.push(printed(&rules, &projection));
    }
    (works, clocks)
}

#[test]
fn vector_a_weighted() {
    let (works, clocks) = planned(Setting::of([3, 1, 2, 2, 1, 2, 1, 9]).mode("weighted"), 2);
    assert_eq!(works, [1, 3]);
    assert_eq!(
        clocks[1],
        "2,4 | 2 | (2,0),(2,2) | 1,1 | {2} | {},{1,2} | 2,0"
    );
}

#[test]
fn vector_b_strict_with_a_key_limit() {
    let (works, clocks) = planned(Setting::of([3, 1, 2, 2, 1, 1, 1, 9]).mode("strict"), 2);
    assert_eq!(works, [1, 2]);
    assert_eq!(
        clocks[1],
        "2,4 | 2 | (2,0),(1,4) | 1,2 | {2} | {},{2} | 1,1"
    );
}

#[test]
fn vector_c_four_works_at_once() {
    let all = Setting::of([4, 1, 4, 4, 4, 4, 1, 9]);
    for mode in ["weighted", "strict"] {
        let (works, clocks) = planned(all.mode(mode), 4);
        assert_eq!(works, [1, 3, 2, 4], "{mode}");
        assert_eq!(
            clocks,
            [
                "2,2 | 1 | (2,0),(1,2) | 1,0 | {1,2} | {1},{1,2} | 1,0",
                "2,4 | 2 | (2,0),(2,2) | 1,1 | {2} | {},{1,2} | 2,0",
                "2,6 | 4 | (2,0),(2,4) | 1,2 | {2} | {},{2} | 2,1",
                "2,8 | 6 | (2,0),(2,6) | 1,4 | {2} | {},{2} | 2,2",
            ],
            "{mode}"
        );
    }
    let (works, clocks) = planned(all, 4);
    assert_eq!(works, [1, 2, 3, 4]);
    assert_eq!(
        clocks[3],
        "5,0 | 4 | (5,0),(0,0) | 4,0 | {1} | {1},{} | 4,0"
    );
}

/// A random configuration. The numbers are small, so that limits bite.
fn setting() -> impl Strategy<Value = Setting> {
    let numbers = (1..7_i64, 1..5_i64, 1..6_i64, 1..6_i64, 1..5_i64, 1..4_i64);
    let mode = prop::sample::select(&["default", "weighted", "weighted", "strict", "strict"]);
    let edges = prop::sample::select(&[
        "Independent",
        "Independent",
        "Chain",
        "Forward",
        "Fork",
        "Diamond",
        "Cyclic",
    ]);
    let external = prop::sample::select(&["No", "No", "GitHub", "GitHubChild"]);
    (numbers, mode, edges, external).prop_map(|(numbers, mode, edges, external)| {
        let (works, groups, batch, claims, runs, keys) = numbers;
        Setting::of([works, groups, batch, claims, runs, keys, 1, 9])
            .mode(mode)
            .edges(edges)
            .external(external)
    })
}

/// What a random history does next; numbers are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// A group plans a batch, and claims all of it.
    Batch(usize, i64),
    /// A group claims some work, whoever's turn it is.
    Claim(usize),
    /// Some Claim is closed, whether or not it is open.
    Close(usize, bool),
    /// A Claim that is open is closed.
    CloseOpen(usize, bool),
    Result(usize),
    Run(usize, usize),
    Observe(usize, usize),
}

fn a_move() -> impl Strategy<Value = Move> {
    let number = 0..1_000_usize;
    prop_oneof![
        6 => (number.clone(), 1..4_i64).prop_map(|(group, limit)| Move::Batch(group, limit)),
        2 => number.clone().prop_map(Move::Claim),
        1 => (number.clone(), any::<bool>()).prop_map(|(claim, done)| Move::Close(claim, done)),
        6 => (number.clone(), any::<bool>()).prop_map(|(claim, done)| Move::CloseOpen(claim, done)),
        3 => number.clone().prop_map(Move::Result),
        3 => (number.clone(), 0..5_usize).prop_map(|(group, run)| Move::Run(group, run)),
        2 => (0..2_usize, 0..4_usize).prop_map(|(resource, raw)| Move::Observe(resource, raw)),
    ]
}

/// A configuration's model and reference, side by side.
struct Both {
    model: FairWorkQueue,
    rules: Rules,
    projection: Projection,
    picture: Picture,
}

impl Both {
    fn of(setting: &Setting) -> Self {
        let model = setting.model();
        let rules = Rules::of(setting);
        Self {
            projection: initial(model.constants()),
            picture: rules.initial(),
            model,
            rules,
        }
    }

    fn constants(&self) -> &Constants {
        self.model.constants()
    }

    fn step(&mut self, operation: Operation, step: Step) {
        let constants = self.model.constants();
        self.projection.apply(constants, operation, 0);
        self.picture = self.rules.after(&self.picture, step);
        assert_eq!(
            picture(&self.rules, &self.projection),
            self.picture,
            "{step:?}"
        );
    }

    fn claim(&mut self, claim: Claim, group: Group) {
        let step = Step::Claim {
            group: group.number(),
            claim: claim.number(),
        };
        self.step(Operation::Claim(group, claim), step);
    }

    /// Everything that is computed from a projection is the same.
    fn compare(&self, limit: i64) {
        let constants = self.constants();
        let (s, reference) = (&self.projection, &self.picture);
        let eligible = eligible(constants, s);
        let numbers: BTreeSet<i64> = eligible.iter().map(Numbered::number).collect();
        assert_eq!(numbers, self.rules.eligible(reference));

        let normalized = Projection {
            clocks: normalize(constants, s),
            ..s.clone()
        };
        let expected = self.rules.normalize(reference);
        assert_eq!(picture(&self.rules, &normalized), expected);

        let next = next_work(constants, s).map_or(0, Numbered::number);
        assert_eq!(next, self.rules.next_work(reference));
        for group in constants.all_groups() {
            let plan: Vec<i64> = plan(constants, s, group, limit)
                .into_iter()
                .map(|operation| match operation {
                    Operation::Claim(of, claim) if of == group => claim.number(),
                    other => panic!("{other:?} in a plan of {group:?}"),
                })
                .collect();
            assert_eq!(plan, self.rules.plan(reference, group.number(), limit));
        }
    }

    fn take(&mut self, a_move: Move) {
        let groups = self.constants().groups;
        let claims = self.constants().claims();
        match a_move {
            Move::Batch(group, limit) => {
                let group = Group::at(group % groups);
                for operation in plan(self.constants(), &self.projection, group, limit) {
                    if let Operation::Claim(group, claim) = operation {
                        self.claim(claim, group);
                    }
                }
            }
            Move::Claim(claim) => {
                let claim = Claim::at(claim % claims);
                self.claim(claim, self.constants().group_of(claim));
            }
            Move::Close(claim, completed) => self.close(Claim::at(claim % claims), completed),
            Move::CloseOpen(claim, completed) => {
                let open: Vec<Claim> = self.projection.claims.open().iter().collect();
                if !open.is_empty() {
                    self.close(open[claim % open.len()], completed);
                }
            }
            Move::Result(claim) => {
                let completed: Vec<Claim> = self.projection.claims.completed().iter().collect();
                if !completed.is_empty() {
                    let claim = completed[claim % completed.len()];
                    let group = self.constants().group_of(claim);
                    let step = Step::Result {
                        claim: claim.number(),
                    };
                    self.step(Operation::Result(group, claim), step);
                }
            }
            Move::Run(group, run) => {
                let group = Group::at(group % groups);
                let (operation, to) = match run {
                    0 => (Operation::Started(group), "started"),
                    1 => (Operation::Bound(group), "bound"),
                    2 => (Operation::Terminated(group), "terminal"),
                    _ => (Operation::Release(group), "released"),
                };
                let group = group.number();
                self.step(operation, Step::Run { group, to });
            }
            Move::Observe(resource, raw) => {
                let resource = Resource::ALL[resource];
                let raw: RawStatus = resource.statuses()[raw];
                let operation = Operation::Observe {
                    resource,
                    raw,
                    taken_for_ready: false,
                };
                let step = Step::Observe {
                    resource: resource.index() as i64 + 1,
                    raw: raw.name(),
                };
                self.step(operation, step);
            }
        }
    }

    fn close(&mut self, claim: Claim, completed: bool) {
        let outcome = if completed {
            Outcome::Completed
        } else {
            Outcome::Cancelled
        };
        let group = self.constants().group_of(claim);
        let step = Step::Close {
            claim: claim.number(),
            completed,
        };
        self.step(Operation::Close(group, claim, outcome), step);
    }
}

#[test]
fn the_scheduler_agrees_with_the_slow_reference_on_random_histories() {
    let input = (
        setting(),
        prop::collection::vec((a_move(), 1..5_i64), 1..25),
    );
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(5_000)
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let outcome = runner.run(&input, |(setting, history)| {
        let mut both = Both::of(&setting);
        both.compare(4);
        for (a_move, limit) in history {
            both.take(a_move);
            both.compare(limit);
        }
        Ok(())
    });
    outcome.unwrap();
}

/// Positions are those of the first record, wherever replay begins.
#[test]
fn works_keep_their_place() {
    let setting = Setting::of([5, 2, 2, 5, 2, 5, 1, 9]);
    let model: FairWorkQueue = setting.model();
    let positions = initial(model.constants()).works;
    let positions: Vec<i64> = positions.iter().map(|work| work.position).collect();
    assert_eq!(positions, [6, 7, 8, 9, 10], "W + w");
}

/// With two groups weighted and strict mode make the same plans. With three they part; and since
/// the two works then only change their roles, every count of the two searches is the same: only
/// their states tell them apart.
#[test]
fn weighted_and_strict_mode_part_with_three_groups() {
    let encodings = |setting: Setting| -> HashSet<Vec<u8>> {
        let model = setting.model();
        let states = crate::spaces::states(&model, usize::MAX);
        let encoded = states.iter().map(|state| encoded(&model, state));
        encoded.collect()
    };
    let two = Setting::of([2, 2, 1, 1, 2, 1, 0, 10]);
    assert_eq!(
        encodings(two.mode("weighted")),
        encodings(two.mode("strict"))
    );
    let three = Setting::of([2, 3, 1, 1, 3, 1, 0, 10]);
    let (weighted, strict) = (
        encodings(three.mode("weighted")),
        encodings(three.mode("strict")),
    );
    assert_eq!(weighted.len(), strict.len());
    assert_ne!(weighted, strict);
}
