//! Which files are meant, and what the manifest beside them says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{self, Path, PathBuf};
use std::rc::Rc;

use plumb_checker::specs::{self, Specs};
use plumb_replay::replay::{MANIFEST, Manifest, digest};

use crate::error::CliError;

/// Folders within folders are followed so far down.
const DEEPEST: usize = 32;

/// The name of the folder of recordings in a repository.
const FOLDER: &str = "traces";

/// A file that is to be replayed.
#[derive(Clone, Debug)]
pub(super) struct TraceFile {
    pub(super) path: PathBuf,
    /// The folder of recordings that it is in, if there is a manifest.
    pub(super) recordings: Option<Rc<Recordings>>,
}

/// A folder of recordings with a manifest.
#[derive(Debug)]
pub(super) struct Recordings {
    folder: PathBuf,
    manifest: Manifest,
}

/// What is to be replayed.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) files: Vec<TraceFile>,
    /// Recordings that a manifest lists and that are not there.
    pub(super) missing: Vec<PathBuf>,
}

/// The files that the paths mean, or those of the repository's folder if there are none: sorted
/// within each folder. Hidden files, README files and manifests are no traces.
pub(super) fn find(paths: &[PathBuf]) -> Result<Found, CliError> {
    let paths = if paths.is_empty() {
        vec![repository()?]
    } else {
        paths.to_vec()
    };
    let mut found = Found::default();
    let mut manifests = BTreeMap::new();
    for path in &paths {
        let metadata = fs::metadata(path).map_err(|error| CliError::unreadable(path, &error))?;
        let mut files = Vec::new();
        if metadata.is_dir() {
            walk(path, DEEPEST, &mut files)?;
        } else {
            files.push(path.clone());
        }
        for path in files {
            let recordings = recordings(&path, &mut manifests)?;
            found.files.push(TraceFile { path, recordings });
        }
        if metadata.is_dir()
            && let Some(recordings) = read_manifest(path, &mut manifests)?
        {
            let listed = recordings.manifest.recordings();
            let listed = listed.map(|listed| recordings.folder.join(listed));
            found.missing.extend(listed.filter(|path| !path.exists()));
        }
    }
    if found.files.is_empty() {
        let names: Vec<_> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let message = format!("there is no trace in {}", names.join(", "));
        return Err(CliError::usage(message, None));
    }
    Ok(found)
}

/// The nearest folder of recordings beside a `specs/` folder, at or above the working directory; as
/// seen from there.
fn repository() -> Result<PathBuf, CliError> {
    let working = std::env::current_dir().map_err(|error| {
        CliError::failed(format!("cannot tell the working directory: {error}"), None)
    })?;
    let mut seen = PathBuf::new();
    for parent in working.ancestors() {
        let folder = parent.join(FOLDER);
        let beside_specs = parent.join("specs").join(specs::REGISTRY).is_file();
        if folder.is_dir() && (beside_specs || folder.join(MANIFEST).is_file()) {
            return Ok(seen.join(FOLDER));
        }
        seen.push("..");
    }
    Err(CliError::usage(
        format!("there is no folder `{FOLDER}` here"),
        Some("name the traces, or folders of them".to_owned()),
    ))
}

fn walk(folder: &Path, deepest: usize, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let unreadable = |error| CliError::unreadable(folder, &error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let entries: Result<Vec<_>, _> = entries.collect();
    let mut entries = entries.map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') || name.starts_with("README") || name == MANIFEST {
            continue;
        }
        // A link to a folder is not followed: it may lead back here.
        let kind = entry.file_type().map_err(unreadable)?;
        let path = entry.path();
        if kind.is_dir() && deepest > 0 {
            walk(&path, deepest - 1, files)?;
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

type Manifests = BTreeMap<PathBuf, Option<Rc<Recordings>>>;

/// The recordings that a file belongs to: those of the nearest folder above it with a manifest, not
/// more than three up, `traces/<model>/<configuration>/FILE`.
fn recordings(file: &Path, manifests: &mut Manifests) -> Result<Option<Rc<Recordings>>, CliError> {
    for folder in whole(file).ancestors().skip(1).take(3) {
        if let Some(found) = read_manifest(folder, manifests)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The path from the root on, so that its folders have names even where the user is in one of them.
fn whole(path: &Path) -> PathBuf {
    // It fails for an empty path, and where the working directory is gone.
    path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

fn read_manifest(
    folder: &Path,
    manifests: &mut Manifests,
) -> Result<Option<Rc<Recordings>>, CliError> {
    if let Some(known) = manifests.get(folder) {
        return Ok(known.clone());
    }
    let path = folder.join(MANIFEST);
    let found = if path.is_file() {
        let bytes = fs::read(&path).map_err(|error| CliError::unreadable(&path, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| CliError::not_text(&path, &error))?;
        let manifest = Manifest::parse(&text)
            .map_err(|error| CliError::usage(format!("{}: {error}", path.display()), None))?;
        let folder = folder.to_path_buf();
        Some(Rc::new(Recordings { folder, manifest }))
    } else {
        None
    };
    manifests.insert(folder.to_path_buf(), found.clone());
    Ok(found)
}

impl TraceFile {
    /// The model and configuration whose folder the file is in, as the last two folders say.
    pub(super) fn by_folder(&self) -> Option<(String, String)> {
        let path = whole(&self.path);
        let mut folders = path.ancestors().skip(1);
        let mut name = || Some(folders.next()?.file_name()?.to_string_lossy().into_owned());
        let configuration = name()?;
        Some((name()?, configuration))
    }

    /// Why the recording is not of what lies there now, in sentences: its own text, the module or
    /// the cfg is another than the manifest says.
    pub(super) fn stale(
        &self,
        specs: &Specs,
        model: &str,
        module: &str,
        cfg: Option<&str>,
    ) -> Vec<String> {
        let Some(recordings) = &self.recordings else {
            return Vec::new();
        };
        let mut stale = Vec::new();
        let path = whole(&self.path);
        let within = path.strip_prefix(&recordings.folder);
        let within = within.unwrap_or(&path).to_string_lossy().into_owned();
        match (recordings.manifest.recording(&within), fs::read(&self.path)) {
            (None, _) => stale.push("the manifest does not list it".to_owned()),
            (Some(listed), Ok(bytes)) if *listed != digest(&bytes) => {
                stale.push("it is not as it was recorded".to_owned());
            }
            _ => {}
        }
        let sources = [
            Some(format!("{model}/{module}.tla")),
            cfg.map(|cfg| format!("{model}/{cfg}.cfg")),
        ];
        for source in sources.into_iter().flatten() {
            let now = specs.text(&source).map(|text| digest(text.as_bytes()));
            match (recordings.manifest.source(&source), now) {
                (Some(listed), Ok(now)) if *listed == now => {}
                (None, _) => stale.push(format!("the manifest does not list {source}")),
                _ => stale.push(format!("{source} has changed since it was recorded")),
            }
        }
        stale
    }
}
