//! Challenges of authorisations: issuing one for a method, sending it, and verifying its answer.
//!
//! An OTP is bound to the authorisation and to the digest of what is approved (dynamic linking).

use super::context::StepContext;
use super::description::description;
use super::step::save_transition;
use super::target::LoadedTarget;
use crate::credential::{NewChallenge, OtpBinding};
use crate::keyring::KeyPurpose;
use crate::notification::{self, MessageContent, NewMessage};
use crate::ocra::{DEVICE_SUITE, Input, Suite};
use crate::{Keyring, Required, StoreError, UseCaseError};
use trapeza_domain::authorisation::throttle::MessageKind;
use trapeza_domain::authorisation::{Challenge, LinkingDigest, ScaApproach, SelectedMethod};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_store::{AuthorisationRecord, Tx};
use trapeza_texts::message;

/// A challenge with the OTP that answers it, for the message.
struct IssuedChallenge {
    challenge: Challenge,
    otp: Secret<String>,
}

/// Selects a method and sends its challenge. `None` when the method cannot be used.
pub(super) fn select_method(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: AuthorisationRecord,
    method: SelectedMethod,
) -> Result<Option<AuthorisationRecord>, UseCaseError> {
    let Some(issued) = issue(tx, context, &record, method)? else { return Ok(None) };
    let (authorisation, event) =
        record.authorisation.clone().select(context.approach(), method, context.now())?;
    send(tx, context, loaded, &record, method, &issued)?;
    let event = event.with("sends", issued.challenge.sends);
    let record = AuthorisationRecord { challenge: Some(issued.challenge), ..record };
    Ok(Some(save_transition(tx, context, record, (authorisation, event))?))
}

/// Starts the decoupled approach: the customer is asked in the bank's app, and no other screen is needed. `None` when the
/// method cannot be used.
pub(super) fn start_decoupled(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: AuthorisationRecord,
    method: SelectedMethod,
) -> Result<AuthorisationRecord, UseCaseError> {
    let (limiter, ends_at) = (context.limiter(&record), record.authorisation.ends_at);
    limiter.count_message(tx, MessageKind::DecoupledPush, None, ends_at)??;
    let Some(issued) = issue(tx, context, &record, method)? else { return Ok(record) };
    let started = record.authorisation.clone().start(ScaApproach::Decoupled, Some(method), context.now())?;
    send(tx, context, loaded, &record, method, &issued)?;
    let record = AuthorisationRecord { challenge: Some(issued.challenge), ..record };
    Ok(save_transition(tx, context, record, started)?)
}

/// The message that carries a challenge of this method after the password; `None` when it is shown on the screen.
fn message_kind(method: MethodKind) -> Option<MessageKind> {
    match method {
        MethodKind::Sms => Some(MessageKind::Sms),
        MethodKind::Push => Some(MessageKind::Push),
        MethodKind::Chip | MethodKind::Photo => None,
    }
}

/// Checks that the challenge of a method may be sent now, and counts it. A method without a message has no limit.
pub(super) fn count_message(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: &AuthorisationRecord,
    method: SelectedMethod,
) -> Result<Result<(), Refusal>, StoreError> {
    let Some(kind) = message_kind(method.kind) else { return Ok(Ok(())) };
    let same_method = record.authorisation.state.method().is_some_and(|last| last.id == method.id);
    let sent = record.challenge.as_ref().map(|challenge| challenge.sent_messages(same_method));
    context.limiter(record).count_message(tx, kind, sent, record.authorisation.ends_at)
}

/// Issues a challenge. `None` when the device of the method has no seed and therefore cannot answer.
fn issue(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: &AuthorisationRecord,
    method: SelectedMethod,
) -> Result<Option<IssuedChallenge>, StoreError> {
    let entropy = &context.credential.entropy;
    let (otp, display) = match method.kind {
        MethodKind::Sms => (entropy.otp.clone(), None),
        MethodKind::Push => (Secret::new(entropy.push_number.clone()), Some(entropy.push_number.clone())),
        MethodKind::Chip | MethodKind::Photo => {
            let sealed = tx.sca_method_seed_find(method.id)?;
            let seed = sealed.and_then(|sealed| context.keyring().open(method.id.as_bytes(), &sealed));
            let Some(seed) = seed else { return Ok(None) };
            let question = device_challenge(context.keyring(), record.link, &entropy.nonce);
            let suite = Suite::parse(DEVICE_SUITE).expect("the suite constant is well-formed");
            let input = Input { question: &question, ..Input::default() };
            let answer = suite.answer(&seed, &input).expect("eight digits are a valid question");
            (Secret::new(answer), Some(question))
        }
    };
    let subject: [&[u8]; 2] = [record.authorisation.id.as_bytes(), &record.link.0];
    let new = NewChallenge { otp: &otp, display, is_message: message_kind(method.kind).is_some() };
    let challenge = binding(&subject).challenge(&context.credential, new, record.challenge.as_ref());
    Ok(Some(IssuedChallenge { challenge, otp }))
}

/// Enqueues the message of a challenge where its method needs one. A decoy customer gets none.
fn send(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: &AuthorisationRecord,
    method: SelectedMethod,
    issued: &IssuedChallenge,
) -> Result<(), StoreError> {
    let Some(psu) = record.authorisation.psu else { return Ok(()) };
    let language = match context.language {
        Some(language) => language,
        None => notification::psu_language(tx, psu)?,
    };
    let name = message::display_name(&record.tpp_name);
    let description = description(loaded, context, language);
    match method.kind {
        MethodKind::Chip | MethodKind::Photo => Ok(()),
        MethodKind::Sms => {
            let psu = tx.psu_find(psu)?.required("customer")?;
            let otp = issued.otp.expose();
            let text =
                message::authorisation_otp(language, &context.credential.bank_name, &name, &description, otp);
            let content = MessageContent::Otp(otp);
            let new = NewMessage { recipient: psu.phone.as_str(), content, text: &text };
            notification::enqueue(tx, &context.credential, &new)
        }
        MethodKind::Push => {
            let text = message::approval_request(language, &name, &description);
            let recipient = record.authorisation.psu_name.as_str();
            let new = NewMessage { recipient, content: MessageContent::ApprovalRequest, text: &text };
            notification::enqueue(tx, &context.credential, &new)
        }
    }
}

/// Whether an OTP answers the challenge of an authorisation whose target has this digest now.
pub(super) fn verify(
    context: &StepContext,
    record: &AuthorisationRecord,
    (method, challenge): (SelectedMethod, &Challenge),
    digest: LinkingDigest,
    otp: &Secret<String>,
) -> bool {
    // The number that is compared in the app cannot be replaced by the fixed OTP.
    let fixed = context.credential.settings.fixed_otp.as_ref().filter(|_| method.kind != MethodKind::Push);
    let subject: [&[u8]; 2] = [record.authorisation.id.as_bytes(), &digest.0];
    binding(&subject).matches(context.keyring(), challenge, otp, fixed)
}

fn binding<'a>(subject: &'a [&'a [u8]]) -> OtpBinding<'a> {
    OtpBinding { purpose: "authorisation", subject }
}

/// Eight digits derived from the linking digest and the nonce, so that what the customer types into a device is bound to
/// what they approve.
fn device_challenge(keyring: &Keyring, digest: LinkingDigest, nonce: &[u8; 16]) -> String {
    let hash = keyring.hash(KeyPurpose::Otp, &[b"question", &digest.0, nonce]);
    let number = hash[..8].iter().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    format!("{:08}", number % 100_000_000)
}

/// The number that the other screen shows and two others, sorted. The others are derived from the challenge: random ones
/// would reveal the right number, which alone stays in the list on a reload.
pub(super) fn push_choices(keyring: &Keyring, challenge: &Challenge) -> Vec<String> {
    let mut choices: Vec<String> = challenge.display.iter().cloned().collect();
    for byte in keyring.hash(KeyPurpose::Otp, &[b"choices", &challenge.nonce]) {
        // 180 is twice the count of two-digit numbers; larger bytes would make some numbers more likely.
        let number = (10 + byte % 90).to_string();
        if byte < 180 && choices.len() < 3 && !choices.contains(&number) {
            choices.push(number);
        }
    }
    choices.sort();
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_choices_contain_the_shown_number_and_are_stable() {
        let keyring = Keyring::new([1; 32]);
        for n in 0..90_u8 {
            let display = (10 + n).to_string();
            let challenge = Challenge {
                nonce: [n; 16],
                code_hash: [0; 32],
                display: Some(display.clone()),
                sent_at: trapeza_domain::time::Timestamp(0),
                attempts: 0,
                sends: 1,
            };
            let mut choices = push_choices(&keyring, &challenge);
            assert_eq!(choices, push_choices(&keyring, &challenge));
            assert!(choices.contains(&display));
            choices.dedup();
            assert_eq!(choices.len(), 3);
        }
    }

    #[test]
    fn device_challenge_depends_on_digest_and_nonce() {
        let keyring = Keyring::new([1; 32]);
        let one = device_challenge(&keyring, LinkingDigest([0; 32]), &[0; 16]);
        assert_eq!(one.len(), 8);
        assert_ne!(one, device_challenge(&keyring, LinkingDigest([1; 32]), &[0; 16]));
        assert_ne!(one, device_challenge(&keyring, LinkingDigest([0; 32]), &[1; 16]));
    }
}
