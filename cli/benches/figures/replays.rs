//! How fast long traces are replayed.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use plumb_replay::trace::{TraceItem, open, write_tlc_text};
use serde_json::Value;

use super::{grouped, plumb, seconds, watched};

/// The configurations of which there are recorded walks, and how many walks of up to a thousand steps
/// make some hundred thousand states.
const WALKS: [(&str, usize); 6] = [
    ("WorkQueue", 10_000),
    ("FairBatch", 7_500),
    ("FairDAGGitHub", 25_000),
    ("ClaimScopeMixed", 10_000),
    ("ServiceDynamic", 100),
    ("LifecyclePacked", 100),
];

/// Writes random walks to one file, as TLC prints behaviours, and counts their states.
fn record(name: &str, walks: usize, path: &Path) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display();
    plumb(&format!(
        "simulate {name} --depth 1000 --num {walks} --seed 1 --json --out {out}"
    ));
    let mut files: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut states = 0;
    let items = files.iter().flat_map(|file| open(file, None).unwrap());
    let items = items.map(Result::unwrap).inspect(|item| {
        states += u64::from(matches!(item, TraceItem::Step(_)));
    });
    write_tlc_text(BufWriter::new(File::create(path).unwrap()), items).unwrap();
    states
}

/// Replays them all.
pub(super) fn time(runs: usize) {
    println!(
        "{:16} {:>9} {:>8} {:>8} {:>8} {:>10} {:>10}",
        "", "states", "size", "min", "median", "states/s", "memory"
    );
    for (name, walks) in WALKS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walks.txt");
        let states = record(name, walks, &path);
        let file = path.display().to_string();
        let mut peaks = 0;
        let mut times: Vec<f64> = (0..=runs)
            .map(|_| {
                let arguments = ["replay", &file, "--config", name, "--json"];
                let (output, elapsed, peak) = watched(&arguments);
                assert!(output.status.success(), "{name}: {}", output.status);
                let found: Value = serde_json::from_slice(&output.stdout).unwrap();
                let traces = found["traces"].as_array().unwrap();
                let replayed: u64 = { traces.iter() }
                    .map(|trace| trace["steps"].as_u64().unwrap())
                    .sum();
                assert_eq!(replayed, states, "{name}");
                peaks = peaks.max(peak);
                elapsed.as_secs_f64()
            })
            // The first one is to warm up.
            .skip(1)
            .collect();
        times.sort_by(f64::total_cmp);
        let median = times[runs / 2];
        println!(
            "{name:16} {:>9} {:>5.0} MB {:>8} {:>8} {:>10} {:>6} MiB",
            grouped(states),
            path.metadata().unwrap().len() as f64 / 1e6,
            seconds(times[0]),
            seconds(median),
            grouped((states as f64 / median) as u64),
            peaks >> 10,
        );
    }
}
