//! Making the folder of a checkpoint so that it is still there after the power was cut.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Makes a folder and those that it stands in, as far as they are missing, and syncs each folder
/// that got an entry by it: those are handed back, the outermost first.
pub(super) fn make(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut parents = Vec::new();
    let mut missing = folder;
    while !missing.as_os_str().is_empty() && !missing.try_exists()? {
        // What has no parent is the root, which is there.
        let Some(parent) = missing.parent() else {
            break;
        };
        parents.push(parent);
        missing = parent;
    }
    fs::create_dir_all(folder)?;
    let here = |parent: &Path| {
        if parent.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            parent.to_owned()
        }
    };
    let parents: Vec<_> = parents.into_iter().rev().map(here).collect();
    for parent in &parents {
        File::open(parent)?.sync_all()?;
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [PathBuf; 0] = [];

    #[test]
    fn every_folder_that_got_an_entry_is_synced_and_no_other() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert_eq!(make(root).unwrap(), NONE);
        assert_eq!(make(&root.join("a")).unwrap(), [root]);
        let made = make(&root.join("a/b/c")).unwrap();
        assert_eq!(made, [root.join("a"), root.join("a/b")]);
        assert!(root.join("a/b/c").is_dir());
        assert_eq!(make(&root.join("a/b/c")).unwrap(), NONE);
        fs::write(root.join("file"), "").unwrap();
        make(&root.join("file")).unwrap_err();
        make(&root.join("file/a")).unwrap_err();
    }

    #[test]
    fn a_relative_folder_stands_in_the_working_directory() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let name = Path::new(folder.path().file_name().unwrap());
        fs::remove_dir(name).unwrap();
        assert_eq!(make(name).unwrap(), [Path::new(".")]);
    }
}
