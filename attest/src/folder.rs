//! Reading bundles from folders that nobody vouches for.
//!
//! The world is closed: what is there and does not belong there is a fault. Links are not followed,
//! pipes not opened, and nothing is read that is larger than a bundle's files are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::bundle::{
    Bundle, ENTRY, ENVELOPE, MANIFEST, RESULT, RUN, SUMS, TLC_LOG, TRACE, TRACE_TEXT,
};
use crate::fault::{Code, Fault};

/// The largest file that a bundle can have, in bytes.
pub const LARGEST_FILE: u64 = 64 << 20;

/// How large a file of a bundle may be, in bytes; nothing if no bundle has a file at this path. Only
/// logs and traces are ever large, and nothing else is read that is: reading a document can take a
/// hundred times its size.
#[must_use]
pub fn largest(path: &str) -> Option<u64> {
    let plain = |name: &str| !name.contains('/');
    Some(match path {
        RESULT => 16 << 20,
        RUN | MANIFEST | SUMS | ENVELOPE => 1 << 20,
        ENTRY => 256 << 10,
        TRACE | TRACE_TEXT | TLC_LOG => LARGEST_FILE,
        source => {
            let name = source.strip_prefix("sources/").filter(|name| plain(name))?;
            let source = name.ends_with(".tla") || name.ends_with(".cfg");
            source.then_some(4 << 20)?
        }
    })
}

/// How deep folders may lie in a bundle. Deeper ones are faults and not looked into.
const DEEPEST: usize = 4;

/// The prefix of what a writer has not finished.
pub(crate) const UNFINISHED: &str = ".plumb-evidence.";

/// The file with reasons for bundles that may be stale, in the folder of all evidence.
pub const STALE_REASONS: &str = "stale.toml";

/// How large that file may be, in bytes.
const LARGEST_REASONS: u64 = 256 << 10;

/// A bundle as it was found, and what is wrong with its files as such.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// What could be read.
    pub bundle: Bundle,
    /// What could not, or should not be there.
    pub faults: Vec<Fault>,
}

/// What a folder is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The folder of all evidence.
    #[default]
    All,
    /// The bundles of one model.
    Model,
    /// One bundle.
    Bundle,
}

impl Scope {
    /// The path of a bundle within the folder; empty if it is the folder itself.
    #[must_use]
    pub fn path(self, model: &str, configuration: &str) -> String {
        match self {
            Self::All => format!("{model}/{configuration}"),
            Self::Model => configuration.to_owned(),
            Self::Bundle => String::new(),
        }
    }

    /// The place of a bundle in the folder at `root`.
    #[must_use]
    pub fn place(self, root: &Path, model: &str, configuration: &str) -> PathBuf {
        match self {
            // Joined with nothing, a path gets a slash at its end.
            Self::Bundle => root.to_owned(),
            scope => root.join(scope.path(model, configuration)),
        }
    }
}

/// All that was found in a folder.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    /// Bundles by the folders they lie in: model and configuration. If less than the folder of all
    /// was named, these are the names that its place suggests.
    pub bundles: BTreeMap<(String, String), Found>,
    /// What belongs to no bundle.
    pub faults: Vec<Fault>,
    /// The text of [`STALE_REASONS`], if it is there.
    pub stale_reasons: Option<String>,
    /// What the folder is.
    pub scope: Scope,
}

/// Reads the folder of all evidence, of one model, or one bundle: whichever `root` is.
///
/// # Errors
///
/// The folder itself cannot be read. Whatever is wrong within it is a fault.
pub fn read_evidence(root: &Path) -> io::Result<Collection> {
    let mut collection = Collection {
        scope: scope(root)?,
        ..Collection::default()
    };
    // A path with a slash at its end, or with `..`, is still the folder that it leads to.
    let whole = root.canonicalize()?;
    // Writers lock the folder of all. Where that cannot be locked, nobody writes, either.
    let all = match collection.scope {
        Scope::All => Some(&*whole),
        Scope::Model => whole.parent(),
        Scope::Bundle => whole.parent().and_then(Path::parent),
    };
    let lock = all.and_then(|all| File::open(all).ok());
    let _ = lock.as_ref().map(File::lock_shared);
    let name = |path: Option<&Path>| {
        let name = path.and_then(Path::file_name).unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    match collection.scope {
        Scope::All => read_all(root, &mut collection),
        Scope::Model => {
            let model = name(Some(&whole));
            read_model(root, &model, &mut collection);
        }
        Scope::Bundle => {
            let key = (name(whole.parent()), name(Some(&whole)));
            let found = read_bundle(root, "");
            collection.bundles.insert(key, found);
        }
    }
    Ok(collection)
}

/// A bundle has a manifest, the folder of a model has bundles, and any other is that of all.
fn scope(root: &Path) -> io::Result<Scope> {
    let has_manifest = |folder: &Path| fs::symlink_metadata(folder.join(MANIFEST)).is_ok();
    let below = |folder: &Path| -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect()
    };
    let models = below(root)?;
    if has_manifest(root) {
        return Ok(Scope::Bundle);
    }
    // A stray manifest beside bundles does not make their folder one.
    let deeper = models.iter().filter_map(|model| below(model).ok());
    let is_all = deeper.flatten().any(|folder| has_manifest(&folder));
    Ok(
        match models.iter().any(|folder| has_manifest(folder)) && !is_all {
            true => Scope::Model,
            false => Scope::All,
        },
    )
}

fn read_model(folder: &Path, model: &str, collection: &mut Collection) {
    let shown = match collection.scope {
        Scope::All => model,
        Scope::Model | Scope::Bundle => "",
    };
    let before = collection.faults.len() + collection.bundles.len();
    for (configuration, kind) in entries(folder, shown, &mut collection.faults) {
        let path = collection.scope.path(model, &configuration);
        if let Kind::Folder = kind {
            let found = read_bundle(&folder.join(&configuration), &path);
            let key = (model.to_owned(), configuration);
            collection.bundles.insert(key, found);
        } else {
            let message = "it belongs to no bundle";
            collection
                .faults
                .push(Fault::new(Code::Orphan, path, message));
        }
    }
    if collection.faults.len() + collection.bundles.len() == before {
        let message = "an empty folder belongs to no bundle";
        collection
            .faults
            .push(Fault::new(Code::Orphan, model, message));
    }
}

fn read_all(root: &Path, collection: &mut Collection) {
    let mut faults = Vec::new();
    for (model, kind) in entries(root, "", &mut faults) {
        match kind {
            Kind::Folder if model.starts_with(UNFINISHED) => faults.push(Fault::new(
                Code::Orphan,
                model,
                "it is left over from a writer that was ended; the next one removes it",
            )),
            Kind::Folder => read_model(&root.join(&model), &model, collection),
            Kind::File(metadata) if model == STALE_REASONS => {
                let path = root.join(&model);
                match read_file(&path, &metadata, LARGEST_REASONS).map(String::from_utf8) {
                    Ok(Ok(text)) => collection.stale_reasons = Some(text),
                    Ok(Err(_)) => faults.push(Fault::new(Code::Schema, model, "it is no text")),
                    Err((code, message)) => faults.push(Fault::new(code, model, message)),
                }
            }
            Kind::File(_) => {
                faults.push(Fault::new(Code::Orphan, model, "it belongs to no bundle"));
            }
        }
    }
    collection.faults.append(&mut faults);
}

/// Reads the files of one bundle; `name` is how faults name its folder.
#[must_use]
pub fn read_bundle(folder: &Path, name: &str) -> Found {
    let mut found = Found::default();
    read_into(folder, name, "", 1, &mut found);
    found
}

fn read_into(folder: &Path, name: &str, within: &str, depth: usize, found: &mut Found) {
    let join = |folder: &str, file: &str| match folder {
        "" => file.to_owned(),
        folder => format!("{folder}/{file}"),
    };
    let mut faults = Vec::new();
    let shown = match (name, within) {
        (name, "") => name.to_owned(),
        (name, within) => join(name, within),
    };
    for (entry, kind) in entries(folder, &shown, &mut faults) {
        let path = join(within, &entry);
        match kind {
            Kind::Folder if depth < DEEPEST => {
                let before = found.bundle.files.len() + found.faults.len();
                read_into(&folder.join(&entry), name, &path, depth + 1, found);
                if found.bundle.files.len() + found.faults.len() == before {
                    let message = "an empty folder belongs to no bundle";
                    faults.push(Fault::new(Code::ExtraFile, join(name, &path), message));
                }
            }
            Kind::Folder => {
                let message = "folders of a bundle do not lie so deep";
                faults.push(Fault::new(Code::ExtraFile, join(name, &path), message));
            }
            Kind::File(metadata) => match read_listed(&folder.join(&entry), &path, &metadata) {
                Ok(bytes) => {
                    found.bundle.files.insert(path, bytes);
                }
                Err((code, message)) => {
                    faults.push(Fault::new(code, join(name, &path), message));
                }
            },
        }
    }
    found.faults.append(&mut faults);
}

enum Kind {
    Folder,
    File(Metadata),
}

/// What lies in a folder, by name; what should not is a fault.
fn entries(folder: &Path, shown: &str, faults: &mut Vec<Fault>) -> Vec<(String, Kind)> {
    let read = || -> io::Result<Vec<std::ffi::OsString>> {
        let entries = fs::read_dir(folder)?;
        entries.map(|entry| Ok(entry?.file_name())).collect()
    };
    let mut names = match read() {
        Ok(names) => names,
        Err(error) => {
            let message = format!("cannot be read: {error}");
            faults.push(Fault::new(Code::Unreadable, shown, message));
            return Vec::new();
        }
    };
    names.sort();
    let mut lower = BTreeSet::new();
    let mut plain = Vec::new();
    for name in names {
        // As it can be shown on one line.
        let visible = name.to_string_lossy().escape_debug().to_string();
        let path = match shown {
            "" => visible.clone(),
            shown => format!("{shown}/{visible}"),
        };
        let mut fault = |code, message: &str| faults.push(Fault::new(code, &path, message));
        let allowed = |name: &&str| {
            let chars = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            name.chars().all(chars) && (!name.starts_with('.') || name.starts_with(UNFINISHED))
        };
        let Some(name) = name.to_str().filter(allowed) else {
            fault(Code::BadName, "no file of a bundle has such a name");
            continue;
        };
        if !lower.insert(name.to_lowercase()) {
            fault(
                Code::BadName,
                "it differs from another name in case only, so that some systems have one for both",
            );
            continue;
        }
        match fs::symlink_metadata(folder.join(name)) {
            Ok(metadata) if metadata.is_dir() => plain.push((name.to_owned(), Kind::Folder)),
            Ok(metadata) if metadata.is_file() => {
                plain.push((name.to_owned(), Kind::File(metadata)));
            }
            Ok(metadata) if metadata.is_symlink() => {
                fault(Code::NotAFile, "it is a link: expected a file or a folder");
            }
            Ok(_) => fault(Code::NotAFile, "it is neither a file nor a folder"),
            Err(error) => fault(Code::Unreadable, &format!("cannot be read: {error}")),
        }
    }
    plain
}

/// Reads a file of a bundle, whose path within it is `within`.
fn read_listed(path: &Path, within: &str, metadata: &Metadata) -> Result<Vec<u8>, (Code, String)> {
    match largest(within) {
        Some(largest) => read_file(path, metadata, largest),
        None => {
            let message = "no bundle has a file of this name";
            Err((Code::ExtraFile, message.to_owned()))
        }
    }
}

fn read_file(path: &Path, before: &Metadata, largest: u64) -> Result<Vec<u8>, (Code, String)> {
    let unreadable = |error: io::Error| (Code::Unreadable, format!("cannot be read: {error}"));
    let too_large = |length: u64| {
        let limit = largest >> 10;
        let message = format!("it has {length} bytes: more than {limit} KiB");
        (Code::TooLarge, message)
    };
    let check = |metadata: &Metadata| {
        if has_other_names(metadata) {
            let message = "it has another name outside, by which it can be changed (a hard link)";
            return Err((Code::HardLink, message.to_owned()));
        }
        if metadata.len() > largest {
            return Err(too_large(metadata.len()));
        }
        Ok(())
    };
    check(before)?;
    let file = open(path).map_err(unreadable)?;
    // Whatever was looked at before, this is what is read.
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        let message = "it is neither a file nor a folder";
        return Err((Code::NotAFile, message.to_owned()));
    }
    check(&metadata)?;
    let mut bytes = Vec::new();
    file.take(largest + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    match bytes.len() as u64 {
        length if length > largest => Err(too_large(length)),
        _ => Ok(bytes),
    }
}

/// Opens a file; no link is followed, and no pipe is waited for.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}
