//! Enrolment: a person opens the link once, chooses a password, and adds an authenticator app or a passkey.
//!
//! Nothing is stored before the last step. The secret of the authenticator app is created when the page is opened and travels through
//! the form, encrypted and bound to the person; every view of the page has another one.

use super::{enrolment_hash, member};
use crate::credential::password;
use crate::login::{PasskeyResponse, RecoveryCodes, RelyingParty, new_totp_secret, open_totp_secret, totp};
use crate::{App, Keyring, UseCaseError, audit};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffId;
use trapeza_domain::login::{LoginKind, check_password};
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::staff::Staff;
use trapeza_store::Tx;

/// What the page of an enrolment link shows.
pub struct StaffEnrolment {
    pub staff: Staff,
    /// The secret of the authenticator app in Base32.
    pub secret: Secret<String>,
    /// The same as a link for a QR code.
    pub link: Secret<String>,
    /// The same encrypted, for the form.
    pub sealed: String,
}

/// What a person is shown once after the enrolment.
pub struct Enrolled {
    pub codes: RecoveryCodes,
    /// The code with which another administrator confirms the login, if that is needed.
    pub confirmation: Option<String>,
}

/// What an enrolment stores.
#[derive(Clone)]
struct NewFactors {
    token_hash: [u8; 32],
    password_hash: String,
    totp_secret: Option<Vec<u8>>,
    totp_step: i64,
    recovery_hashes: Vec<[u8; 32]>,
}

impl App {
    /// The enrolment of a link that was not used and has not expired.
    pub async fn staff_enrolment(&self, token: &str) -> Result<Option<StaffEnrolment>, UseCaseError> {
        let Some(staff) = self.staff_of_link(token).await? else { return Ok(None) };
        let sealed = new_totp_secret(&self.keyring, LoginKind::Staff, &staff.email);
        let secret = open_totp_secret(&self.keyring, LoginKind::Staff, &staff.email, &sealed)?;
        let link = totp::link(self.bank_name(), staff.email.as_str(), &secret);
        let sealed = URL_SAFE_NO_PAD.encode(&sealed);
        Ok(Some(StaffEnrolment { staff, secret: totp::base32(&secret), link, sealed }))
    }

    /// Enrols with a password and the first code of the authenticator app whose secret the page had.
    pub async fn staff_enrol(
        &self,
        token: &str,
        password: Secret<String>,
        sealed: &str,
        code: &str,
    ) -> Result<Enrolled, UseCaseError> {
        let staff = self.staff_of_link(token).await?.ok_or_else(unknown_link)?;
        check(&password)?;
        let wrong = || {
            let text = "the code is wrong or has expired; enter the current one";
            Refusal::at(RefusalReason::CredentialsInvalid, Field::SignInCode, text)
        };
        let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| wrong())?;
        let secret = open_totp_secret(&self.keyring, LoginKind::Staff, &staff.email, &sealed);
        let secret = secret.map_err(|_| wrong())?;
        let code: String = code.split_whitespace().collect();
        let totp_step = totp::verify(&secret, &code, self.clock.system_now(), 0).ok_or_else(wrong)?;
        let codes = RecoveryCodes::generate();
        let factors = NewFactors {
            token_hash: enrolment_hash(&self.keyring, token),
            password_hash: password::hash_blocking(password).await?,
            totp_secret: Some(sealed),
            totp_step,
            recovery_hashes: codes.hashes(&self.keyring, staff.id.into()),
        };
        let (now, system_now) = (self.now(), self.clock.system_now());
        let keyring = self.keyring.clone();
        let confirmation = self
            .store
            .write(move |tx| {
                let staff = tx.staff_enrolment_find(&factors.token_hash, system_now)?;
                let staff = staff.ok_or_else(unknown_link)?;
                factors.store(tx, &staff)?;
                let event = AuditEvent::new("staff.enrolled", "staff", staff.id).with("factor", "totp");
                audit::record(tx, now, Actor::Staff(staff.id), &event)?;
                enrolled_code(tx, &keyring, staff.id)
            })
            .await?;
        Ok(Enrolled { codes, confirmation })
    }

    /// Enrols with a password and a passkey. The challenge was created for this link in place of a session.
    pub async fn staff_enrol_with_passkey(
        &self,
        token: &str,
        password: Secret<String>,
        party: &RelyingParty,
        name: &str,
        response: &PasskeyResponse,
    ) -> Result<Enrolled, UseCaseError> {
        let staff = self.staff_of_link(token).await?.ok_or_else(unknown_link)?;
        check(&password)?;
        let passkey =
            self.login_passkey_new(LoginKind::Staff, staff.id.into(), (token, party), name, response)?;
        let codes = RecoveryCodes::generate();
        let factors = NewFactors {
            token_hash: enrolment_hash(&self.keyring, token),
            password_hash: password::hash_blocking(password).await?,
            totp_secret: None,
            totp_step: 0,
            recovery_hashes: codes.hashes(&self.keyring, staff.id.into()),
        };
        let (now, system_now) = (self.now(), self.clock.system_now());
        let keyring = self.keyring.clone();
        let confirmation = self
            .store
            .write(move |tx| {
                let staff = tx.staff_enrolment_find(&factors.token_hash, system_now)?;
                let staff = staff.ok_or_else(unknown_link)?;
                factors.store(tx, &staff)?;
                passkey.insert(tx)?;
                let event = AuditEvent::new("staff.enrolled", "staff", staff.id).with("factor", "passkey");
                audit::record(tx, now, Actor::Staff(staff.id), &event)?;
                enrolled_code(tx, &keyring, staff.id)
            })
            .await?;
        Ok(Enrolled { codes, confirmation })
    }

    async fn staff_of_link(&self, token: &str) -> Result<Option<Staff>, UseCaseError> {
        let (hash, now) = (enrolment_hash(&self.keyring, token), self.clock.system_now());
        let staff = self.store.read(move |tx| Ok(tx.staff_enrolment_find(&hash, now)?)).await?;
        if let Some(staff) = &staff {
            self.settings.local_sign_in.require(staff)?;
        }
        Ok(staff)
    }
}

impl NewFactors {
    /// Stores the factors and uses up the link.
    fn store(&self, tx: &mut Tx<'_>, staff: &Staff) -> Result<(), UseCaseError> {
        let login = staff.id.into();
        tx.login_factors_set(login, &self.password_hash, self.totp_secret.as_deref(), self.totp_step)?;
        tx.recovery_code_clear(login)?;
        tx.recovery_code_insert(login, &self.recovery_hashes)?;
        Ok(tx.staff_enrolment_delete(staff.id)?)
    }
}

/// The code of a login that must be confirmed.
fn enrolled_code(tx: &mut Tx<'_>, keyring: &Keyring, id: StaffId) -> Result<Option<String>, UseCaseError> {
    let is_needed = member::needs_confirmation(tx, id)?;
    Ok(is_needed.then(|| member::confirmation_code(tx, keyring, id)).transpose()?)
}

fn check(password: &Secret<String>) -> Result<(), Refusal> {
    let mut errors = FieldErrors::default();
    check_password(&mut errors, password.expose());
    errors.finish()
}

fn unknown_link() -> Refusal {
    let text = "the enrolment link is unknown, was used or has expired; ask an administrator for another one";
    Refusal::at(RefusalReason::ResourceUnknown, Field::Invitation, text)
}
