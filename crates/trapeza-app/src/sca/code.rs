//! Challenges and the codes that answer them. A code leaves here towards the customer only; what is kept is its keyed
//! hash, bound to the challenge, the authorisation and what is linked.

use super::StepContext;
use crate::keyring::KeyPurpose;
use crate::ocra::{DEVICE_SUITE, Input, Suite};
use crate::{Entropy, Keyring, StoreError};
use subtle::{Choice, ConstantTimeEq};
use trapeza_domain::authorisation::{Challenge, LinkingDigest, SelectedMethod};
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::secret::Secret;
use trapeza_store::{AuthorisationRecord, Tx};

/// Randomness for one challenge and its message, drawn before the transaction.
#[derive(Clone)]
pub(crate) struct ChallengeEntropy {
    pub nonce: [u8; 16],
    pub code: Secret<String>,
    /// To be matched in the app.
    number: String,
    pub message: [u8; 16],
    pub seal: [u8; 12],
}

/// A challenge with the code that answers it, for the message.
pub(super) struct Made {
    pub challenge: Challenge,
    pub code: Secret<String>,
}

impl ChallengeEntropy {
    pub(crate) fn generate(machine: &Entropy) -> Self {
        Self {
            nonce: machine.bytes(),
            code: Secret::new(format!("{:06}", below(machine, 1_000_000))),
            number: (10 + below(machine, 90)).to_string(),
            message: *machine.uuid().as_bytes(),
            seal: machine.bytes(),
        }
    }
}

/// A challenge for this method. `None` when the method's device has no seed, and so can answer nothing.
pub(super) fn make(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: &AuthorisationRecord,
    chosen: SelectedMethod,
) -> Result<Option<Made>, StoreError> {
    let fresh = &context.fresh;
    let (code, shown) = match chosen.kind {
        MethodKind::Sms => (fresh.code.clone(), None),
        MethodKind::Push => (Secret::new(fresh.number.clone()), Some(fresh.number.clone())),
        MethodKind::Chip | MethodKind::Photo => {
            let sealed = tx.sca_device_seed(chosen.id)?;
            let Some(seed) = sealed.and_then(|sealed| context.keyring.open(chosen.id.as_bytes(), &sealed))
            else {
                return Ok(None);
            };
            let question = question(&context.keyring, record.link, &fresh.nonce);
            let suite = Suite::parse(DEVICE_SUITE).expect("our own suite is well written");
            let input = Input { question: &question, ..Input::default() };
            let answer = suite.answer(&seed, &input).expect("eight digits are a question");
            (Secret::new(answer), Some(question))
        }
    };
    let bound = Bound { nonce: &fresh.nonce, authorisation: record.authorisation.id, link: record.link };
    let sends = record.challenge.as_ref().map_or(0, |before| before.sends) + 1;
    let code_hash = bound.hash(&context.keyring, &code);
    let challenge =
        Challenge { nonce: fresh.nonce, code_hash, shown, sent_at: context.now, attempts: 0, sends };
    Ok(Some(Made { challenge, code }))
}

/// Whether a code answers the challenge of an authorisation that is linked to `link` now. Takes the same time
/// whatever the code is.
pub(super) fn is_right(
    context: &StepContext,
    record: &AuthorisationRecord,
    (chosen, challenge): (SelectedMethod, &Challenge),
    link: LinkingDigest,
    code: &Secret<String>,
) -> bool {
    let keyring = &context.keyring;
    let bound = Bound { nonce: &challenge.nonce, authorisation: record.authorisation.id, link };
    let made = bound.hash(keyring, code).ct_eq(&challenge.code_hash);
    // What is matched in the app has no fixed answer.
    let fixed = context.settings.fixed_otp.as_ref().filter(|_| chosen.kind != MethodKind::Push);
    let fixed =
        fixed.map_or(Choice::from(0), |fixed| bound.hash(keyring, fixed).ct_eq(&bound.hash(keyring, code)));
    (made | fixed).into()
}

/// What a code is bound to.
struct Bound<'a> {
    nonce: &'a [u8; 16],
    authorisation: AuthorisationId,
    link: LinkingDigest,
}

impl Bound<'_> {
    fn hash(&self, keyring: &Keyring, code: &Secret<String>) -> [u8; 32] {
        let parts: [&[u8]; 5] =
            [b"code", self.nonce, self.authorisation.as_bytes(), &self.link.0, code.expose().as_bytes()];
        keyring.hash(KeyPurpose::Otp, &parts)
    }
}

/// Eight digits out of what is linked and the nonce: what the customer types is bound to what they agree to.
fn question(keyring: &Keyring, link: LinkingDigest, nonce: &[u8; 16]) -> String {
    let hash = keyring.hash(KeyPurpose::Otp, &[b"question", &link.0, nonce]);
    let number = hash[..8].iter().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    format!("{:08}", number % 100_000_000)
}

/// The number that the other screen shows among two others, smallest first. The others follow from the challenge, since
/// a list that was new each time would tell by what stays in it.
pub(super) fn choices(keyring: &Keyring, challenge: &Challenge) -> Vec<String> {
    let mut choices: Vec<String> = challenge.shown.iter().cloned().collect();
    let drawn = keyring.hash(KeyPurpose::Otp, &[b"choices", &challenge.nonce]);
    for byte in drawn {
        // 180 is twice the ninety numbers of two digits: what is above would make some likelier.
        let number = (10 + byte % 90).to_string();
        if byte < 180 && choices.len() < 3 && !choices.contains(&number) {
            choices.push(number);
        }
    }
    choices.sort();
    choices
}

/// A number below `end`, each as likely as the others.
fn below(machine: &Entropy, end: u32) -> u32 {
    let fair = u32::MAX - u32::MAX % end;
    loop {
        let drawn = u32::from_be_bytes(machine.bytes());
        if drawn < fair {
            return drawn % end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_codes_have_six_digits_and_numbers_two() {
        for _ in 0..100 {
            let fresh = ChallengeEntropy::generate(&Entropy::os());
            assert_eq!(fresh.code.expose().len(), 6);
            assert_eq!(fresh.number.len(), 2);
        }
    }

    #[test]
    fn a_code_is_bound_to_all_it_is_for() {
        let (ring, code) = (Keyring::new([1; 32]), Secret::new("123456".to_owned()));
        let id = |n| AuthorisationId::new(uuid::Uuid::from_u128(n));
        let hash = |nonce: [u8; 16], n, link| {
            Bound { nonce: &nonce, authorisation: id(n), link: LinkingDigest(link) }.hash(&ring, &code)
        };
        let base = hash([0; 16], 1, [0; 32]);
        assert_eq!(base, hash([0; 16], 1, [0; 32]));
        assert_ne!(base, hash([1; 16], 1, [0; 32]));
        assert_ne!(base, hash([0; 16], 2, [0; 32]));
        assert_ne!(base, hash([0; 16], 1, [1; 32]));
    }

    #[test]
    fn the_right_number_stands_among_two_others_that_stay() {
        let ring = Keyring::new([1; 32]);
        for n in 0..90_u8 {
            let shown = (10 + n).to_string();
            let challenge = Challenge {
                nonce: [n; 16],
                code_hash: [0; 32],
                shown: Some(shown.clone()),
                sent_at: trapeza_domain::time::Timestamp(0),
                attempts: 0,
                sends: 1,
            };
            let mut offered = choices(&ring, &challenge);
            assert_eq!(offered, choices(&ring, &challenge));
            assert!(offered.contains(&shown));
            offered.dedup();
            assert_eq!(offered.len(), 3);
        }
    }

    #[test]
    fn a_question_follows_what_is_linked() {
        let ring = Keyring::new([1; 32]);
        let one = question(&ring, LinkingDigest([0; 32]), &[0; 16]);
        assert_eq!(one.len(), 8);
        assert_ne!(one, question(&ring, LinkingDigest([1; 32]), &[0; 16]));
        assert_ne!(one, question(&ring, LinkingDigest([0; 32]), &[1; 16]));
    }
}
