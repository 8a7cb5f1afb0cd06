//! The figures of the README: how long the checks take, and how that compares with TLC.
//!
//! `scripts/bench` runs it. What is timed is the whole process, as a user waits for it. With
//! `--tlc` it also runs TLC on larger configurations, once each with one worker, paired with Plumb
//! by `plumb compare`, and once with all cores; and on the first levels of WorkQueue. With `big` it
//! runs the searches that are too long for every day, once each, with the memory that the process
//! took. With `replay` it times the replay of long traces.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "figures/replays.rs"]
mod replays;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::Value;

/// What is timed, and what it is.
const COMMANDS: [(&str, &str); 11] = [
    ("check ClaimScopeMixed", ""),
    ("check ClaimScopeMixed --threads 1", ""),
    ("check LifecyclePacked", ""),
    ("check LifecyclePacked --threads 1", ""),
    ("check claim-scope lifecycle", "their 25 configurations"),
    ("check ServiceDynamic", ""),
    ("check FairDAGGitHub", ""),
    ("check Recovery", ""),
    ("check", "everything for an everyday run"),
    ("evidence verify", "every bundle"),
    ("evidence verify --repeat=2s", "as CI does"),
];

/// What is held against TLC: a large configuration, and a small one of the same model, which takes
/// TLC hardly longer than its start.
const PAIRS: [(&str, &str); 3] = [
    ("ClaimScopeMixed", "ClaimScopeSingle"),
    ("LifecyclePacked", "LifecycleRecurring"),
    ("Recovery", "OwnOneOfEach"),
];

/// The search of which TLC is given only the first levels, because all of them take it days.
const PREFIX: &str = "WorkQueue";
/// So many levels.
const PREFIX_LEVELS: usize = 12;

fn main() -> ExitCode {
    let mut tlc = false;
    let mut big = false;
    let mut replay = false;
    let mut runs = 5;
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tlc" => tlc = true,
            "big" => big = true,
            "replay" => replay = true,
            "--runs" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                match number {
                    Some(number @ 1..) => runs = number,
                    _ => return usage("--runs needs a number of at least 1"),
                }
            }
            // Cargo says so to every benchmark.
            "--bench" => {}
            other => return usage(&format!("unknown argument {other}")),
        }
    }
    println!("Machine: {}", machine());
    if big {
        time_big();
        return ExitCode::SUCCESS;
    }
    println!(
        "Program: plumb {}, release build, whole process; {runs} runs after one to warm up\n",
        env!("CARGO_PKG_VERSION")
    );
    if replay {
        replays::time(runs);
        return ExitCode::SUCCESS;
    }
    time_commands(runs);
    if tlc {
        compare_with_tlc();
    }
    ExitCode::SUCCESS
}

fn usage(message: &str) -> ExitCode {
    eprintln!("figures: {message}; it takes big, replay, --tlc and --runs N");
    ExitCode::from(2)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The machine in words.
fn machine() -> String {
    let description = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = description
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, name)| name.trim());
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory: Option<u64> = memory.lines().find_map(|line| {
        let kib = line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?;
        kib.parse().ok()
    });
    let memory = memory.map_or(String::new(), |kib| {
        format!(", {} GiB", (kib + (1 << 19)) >> 20)
    });
    let cores = match cores() {
        1 => "1 core".to_owned(),
        number => format!("{number} cores"),
    };
    format!("{cores} of {model}{memory}, {}", env::consts::OS)
}

/// Runs the program and gives its JSON and the time it took.
fn plumb(arguments: &str) -> (Value, Duration) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plumb"));
    command
        .args(arguments.split_whitespace())
        .current_dir(root())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let start = Instant::now();
    let output = command.output().unwrap();
    let elapsed = start.elapsed();
    assert!(
        output.status.success(),
        "plumb {arguments}: {}",
        output.status
    );
    (serde_json::from_slice(&output.stdout).unwrap(), elapsed)
}

/// Runs the program and gives what it printed, the time it took and the most memory that it had, in
/// KiB.
fn watched(arguments: &[&str]) -> (Output, Duration, u64) {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // A full pipe would stop it.
    let mut printed = child.stdout.take().unwrap();
    let printed = thread::spawn(move || {
        let mut bytes = Vec::new();
        printed.read_to_end(&mut bytes).map(|_| bytes)
    });
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let most = text.lines().find_map(|line| {
            let kib = line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?;
            kib.parse::<u64>().ok()
        });
        peak = peak.max(most.unwrap_or(0));
        thread::sleep(Duration::from_millis(10));
    }
    let elapsed = start.elapsed();
    let mut output = child.wait_with_output().unwrap();
    output.stdout = printed.join().unwrap().unwrap();
    (output, elapsed, peak)
}

/// The searches that are too long for every day.
const BIG: [&str; 2] = ["WorkQueue", "QueueOrdering"];

/// Runs each big search once: its time, and the most memory that its process had.
fn time_big() {
    println!(
        "{:16} {:>12} {:>14} {:>6} {:>8} {:>14} {:>10}",
        "", "distinct", "generated", "depth", "time", "generated/s", "memory"
    );
    for name in BIG {
        let (output, elapsed, peak) = watched(&["check", name, "--json"]);
        let elapsed = elapsed.as_secs_f64();
        assert!(output.status.success(), "{name}: {}", output.status);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = &found["configurations"][0];
        let count = |key: &str| found[key].as_u64().unwrap();
        println!(
            "{name:16} {:>12} {:>14} {:>6} {:>8} {:>14.0} {:>6} MiB",
            count("distinct"),
            count("generated"),
            count("depth"),
            seconds(elapsed),
            count("generated") as f64 / elapsed,
            peak >> 10,
        );
    }
}

fn time_commands(runs: usize) {
    println!(
        "{:54} {:>8} {:>8} {:>8} {:>14}",
        "", "min", "median", "max", "generated/s"
    );
    for (command, note) in COMMANDS {
        let arguments = format!("{command} --json");
        let (found, _) = plumb(&arguments);
        // An audit generates no states, and has no such list.
        let checked = found["configurations"].as_array();
        let generated: u64 = checked
            .into_iter()
            .flatten()
            .filter_map(|found| found["generated"].as_u64())
            .sum();
        let mut times: Vec<_> = (0..runs).map(|_| plumb(&arguments).1).collect();
        times.sort();
        let median = times[runs / 2];
        let title = if note.is_empty() {
            command.to_owned()
        } else {
            format!("{command} ({note})")
        };
        println!(
            "{title:54} {:>8} {:>8} {:>8} {:>14}",
            seconds(times[0].as_secs_f64()),
            seconds(median.as_secs_f64()),
            seconds(times[runs - 1].as_secs_f64()),
            rate(generated, median.as_secs_f64()),
        );
    }
}

/// What one comparison says of the times.
struct Paired {
    generated: u64,
    tlc: f64,
    plumb: f64,
    version: String,
}

fn paired(name: &str) -> Paired {
    let (found, _) = plumb(&format!("compare --json {name}"));
    let comparison = &found["comparisons"][0]["comparison"];
    let rows = comparison["rows"].as_array().unwrap();
    let generated = rows.iter().find(|row| row["what"] == "generated").unwrap();
    Paired {
        generated: generated["tlc"].as_str().unwrap().parse().unwrap(),
        tlc: comparison["tlc_seconds"].as_f64().unwrap(),
        plumb: comparison["plumb_seconds"].as_f64().unwrap(),
        version: comparison["tlc_version"].as_str().unwrap().to_owned(),
    }
}

/// How long TLC takes with as many workers as there are cores.
fn tlc_on_all_cores(name: &str) -> f64 {
    let (shown, _) = plumb(&format!("show {name} --json"));
    let [model, module] = ["model", "module"].map(|what| shown[what].as_str().unwrap());
    let start = Instant::now();
    let output = Command::new("scripts/tlc")
        // Older versions know no `auto`.
        .args(["-workers", &cores().to_string(), "-config"])
        .arg(format!("specs/{model}/{name}.cfg"))
        .arg(format!("specs/{model}/{module}.tla"))
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "TLC on {name}: {}", output.status);
    start.elapsed().as_secs_f64()
}

fn compare_with_tlc() {
    println!("\nPaired with TLC, one run each:");
    let mut version = None;
    for (name, small) in PAIRS {
        let start = paired(small).tlc;
        let large = paired(name);
        let all_cores = tlc_on_all_cores(name);
        println!("\n{name}, {} generated states", grouped(large.generated));
        let line = |what: &str, time: f64| {
            println!(
                "  {what:32} {:>9} {:>14}/s   Plumb is {:.0} times as fast",
                seconds(time),
                rate(large.generated, time),
                time / large.plumb
            );
        };
        println!(
            "  {:32} {:>9} {:>14}/s",
            "Plumb, all cores, the search",
            seconds(large.plumb),
            rate(large.generated, large.plumb)
        );
        line("TLC, one worker", large.tlc);
        line(
            "TLC, one worker, without start",
            (large.tlc - start).max(0.0),
        );
        line("TLC, all cores", all_cores);
        version = Some(large.version);
    }
    compare_prefix();
    println!(
        "\nTLC {}; its times include the start of Java and the reading of the module.\n\
         Without start: less the time for a small configuration of the same model.",
        version.as_deref().unwrap_or("of an unknown version")
    );
}

/// Holds TLC against Plumb on the first levels of a search. Both must find the same states there.
fn compare_prefix() {
    let (shown, _) = plumb(&format!("show {PREFIX} --json"));
    let [model, module] = ["model", "module"].map(|what| shown[what].as_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let specs = root().join("specs").join(model);
    let cfg = fs::read_to_string(specs.join(format!("{PREFIX}.cfg"))).unwrap();
    let source = specs.join(format!("{module}.tla"));
    fs::copy(source, folder.path().join(format!("{module}.tla"))).unwrap();
    // A state is dropped if the one it was reached from is on the last level.
    let prefix = format!(
        "---- MODULE Prefix ----\nEXTENDS {module}, TLC\n\
         FirstLevels == TLCGet(\"level\") < {PREFIX_LEVELS}\n====\n"
    );
    fs::write(folder.path().join("Prefix.tla"), prefix).unwrap();
    let cfg = format!("{cfg}\nCONSTRAINT FirstLevels\n");
    fs::write(folder.path().join("Prefix.cfg"), cfg).unwrap();

    let start = Instant::now();
    let output = Command::new(root().join("scripts/tlc"))
        .args(["-config", "Prefix.cfg", "Prefix.tla"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let tlc = start.elapsed().as_secs_f64();
    assert!(output.status.success(), "TLC: {}", output.status);
    let report = plumb_tla::tlc::read_report(&*output.stdout, output.status.code()).unwrap();
    let (generated, distinct) = (report.generated.unwrap(), report.distinct.unwrap());

    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(["check", PREFIX, "--json", "--max-states"])
        .arg(distinct.to_string())
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let own = start.elapsed().as_secs_f64();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = &found["configurations"][0];
    let count = |key: &str| found[key].as_u64().unwrap();
    assert_eq!(
        (count("distinct"), count("depth")),
        (distinct, PREFIX_LEVELS as u64),
        "the first levels of {PREFIX}"
    );
    println!(
        "\nThe first {PREFIX_LEVELS} levels of {PREFIX}, {} states",
        grouped(distinct)
    );
    let ratio = (count("generated") as f64 / own) / (generated as f64 / tlc);
    let line = |what: &str, generated: u64, time: f64, note: &str| {
        let rate = rate(generated, time);
        println!("  {what:32} {:>9} {rate:>14}/s{note}", seconds(time));
    };
    line(
        "Plumb, all cores, whole process",
        count("generated"),
        own,
        "",
    );
    let note = format!("   Plumb generates {ratio:.0} times as many");
    line("TLC, one worker", generated, tlc, &note);
}

fn seconds(time: f64) -> String {
    format!("{time:.2} s")
}

fn rate(states: u64, seconds: f64) -> String {
    if states == 0 {
        return "-".to_owned();
    }
    grouped((states as f64 / seconds) as u64)
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}
