//! ID tokens: their signature by a key of the provider (RS256 or ES256), and their claims (OpenID Connect Core 1.0, §3.1.3.7).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::Value;
use trapeza_domain::time::Timestamp;

/// How far the clocks of the provider and of the bank may differ, in seconds.
const LEEWAY_SECONDS: i64 = 60;
/// The longest name of a person (§2).
const MAX_SUBJECT_CHARS: usize = 255;

/// A public key of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderKey {
    id: Option<String>,
    key: KeyMaterial,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyMaterial {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// An uncompressed point.
    P256(Vec<u8>),
}

/// What an ID token must be for.
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
    pub now: Timestamp,
}

/// An ID token whose signature is not verified yet.
pub struct IdToken<'a> {
    algorithm: String,
    key_id: Option<String>,
    signed: &'a str,
    signature: Vec<u8>,
    claims: Value,
}

/// The signing keys of a key set (RFC 7517). Keys of other kinds and uses are skipped.
pub fn parse_keys(set: &Value) -> Vec<ProviderKey> {
    set["keys"].as_array().into_iter().flatten().filter_map(parse_key).collect()
}

fn parse_key(jwk: &Value) -> Option<ProviderKey> {
    let is_for_signatures = jwk["use"].as_str().is_none_or(|usage| usage == "sig");
    let bytes = |name: &str| jwk[name].as_str().and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    let key = match jwk["kty"].as_str()? {
        _ if !is_for_signatures => return None,
        "RSA" => KeyMaterial::Rsa { n: bytes("n")?, e: bytes("e")? },
        "EC" if jwk["crv"] == "P-256" => KeyMaterial::P256([vec![4], bytes("x")?, bytes("y")?].concat()),
        _ => return None,
    };
    Some(ProviderKey { id: jwk["kid"].as_str().map(str::to_owned), key })
}

impl ProviderKey {
    /// The key decides which algorithm is verified, so that a token cannot choose a weaker one.
    fn verifies(&self, token: &IdToken<'_>) -> bool {
        let signed = token.signed.as_bytes();
        match (&self.key, token.algorithm.as_str()) {
            (KeyMaterial::Rsa { n, e }, "RS256") => RsaPublicKeyComponents { n, e }
                .verify(&RSA_PKCS1_2048_8192_SHA256, signed, &token.signature)
                .is_ok(),
            (KeyMaterial::P256(point), "ES256") => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                .verify(signed, &token.signature)
                .is_ok(),
            _ => false,
        }
    }
}

impl<'a> IdToken<'a> {
    /// Reads a token in compact form (RFC 7515).
    pub fn parse(text: &'a str) -> Option<Self> {
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let json = |part: &str| -> Option<Value> {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
        };
        let header = json(header)?;
        // Extensions that must be understood (§4.1.11): there are none here.
        if header.get("crit").is_some() {
            return None;
        }
        Some(Self {
            algorithm: header["alg"].as_str()?.to_owned(),
            key_id: header["kid"].as_str().map(str::to_owned),
            signed,
            signature: URL_SAFE_NO_PAD.decode(signature).ok()?,
            claims: json(payload)?,
        })
    }

    /// Whether the provider's keys are out of date: none has the id that the token names.
    pub fn has_unknown_key(&self, keys: &[ProviderKey]) -> bool {
        match &self.key_id {
            Some(id) => !keys.iter().any(|key| key.id.as_ref() == Some(id)),
            None => keys.is_empty(),
        }
    }

    /// The claims, if a key of the provider has signed them and they are what is expected.
    pub fn verify(&self, keys: &[ProviderKey], expected: &Expected<'_>) -> Result<&Value, &'static str> {
        let is_named = |key: &&ProviderKey| self.key_id.is_none() || key.id == self.key_id;
        if !keys.iter().filter(is_named).any(|key| key.verifies(self)) {
            return Err("the signature of the ID token is not valid");
        }
        let claims = &self.claims;
        if claims["iss"] != expected.issuer {
            return Err("the ID token has another issuer");
        }
        let audiences = match &claims["aud"] {
            Value::Array(audiences) => audiences.as_slice(),
            audience => std::slice::from_ref(audience),
        };
        let is_party = claims["azp"].is_null() || claims["azp"] == expected.client_id;
        let is_single = audiences.len() == 1 || !claims["azp"].is_null();
        if !(audiences.iter().any(|audience| audience == expected.client_id) && is_party && is_single) {
            return Err("the ID token is for another client");
        }
        let now = expected.now.0 / 1_000_000;
        if claims["exp"].as_i64().is_none_or(|end| end.saturating_add(LEEWAY_SECONDS) <= now) {
            return Err("the ID token has expired");
        }
        if claims["iat"].as_i64().is_none_or(|issued| issued > now.saturating_add(LEEWAY_SECONDS)) {
            return Err("the ID token was issued in the future");
        }
        if claims["nonce"] != expected.nonce {
            return Err("the ID token is for another sign-in");
        }
        let is_name = |name: &str| (1..=MAX_SUBJECT_CHARS).contains(&name.chars().count());
        if !claims["sub"].as_str().is_some_and(is_name) {
            return Err("the ID token names no person");
        }
        Ok(claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    const NOW: i64 = 2_000_000_000;

    struct Signer(EcdsaKeyPair);

    impl Signer {
        fn new() -> Self {
            let random = SystemRandom::new();
            let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
            let pair =
                EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.as_ref(), &random).unwrap();
            Self(pair)
        }

        fn keys(&self, id: &str) -> Vec<ProviderKey> {
            let point = self.0.public_key().as_ref();
            let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
            parse_keys(&json!({ "keys": [
                { "kty": "oct", "k": "AAAA" },
                { "kty": "EC", "crv": "P-256", "x": x, "y": y, "use": "enc", "kid": "other" },
                { "kty": "EC", "crv": "P-256", "x": x, "y": y, "use": "sig", "kid": id },
            ] }))
        }

        fn sign(&self, header: &Value, claims: &Value) -> String {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let signed = format!("{}.{}", part(header), part(claims));
            let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
            format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
        }
    }

    fn claims() -> Value {
        json!({ "iss": "https://id.example", "aud": "console", "exp": NOW + 300, "iat": NOW, "nonce": "n", "sub": "7" })
    }

    fn verified(token: &str, keys: &[ProviderKey]) -> Result<(), &'static str> {
        let expected = Expected {
            issuer: "https://id.example",
            client_id: "console",
            nonce: "n",
            now: Timestamp(NOW * 1_000_000),
        };
        let token = IdToken::parse(token).ok_or("not a token")?;
        token.verify(keys, &expected).map(|_| ())
    }

    #[test]
    fn token_is_accepted_only_with_the_expected_claims() {
        let (signer, header) = (Signer::new(), json!({ "alg": "ES256", "kid": "1" }));
        let keys = signer.keys("1");
        assert_eq!(keys.len(), 1);
        let with = |name: &str, value: Value| {
            let mut claims = claims();
            claims[name] = value;
            verified(&signer.sign(&header, &claims), &keys)
        };
        assert_eq!(verified(&signer.sign(&header, &claims()), &keys), Ok(()));
        assert_eq!(with("aud", json!(["console"])), Ok(()));
        assert_eq!(with("exp", json!(NOW - 59)), Ok(()));
        for (name, wrong, error) in [
            ("iss", json!("https://id.example/"), "the ID token has another issuer"),
            ("aud", json!("shop"), "the ID token is for another client"),
            ("aud", json!(["console", "shop"]), "the ID token is for another client"),
            ("azp", json!("shop"), "the ID token is for another client"),
            ("exp", json!(NOW - 60), "the ID token has expired"),
            ("exp", Value::Null, "the ID token has expired"),
            ("iat", json!(NOW + 61), "the ID token was issued in the future"),
            ("nonce", json!("m"), "the ID token is for another sign-in"),
            ("nonce", Value::Null, "the ID token is for another sign-in"),
            ("sub", json!(""), "the ID token names no person"),
            ("sub", json!(7), "the ID token names no person"),
        ] {
            assert_eq!(with(name, wrong.clone()), Err(error), "{name} {wrong}");
        }
    }

    #[test]
    fn token_is_accepted_only_with_a_signature_of_the_provider() {
        let (signer, other) = (Signer::new(), Signer::new());
        let invalid = Err("the signature of the ID token is not valid");
        let token = |header: Value| signer.sign(&header, &claims());
        assert_eq!(verified(&token(json!({ "alg": "ES256" })), &signer.keys("1")), Ok(()));
        assert_eq!(verified(&token(json!({ "alg": "ES256", "kid": "1" })), &other.keys("1")), invalid);
        assert_eq!(verified(&token(json!({ "alg": "ES256", "kid": "2" })), &signer.keys("1")), invalid);
        for algorithm in ["none", "HS256", "RS256", "ES384"] {
            let token = token(json!({ "alg": algorithm, "kid": "1" }));
            assert_eq!(verified(&token, &signer.keys("1")), invalid, "{algorithm}");
        }
        let unsigned = token(json!({ "alg": "none" }));
        let unsigned = unsigned.rsplit_once('.').unwrap().0;
        assert_eq!(verified(&format!("{unsigned}."), &signer.keys("1")), invalid);
        let critical = token(json!({ "alg": "ES256", "crit": ["b64"] }));
        assert_eq!(verified(&critical, &signer.keys("1")), Err("not a token"));
    }

    #[test]
    fn key_is_unknown_when_no_key_has_its_id() {
        let signer = Signer::new();
        let token = |header: Value| signer.sign(&header, &claims());
        let is_unknown = |token: &str, keys| IdToken::parse(token).unwrap().has_unknown_key(keys);
        let keys = signer.keys("1");
        assert!(is_unknown(&token(json!({ "alg": "ES256", "kid": "2" })), &keys));
        assert!(!is_unknown(&token(json!({ "alg": "ES256", "kid": "1" })), &keys));
        assert!(!is_unknown(&token(json!({ "alg": "ES256" })), &keys));
        assert!(is_unknown(&token(json!({ "alg": "ES256" })), &[]));
    }
}
