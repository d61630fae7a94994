//! The device key of a customer's browser, for tests that submit forms without a browser.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

pub struct DeviceKey(EcdsaKeyPair);

impl Default for DeviceKey {
    fn default() -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let made = made.expect("a key can be made");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random);
        Self(pair.expect("a key that was made can be read"))
    }
}

impl DeviceKey {
    /// The public key as sent to the bank.
    pub fn public(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    pub fn sign(&self, text: &str) -> String {
        let signature = self.0.sign(&SystemRandom::new(), text.as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(signature.expect("a text can be signed"))
    }
}
