//! An authenticator with one passkey, for tests without a browser. It answers as its public fields say, right or wrong.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::json;
use uuid::Uuid;

pub struct TestPasskey {
    pair: EcdsaKeyPair,
    pub credential: Vec<u8>,
    pub origin: String,
    pub party: String,
    pub count: u32,
    /// User present and user verified are 1 and 4.
    pub flags: u8,
    pub cross_origin: bool,
    pub user: Uuid,
}

/// The fields of a form: names and values.
pub type PasskeyFields = Vec<(&'static str, String)>;

impl TestPasskey {
    /// A passkey for the pages at this address, which is a number of this machine.
    pub fn new(base_url: &str, user: Uuid) -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random);
        let made = made.expect("a key can be made");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, made.as_ref(), &random);
        let pair = pair.expect("a key that was made can be read");
        Self {
            credential: digest(&SHA256, pair.public_key().as_ref()).as_ref()[..16].to_vec(),
            pair,
            origin: base_url.replace("127.0.0.1", "localhost"),
            party: "localhost".to_owned(),
            count: 0,
            flags: 5,
            cross_origin: false,
            user,
        }
    }

    /// The response to a registration.
    pub fn create(&self, challenge: &str) -> PasskeyFields {
        let mut data = self.data(0x40);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential.len()).expect("a short id").to_be_bytes());
        data.extend(&self.credential);
        let point = self.pair.public_key().as_ref();
        data.extend([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20]);
        data.extend(&point[1..33]);
        data.extend([0x22, 0x58, 0x20]);
        data.extend(&point[33..]);
        self.fields(&self.client_data("webauthn.create", challenge), &data, &[])
    }

    /// The response to a sign-in.
    pub fn get(&mut self, challenge: &str) -> PasskeyFields {
        self.count += 1;
        let (client, data) = (self.client_data("webauthn.get", challenge), self.data(0));
        let signed = [data.as_slice(), digest(&SHA256, client.as_bytes()).as_ref()].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &signed).expect("data can be signed");
        self.fields(&client, &data, signature.as_ref())
    }

    fn client_data(&self, kind: &str, challenge: &str) -> String {
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": self.cross_origin })
            .to_string()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let mut data = digest(&SHA256, self.party.as_bytes()).as_ref().to_vec();
        data.push(self.flags | flags);
        data.extend(self.count.to_be_bytes());
        data
    }

    fn fields(&self, client: &str, data: &[u8], signature: &[u8]) -> PasskeyFields {
        let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        vec![
            ("credential", encode(&self.credential)),
            ("client_data", encode(client.as_bytes())),
            ("authenticator_data", encode(data)),
            ("signature", encode(signature)),
            ("user_handle", encode(self.user.as_bytes())),
        ]
    }
}
