//! Verification of passkeys (Web Authentication Level 2): registration without attestation, and assertions with ES256.
//!
//! Attestation is not requested: it would prove the model of a device, which the bank does not need to know. A credential key is
//! read from the authenticator data, where CTAP2 prescribes one encoding of it, so that no CBOR is parsed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::{Host, Url};

/// The host name and the origin that passkeys are bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    pub id: String,
    pub origin: String,
}

/// What a passkey is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceremony {
    Create,
    Get,
}

/// What the browser returns, in base64url. Absent values are empty.
#[derive(Clone, Debug, Default)]
pub struct PasskeyResponse {
    pub credential: String,
    pub client_data: String,
    pub authenticator_data: String,
    pub signature: String,
    pub user_handle: String,
}

/// A new credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NewCredential {
    pub id: Vec<u8>,
    /// An uncompressed P-256 point.
    pub public_key: Vec<u8>,
    pub sign_count: i64,
}

/// A verified use of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assertion {
    pub sign_count: i64,
}

impl Ceremony {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "webauthn.create",
            Self::Get => "webauthn.get",
        }
    }
}

impl RelyingParty {
    /// The party of a public address. Browsers have passkeys for host names only. For the address of this machine it is
    /// `localhost`, by which a developer opens a sandbox.
    pub fn of(public_url: &str) -> Option<Self> {
        let url = Url::parse(public_url).ok()?;
        let is_local = match url.host()? {
            Host::Domain(name) => {
                return Some(Self { id: name.to_owned(), origin: url.origin().ascii_serialization() });
            }
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        is_local.then(|| Self {
            id: "localhost".to_owned(),
            origin: format!("{}://localhost{port}", url.scheme()),
        })
    }
}

/// What the browser signs about the page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

/// The challenge that a response answers, if the response is of this ceremony and of our pages.
pub(super) fn challenge(
    response: &PasskeyResponse,
    ceremony: Ceremony,
    party: &RelyingParty,
) -> Option<String> {
    let json = URL_SAFE_NO_PAD.decode(&response.client_data).ok()?;
    let data: ClientData = serde_json::from_slice(&json).ok()?;
    let is_ours = data.r#type == ceremony.name() && data.origin == party.origin && !data.cross_origin;
    is_ours.then_some(data.challenge)
}

/// The credential that a registration creates. Its challenge was verified before.
pub(super) fn registration(response: &PasskeyResponse, party: &RelyingParty) -> Option<NewCredential> {
    let data = URL_SAFE_NO_PAD.decode(&response.authenticator_data).ok()?;
    let sign_count = header(&data, party)?;
    let attested = (data[FLAGS] & CREDENTIAL_INCLUDED != 0).then(|| data.get(HEADER_BYTES..)).flatten()?;
    // The model of the authenticator, 16 bytes, is skipped.
    let length = attested.get(16..18)?;
    let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
    let id =
        attested.get(18..18 + length).filter(|id| !id.is_empty() && id.len() <= MAX_CREDENTIAL_ID_BYTES)?;
    let public_key = es256_key(attested.get(18 + length..)?)?;
    Some(NewCredential { id: id.to_vec(), public_key, sign_count })
}

/// Verifies the use of a credential. Its challenge was verified before.
pub(super) fn assertion(
    response: &PasskeyResponse,
    party: &RelyingParty,
    public_key: &[u8],
) -> Option<Assertion> {
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    let mut signed = decode(&response.authenticator_data)?;
    let sign_count = header(&signed, party)?;
    signed.extend_from_slice(&Sha256::digest(decode(&response.client_data)?));
    let signature = decode(&response.signature)?;
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, public_key);
    key.verify(&signed, &signature).ok()?;
    Some(Assertion { sign_count })
}

/// Whether a counter shows no copy of the authenticator. Authenticators without a counter always send zero.
pub(super) const fn counter_is_valid(stored: i64, sent: i64) -> bool {
    (stored == 0 && sent == 0) || sent > stored
}

/// The hash of the host name, the flags and the counter begin the authenticator data.
const HEADER_BYTES: usize = 37;
const FLAGS: usize = 32;
const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const CREDENTIAL_INCLUDED: u8 = 1 << 6;
const MAX_CREDENTIAL_ID_BYTES: usize = 1023;

/// The counter, if the data is of this party and the authenticator has verified its user.
fn header(data: &[u8], party: &RelyingParty) -> Option<i64> {
    let header = data.get(..HEADER_BYTES)?;
    let is_party = header[..FLAGS] == *Sha256::digest(&party.id);
    let is_verified = header[FLAGS] & USER_PRESENT != 0 && header[FLAGS] & USER_VERIFIED != 0;
    let counter = u32::from_be_bytes([header[33], header[34], header[35], header[36]]);
    (is_party && is_verified).then_some(i64::from(counter))
}

/// An ES256 key in the canonical encoding of CTAP2: a map of key type EC2, algorithm ES256, curve P-256, x and y.
fn es256_key(cbor: &[u8]) -> Option<Vec<u8>> {
    let x = cbor.strip_prefix(&[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])?;
    let y = x.get(32..)?.strip_prefix(&[0x22, 0x58, 0x20])?;
    Some([&[4], x.get(..32)?, y.get(..32)?].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn party_is_a_host_name_or_localhost() {
        let party = |url: &str| RelyingParty::of(url).map(|party| (party.id, party.origin));
        let own = |id: &str, origin: &str| Some((id.to_owned(), origin.to_owned()));
        assert_eq!(party("https://bank.example/"), own("bank.example", "https://bank.example"));
        assert_eq!(party("https://bank.example:8443"), own("bank.example", "https://bank.example:8443"));
        assert_eq!(party("http://127.0.0.1:8080"), own("localhost", "http://localhost:8080"));
        assert_eq!(party("http://[::1]:8080"), own("localhost", "http://localhost:8080"));
        assert_eq!(party("https://192.0.2.1"), None);
        assert_eq!(party("bank"), None);
    }

    #[test]
    fn counter_must_rise_unless_there_is_none() {
        assert!(counter_is_valid(0, 0) && counter_is_valid(0, 1) && counter_is_valid(4, 9));
        assert!(!counter_is_valid(4, 4) && !counter_is_valid(4, 3) && !counter_is_valid(4, 0));
    }

    #[test]
    fn key_of_another_algorithm_or_length_is_refused() {
        let key =
            [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20][..], &[7; 32], &[0x22, 0x58, 0x20], &[8; 32]]
                .concat();
        let point = es256_key(&key).unwrap();
        assert_eq!((point.len(), point[0], point[1], point[64]), (65, 4, 7, 8));
        assert_eq!(es256_key(&key[..key.len() - 1]), None);
        let mut other = key.clone();
        other[4] = 0x27;
        assert_eq!(es256_key(&other), None);
        assert_eq!(es256_key(&[]), None);
    }

    #[test]
    fn short_data_is_refused() {
        let party = RelyingParty { id: "bank.example".to_owned(), origin: "https://bank.example".to_owned() };
        for length in 0..60 {
            let mut data = Sha256::digest(&party.id).to_vec();
            data.extend([0x45, 0, 0, 0, 1]);
            data.extend([0xff; 60]);
            data.truncate(length);
            let authenticator_data = URL_SAFE_NO_PAD.encode(data);
            let response = PasskeyResponse { authenticator_data, ..PasskeyResponse::default() };
            assert_eq!(registration(&response, &party), None, "{length}");
        }
    }
}
