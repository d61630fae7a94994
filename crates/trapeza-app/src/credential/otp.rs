//! One-time codes: generation, binding to a purpose, and verification in constant time.
//!
//! The OTP itself only leaves towards the customer. The database stores its keyed hash, which is bound to the nonce of
//! the challenge and to whatever the OTP is for.

use super::CredentialContext;
use crate::keyring::KeyPurpose;
use crate::{Entropy, Keyring};
use subtle::{Choice, ConstantTimeEq};
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::secret::Secret;

/// Randomness for one challenge and its message, generated before the transaction.
#[derive(Clone)]
pub(crate) struct ChallengeEntropy {
    pub nonce: [u8; 16],
    /// Six digits.
    pub otp: Secret<String>,
    /// Two digits that the customer compares with the other screen.
    pub push_number: String,
    pub message_id: [u8; 16],
    pub message_nonce: [u8; 12],
}

impl ChallengeEntropy {
    pub(crate) fn generate(entropy: &Entropy) -> Self {
        Self {
            nonce: entropy.bytes(),
            otp: Secret::new(format!("{:06}", uniform_below(entropy, 1_000_000))),
            push_number: (10 + uniform_below(entropy, 90)).to_string(),
            message_id: *entropy.uuid().as_bytes(),
            message_nonce: entropy.bytes(),
        }
    }
}

/// What differs between the challenges of a customer.
pub(crate) struct NewChallenge<'a> {
    /// The answer.
    pub otp: &'a Secret<String>,
    /// What the customer's screen shows: a number or the question for a device.
    pub display: Option<String>,
    /// The challenge is sent as a message, which counts as a send.
    pub is_message: bool,
}

impl<'a> NewChallenge<'a> {
    /// A challenge that is sent as a text message.
    pub(crate) fn sms(otp: &'a Secret<String>) -> Self {
        Self { otp, display: None, is_message: true }
    }
}

/// What an OTP is valid for. An OTP of one purpose or subject never verifies for another.
pub(crate) struct OtpBinding<'a> {
    pub purpose: &'static str,
    pub subject: &'a [&'a [u8]],
}

impl OtpBinding<'_> {
    /// A new challenge. It replaces `previous`, whose sends it continues to count.
    pub(crate) fn challenge(
        &self,
        context: &CredentialContext,
        new: NewChallenge<'_>,
        previous: Option<&Challenge>,
    ) -> Challenge {
        let nonce = context.entropy.nonce;
        Challenge {
            nonce,
            code_hash: self.hash(&context.keyring, &nonce, new.otp),
            display: new.display,
            sent_at: context.now,
            attempts: 0,
            sends: previous.map_or(0, |previous| previous.sends) + i64::from(new.is_message),
        }
    }

    /// Whether `given` answers the challenge or is the fixed OTP. The time does not depend on `given`.
    pub(crate) fn matches(
        &self,
        keyring: &Keyring,
        challenge: &Challenge,
        given: &Secret<String>,
        fixed: Option<&Secret<String>>,
    ) -> bool {
        let hash = |otp| self.hash(keyring, &challenge.nonce, otp);
        let given = hash(given);
        let fixed = fixed.map_or(Choice::from(0), |fixed| hash(fixed).ct_eq(&given));
        (given.ct_eq(&challenge.code_hash) | fixed).into()
    }

    fn hash(&self, keyring: &Keyring, nonce: &[u8; 16], otp: &Secret<String>) -> [u8; 32] {
        let mut parts: Vec<&[u8]> = vec![self.purpose.as_bytes(), nonce];
        parts.extend(self.subject);
        parts.push(otp.expose().as_bytes());
        keyring.hash(KeyPurpose::Otp, &parts)
    }
}

/// A uniformly distributed number below `end`, by rejection sampling.
fn uniform_below(entropy: &Entropy, end: u32) -> u32 {
    let limit = u32::MAX - u32::MAX % end;
    loop {
        let number = u32::from_be_bytes(entropy.bytes());
        if number < limit {
            return number % end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_otps_have_six_digits_and_push_numbers_two() {
        for _ in 0..100 {
            let entropy = ChallengeEntropy::generate(&Entropy::os());
            assert_eq!(entropy.otp.expose().len(), 6);
            assert_eq!(entropy.push_number.len(), 2);
        }
    }

    #[test]
    fn otp_hash_depends_on_nonce_purpose_and_every_part_of_the_subject() {
        let (keyring, otp) = (Keyring::new([1; 32]), Secret::new("123456".to_owned()));
        let hash = |nonce: [u8; 16], purpose, subject: &[&[u8]]| {
            OtpBinding { purpose, subject }.hash(&keyring, &nonce, &otp)
        };
        let base = hash([0; 16], "test", &[b"a", b"b"]);
        assert_eq!(base, hash([0; 16], "test", &[b"a", b"b"]));
        assert_ne!(base, hash([1; 16], "test", &[b"a", b"b"]));
        assert_ne!(base, hash([0; 16], "other", &[b"a", b"b"]));
        assert_ne!(base, hash([0; 16], "test", &[b"c", b"b"]));
        assert_ne!(base, hash([0; 16], "test", &[b"a", b"c"]));
        assert_ne!(base, hash([0; 16], "test", &[b"ab"]));
    }
}
