//! Signatures over the manifest: [DSSE](https://github.com/secure-systems-lab/dsse) envelopes with
//! Ed25519.
//!
//! What is signed is the type of the payload and its bytes, so no canonical JSON is needed. The key
//! id of an envelope is not part of what is signed; here it has to be the SHA-256 of the public key's
//! 32 bytes, so that it cannot say anything else.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::spelling::{self, SpellingError};

/// The type of the payload: an in-toto Statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// A key that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Not a private key as `openssl genpkey -algorithm ed25519` writes it.
    #[error("expected an Ed25519 private key in PKCS#8, as PEM: {0}")]
    Private(String),
    /// Not a public key as `openssl pkey -pubout` writes it.
    #[error("expected an Ed25519 public key as PEM: {0}")]
    Public(String),
}

/// What is wrong with an envelope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// It is not written as it should be.
    #[error(transparent)]
    Spelling(#[from] SpellingError),
    /// A member has another value than it must have.
    #[error("{0}")]
    Member(String),
    /// A signature by a given key is false.
    #[error("the signature by the key {keyid} is false")]
    False {
        /// The key.
        keyid: String,
    },
    /// None of the given keys has signed.
    #[error("none of the given keys has signed it")]
    NoGivenKey,
}

/// A private key.
#[derive(Debug)]
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// Reads PKCS#8 in PEM, as `openssl genpkey -algorithm ed25519` writes it.
    ///
    /// # Errors
    ///
    /// The text is no such key.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let key = SigningKey::from_pkcs8_pem(text);
        key.map(Self)
            .map_err(|error| KeyError::Private(error.to_string()))
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads a public key in PEM, as `openssl pkey -pubout` writes it.
    ///
    /// # Errors
    ///
    /// The text is no such key, or a weak one, with which anything could be signed.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_public_key_pem(text)
            .map_err(|error| KeyError::Public(error.to_string()))?;
        if key.is_weak() {
            let message = "it is a weak key: anything is signed by it".to_owned();
            return Err(KeyError::Public(message));
        }
        Ok(Self(key))
    }

    /// The SHA-256 of the key's 32 bytes: what envelopes call it.
    #[must_use]
    pub fn id(&self) -> String {
        sha256(self.0.as_bytes())
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    payload: String,
    #[serde(rename = "payloadType")]
    payload_type: String,
    signatures: Vec<SignatureEntry>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SignatureEntry {
    keyid: String,
    sig: String,
}

/// A signature in an envelope, as far as it could be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignedBy {
    /// The key's name: the SHA-256 of its 32 bytes.
    pub keyid: String,
    /// Whether the key was given and the signature is right. Otherwise it says nothing: anybody can
    /// write a signature that nobody checks.
    pub verified: bool,
}

/// The bytes that a signature is of: DSSE's pre-authentication encoding.
#[must_use]
pub fn pre_authentication_encoding(payload: &[u8]) -> Vec<u8> {
    let head = format!(
        "DSSEv1 {} {PAYLOAD_TYPE} {} ",
        PAYLOAD_TYPE.len(),
        payload.len()
    );
    [head.as_bytes(), payload].concat()
}

/// Signs a manifest. Signatures of other keys in `before`, an envelope of the same manifest, are
/// kept.
///
/// # Errors
///
/// `before` is no envelope of this manifest.
pub fn sign(
    manifest: &[u8],
    key: &PrivateKey,
    before: Option<&[u8]>,
) -> Result<String, EnvelopeError> {
    let mut signatures = match before {
        Some(before) => read(before, manifest)?.signatures,
        None => Vec::new(),
    };
    let keyid = key.public().id();
    signatures.retain(|signature| signature.keyid != keyid);
    let signature = key.0.sign(&pre_authentication_encoding(manifest));
    signatures.push(SignatureEntry {
        keyid,
        sig: BASE64_STANDARD.encode(signature.to_bytes()),
    });
    signatures.sort_by(|one, other| one.keyid.cmp(&other.keyid));
    Ok(spelling::write(&Envelope {
        payload: BASE64_STANDARD.encode(manifest),
        payload_type: PAYLOAD_TYPE.to_owned(),
        signatures,
    }))
}

/// Checks an envelope against the manifest beside it and the given keys: who signed it.
///
/// # Errors
///
/// It is no envelope, is of other bytes than the manifest, or a signature of a given key is false.
/// Where keys are given, one of them must have signed.
pub fn verify(
    envelope: &[u8],
    manifest: &[u8],
    keys: &[PublicKey],
) -> Result<Vec<SignedBy>, EnvelopeError> {
    let envelope = read(envelope, manifest)?;
    let message = pre_authentication_encoding(manifest);
    let mut signed = Vec::new();
    for entry in envelope.signatures {
        let key = keys.iter().find(|key| key.id() == entry.keyid);
        let verified = match (key, signature(&entry.sig)) {
            (_, None) => {
                let message = format!("the signature by {} is no signature", entry.keyid);
                return Err(EnvelopeError::Member(message));
            }
            (Some(key), Some(signature)) => {
                if key.0.verify_strict(&message, &signature).is_err() {
                    return Err(EnvelopeError::False { keyid: entry.keyid });
                }
                true
            }
            (None, Some(_)) => false,
        };
        signed.push(SignedBy {
            keyid: entry.keyid,
            verified,
        });
    }
    if !keys.is_empty() && signed.iter().all(|by| !by.verified) {
        return Err(EnvelopeError::NoGivenKey);
    }
    Ok(signed)
}

fn signature(text: &str) -> Option<Signature> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    // Base64 has several spellings of some bytes; one is enough.
    if BASE64_STANDARD.encode(&bytes) != text {
        return None;
    }
    Signature::from_slice(&bytes).ok()
}

/// An envelope of this manifest with plausible members.
fn read(envelope: &[u8], manifest: &[u8]) -> Result<Envelope, EnvelopeError> {
    let envelope: Envelope = spelling::read(envelope)?;
    let wrong = |message: &str| Err(EnvelopeError::Member(message.to_owned()));
    if envelope.payload_type != PAYLOAD_TYPE {
        return wrong(&format!("expected the payload type {PAYLOAD_TYPE}"));
    }
    if envelope.payload != BASE64_STANDARD.encode(manifest) {
        return wrong("the payload is not the manifest that lies beside it");
    }
    if envelope.signatures.is_empty() {
        return wrong("it has no signature");
    }
    let ids: Vec<&str> = envelope
        .signatures
        .iter()
        .map(|entry| entry.keyid.as_str())
        .collect();
    if !ids.is_sorted_by(|one, other| one < other) {
        return wrong("expected the signatures by key, none twice");
    }
    let hexadecimal = |id: &&str| {
        let digits = id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        id.len() == 64 && digits
    };
    if !ids.iter().all(hexadecimal) {
        return wrong("expected the SHA-256 of the public key as the key's id");
    }
    Ok(envelope)
}
