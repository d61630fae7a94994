//! Steps with a secret in them. A try is counted before anybody looks whether it is right, and the count stays when it
//! is not: twenty at once, or over a restart, are twenty.

use super::throttle::{AttemptDecision, AttemptLimiter};
use super::update::{StepOutcome, StepRequest, StepStart, challenge, changed, done, enter, keep};
use super::{Channel, StepContext, code, wrong};
use crate::sca::methods;
use crate::{App, StoreError, UseCaseError, audit, password};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::sync::Semaphore;
use trapeza_domain::authorisation::{Challenge, SelectedMethod};
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_store::{AuthorisationRecord, Tx};

/// A password that was counted, on its way to be looked at.
enum Reserved {
    Try { hash: Option<String>, gate: AttemptDecision },
    Before(StepOutcome),
}

impl App {
    /// Waits for its turn, counts the try, hashes outside of any transaction, and settles.
    pub(super) async fn password_step(
        &self,
        context: impl Fn() -> StepContext,
        place: StepRequest,
        given: Secret<String>,
    ) -> Result<StepOutcome, UseCaseError> {
        let _turn = match self.password_guard(context(), place.clone()).await? {
            Some(limiter) => Some(limiter.turn(&self.login_queue).await),
            None => None,
        };
        let (first, at) = (context(), place.clone());
        let reserved = self.store.write(move |tx| reserve(tx, &first, &at)).await?;
        let (hash, gate) = match reserved {
            Reserved::Try { hash, gate } => (hash, gate),
            Reserved::Before(ended) => return Ok(ended),
        };
        if let AttemptDecision::Allowed { wait } = gate {
            pause(wait).await;
        }
        // Whatever is known already, the same work is done: the time must not tell.
        let fits = verify(given, hash.clone()).await?;
        let right = fits && hash.is_some() && gate != AttemptDecision::Blocked;
        let second = context();
        self.store.write(move |tx| settle_password(tx, &second, &place, right)).await
    }

    /// LoginKey password it would be; nobody's where there is no such authorisation, which is said later.
    async fn password_guard(
        &self,
        context: StepContext,
        place: StepRequest,
    ) -> Result<Option<AttemptLimiter>, UseCaseError> {
        let (Ok(target), Some(id)) = (place.target, place.id) else { return Ok(None) };
        let read = self.store.read(move |tx| {
            let found = tx.authorisation_find(context.application, target, id)?;
            Ok(found.map(|record| AttemptLimiter::new(&context, &record)))
        });
        read.await
    }
}

fn reserve(tx: &mut Tx<'_>, context: &StepContext, place: &StepRequest) -> Result<Reserved, UseCaseError> {
    let record = match enter(tx, context, place)? {
        StepStart::Here(here) => here.1,
        StepStart::Before(ended) => return Ok(Reserved::Before(ended)),
    };
    record.authorisation.clone().authenticate(context.approach(), context.now)?;
    let gate = AttemptLimiter::new(context, &record).password(tx)?;
    let found = tx.psu_by_login(&record.authorisation.psu_name)?;
    let own = found.filter(|(psu, _)| Some(psu.id) == record.authorisation.psu);
    Ok(Reserved::Try { hash: own.map(|(_, hash)| hash), gate })
}

fn settle_password(
    tx: &mut Tx<'_>,
    context: &StepContext,
    place: &StepRequest,
    right: bool,
) -> Result<StepOutcome, UseCaseError> {
    let (loaded, record) = match enter(tx, context, place)? {
        StepStart::Here(here) => *here,
        StepStart::Before(ended) => return Ok(ended),
    };
    let authenticated = record.authorisation.clone().authenticate(context.approach(), context.now)?;
    if !right {
        return refused(tx, context, place, &record, "authorisation.password_wrong");
    }
    let limiter = AttemptLimiter::new(context, &record);
    limiter.password_right(tx)?;
    let mut record = keep(tx, context, record, authenticated)?;
    // One method leaves nothing to choose.
    let offered = methods(tx, &context.keyring, &record.authorisation.psu_name)?;
    if let [only] = offered.as_slice()
        && limiter.send(tx, None, record.authorisation.ends_at)?.is_ok()
    {
        let chosen = SelectedMethod { id: only.id, kind: only.kind };
        if let Some(challenged) = challenge(tx, context, &loaded, record.clone(), chosen)? {
            record = challenged;
        }
    }
    done(tx, context, place, &record)
}

pub(super) fn code_step(
    tx: &mut Tx<'_>,
    context: &StepContext,
    place: &StepRequest,
    given: &Secret<String>,
) -> Result<StepOutcome, UseCaseError> {
    let (loaded, record) = match enter(tx, context, place)? {
        StepStart::Here(here) => *here,
        StepStart::Before(ended) => return Ok(ended),
    };
    let chosen = record.authorisation.pending_method(context.approach(), context.now)?;
    let open = record.challenge.clone().filter(|challenge| challenge.is_open(context.now));
    let limiter = AttemptLimiter::new(context, &record);
    let admitted = limiter.code(tx)?;
    // Nobody looks at a code that came too late or too often, so it counts for nothing either.
    let Some(asked) = open.filter(|_| admitted) else { return Err(wrong().into()) };
    let link = loaded.link(&context.organisation);
    if link != record.link {
        let failed = record.authorisation.clone().fail(context.now)?;
        let id = failed.0.id;
        let failed = (failed.0, failed.1.with("reason", "the object has changed"));
        keep(tx, context, AuthorisationRecord { challenge: None, ..record }, failed)?;
        remember(context, place, tx, "changed", id)?;
        return Ok(StepOutcome::Refused(changed()));
    }
    let right = code::is_right(context, &record, (chosen, &asked), link, given);
    // Without a customer nothing is ever right.
    let Some(psu) = record.authorisation.psu.filter(|_| right) else {
        let record = tried(tx, context, record, asked)?;
        limiter.code_wrong(tx)?;
        return refused(tx, context, place, &record, "authorisation.otp_wrong");
    };
    limiter.code_right(tx)?;
    let finalised = record.authorisation.clone().finalise(context.approach(), context.now)?;
    let record = keep(tx, context, AuthorisationRecord { challenge: None, ..record }, finalised)?;
    loaded.authorise(tx, psu, context)?;
    done(tx, context, place, &record)
}

/// Writes down a wrong answer. In the app there are three numbers to choose from, so the first wrong one ends it: a
/// second would be more than a guess.
fn tried(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: AuthorisationRecord,
    asked: Challenge,
) -> Result<AuthorisationRecord, UseCaseError> {
    if let Channel::App(_) = context.side {
        let (failed, event) = record.authorisation.clone().fail(context.now)?;
        let failed = (failed, event.with("reason", "another number was chosen"));
        return Ok(keep(tx, context, AuthorisationRecord { challenge: None, ..record }, failed)?);
    }
    let challenge = Some(Challenge { attempts: asked.attempts + 1, ..asked });
    let record = AuthorisationRecord { challenge, ..record };
    tx.authorisation_update(&record)?;
    Ok(record)
}

/// A refusal that leaves its mark, and is given again when the same call comes again.
fn refused(
    tx: &mut Tx<'_>,
    context: &StepContext,
    place: &StepRequest,
    record: &AuthorisationRecord,
    action: &'static str,
) -> Result<StepOutcome, UseCaseError> {
    let event = record.authorisation.event(action);
    audit::record(tx, context.now, context.actor(), &event)?;
    remember(context, place, tx, "wrong", record.authorisation.id)?;
    Ok(StepOutcome::Refused(wrong()))
}

fn remember(
    context: &StepContext,
    place: &StepRequest,
    tx: &mut Tx<'_>,
    outcome: &str,
    id: AuthorisationId,
) -> Result<(), StoreError> {
    match &place.call {
        Some(request) => request.record(tx, outcome, id.as_bytes(), context.now),
        None => Ok(()),
    }
}

pub(crate) async fn pause(wait: TimeDelta) {
    if let Ok(micros) = u64::try_from(wait.0) {
        tokio::time::sleep(Duration::from_micros(micros)).await;
    }
}

/// How many passwords are hashed at a time. Each takes 19 MiB for a context: a crowd of guessers must not take all memory.
static HASHING_PERMITS: Semaphore = Semaphore::const_new(4);

/// Whether a password fits a hash, worked out where it holds up nobody. Without a hash it is compared with nobody's.
pub(crate) async fn verify(given: Secret<String>, hash: Option<String>) -> Result<bool, StoreError> {
    let _turn = HASHING_PERMITS.acquire().await.map_err(StoreError::internal)?;
    let work = tokio::task::spawn_blocking(move || {
        // ApprovalRequest for in either case, so that its making does not tell either.
        let nobodys = dummy_hash();
        password::verify(&given, hash.as_deref().unwrap_or(nobodys))
    });
    work.await.map_err(StoreError::internal)
}

/// Made once, by the same rules as everybody's.
fn dummy_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let random = crate::Entropy::os().uuid().to_string();
        password::hash(&Secret::new(random))
    })
}
