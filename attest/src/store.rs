//! Writing bundles: whole, or not at all.
//!
//! A bundle is written beside its place and synced, and then takes the place of the old one in one
//! step. Whoever is killed, or out of disk, leaves the old bundle or the new one. Writers take
//! turns, by a lock on the folder of all evidence.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::bundle::{Bundle, RESULT, SUMS, TLC_LOG};
use crate::fault::Code;
use crate::folder::{Found, UNFINISHED, largest, read_bundle};

/// Why a bundle was not written. The old one is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} {}: {error}", path.display())]
pub struct StoreError {
    /// What was tried.
    pub what: &'static str,
    /// With which file or folder.
    pub path: PathBuf,
    /// The system's reason.
    #[source]
    pub error: io::Error,
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| StoreError { what, path, error }
}

/// What became of a bundle that was to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// There was none before.
    New,
    /// It took the place of another one.
    Replaced,
    /// The one that is there says the same of the same sources: it stays as it is.
    Unchanged,
}

/// The folder of all evidence, open for writing.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// The name under which an old bundle waits, where two cannot change places in one step.
const OLD: &str = "old.";

impl Store {
    /// Opens the folder, and makes it if it is not there.
    ///
    /// # Errors
    ///
    /// It cannot be made or read.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(root).map_err(failed("make the folder", root))?;
        let store = Self {
            root: root.to_owned(),
        };
        let lock = store.lock()?;
        store.tidy()?;
        drop(lock);
        Ok(store)
    }

    /// Where the bundle of a configuration is, or would be.
    #[must_use]
    pub fn place(&self, model: &str, configuration: &str) -> PathBuf {
        self.root.join(model).join(configuration)
    }

    /// Writes a bundle, unless the one that is there is in order and says the same.
    ///
    /// # Errors
    ///
    /// It cannot be written; then what was there is still there.
    pub fn write(
        &self,
        model: &str,
        configuration: &str,
        bundle: &Bundle,
    ) -> Result<Written, StoreError> {
        // What no audit would read is not evidence.
        let large = bundle
            .files
            .iter()
            .find(|(path, bytes)| bytes.len() as u64 > largest(path).unwrap_or(0));
        if let Some((path, bytes)) = large {
            let (bytes, limit) = (bytes.len(), largest(path).unwrap_or(0) >> 10);
            let error = io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has {bytes} bytes, and such a file of a bundle at most {limit} KiB"),
            );
            return Err(failed(
                "write",
                &self.place(model, configuration).join(path),
            )(error));
        }
        let _lock = self.lock()?;
        self.tidy()?;
        let place = self.place(model, configuration);
        let found = replaceable(&self.root.join(model), &place)?;
        let exists = fs::symlink_metadata(&place).is_ok();
        if exists && says_the_same(&found, bundle) {
            return Ok(Written::Unchanged);
        }
        let beside = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&self.root)
            .map_err(failed("write in", &self.root))?;
        // A folder in it, since the temporary one is closed to everybody else.
        let fresh = beside.path().join("bundle");
        write_files(&fresh, bundle)?;
        let folder = self.root.join(model);
        if fs::symlink_metadata(&folder).is_err() {
            fs::create_dir(&folder).map_err(failed("make the folder", &folder))?;
            sync(&self.root)?;
        }
        if exists {
            self.exchange(&fresh, &place)?;
        } else {
            fs::rename(&fresh, &place).map_err(failed("put in place", &place))?;
        }
        sync(&folder)?;
        // What is left in it is the old bundle. If it cannot be removed, the next writer does.
        let _ = beside.close();
        Ok(if exists {
            Written::Replaced
        } else {
            Written::New
        })
    }

    /// Adds or replaces one file of a bundle that is there: its signature.
    ///
    /// # Errors
    ///
    /// It cannot be written; then what was there is still there.
    pub fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = folder.join(name);
        let mut file =
            tempfile::NamedTempFile::new_in(folder).map_err(failed("write in", folder))?;
        let write = || -> io::Result<()> {
            file.write_all(bytes)?;
            file.as_file().sync_all()
        };
        let mut write = write;
        write().map_err(failed("write", &path))?;
        readable(file.path()).map_err(failed("write", &path))?;
        file.persist(&path)
            .map_err(|error| failed("write", &path)(error.error))?;
        sync(folder)
    }

    /// Waits until no other writer is at work; until the lock is dropped, none is.
    fn lock(&self) -> Result<File, StoreError> {
        let folder = File::open(&self.root).map_err(failed("open", &self.root))?;
        folder.lock().map_err(failed("lock", &self.root))?;
        Ok(folder)
    }

    /// Removes what a writer left that was ended, and puts back an old bundle that it took away.
    fn tidy(&self) -> Result<(), StoreError> {
        let read = failed("read", &self.root);
        let entries: Vec<_> = fs::read_dir(&self.root)
            .and_then(Iterator::collect::<io::Result<_>>)
            .map_err(read)?;
        for entry in entries {
            let name = entry.file_name();
            let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED)) else {
                continue;
            };
            let path = entry.path();
            // Writers leave folders; what else has such a name is somebody else's.
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if let Some((model, configuration)) =
                rest.strip_prefix(OLD).and_then(|rest| rest.split_once('.'))
            {
                let place = self.place(model, configuration);
                if fs::symlink_metadata(&place).is_err() {
                    fs::rename(&path, &place).map_err(failed("put back", &place))?;
                    continue;
                }
            }
            fs::remove_dir_all(&path).map_err(failed("remove", &path))?;
        }
        Ok(())
    }

    /// Puts `fresh` where `place` is. What was there ends in the folder of `fresh`, or is gone.
    fn exchange(&self, fresh: &Path, place: &Path) -> Result<(), StoreError> {
        if exchanged(fresh, place).map_err(failed("put in place", place))? {
            return Ok(());
        }
        // Two steps, where the system has no single one. After the first, `tidy` can go back.
        let names: Vec<_> = place.iter().rev().take(2).collect();
        let [configuration, model] = names[..] else {
            let error = io::Error::other("it has no name");
            return Err(failed("put in place", place)(error));
        };
        let name = format!(
            "{UNFINISHED}{OLD}{}.{}",
            model.to_string_lossy(),
            configuration.to_string_lossy()
        );
        let old = self.root.join(name);
        fs::rename(place, &old).map_err(failed("replace", place))?;
        fs::rename(fresh, place).map_err(failed("put in place", place))?;
        fs::remove_dir_all(&old).map_err(failed("remove", &old))
    }
}

/// Lets two folders change places in one step; false where the system cannot.
#[cfg(target_os = "linux")]
fn exchanged(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchanged(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// What lies where a bundle is to be. If it is no bundle it is not replaced: whatever somebody else
/// has put there stays.
fn replaceable(model: &Path, place: &Path) -> Result<Found, StoreError> {
    let refuse = |path: &Path, what: &str| {
        let error = io::Error::other(what.to_owned());
        failed("put a bundle in place of", path)(error)
    };
    for folder in [model, place] {
        match fs::symlink_metadata(folder) {
            Ok(metadata) if !metadata.is_dir() => {
                return Err(refuse(folder, "it is no folder: move it away"));
            }
            _ => {}
        }
    }
    let found = read_bundle(place, "");
    let foreign = found.faults.iter();
    let mut foreign =
        foreign.filter(|fault| [Code::ExtraFile, Code::NotAFile].contains(&fault.code));
    match foreign.next() {
        Some(fault) => Err(refuse(
            &place.join(&fault.file),
            "no bundle has such a file: move it away",
        )),
        None => Ok(found),
    }
}

/// Whether the bundle that was found is whole and has the same result of the same sources, and all that
/// the new one would add.
fn says_the_same(found: &Found, bundle: &Bundle) -> bool {
    let old = &found.bundle;
    let differs = |path: &&String| {
        // Times and machines differ always; a log is of a run like any other.
        let may = ["run.json", "manifest.json", SUMS, TLC_LOG].contains(&path.as_str());
        let same = old.file(path) == bundle.file(path);
        !same && (!may || old.file(path).is_none())
    };
    found.faults.is_empty()
        && crate::verify::integrity(old, "").is_empty()
        && old.file(RESULT) == bundle.file(RESULT)
        && !bundle.files.keys().any(|path| differs(&path))
}

fn write_files(folder: &Path, bundle: &Bundle) -> Result<(), StoreError> {
    let make =
        |folder: &Path| fs::create_dir_all(folder).map_err(failed("make the folder", folder));
    make(folder)?;
    let mut folders = vec![folder.to_owned()];
    for (path, bytes) in &bundle.files {
        let path = folder.join(path);
        if let Some(parent) = path.parent()
            && !folders.iter().any(|known| known == parent)
        {
            make(parent)?;
            folders.push(parent.to_owned());
        }
        let write = || -> io::Result<()> {
            let mut file = File::create_new(&path)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(failed("write", &path))?;
    }
    folders.iter().rev().try_for_each(|folder| sync(folder))
}

/// A temporary file is its owner's alone; a bundle's file is for everybody to read.
#[cfg(unix)]
fn readable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &Path) -> io::Result<()> {
    Ok(())
}

fn sync(folder: &Path) -> Result<(), StoreError> {
    let opened = File::open(folder).and_then(|folder| folder.sync_all());
    opened.map_err(failed("sync", folder))
}
