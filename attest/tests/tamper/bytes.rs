//! Every change of a single byte is caught.

use plumb_attest::bundle::{Bundle, ENVELOPE, MANIFEST};
use plumb_attest::signature;
use plumb_attest::verify::{Status, integrity};

use crate::bundles::{Parts, audit_in, honest, private_key};

/// Files up to this length are changed at every byte; of longer ones so many bytes are.
const EVERY_BYTE: usize = 2000;
const SAMPLED: usize = 250;

/// Bundles of three kinds, which have every kind of file, with their signatures.
fn signed() -> Vec<(Parts, Bundle)> {
    let kinds = ["cross-checked", "lasso", "assumption"];
    let mut honest = honest();
    let parts = kinds.map(|kind| honest.remove(kind).unwrap());
    let signed = parts.into_iter().map(|parts| {
        let mut bundle = parts.assemble();
        let manifest = bundle.file(MANIFEST).unwrap();
        let envelope = signature::sign(manifest, &private_key(), None).unwrap();
        bundle
            .files
            .insert(ENVELOPE.to_owned(), envelope.into_bytes());
        (parts, bundle)
    });
    signed.collect()
}

/// Whether anything is found wrong with the files of a bundle as such.
fn is_caught(bundle: &Bundle) -> bool {
    if !integrity(bundle, "").is_empty() {
        return true;
    }
    // The signature binds the manifest, which binds all others.
    let envelope = bundle.file(ENVELOPE).unwrap();
    let manifest = bundle.file(MANIFEST).unwrap();
    signature::verify(envelope, manifest, &[private_key().public()]).is_err()
}

#[test]
fn honest_bundles_are_valid() {
    for (parts, bundle) in signed() {
        let result = &parts.result;
        assert!(!is_caught(&bundle));
        let key = [private_key().public()];
        let audit = audit_in(&result.model, &result.configuration, bundle, &key);
        assert_eq!(audit.status, Status::Valid, "{:?}", audit.faults);
    }
}

#[test]
fn every_change_of_a_single_byte_is_caught() {
    let (mut tried, mut files) = (0u64, 0u64);
    for (_, bundle) in signed() {
        for (path, bytes) in &bundle.files {
            files += 1;
            let step = match bytes.len() {
                length if length <= EVERY_BYTE => 1,
                length => length / SAMPLED,
            };
            for at in (0..bytes.len()).step_by(step) {
                let changed = |mask: u8| {
                    let mut changed = bytes.clone();
                    changed[at] ^= mask;
                    changed
                };
                let mut removed = bytes.clone();
                removed.remove(at);
                let mut inserted = bytes.clone();
                inserted.insert(at, b' ');
                for new in [changed(1), changed(0x20), changed(0x80), removed, inserted] {
                    let mut tampered = bundle.clone();
                    tampered.files.insert(path.clone(), new);
                    tried += 1;
                    assert!(is_caught(&tampered), "{path} at byte {at}");
                }
            }
            for end in [&b"\n"[..], b" ", b"\0"] {
                let mut tampered = bundle.clone();
                tampered.files.insert(path.clone(), [bytes, end].concat());
                tried += 1;
                assert!(is_caught(&tampered), "{path} at its end");
            }
        }
    }
    assert!(tried > 10_000, "{tried}");
    println!("{tried} single-byte changes of {files} files: all caught");
}

#[test]
fn every_removed_renamed_added_or_swapped_file_is_caught() {
    let bundles = signed();
    let mut tried = 0;
    for (index, (_, bundle)) in bundles.iter().enumerate() {
        let (_, other) = &bundles[(index + 1) % bundles.len()];
        for (path, bytes) in &bundle.files {
            let mut removed = bundle.clone();
            removed.files.remove(path);
            if path == ENVELOPE {
                // Without an envelope the keys that are given have not signed.
                continue;
            }
            let mut renamed = removed.clone();
            renamed.files.insert(format!("{path}.bak"), bytes.clone());
            let mut added = bundle.clone();
            added.files.insert(format!("{path}.bak"), bytes.clone());
            let mut swapped = bundle.clone();
            let foreign = other
                .file(path)
                .filter(|foreign| *foreign != bytes.as_slice());
            swapped
                .files
                .insert(path.clone(), foreign.unwrap_or(b"something else").to_vec());
            for tampered in [removed, renamed, added, swapped] {
                tried += 1;
                assert!(
                    !integrity(&tampered, "").is_empty() || is_caught(&tampered),
                    "{path}"
                );
            }
        }
    }
    println!("{tried} files removed, renamed, added or swapped: all caught");
}

#[test]
fn a_bundle_without_a_signature_is_invalid_where_keys_are_given() {
    let parts = &honest()["exhausted"];
    let result = &parts.result;
    let key = [private_key().public()];
    let audit = audit_in(&result.model, &result.configuration, parts.assemble(), &key);
    assert_eq!(audit.status, Status::Invalid);
}

#[test]
fn a_signature_whose_key_is_not_given_counts_for_nothing() {
    let (parts, bundle) = signed().remove(0);
    let result = &parts.result;
    let audit = audit_in(&result.model, &result.configuration, bundle, &[]);
    assert_eq!(audit.status, Status::Valid);
    assert!(audit.signatures.iter().all(|by| !by.verified));
}
