//! The steps with a credential, and the selection of a method. An attempt is counted before the credential is verified,
//! and the count stays when it is wrong: concurrent attempts and restarts do not add guesses.

use super::challenge::{self, count_message, select_method};
use super::context::{Channel, StepContext};
use super::step::{
    Step, StepOutcome, StepRequest, StepStart, finish_step, load_step, no_choice, record_refusal,
    save_transition, target_changed,
};
use super::target::LoadedTarget;
use crate::credential::method::methods;
use crate::credential::{AttemptDecision, AttemptLimiter, invalid_credentials, verified_psu, verify_attempt};
use crate::{App, UseCaseError, audit, notification};
use trapeza_domain::authorisation::{Challenge, SelectedMethod};
use trapeza_domain::field::Field;
use trapeza_domain::id::MethodId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_store::{AuthorisationRecord, Tx};

/// A counted password attempt, or the recorded outcome of the same request.
enum CountedPassword {
    Attempt { hash: Option<String>, decision: AttemptDecision },
    Recorded(StepOutcome),
}

impl App {
    /// Runs a step in any channel. `context` is called once per transaction, because each needs its own time and
    /// randomness.
    pub(super) async fn run_step(
        &self,
        context: impl Fn() -> StepContext,
        request: StepRequest,
        step: Step,
    ) -> Result<StepOutcome, UseCaseError> {
        match step {
            Step::Password(password) => self.password_step(context, request, None, password).await,
            Step::SignIn { psu_name, password } => {
                self.password_step(context, request, Some(psu_name), password).await
            }
            Step::Method(method) => {
                let (context, method) = (context(), MethodId::parse(&method));
                self.store.write(move |tx| method_step(tx, &context, &request, method)).await
            }
            Step::Code(otp) => {
                let context = context();
                self.store.write(move |tx| otp_step(tx, &context, &request, &otp)).await
            }
        }
    }

    /// Waits in the login queue, counts the attempt, verifies the password outside of any transaction, and finishes.
    async fn password_step(
        &self,
        context: impl Fn() -> StepContext,
        request: StepRequest,
        psu_name: Option<String>,
        password: Secret<String>,
    ) -> Result<StepOutcome, UseCaseError> {
        let _permit = match self.password_limiter(context(), request.clone(), psu_name.clone()).await? {
            Some(limiter) => Some(limiter.acquire(&self.login_queue).await?),
            None => None,
        };
        let (first, counted, name) = (context(), request.clone(), psu_name.clone());
        let counted =
            self.store.write(move |tx| count_password(tx, &first, &counted, name.as_deref())).await?;
        let (hash, decision) = match counted {
            CountedPassword::Attempt { hash, decision } => (hash, decision),
            CountedPassword::Recorded(outcome) => return Ok(outcome),
        };
        let verified = verify_attempt(decision, password, hash.clone()).await?;
        let (second, attempt) =
            (context(), PasswordAttempt { psu_name, verified, hash, blocks: decision.blocks_if_wrong() });
        self.store.write(move |tx| finish_password(tx, &second, &request, &attempt)).await
    }

    /// The limiter of the authorisation's customer; `None` for an unknown authorisation, which is refused later.
    async fn password_limiter(
        &self,
        context: StepContext,
        request: StepRequest,
        psu_name: Option<String>,
    ) -> Result<Option<AttemptLimiter>, UseCaseError> {
        let (Ok(target), Some(id)) = (request.target, request.id) else { return Ok(None) };
        let limiter = self.store.read(move |tx| {
            let Some(record) = tx.authorisation_find(context.application, target, id)? else {
                return Ok(None);
            };
            let record = with_named_psu(tx, record, psu_name.as_deref())?;
            Ok(Some(context.limiter(&record)))
        });
        limiter.await
    }
}

fn method_step(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    method: Option<MethodId>,
) -> Result<StepOutcome, UseCaseError> {
    let (loaded, record) = match load_step(tx, context, request)? {
        StepStart::Loaded(loaded) => *loaded,
        StepStart::Recorded(outcome) => return Ok(outcome),
    };
    if loaded.needs_choice() {
        return Err(no_choice().into());
    }
    let offered = methods(tx, context.keyring(), &record.authorisation.psu_name)?;
    // A step out of order is refused before an unknown method is.
    let first = offered.first().map(|method| SelectedMethod { id: method.id, kind: method.kind });
    let any = first.ok_or_else(unknown_method)?;
    record.authorisation.clone().select(context.approach(), any, context.now())?;
    let found = offered.into_iter().find(|offered| Some(offered.id) == method).ok_or_else(unknown_method)?;
    let method = SelectedMethod { id: found.id, kind: found.kind };
    count_message(tx, context, &record, method)??;
    let record = select_method(tx, context, &loaded, record, method)?.ok_or_else(unknown_method)?;
    finish_step(tx, context, request, &record)
}

/// The authorisation with the customer that the step names. Who has named a customer before cannot name another one: otherwise the
/// password of one would open the authorisation of the other.
fn with_named_psu(
    tx: &mut Tx<'_>,
    record: AuthorisationRecord,
    psu_name: Option<&str>,
) -> Result<AuthorisationRecord, UseCaseError> {
    let Some(psu_name) = psu_name else { return Ok(record) };
    if record.authorisation.is_identified() && record.authorisation.psu_name != psu_name {
        return Err(another_customer().into());
    }
    let psu = tx.psu_by_login(psu_name)?.map(|(psu, _)| psu.id);
    Ok(AuthorisationRecord { authorisation: record.authorisation.with_psu(psu_name, psu), ..record })
}

fn count_password(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    psu_name: Option<&str>,
) -> Result<CountedPassword, UseCaseError> {
    let record = match load_step(tx, context, request)? {
        StepStart::Loaded(loaded) => loaded.1,
        StepStart::Recorded(outcome) => return Ok(CountedPassword::Recorded(outcome)),
    };
    let record = with_named_psu(tx, record, psu_name)?;
    record.authorisation.clone().authenticate(context.approach(), context.now())?;
    let decision = context.limiter(&record).count_password_of(tx, request.idempotency.as_ref())?;
    let found = tx.psu_by_login(&record.authorisation.psu_name)?;
    let own = found.filter(|(psu, _)| Some(psu.id) == record.authorisation.psu);
    Ok(CountedPassword::Attempt { hash: own.and_then(|(_, hash)| hash), decision })
}

/// A password that was verified outside of any transaction.
struct PasswordAttempt {
    /// The customer whom the step named.
    psu_name: Option<String>,
    verified: bool,
    hash: Option<String>,
    /// A wrong one blocks the customer's password.
    blocks: bool,
}

fn finish_password(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    attempt: &PasswordAttempt,
) -> Result<StepOutcome, UseCaseError> {
    let (loaded, record) = match load_step(tx, context, request)? {
        StepStart::Loaded(loaded) => *loaded,
        StepStart::Recorded(outcome) => return Ok(outcome),
    };
    let was_identified = record.authorisation.is_identified();
    let record = with_named_psu(tx, record, attempt.psu_name.as_deref())?;
    let authenticated = record.authorisation.clone().authenticate(context.approach(), context.now())?;
    let current = verified_psu(tx, &record.authorisation.psu_name, attempt.hash.as_deref())?;
    if !attempt.verified || current.is_none() {
        if let (true, Some(psu)) = (attempt.blocks, record.authorisation.psu) {
            notification::enqueue_password_block(tx, &context.credential, psu)?;
        }
        context.limiter(&record).end_password_attempt(tx)?;
        return refuse_credential(tx, context, request, &record, "authorisation.password_wrong");
    }
    let limiter = context.limiter(&record);
    limiter.reset_password(tx)?;
    if let (Some(language), Some(psu)) = (context.language, record.authorisation.psu) {
        tx.psu_language_set(psu, language.tag())?;
    }
    let loaded = match was_identified {
        true => loaded,
        false => identify(tx, context, loaded, &record)?,
    };
    let record = save_transition(tx, context, record, authenticated)?;
    let record = match loaded.needs_choice() {
        true => record,
        false => select_single_method(tx, context, &loaded, record)?,
    };
    finish_step(tx, context, request, &record)
}

/// Selects the method of a customer who has a single one.
pub(super) fn select_single_method(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: AuthorisationRecord,
) -> Result<AuthorisationRecord, UseCaseError> {
    let offered = methods(tx, context.keyring(), &record.authorisation.psu_name)?;
    let [only] = offered.as_slice() else { return Ok(record) };
    let method = SelectedMethod { id: only.id, kind: only.kind };
    if count_message(tx, context, &record, method)?.is_err() {
        return Ok(record);
    }
    Ok(select_method(tx, context, loaded, record.clone(), method)?.unwrap_or(record))
}

/// Stores the customer of an authorisation that was started without one, and of its target.
pub(super) fn identify(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: LoadedTarget,
    record: &AuthorisationRecord,
) -> Result<LoadedTarget, UseCaseError> {
    let authorisation = &record.authorisation;
    if !loaded.psu_name().is_empty() && loaded.psu_name() != authorisation.psu_name {
        return Err(another_customer().into());
    }
    tx.authorisation_psu_set(authorisation)?;
    Ok(loaded.with_psu(tx, context, authorisation.target, &authorisation.psu_name)?)
}

fn otp_step(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    otp: &Secret<String>,
) -> Result<StepOutcome, UseCaseError> {
    let (loaded, record) = match load_step(tx, context, request)? {
        StepStart::Loaded(loaded) => *loaded,
        StepStart::Recorded(outcome) => return Ok(outcome),
    };
    let method = record.authorisation.pending_method(context.approach(), context.now())?;
    let open = record.challenge.clone().filter(|challenge| challenge.is_open(context.now()));
    let limiter = context.limiter(&record);
    let allowed = limiter.otp_is_allowed(tx)?;
    // An OTP that comes too late or too often is not verified, so it is not counted either.
    let Some(challenge) = open.filter(|_| allowed) else { return Err(invalid_credentials().into()) };
    let digest = loaded.digest(&context.organisation);
    if digest != record.link {
        let (failed, event) = record.authorisation.clone().fail(context.now())?;
        let failed = (failed, event.with("reason", "target changed"));
        let record = AuthorisationRecord { challenge: None, ..record };
        let record = save_transition(tx, context, record, failed)?;
        record_refusal(tx, context, request, "changed", record.authorisation.id)?;
        return Ok(StepOutcome::Refused(target_changed()));
    }
    let verified = challenge::verify(context, &record, (method, &challenge), digest, otp);
    // No OTP is right for a decoy customer.
    let Some(psu) = record.authorisation.psu.filter(|_| verified) else {
        let record = count_attempt(tx, context, record, challenge)?;
        limiter.count_wrong_otp(tx)?;
        return refuse_credential(tx, context, request, &record, "authorisation.otp_wrong");
    };
    limiter.reset_otp(tx)?;
    let finalised = record.authorisation.clone().finalise(context.approach(), context.now())?;
    let record = save_transition(tx, context, AuthorisationRecord { challenge: None, ..record }, finalised)?;
    loaded.authorise(tx, psu, context)?;
    finish_step(tx, context, request, &record)
}

/// Counts a wrong answer. The app offers three numbers, so there the first wrong one fails the authorisation: a second
/// attempt would be right in half of the cases.
fn count_attempt(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: AuthorisationRecord,
    challenge: Challenge,
) -> Result<AuthorisationRecord, UseCaseError> {
    if let Channel::App(_) = context.channel {
        let (failed, event) = record.authorisation.clone().fail(context.now())?;
        let failed = (failed, event.with("reason", "wrong number chosen"));
        let record = AuthorisationRecord { challenge: None, ..record };
        return Ok(save_transition(tx, context, record, failed)?);
    }
    let challenge = Some(Challenge { attempts: challenge.attempts + 1, ..challenge });
    let record = AuthorisationRecord { challenge, ..record };
    tx.authorisation_update(&record)?;
    Ok(record)
}

/// Refuses a wrong credential. The refusal is recorded and repeated for a replay of the same request.
fn refuse_credential(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    record: &AuthorisationRecord,
    action: &'static str,
) -> Result<StepOutcome, UseCaseError> {
    let event = record.authorisation.event(action);
    audit::record(tx, context.now(), context.actor(), &event)?;
    record_refusal(tx, context, request, "wrong", record.authorisation.id)?;
    Ok(StepOutcome::Refused(invalid_credentials()))
}

fn another_customer() -> Refusal {
    let text = "the authorisation is of another customer; start a new one";
    Refusal::new(RefusalReason::StepOutOfOrder, text)
}

fn unknown_method() -> Refusal {
    let text = "unknown SCA method; use one of scaMethods";
    Refusal::at(RefusalReason::ScaMethodUnknown, Field::ScaMethodId, text)
}
