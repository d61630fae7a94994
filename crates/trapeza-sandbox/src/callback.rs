//! Callbacks that the sample shop receives: verified as the documentation asks for, and stored until the page shows them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use hyper::HeaderMap;
use serde_json::Value;
use sha2::Sha256;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A callback whose timestamp differs by more from the system clock may be a replay of an old one.
const TOLERANCE_SECONDS: u64 = 5 * 60;
/// Maximum number of callbacks that are stored.
const MAX_CALLBACKS: usize = 200;

/// A verified callback.
#[derive(Clone, Debug)]
pub struct Callback {
    pub id: String,
    pub signature: String,
    pub body: String,
    basket: String,
}

#[derive(Default)]
pub struct CallbackList {
    callbacks: Mutex<VecDeque<Callback>>,
}

impl CallbackList {
    /// Stores a callback once, however often it is delivered.
    pub fn insert(&self, callback: Callback) {
        let mut callbacks = self.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
        if callbacks.iter().any(|known| known.id == callback.id) {
            return;
        }
        if callbacks.len() >= MAX_CALLBACKS {
            callbacks.pop_front();
        }
        callbacks.push_back(callback);
    }

    /// The callbacks of a basket.
    pub fn of_basket(&self, basket: &str) -> Vec<Callback> {
        let callbacks = self.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
        callbacks.iter().filter(|callback| callback.basket == basket).cloned().collect()
    }
}

impl Callback {
    /// Verifies the signature of Standard Webhooks. `None` when it is missing, wrong or too old.
    pub fn verify(secret: &str, headers: &HeaderMap, body: &[u8], now_seconds: u64) -> Option<Self> {
        let header = |name: &str| headers.get(name)?.to_str().ok();
        let (id, timestamp) = (header("webhook-id")?, header("webhook-timestamp")?);
        let signature = header("webhook-signature")?;
        if timestamp.parse::<u64>().ok()?.abs_diff(now_seconds) > TOLERANCE_SECONDS {
            return None;
        }
        let key = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
        let is_valid = |one: &str| {
            let sent = one.strip_prefix("v1,").and_then(|text| STANDARD.decode(text).ok());
            let (Some(sent), Ok(mut mac)) = (sent, Hmac::<Sha256>::new_from_slice(&key)) else {
                return false;
            };
            for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
                mac.update(part);
            }
            mac.verify_slice(&sent).is_ok()
        };
        if !signature.split(' ').any(is_valid) {
            return None;
        }
        let value: Value = serde_json::from_slice(body).ok()?;
        Some(Self {
            id: id.to_owned(),
            signature: signature.to_owned(),
            body: serde_json::to_string_pretty(&value).ok()?,
            basket: value["data"]["publicBasketId"].as_str()?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `whsec_` and the base64 of 32 zero bytes.
    const SECRET: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    const BODY: &[u8] = br#"{"type":"basket.approved","data":{"publicBasketId":"b1"}}"#;

    fn signed(timestamp: &str) -> HeaderMap {
        let mut mac = Hmac::<Sha256>::new_from_slice(&[0; 32]).unwrap();
        mac.update(format!("c1.{timestamp}.").as_bytes());
        mac.update(BODY);
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let mut headers = HeaderMap::new();
        headers.insert("webhook-id", "c1".parse().unwrap());
        headers.insert("webhook-timestamp", timestamp.parse().unwrap());
        headers.insert("webhook-signature", signature.parse().unwrap());
        headers
    }

    #[test]
    fn valid_signature_is_accepted_and_stored_once() {
        let callback = Callback::verify(SECRET, &signed("1000"), BODY, 1200).unwrap();
        let list = CallbackList::default();
        list.insert(callback.clone());
        list.insert(callback);
        assert_eq!(list.of_basket("b1").len(), 1);
        assert!(list.of_basket("b2").is_empty());
    }

    #[test]
    fn wrong_signature_old_timestamp_and_other_body_are_refused() {
        let other = "whsec_AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        assert!(Callback::verify(other, &signed("1000"), BODY, 1000).is_none());
        assert!(Callback::verify(SECRET, &signed("1000"), BODY, 1301).is_none());
        assert!(Callback::verify(SECRET, &signed("1000"), b"{}", 1000).is_none());
        assert!(Callback::verify(SECRET, &HeaderMap::new(), BODY, 1000).is_none());
    }

    #[test]
    fn list_is_bounded() {
        let list = CallbackList::default();
        for number in 0..=MAX_CALLBACKS {
            let (id, basket) = (number.to_string(), "b1".to_owned());
            list.insert(Callback { id, signature: String::new(), body: String::new(), basket });
        }
        assert_eq!(list.of_basket("b1").len(), MAX_CALLBACKS);
    }

    #[test]
    fn timestamp_may_differ_by_five_minutes_in_both_directions() {
        for (now, is_accepted) in [(700, true), (699, false), (1300, true), (1301, false)] {
            let callback = Callback::verify(SECRET, &signed("1000"), BODY, now);
            assert_eq!(callback.is_some(), is_accepted, "{now}");
        }
    }
}
