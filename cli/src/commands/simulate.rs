//! `plumb simulate`: random walks through a model, the same ones for the same seed.

mod json;

use std::fmt::Write as _;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use owo_colors::OwoColorize;
use plumb_checker::simulation::{Simulation, Walk, WalkEnd, WalkOptions, walk};
use plumb_checker::{ExpectedVerdict, Registry, Verdict, ViolatedProperty};
use plumb_replay::trace::{Ending, TraceItem};
use plumb_tla::{State, difference};

use super::recording::{self, Written};
use crate::arguments::{SimulateArguments, SingleChoice};
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output::{self, grouped};
use crate::progress;
use crate::workspace::{Configuration, Workspace};

/// What the walks found, all together.
struct Found {
    first_seed: u64,
    simulation: Simulation,
    /// The walk that ended them, if one did before its time.
    last: Option<Walk>,
    files: Vec<PathBuf>,
}

/// Takes the walks, and says what they met.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &SimulateArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let configuration = workspace.configuration(&arguments.choice)?;
    let model = configuration.model.as_ref();
    if let Some(Verdict::Assumption { name, .. }) = model.false_assumption() {
        return Err(CliError::usage(
            format!(
                "{} has no behaviour: the constants violate {name}",
                configuration.name
            ),
            None,
        ));
    }
    let first_seed = arguments.seed.unwrap_or_else(by_chance);
    let interrupt = Interrupt::listen();
    let found = take(
        &workspace,
        &configuration,
        arguments,
        first_seed,
        &interrupt,
    )?;
    if arguments.json {
        output::print_json(&json::of(&configuration, arguments, &found))?;
    } else {
        output::print(&text(&configuration, arguments, &found))?;
    }
    Ok(status(&configuration, &found))
}

/// A seed that nobody chose, short enough to be typed.
fn by_chance() -> u64 {
    RandomState::new().hash_one(0) >> 32
}

/// Takes walk after walk, until one of them must be the last.
fn take(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
    arguments: &SimulateArguments,
    first_seed: u64,
    interrupt: &Interrupt,
) -> Result<Found, CliError> {
    let model = configuration.model.as_ref();
    if let Some(folder) = &arguments.out {
        fs::create_dir_all(folder).map_err(|error| CliError::unwritable(folder, &error))?;
        let taken = (0..arguments.num)
            .map(|index| file(folder, configuration, first_seed.wrapping_add(index)))
            .find(|path| path.symlink_metadata().is_ok());
        if let Some(path) = taken {
            return Err(occupied(&path));
        }
    }
    let options = WalkOptions {
        depth: arguments.depth,
        deadlock: arguments.deadlock,
    };
    let (walks, steps) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let describe = {
        let (walks, steps, num) = (Arc::clone(&walks), Arc::clone(&steps), arguments.num);
        move |elapsed: Duration| {
            let (walks, steps) = (walks.load(Relaxed), steps.load(Relaxed));
            let rate = steps as f64 / elapsed.as_secs_f64().max(0.001);
            format!(
                "walk {} of {}, {} steps, {} steps/s",
                grouped((walks + 1).min(num)),
                grouped(num),
                grouped(steps),
                grouped(rate as u64)
            )
        }
    };
    let mut found = Found {
        first_seed,
        simulation: Simulation::of(model),
        last: None,
        files: Vec::new(),
    };
    progress::watched(&configuration.name, describe, || {
        for index in 0..arguments.num {
            let seed = first_seed.wrapping_add(index);
            let walk = walk(model, seed, options, &interrupt.flag());
            found.simulation.add(&walk);
            walks.store(found.simulation.walks, Relaxed);
            steps.store(found.simulation.steps, Relaxed);
            // A walk that was cut off by a signal or a panic is no record of the model.
            let whole = !matches!(walk.end, WalkEnd::Stopped | WalkEnd::Failed(_));
            if let (Some(folder), true) = (&arguments.out, whole) {
                let path = file(folder, configuration, seed);
                write(workspace, configuration, &walk, &path)?;
                found.files.push(path);
            }
            match walk.end {
                WalkEnd::Violated(_) | WalkEnd::Stopped | WalkEnd::Failed(_) => {
                    found.last = Some(walk);
                    break;
                }
                WalkEnd::Depth | WalkEnd::Rest | WalkEnd::Outside => {}
            }
        }
        Ok(found)
    })
}

/// The file of a walk: named so that the same walk has the same file.
fn file(folder: &Path, configuration: &Configuration, seed: u64) -> PathBuf {
    folder.join(format!("{}-{seed}.jsonl", configuration.name))
}

fn occupied(path: &Path) -> CliError {
    CliError::usage(
        format!("{} is there already", path.display()),
        Some("delete it, or choose another folder or another `--seed`".to_owned()),
    )
}

fn write(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
    walk: &Walk,
    path: &Path,
) -> Result<(), CliError> {
    let violation = match &walk.end {
        WalkEnd::Violated(violated) => Some((violated.kind, violated.property)),
        _ => None,
    };
    let header = recording::header(workspace, configuration, violation, Some(walk.seed))?;
    let mut items = vec![TraceItem::Header(header)];
    for (number, (action, state)) in (1..).zip(&walk.states) {
        let state = render(configuration, state)?;
        items.push(recording::step(number, action.as_ref(), state));
    }
    items.push(TraceItem::End(Ending::Open));
    let written = recording::file(&items, Written::Plumb)?;
    if output::write_new_file(path, written.as_bytes())? {
        Ok(())
    } else {
        Err(occupied(path))
    }
}

fn render(configuration: &Configuration, state: &[u8]) -> Result<State, CliError> {
    let state = configuration.model.render(state);
    state.ok_or_else(|| CliError::failed("the model does not know its own state", None))
}

/// Whether the registry says that this is what must be found.
fn is_expected(configuration: &Configuration, violated: &ViolatedProperty) -> bool {
    let registered = configuration.registered.as_ref();
    registered.is_some_and(|entry| {
        let expect = &entry.expect;
        let conjunct = expect.conjunct.as_deref();
        expect.verdict == ExpectedVerdict::Violated
            && expect.property.as_deref() == Some(violated.property)
            && (conjunct.is_none() || conjunct == violated.conjunct)
    })
}

fn status(configuration: &Configuration, found: &Found) -> Status {
    match found.last.as_ref().map(|walk| &walk.end) {
        None => Status::Expected,
        Some(WalkEnd::Violated(violated)) if is_expected(configuration, violated) => {
            Status::Expected
        }
        Some(WalkEnd::Failed(_)) => Status::Failed,
        Some(WalkEnd::Stopped) => Status::Inconclusive,
        Some(_) => Status::Different,
    }
}

/// The command that takes these walks again, or the one walk of a violation.
fn repetition(arguments: &SimulateArguments, found: &Found) -> String {
    let SingleChoice { name, model, cfg } = &arguments.choice;
    let mut command = "plumb simulate".to_owned();
    if let Some(name) = name {
        let _ = write!(command, " {name}");
    }
    if let (Some(model), Some(cfg)) = (model, cfg) {
        let _ = write!(command, " --model {model} --cfg {}", quoted(cfg));
    }
    let (seed, num) = match &found.last {
        Some(walk) if !matches!(walk.end, WalkEnd::Stopped) => (walk.seed, 1),
        _ => (found.first_seed, arguments.num),
    };
    let deadlock = if arguments.deadlock {
        " --deadlock"
    } else {
        ""
    };
    let depth = arguments.depth;
    let _ = write!(
        command,
        " --depth {depth} --num {num} --seed {seed}{deadlock}"
    );
    command
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+=:@%,".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn text(configuration: &Configuration, arguments: &SimulateArguments, found: &Found) -> String {
    let simulation = &found.simulation;
    let name = &configuration.name;
    let mut text = String::new();
    let end = found.last.as_ref().map(|walk| (walk, &walk.end));
    if let Some((walk, WalkEnd::Violated(violated))) = end {
        violation(&mut text, configuration, walk, violated);
        text.push('\n');
    }
    let ends = [
        (simulation.at_depth, "at the given depth"),
        (simulation.at_rest, "at rest"),
        (simulation.outside, "outside the constraint"),
    ];
    let ends = ends.iter().filter(|(times, _)| *times > 0);
    let ends: Vec<String> = ends
        .map(|(times, place)| format!("{} ended {place}", grouped(*times)))
        .collect();
    let counted = |number: u64, what: &str| match number {
        1 => format!("1 {what}"),
        number => format!("{} {what}s", grouped(number)),
    };
    let _ = writeln!(
        text,
        "{name}: {}, {}, the longest with {}{}{}",
        counted(simulation.walks, "walk"),
        counted(simulation.steps, "step"),
        grouped(simulation.longest),
        if ends.is_empty() { "" } else { "; " },
        ends.join(", ")
    );
    match end {
        None => {
            text.push_str("No walk met a violation. That proves nothing; `plumb check` does.\n");
        }
        Some((_, WalkEnd::Stopped)) => text.push_str("Interrupted.\n"),
        Some((walk, WalkEnd::Failed(message))) => {
            let _ = writeln!(text, "The walk of seed {} failed: {message}", walk.seed);
        }
        Some(_) => {}
    }
    never_taken(&mut text, configuration, simulation);
    if let (Some(folder), false) = (&arguments.out, found.files.is_empty()) {
        let traces = counted(found.files.len() as u64, "trace");
        let _ = writeln!(text, "{traces} in {}", folder.display());
    }
    let _ = writeln!(
        text,
        "Seed {}; to repeat: {}",
        found.first_seed,
        repetition(arguments, found)
    );
    text
}

/// The walk that met a violation, state by state.
fn violation(
    text: &mut String,
    configuration: &Configuration,
    walk: &Walk,
    violated: &ViolatedProperty,
) {
    let ViolatedProperty {
        property,
        kind,
        conjunct,
    } = violated;
    let conjunct = conjunct.map_or_else(String::new, |conjunct| {
        format!(" by its conjunct {conjunct}")
    });
    let expected = if is_expected(configuration, violated) {
        ", as the registry expects"
    } else {
        ""
    };
    let _ = writeln!(
        text,
        "{}: {kind} {property} is violated{conjunct} in state {} of the walk of seed \
         {}{expected}; it need not be a shortest one",
        configuration.name,
        walk.states.len(),
        walk.seed
    );
    let mut before: Option<State> = None;
    for (number, (action, state)) in (1..).zip(&walk.states) {
        let label = action.as_ref();
        let label = label.map_or_else(|| "initial state".to_owned(), ToString::to_string);
        let heading = format!("State {number}: {label}");
        let _ = writeln!(text, "\n{}", heading.bold());
        let Some(state) = configuration.model.render(state) else {
            continue;
        };
        match &before {
            None => {
                for line in state.pretty(98).to_string().lines() {
                    let _ = writeln!(text, "  {line}");
                }
            }
            Some(before) => {
                let changes = difference(before, &state);
                if changes.is_empty() {
                    text.push_str("  nothing changes\n");
                }
                for change in changes {
                    let _ = writeln!(text, "  {change}");
                }
            }
        }
        before = Some(state);
    }
}

/// Says which actions no walk took, apart from those of which the registry says that none can.
fn never_taken(text: &mut String, configuration: &Configuration, simulation: &Simulation) {
    let never = simulation.never_taken();
    let registered = configuration.registered.as_ref();
    let known = |action: &str| {
        let listed = registered.map(|entry| entry.never_taken.iter());
        let mut listed = listed.into_iter().flatten();
        listed.any(|listed| listed.action == action)
    };
    let (impossible, missed): (Vec<&str>, Vec<&str>) =
        never.into_iter().partition(|action| known(action));
    let line = match (&missed[..], &impossible[..]) {
        ([], []) => "Every action was taken".to_owned(),
        ([], impossible) => format!(
            "Every action was taken, but for those that the registry says never are: {}",
            impossible.join(", ")
        ),
        (missed, []) => format!("Never taken: {}", missed.join(", ")),
        (missed, impossible) => format!(
            "Never taken: {}; and, as the registry says of every behaviour, {}",
            missed.join(", "),
            impossible.join(", ")
        ),
    };
    text.push_str(&line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_for_a_shell_where_that_is_needed() {
        assert_eq!(quoted(Path::new("a/b-c.cfg")), "a/b-c.cfg");
        assert_eq!(quoted(Path::new("a b.cfg")), "'a b.cfg'");
        assert_eq!(quoted(Path::new("it's;rm")), r"'it'\''s;rm'");
    }
}
