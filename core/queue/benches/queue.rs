//! How fast logs are replayed and grants are planned: `cargo bench -p plumb-queue`.
//!
//! Prints the figures of the crate's README. The log is made here: batches of 160 Works in 10 Dispatches
//! of 16 Claims, each Work cancelled with its Claim, each Dispatch released. An item is a Work or a
//! Claim. `cargo bench -p plumb-queue -- FILE` writes the log of 100,000 items to a file.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use plumb_canonical::Digest;
use plumb_queue::log::Log;
use plumb_queue::schedule::contest::{Clocks, Contest, Rules};
use plumb_queue::state::State;
use plumb_queue::wire::policy::Mode;
use plumb_queue::wire::scalar::{Bounded, FairnessKey};

const BATCH: usize = 160;
const CLAIMS: usize = 16;

fn main() {
    let log = generate(50_000);
    if let Some(path) = std::env::args()
        .nth(1)
        .filter(|argument| argument != "--bench")
    {
        std::fs::write(path, &log).unwrap();
        return;
    }
    println!(
        "log of 100,000 items: {:.1} MiB, {} commits",
        log.len() as f64 / f64::from(1 << 20),
        log.lines().count()
    );
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let state = Log::read(log.as_bytes())
            .unwrap()
            .replay(|_, _| {})
            .unwrap();
        best = best.min(start.elapsed());
        assert_eq!(
            (state.works().count(), state.totals().claims),
            (50_000, 50_000)
        );
        assert!(state.is_quiescent());
    }
    println!(
        "replay, best of 3:                {:>8.2} s",
        best.as_secs_f64()
    );
    println!(
        "peak memory of this process:      {:>8.0} MiB",
        peak_memory()
    );
    appends();
    grants();
    ratios();
}

/// What one more commit costs after so many items: the best of many rounds of one batch, so that what
/// is measured is the same work each time.
fn appends() {
    let mut first = None;
    for items in [1_000_usize, 10_000, 100_000] {
        let log = generate((items / 2).next_multiple_of(BATCH) + BATCH);
        let read = Log::read(log.as_bytes()).unwrap();
        let lines = read.lines();
        let batch = 3;
        let (before, after) = lines.split_at(lines.len() - batch);
        let mut start = State::default();
        for line in before {
            start.advance(&line.value().unwrap()).unwrap();
        }
        let times = (0..30).map(|_| {
            let mut state = start.clone();
            let start = Instant::now();
            for line in after {
                state.advance(&line.value().unwrap()).unwrap();
            }
            start.elapsed()
        });
        let mut times: Vec<_> = times.collect();
        times.sort();
        let commit = times[times.len() / 2].as_secs_f64() * 1e6 / batch as f64;
        let ratio = commit / *first.get_or_insert(commit);
        println!(
            "append after {items:>7} items:       {commit:>8.0} µs a commit, {ratio:.2} times the first"
        );
    }
}

fn grants() {
    let keys: Vec<_> = (0..1000)
        .map(|key| FairnessKey::new(&format!("account-{key}")).unwrap())
        .collect();
    let weights = keys
        .iter()
        .cloned()
        .zip((0..).map(|index: u64| index % 1000 + 1));
    let rules = Rules::of(Mode::WeightedPriority, [8, 4, 2, 1, 1], weights);
    let works = (0..10_000_u64).map(|work| {
        let class = Bounded::new(work % 5 + 1).unwrap();
        (
            class,
            keys[usize::try_from(work / 5 % 1000).unwrap()].clone(),
            work,
        )
    });
    let works: Vec<_> = works.collect();
    let start = Instant::now();
    let mut contest = Contest::new(&rules, Clocks::default(), works);
    let mut count = 0;
    while let Some(turn) = contest.peek() {
        contest.take(&turn);
        count += 1;
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / f64::from(count);
    assert_eq!(count, 10_000);
    println!("10,000 Works, 1,000 accounts:     {each:>8.2} µs a grant, weights 1 to 1000");
}

/// The ratio experiments of section 6.6.
fn ratios() {
    let share = |weights: [u64; 5], used: usize, grants: usize| {
        let rules = Rules::of(
            Mode::WeightedPriority,
            weights,
            [(FairnessKey::default_account(), 1)],
        );
        let works = (0..used).flat_map(|class| (0..grants).map(move |_| class));
        let works = works.map(|class| {
            let priority = Bounded::new(class as u64 + 1).unwrap();
            (priority, FairnessKey::default_account(), class)
        });
        let mut contest = Contest::new(&rules, Clocks::default(), works.collect::<Vec<_>>());
        let mut counts = [0; 5];
        for _ in 0..grants {
            let turn = contest.peek().unwrap();
            contest.take(&turn);
            counts[turn.work] += 1;
        }
        counts
    };
    println!(
        "weights 5:3:2 over 10,000 grants: {:?}",
        share([5, 3, 2, 1, 1], 3, 10_000)
    );
    println!(
        "8:4:2:1:1 over 16,000 grants:     {:?}",
        share([8, 4, 2, 1, 1], 5, 16_000)
    );
}

/// The largest resident set of this process, in MiB; 0 where the system does not say.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

fn sha(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

/// A log under construction; text is written in canonical order.
struct Maker {
    log: String,
    tip: Option<String>,
    commits: usize,
}

impl Maker {
    fn commit(&mut self, role: &str, kind: &str, parameters: &str, operations: &str) {
        let actor = format!(r#"{{"principal":"1","repository":"o/r","role":"{role}"}}"#);
        let fingerprint = sha(&format!(
            r#"{{"actor":{actor},"kind":"{kind}","parameters":{parameters}}}"#
        ));
        let id = format!("q{}", self.commits);
        let previous = self
            .tip
            .as_ref()
            .map_or("null".to_owned(), |tip| format!("\"{tip}\""));
        let (request, at) = (self.request(), self.commits + 1000);
        writeln!(
            self.log,
            r#"{{"actor":{actor},"at":{at},"id":"{id}","operations":[{operations}],"policy_epoch":"e","previous":{previous},"request":{{"fingerprint":"{fingerprint}","id":"{request}","kind":"{kind}","parameters":{parameters}}},"version":3}}"#
        )
        .unwrap();
        self.tip = Some(id);
        self.commits += 1;
    }

    fn request(&self) -> String {
        format!("r{}", self.commits)
    }
}

/// A log of this many Works, each granted once and then cancelled; a multiple of 16.
fn generate(works: usize) -> String {
    let mut maker = Maker {
        log: String::new(),
        tip: None,
        commits: 0,
    };
    let workflow = ".github/workflows/w.lock.yml";
    let policy = format!(
        r#"{{"epoch":"e","kind":"Policy","policy":{{"accounting_weights":{{"":1}},"class_weights":[8,4,2,1,1],"limits":{{"assignment_bytes":49152,"evidence_bytes":1024,"graph_nodes":4096,"ledger_bytes":67108864,"observation_writes":4096,"operations":256,"payload_bytes":16384,"pending_nodes":4096,"predecessors":64,"recovery_bytes":16777216,"result_bytes":4096}},"mode":"weighted-priority","pools":{{"p":{{"allowed_repositories":[],"default_profile":"w","logical_limit":4096,"max_observation_age_ms":60000,"native_limit":4096,"profiles":{{"w":{{"credential_scope":"c","effect_scope":"e","max_claims":16,"principal":"7","ref":"main","share_keys":true,"trust_domain":"t","workflow":"{workflow}"}}}},"reconciliation":{{"deadline_ms":300000,"max_attempts":5}},"retry":{{"backoff_ms":30000,"max_attempts":3}}}}}},"producers":{{"1":{{"fairness_keys":[""],"pools":["p"],"priorities":[1,2,3,4,5]}}}}}}}}"#
    );
    maker.commit(
        "administrator",
        "policy",
        &format!(r#"{{"operations":[{policy}]}}"#),
        &policy,
    );
    let mut first = 0;
    while first < works {
        batch(&mut maker, first, BATCH.min(works - first));
        first += BATCH;
    }
    maker.log
}

fn batch(maker: &mut Maker, first: usize, count: usize) {
    // One graph for 3,200 Works.
    let graph = format!("g{}", first / 3200);
    let ids: Vec<_> = (first..first + count)
        .map(|node| sha(&format!(r#"{{"graph_id":"{graph}","node_key":"{node}"}}"#)))
        .collect();
    let works = (first..).zip(&ids).map(|(node, id)| {
        format!(
            r#"{{"batch_trust_domain":"t","depends_on":[],"enqueued":1,"fairness_key":"","graph_id":"{graph}","kind":"Work","node_key":"{node}","payload":{{}},"pool":"p","priority":3,"work_id":"{id}","worker_profile":"w"}}"#
        )
    });
    let works = works.collect::<Vec<_>>().join(",");
    maker.commit(
        "producer",
        "submit",
        &format!(r#"{{"nodes":[{works}]}}"#),
        &works,
    );
    let request = sha(&maker.request());
    let claims = ids.iter().enumerate().map(|(index, id)| {
        let (group, handle) = (index / CLAIMS + 1, index % CLAIMS + 1);
        format!(
            r#"{{"claim_id":"c_{request}_{}","dispatch_id":"d_{request}_{group}","handle":"h{handle}","kind":"Claim","observations":[],"work_id":"{id}"}}"#,
            index + 1
        )
    });
    let claims = claims.collect::<Vec<_>>().join(",");
    let budget = r#"{"max_bytes":49152,"max_claims":256,"max_dispatches":256,"pool":"p"}"#;
    maker.commit("dispatcher", "dispatch_next", budget, &claims);
    let ends = ids
        .iter()
        .map(|id| format!(r#"{{"kind":"WorkCancellation","reason":"x","work_id":"{id}"}}"#));
    let releases = (1..=count.div_ceil(CLAIMS)).map(|group| {
        format!(
            r#"{{"dispatch_id":"d_{request}_{group}","evidence":{{"checked_at":1,"kind":"prelaunch","principal":"7","ref":"main","repository":"o/r","source":"trusted_publisher","workflow":".github/workflows/w.lock.yml"}},"kind":"Release"}}"#
        )
    });
    let ends = ends.chain(releases).collect::<Vec<_>>().join(",");
    maker.commit(
        "reconciler",
        "release",
        &format!(r#"{{"operations":[{ends}]}}"#),
        &ends,
    );
}
