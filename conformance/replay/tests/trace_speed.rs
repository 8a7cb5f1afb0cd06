//! How fast recorded behaviours are read, and in how much memory. They print figures and take a
//! while, so that they are run by hand, one at a time and optimised:
//!
//! ```text
//! cargo test --release -p plumb-replay --test trace_speed -- --ignored --nocapture --test-threads 1
//! ```

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use plumb_replay::trace::{
    Ending, Header, PlumbWriter, RecordedStep, TraceItem, open, write_itf, write_tlc_text,
};
use plumb_tla::read_dump;

/// So many states does the issue ask for, in a second and on one core.
const ENOUGH: f64 = 50_000.0;

/// The steps of a lasso that TLC recorded, over and over.
fn steps(count: u64) -> impl Iterator<Item = TraceItem> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tla/tests/samples/courier/tlc-2026/lasso.txt"
    );
    let items = open(path.as_ref(), None).unwrap().map(Result::unwrap);
    let recorded: Vec<RecordedStep> = items
        .filter_map(|item| match item {
            TraceItem::Step(step) => Some(step),
            _ => None,
        })
        .collect();
    (1..=count).map(move |number| {
        let step = recorded[(number - 1) as usize % recorded.len()].clone();
        TraceItem::Step(RecordedStep { number, ..step })
    })
}

fn behaviour(count: u64) -> impl Iterator<Item = TraceItem> {
    let header = TraceItem::Header(Header::default());
    let end = TraceItem::End(Ending::Open);
    std::iter::once(header).chain(steps(count)).chain([end])
}

/// The most memory that this process has had, in KiB, where the system tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

fn report(what: &str, path: &Path, states: u64, begin: Instant) -> f64 {
    let seconds = begin.elapsed().as_secs_f64();
    let megabytes = path.metadata().unwrap().len() as f64 / 1e6;
    let rate = states as f64 / seconds;
    let peak = peak_memory().map_or("?".to_owned(), |peak| (peak / 1024).to_string());
    println!(
        "{what}: {states} states of {megabytes:.0} MB in {seconds:.1} s, {rate:.0} states/s, \
         {:.0} MB/s, at most {peak} MiB of memory",
        megabytes / seconds
    );
    rate
}

#[test]
#[ignore = "prints figures, by hand"]
fn traces_are_read_fast_and_in_little_memory() {
    const COUNT: u64 = 400_000;
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str| {
        let path = folder.path().join(name);
        let file = BufWriter::new(File::create(&path).unwrap());
        (path, file)
    };
    let (tlc, file) = create("tlc.txt");
    write_tlc_text(file, behaviour(COUNT)).unwrap();
    let (plumb, file) = create("plumb.jsonl");
    let mut writer = PlumbWriter::new(file);
    behaviour(COUNT).for_each(|item| writer.write(&item).unwrap());
    writer.finish().unwrap();
    let (itf, file) = create("trace.itf.json");
    write_itf(file, behaviour(COUNT)).unwrap();

    for path in [&tlc, &plumb, &itf] {
        let begin = Instant::now();
        let mut states = 0;
        for item in open(path, None).unwrap() {
            states += u64::from(matches!(item.unwrap(), TraceItem::Step(_)));
        }
        assert_eq!(states, COUNT);
        let rate = report(
            path.file_name().unwrap().to_str().unwrap(),
            path,
            states,
            begin,
        );
        assert!(path != &tlc || rate > ENOUGH);
    }
    assert!(peak_memory().is_none_or(|peak| peak < 64 << 10));
}

#[test]
#[ignore = "writes two gigabytes into the temporary folder"]
fn a_dump_of_two_gigabytes_is_read_in_little_memory() {
    const SIZE: u64 = 2_000_000_000;
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut out = BufWriter::new(file.reopen().unwrap());
    let (mut written, mut count) = (0, 0);
    for item in steps(u64::MAX) {
        let TraceItem::Step(step) = item else {
            continue;
        };
        let text = format!("State {}:\n{}\n\n", step.number, step.state);
        out.write_all(text.as_bytes()).unwrap();
        written += text.len() as u64;
        count += 1;
        if written >= SIZE {
            break;
        }
    }
    out.flush().unwrap();

    let begin = Instant::now();
    let mut states = 0;
    for state in read_dump(BufReader::new(file.reopen().unwrap())) {
        state.unwrap();
        states += 1;
    }
    assert_eq!(states, count);
    report("dump", file.path(), states, begin);
    assert!(peak_memory().is_none_or(|peak| peak < 64 << 10));
}
