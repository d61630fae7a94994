//! Steps with a secret in them. A try is counted before anybody looks whether it is right, and the count stays when it
//! is not: twenty at once, or over a restart, are twenty.

use super::guard::{Gate, Guard};
use super::update::{Ended, Entered, Place, challenge, changed, done, enter, keep};
use super::{Desk, Side, code, wrong};
use crate::method::methods;
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
    Try { hash: Option<String>, gate: Gate },
    Before(Ended),
}

impl App {
    /// Waits for its turn, counts the try, hashes outside of any transaction, and settles.
    pub(super) async fn password_step(
        &self,
        desk: impl Fn() -> Desk,
        place: Place,
        given: Secret<String>,
    ) -> Result<Ended, UseCaseError> {
        let _turn = match self.password_guard(desk(), place.clone()).await? {
            Some(guard) => Some(guard.turn(&self.turns).await),
            None => None,
        };
        let (first, at) = (desk(), place.clone());
        let reserved = self.store.write(move |tx| reserve(tx, &first, &at)).await?;
        let (hash, gate) = match reserved {
            Reserved::Try { hash, gate } => (hash, gate),
            Reserved::Before(ended) => return Ok(ended),
        };
        if let Gate::Open { wait } = gate {
            pause(wait).await;
        }
        // Whatever is known already, the same work is done: the time must not tell.
        let fits = verify(given, hash.clone()).await?;
        let right = fits && hash.is_some() && gate != Gate::Shut;
        let second = desk();
        self.store.write(move |tx| settle_password(tx, &second, &place, right)).await
    }

    /// Whose password it would be; nobody's where there is no such authorisation, which is said later.
    async fn password_guard(&self, desk: Desk, place: Place) -> Result<Option<Guard>, UseCaseError> {
        let (Ok(target), Some(id)) = (place.target, place.id) else { return Ok(None) };
        let read = self.store.read(move |tx| {
            let found = tx.authorisation_find(desk.application, target, id)?;
            Ok(found.map(|record| Guard::new(&desk, &record)))
        });
        read.await
    }
}

fn reserve(tx: &mut Tx<'_>, desk: &Desk, place: &Place) -> Result<Reserved, UseCaseError> {
    let record = match enter(tx, desk, place)? {
        Entered::Here(here) => here.1,
        Entered::Before(ended) => return Ok(Reserved::Before(ended)),
    };
    record.authorisation.clone().authenticate(desk.approach(), desk.now)?;
    let gate = Guard::new(desk, &record).password(tx)?;
    let found = tx.psu_by_login(&record.authorisation.psu_name)?;
    let own = found.filter(|(psu, _)| Some(psu.id) == record.authorisation.psu);
    Ok(Reserved::Try { hash: own.map(|(_, hash)| hash), gate })
}

fn settle_password(tx: &mut Tx<'_>, desk: &Desk, place: &Place, right: bool) -> Result<Ended, UseCaseError> {
    let (aim, record) = match enter(tx, desk, place)? {
        Entered::Here(here) => *here,
        Entered::Before(ended) => return Ok(ended),
    };
    let authenticated = record.authorisation.clone().authenticate(desk.approach(), desk.now)?;
    if !right {
        return refused(tx, desk, place, &record, "authorisation.password_wrong");
    }
    let guard = Guard::new(desk, &record);
    guard.password_right(tx)?;
    let mut record = keep(tx, desk, record, authenticated)?;
    // One method leaves nothing to choose.
    let offered = methods(tx, &desk.keyring, &record.authorisation.psu_name)?;
    if let [only] = offered.as_slice()
        && guard.send(tx, None, record.authorisation.ends_at)?.is_ok()
    {
        let chosen = SelectedMethod { id: only.id, kind: only.kind };
        if let Some(challenged) = challenge(tx, desk, &aim, record.clone(), chosen)? {
            record = challenged;
        }
    }
    done(tx, desk, place, &record)
}

pub(super) fn code_step(
    tx: &mut Tx<'_>,
    desk: &Desk,
    place: &Place,
    given: &Secret<String>,
) -> Result<Ended, UseCaseError> {
    let (aim, record) = match enter(tx, desk, place)? {
        Entered::Here(here) => *here,
        Entered::Before(ended) => return Ok(ended),
    };
    let chosen = record.authorisation.answerable(desk.approach(), desk.now)?;
    let open = record.challenge.clone().filter(|challenge| challenge.is_open(desk.now));
    let guard = Guard::new(desk, &record);
    let admitted = guard.code(tx)?;
    // Nobody looks at a code that came too late or too often, so it counts for nothing either.
    let Some(asked) = open.filter(|_| admitted) else { return Err(wrong().into()) };
    let link = aim.link(&desk.organisation);
    if link != record.link {
        let failed = record.authorisation.clone().fail(desk.now)?;
        let id = failed.0.id;
        let failed = (failed.0, failed.1.with("reason", "the object has changed"));
        keep(tx, desk, AuthorisationRecord { challenge: None, ..record }, failed)?;
        remember(desk, place, tx, "changed", id)?;
        return Ok(Ended::Refused(changed()));
    }
    let right = code::is_right(desk, &record, (chosen, &asked), link, given);
    // Without a customer nothing is ever right.
    let Some(psu) = record.authorisation.psu.filter(|_| right) else {
        let record = tried(tx, desk, record, asked)?;
        guard.code_wrong(tx)?;
        return refused(tx, desk, place, &record, "authorisation.otp_wrong");
    };
    guard.code_right(tx)?;
    let finalised = record.authorisation.clone().answer(desk.approach(), desk.now)?;
    let record = keep(tx, desk, AuthorisationRecord { challenge: None, ..record }, finalised)?;
    aim.authorise(tx, psu, desk)?;
    done(tx, desk, place, &record)
}

/// Writes down a wrong answer. In the app there are three numbers to choose from, so the first wrong one ends it: a
/// second would be more than a guess.
fn tried(
    tx: &mut Tx<'_>,
    desk: &Desk,
    record: AuthorisationRecord,
    asked: Challenge,
) -> Result<AuthorisationRecord, UseCaseError> {
    if let Side::App(_) = desk.side {
        let (failed, event) = record.authorisation.clone().fail(desk.now)?;
        let failed = (failed, event.with("reason", "another number was chosen"));
        return Ok(keep(tx, desk, AuthorisationRecord { challenge: None, ..record }, failed)?);
    }
    let challenge = Some(Challenge { tries: asked.tries + 1, ..asked });
    let record = AuthorisationRecord { challenge, ..record };
    tx.authorisation_update(&record)?;
    Ok(record)
}

/// A refusal that leaves its mark, and is given again when the same call comes again.
fn refused(
    tx: &mut Tx<'_>,
    desk: &Desk,
    place: &Place,
    record: &AuthorisationRecord,
    action: &'static str,
) -> Result<Ended, UseCaseError> {
    let event = record.authorisation.event(action);
    audit::note(tx, desk.now, desk.actor(), &event)?;
    remember(desk, place, tx, "wrong", record.authorisation.id)?;
    Ok(Ended::Refused(wrong()))
}

fn remember(
    desk: &Desk,
    place: &Place,
    tx: &mut Tx<'_>,
    outcome: &str,
    id: AuthorisationId,
) -> Result<(), StoreError> {
    match &place.call {
        Some(call) => call.save(tx, outcome, id.as_bytes(), desk.now),
        None => Ok(()),
    }
}

pub(crate) async fn pause(wait: TimeDelta) {
    if let Ok(micros) = u64::try_from(wait.0) {
        tokio::time::sleep(Duration::from_micros(micros)).await;
    }
}

/// How many passwords are hashed at a time. Each takes 19 MiB for a moment: a crowd of guessers must not take all memory.
static TURNS: Semaphore = Semaphore::const_new(4);

/// Whether a password fits a hash, worked out where it holds up nobody. Without a hash it is compared with nobody's.
pub(crate) async fn verify(given: Secret<String>, hash: Option<String>) -> Result<bool, StoreError> {
    let _turn = TURNS.acquire().await.map_err(StoreError::internal)?;
    let work = tokio::task::spawn_blocking(move || {
        // Asked for in either case, so that its making does not tell either.
        let nobodys = nobodys_hash();
        password::verify(&given, hash.as_deref().unwrap_or(nobodys))
    });
    work.await.map_err(StoreError::internal)
}

/// Made once, by the same rules as everybody's.
fn nobodys_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let random = crate::Entropy::os().uuid().to_string();
        password::hash(&Secret::new(random))
    })
}
