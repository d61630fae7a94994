//! Codes of authenticator apps (TOTP, RFC 6238): SHA-1, six digits, steps of 30 seconds, which all apps support.

use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha1::Sha1;
use subtle::ConstantTimeEq;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;

/// The length of a secret in bytes, as RFC 4226 recommends.
pub const SECRET_BYTES: usize = 20;
const STEP_MICROS: i64 = 30_000_000;
const CODE_MODULUS: u32 = 1_000_000;
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The time step of a point in system time.
pub const fn step(now: Timestamp) -> i64 {
    now.0.div_euclid(STEP_MICROS)
}

/// The code of a time step.
pub fn code(secret: &[u8], step: i64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("HMAC accepts keys of every length");
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest[19] & 0x0f);
    let word = digest[offset..offset + 4].iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
    format!("{:06}", (word & 0x7fff_ffff) % CODE_MODULUS)
}

/// The time step of a right code: the current one, the one before or the one after, but none up to `last_step`, because a code is
/// accepted once.
pub fn verify(secret: &[u8], given: &str, now: Timestamp, last_step: i64) -> Option<i64> {
    let current = step(now);
    let mut accepted = None;
    // All steps are compared, so that the time does not reveal which one matches.
    for candidate in [current - 1, current, current + 1] {
        let is_equal = bool::from(code(secret, candidate).as_bytes().ct_eq(given.as_bytes()));
        if is_equal && candidate > last_step {
            accepted = Some(candidate);
        }
    }
    accepted
}

/// A secret as people type it into an app: Base32 in groups of four.
pub fn base32(secret: &[u8]) -> Secret<String> {
    let mut text = String::new();
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for byte in secret {
        buffer = buffer << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(BASE32[(buffer >> bits & 31) as usize]));
        }
    }
    if bits > 0 {
        text.push(char::from(BASE32[(buffer << (5 - bits) & 31) as usize]));
    }
    Secret::new(text)
}

/// The link that an authenticator app reads from a QR code.
pub fn link(issuer: &str, email: &str, secret: &[u8]) -> Secret<String> {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let issuer = encoded(issuer);
    let secret = base32(secret);
    Secret::new(format!(
        "otpauth://totp/{issuer}:{}?secret={}&issuer={issuer}",
        encoded(email),
        secret.expose()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret and the codes of RFC 6238, appendix B, shortened to six digits.
    const SECRET: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, expected) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(SECRET, step(Timestamp(seconds * 1_000_000))), expected);
        }
    }

    #[test]
    fn code_is_accepted_once_and_one_step_around_its_time() {
        let now = Timestamp(1_111_111_109_000_000);
        let current = step(now);
        for (shift, accepted) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
            let found = verify(SECRET, &code(SECRET, current + shift), now, 0);
            assert_eq!(found, accepted.then_some(current + shift), "{shift}");
        }
        assert_eq!(verify(SECRET, &code(SECRET, current), now, current), None);
        assert_eq!(verify(SECRET, &code(SECRET, current - 1), now, current), None);
        assert_eq!(verify(SECRET, "", now, 0), None);
    }

    #[test]
    fn secret_is_written_in_base32() {
        assert_eq!(base32(SECRET).expose(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(base32(b"fooba").expose(), "MZXW6YTB");
        assert_eq!(base32(b"foob").expose(), "MZXW6YQ");
        let link = link("Trapeza Bank", "a@b.gr", b"fooba");
        assert_eq!(
            link.expose(),
            "otpauth://totp/Trapeza%20Bank:a%40b%2Egr?secret=MZXW6YTB&issuer=Trapeza%20Bank"
        );
    }
}
