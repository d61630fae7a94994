//! Customers: onboarding, their SCA methods and devices.

mod change;
mod personal_data;

pub use change::PsuChange;
pub use personal_data::{AccountData, EXPORT_PAGE_ROWS, PersonalData};

use crate::account::{self, NewAccount};
use crate::credential::{login_subject, password, phone_subject};
use crate::ocra::{DEVICE_SUITE, Input, Suite};
use crate::{App, Entropy, Keyring, StoreError, UseCaseError, audit};
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::{MethodId, PsuId};
use trapeza_domain::psu::{MethodKind, Psu, ScaMethod};
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::text::is_control_or_bidi;
use trapeza_domain::time::Timestamp;
use trapeza_store::Tx;

/// A customer as the operator registers them.
pub struct NewPsu {
    pub id: PsuId,
    pub login: String,
    pub name: String,
    pub phone: Phone,
    /// Without a password the customer cannot sign in until the operator sets one.
    pub password: Option<Secret<String>>,
    /// In the order in which they are offered.
    pub methods: Vec<NewMethod>,
}

/// A method as the operator registers it.
#[derive(Clone, Debug)]
pub struct NewMethod {
    pub id: MethodId,
    pub kind: MethodKind,
}

/// A customer with methods and accounts.
#[derive(Clone, Debug)]
pub struct PsuView {
    pub psu: Psu,
    pub methods: Vec<ScaMethod>,
    pub accounts: Vec<Account>,
}

/// The longest PSU_ID (§5.2), and the longest name that fits into a payment.
pub(crate) const MAX_LOGIN_CHARS: usize = 50;
pub(crate) const MAX_NAME_CHARS: usize = 70;
/// The minimum of NIST SP 800-63B; the maximum bounds the work of hashing.
const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 8..=128;

impl App {
    /// Onboards a customer with their first accounts, or not at all. Hashing the password blocks the calling thread
    /// for tens of milliseconds.
    pub async fn psu_onboard(
        &self,
        order: NewPsu,
        accounts: Vec<NewAccount>,
    ) -> Result<PsuView, UseCaseError> {
        validate(&order)?;
        let (now, password_hash) = (self.now(), order.password.as_ref().map(password::hash));
        let NewPsu { id, login, name, phone, methods, .. } = order;
        let psu = Psu { id, login, name, phone };
        let seeds: Vec<Vec<u8>> = methods.iter().map(|method| self.device_seed_new(method.id)).collect();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                register(tx, &psu, password_hash.as_deref(), (&methods, &seeds), (actor, now))?;
                for order in &accounts {
                    account::open(tx, order, actor, now)?;
                }
                Ok(view(tx, psu.clone())?)
            })
            .await
    }

    pub async fn psu_list(&self) -> Result<Vec<PsuView>, UseCaseError> {
        self.store
            .read(|tx| {
                let all = tx.psu_list()?;
                Ok(all.into_iter().map(|psu| view(tx, psu)).collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Registers a customer. Hashing the password blocks the calling thread for tens of milliseconds.
    pub async fn psu_register(&self, order: NewPsu) -> Result<Psu, UseCaseError> {
        let now = self.now();
        let password_hash = order.password.as_ref().map(password::hash);
        let NewPsu { id, login, name, phone, methods, .. } = order;
        let psu = Psu { id, login, name, phone };
        let seeds: Vec<Vec<u8>> = methods.iter().map(|method| self.device_seed_new(method.id)).collect();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                register(tx, &psu, password_hash.as_deref(), (&methods, &seeds), (actor, now))?;
                Ok(psu.clone())
            })
            .await
    }

    /// Lifts all blocks of a customer that wrong passwords and codes have caused. Returns how many there were.
    pub async fn psu_unblock(&self, login: &str) -> Result<i64, UseCaseError> {
        let (login, keyring, by) =
            (login.to_owned(), self.keyring.clone(), (audit::current_actor(), self.now()));
        self.store.write(move |tx| unblock(tx, &keyring, &login, by)).await
    }

    /// Lifts all blocks of a telephone number at checkouts. Returns how many there were.
    pub async fn phone_unblock(&self, phone: &Phone) -> Result<i64, UseCaseError> {
        let (phone, keyring, by) =
            (phone.clone(), self.keyring.clone(), (audit::current_actor(), self.now()));
        self.store.write(move |tx| unblock_phone(tx, &keyring, &phone, by)).await
    }

    /// The methods of the customer with this login name; none for an unknown one.
    pub async fn sca_methods(&self, login: &str) -> Result<Vec<ScaMethod>, UseCaseError> {
        let login = login.to_owned();
        self.store
            .read(move |tx| match tx.psu_by_login(&login)? {
                Some((psu, _)) => Ok(tx.sca_method_list(psu.id)?),
                None => Ok(Vec::new()),
            })
            .await
    }

    /// The seed for a customer's chip device or photo reader; `None` for other methods.
    pub async fn device_seed(&self, method: MethodId) -> Result<Option<Secret<Vec<u8>>>, UseCaseError> {
        let sealed = self.store.read(move |tx| Ok(tx.sca_method_seed_find(method)?)).await?;
        let open = |sealed: Vec<u8>| self.keyring.open(method.as_bytes(), &sealed);
        Ok(sealed.and_then(open).map(|seed| Secret::new(seed.to_vec())))
    }

    /// The answer of a customer's chip device or photo reader to a challenge, for a sandbox without devices. `None`
    /// for other methods and for an invalid challenge. Blocks the calling thread.
    pub fn device_answer(&self, method: MethodId, challenge: &str) -> Result<Option<String>, UseCaseError> {
        let sealed = self.store.read_blocking(move |tx| Ok(tx.sca_method_seed_find(method)?))?;
        let seed = sealed.and_then(|sealed| self.keyring.open(method.as_bytes(), &sealed));
        let suite = Suite::parse(DEVICE_SUITE).expect("our own suite is well written");
        let input = Input { question: challenge, ..Input::default() };
        Ok(seed.and_then(|seed| suite.answer(&seed, &input)))
    }

    /// Secrets never come from the seed of the demo bank.
    pub(crate) fn device_seed_new(&self, method: MethodId) -> Vec<u8> {
        let machine = Entropy::os();
        self.keyring.seal(method.as_bytes(), &machine.bytes::<32>(), machine.bytes())
    }
}

/// Lifts all blocks of the customer with this login, for this actor.
pub(crate) fn unblock(
    tx: &mut Tx<'_>,
    keyring: &Keyring,
    login: &str,
    (actor, now): (Actor, Timestamp),
) -> Result<i64, UseCaseError> {
    let psu = required(tx, login)?;
    let lifted = tx.sca_throttle_delete(&login_subject(keyring, login), now)?;
    let event = AuditEvent::new("psu.unblocked", "psu", psu.id).with("blocks", lifted);
    audit::record(tx, now, actor, &event)?;
    Ok(lifted)
}

/// Lifts all blocks of a telephone number, for this actor.
pub(crate) fn unblock_phone(
    tx: &mut Tx<'_>,
    keyring: &Keyring,
    phone: &Phone,
    (actor, now): (Actor, Timestamp),
) -> Result<i64, UseCaseError> {
    let subject = phone_subject(keyring, phone);
    let name: String = subject[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let lifted = tx.sca_throttle_delete(&subject, now)?;
    let event = AuditEvent::new("phone.unblocked", "subject", &name).with("blocks", lifted);
    audit::record(tx, now, actor, &event)?;
    Ok(lifted)
}

/// Validates a customer's data.
pub(crate) fn validate(order: &NewPsu) -> Result<(), Refusal> {
    let mut errors = FieldErrors::default();
    check_text(Field::Login, &order.login, MAX_LOGIN_CHARS, &mut errors);
    check_text(Field::Name, &order.name, MAX_NAME_CHARS, &mut errors);
    if let Some(password) = &order.password {
        check_password(password, &mut errors);
    }
    if order.methods.is_empty() {
        errors.add(Field::ScaMethods, "at least one SCA method is required");
    }
    errors.finish()
}

/// Whether a text has 1 to `max` characters without control characters and surrounding space.
pub(crate) fn is_plain_text(text: &str, max: usize) -> bool {
    (1..=max).contains(&text.chars().count()) && !text.chars().any(is_control_or_bidi) && text.trim() == text
}

fn check_text(field: Field, text: &str, max: usize, errors: &mut FieldErrors) {
    if !is_plain_text(text, max) {
        let text = format!("must be 1–{max} characters without control characters and surrounding space");
        errors.add(field, text);
    }
}

fn check_password(password: &Secret<String>, errors: &mut FieldErrors) {
    let (min, max) = (PASSWORD_CHARS.start(), PASSWORD_CHARS.end());
    if !PASSWORD_CHARS.contains(&password.expose().chars().count()) {
        errors.add(Field::Password, format!("must be {min}–{max} characters"));
    }
}

/// The customer with this login.
pub(crate) fn required(tx: &mut Tx<'_>, login: &str) -> Result<Psu, UseCaseError> {
    let found = tx.psu_by_login(login)?.map(|(psu, _)| psu);
    let text = "there is no customer with this login";
    found.ok_or_else(|| Refusal::at(RefusalReason::ResourceUnknown, Field::Login, text).into())
}

pub(crate) fn register(
    tx: &mut Tx<'_>,
    psu: &Psu,
    password_hash: Option<&str>,
    (methods, seeds): (&[NewMethod], &[Vec<u8>]),
    (actor, now): (Actor, Timestamp),
) -> Result<(), UseCaseError> {
    if !tx.psu_insert(psu, password_hash, now)? {
        let text = "there is already a customer with this login";
        return Err(Refusal::at(RefusalReason::StatusInvalid, Field::Login, text).into());
    }
    for (NewMethod { id, kind }, seed) in methods.iter().cloned().zip(seeds) {
        tx.sca_method_insert(&ScaMethod { id, psu: psu.id, kind })?;
        if matches!(kind, MethodKind::Chip | MethodKind::Photo) {
            tx.sca_method_seed_insert(id, seed)?;
        }
    }
    let event = AuditEvent::new("psu.registered", "psu", psu.id).with("methods", methods.len());
    Ok(audit::record(tx, now, actor, &event)?)
}

fn view(tx: &mut Tx<'_>, psu: Psu) -> Result<PsuView, StoreError> {
    let (methods, accounts) = (tx.sca_method_list(psu.id)?, tx.account_list(psu.id)?);
    Ok(PsuView { psu, methods, accounts })
}
