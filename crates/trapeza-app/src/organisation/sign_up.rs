//! Sign-up: open in the sandbox, by invitation in production. Until the first code of the authenticator app was entered, nothing
//! exists but a row that expires, so that no e-mail address is reserved.

use super::{PortalMember, invitation_hash};
use crate::credential::password;
use crate::login::{RecoveryCodes, new_totp_secret, open_totp_secret, session_hash, totp};
use crate::{App, Required, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Email;
use trapeza_domain::field::Field;
use trapeza_domain::id::{MemberId, OrganisationId};
use trapeza_domain::login::{LoginKind, check_name, check_password, parse_email};
use trapeza_domain::organisation::{ENROLMENT_TTL, Member, MemberRole, Organisation};
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::{
    EnrolmentRecord, InvitationRecord, LoginRecord, LoginSessionRecord, NewLoginSession, Tx,
};

/// Wrong codes after which a sign-up must begin again.
const MAX_ATTEMPTS: i64 = 10;

/// What a person enters to sign up.
pub struct SignUpRequest {
    /// The token of an invitation.
    pub invitation: Option<String>,
    /// The name of the organisation to create; ignored when the invitation names one.
    pub organisation: String,
    pub name: String,
    pub email: String,
    pub password: Secret<String>,
}

/// A sign-up that waits for its first code: what the authenticator app needs.
pub struct Enrolment {
    pub email: Email,
    /// The secret in Base32.
    pub secret: Secret<String>,
    /// The same as a link for a QR code.
    pub link: Secret<String>,
}

/// What the end of a sign-up creates, prepared before its transaction.
#[derive(Clone)]
struct Completion {
    member: MemberId,
    organisation: OrganisationId,
    session: NewLoginSession,
    totp_secret: Vec<u8>,
    totp_step: i64,
    recovery_hashes: Vec<[u8; 32]>,
    is_open: bool,
    /// The bank's time.
    now: Timestamp,
}

impl App {
    /// Whether everyone may sign up, as in the sandbox.
    pub fn portal_is_open(&self) -> bool {
        self.settings.sandbox.is_some()
    }

    /// The invitation of a token, if it can still be accepted, and the name of its organisation.
    pub async fn portal_invitation(
        &self,
        token: &str,
    ) -> Result<Option<(InvitationRecord, Option<String>)>, UseCaseError> {
        let (hash, now) = (invitation_hash(&self.keyring, token), self.clock.system_now());
        self.store
            .read(move |tx| {
                let Some(invitation) = tx.invitation_by_token(&hash, now)? else { return Ok(None) };
                let organisation = match invitation.organisation {
                    Some(id) => Some(tx.organisation_find(id)?.required("organisation")?.name),
                    None => None,
                };
                Ok(Some((invitation, organisation)))
            })
            .await
    }

    /// Begins a sign-up in the browser with this session token.
    pub async fn portal_sign_up(&self, order: SignUpRequest, token: &str) -> Result<(), UseCaseError> {
        let invitation = match &order.invitation {
            Some(token) => Some(self.portal_invitation(token).await?.ok_or_else(unknown_invitation)?.0),
            None if self.portal_is_open() => None,
            None => return Err(unknown_invitation().into()),
        };
        let email = check(&order, invitation.as_ref())?;
        let password_hash = password::hash_blocking(order.password).await?;
        let now = self.clock.system_now();
        let is_new = invitation.as_ref().is_none_or(|invitation| invitation.organisation.is_none());
        let record = EnrolmentRecord {
            token_hash: session_hash(&self.keyring, LoginKind::Member, token),
            invitation: invitation.map(|invitation| invitation.id),
            organisation_name: if is_new { order.organisation } else { String::new() },
            name: order.name,
            password_hash,
            totp_secret: new_totp_secret(&self.keyring, LoginKind::Member, &email),
            email,
            attempts: 0,
            expires_at: now.plus(ENROLMENT_TTL),
        };
        self.store
            .write(move |tx| {
                if tx.login_by_email(LoginKind::Member, &record.email)?.is_some() {
                    return Err(email_used().into());
                }
                Ok(tx.enrolment_replace(&record, now)?)
            })
            .await
    }

    /// The sign-up of the browser with this session token.
    pub async fn portal_enrolment(&self, token: &str) -> Result<Option<Enrolment>, UseCaseError> {
        let (hash, now) = (session_hash(&self.keyring, LoginKind::Member, token), self.clock.system_now());
        let found = self.store.read(move |tx| Ok(tx.enrolment_find(&hash, now)?)).await?;
        let Some(record) = found else { return Ok(None) };
        let secret = open_totp_secret(&self.keyring, LoginKind::Member, &record.email, &record.totp_secret)?;
        let link = totp::link(self.bank_name(), record.email.as_str(), &secret);
        Ok(Some(Enrolment { secret: totp::base32(&secret), link, email: record.email }))
    }

    /// Ends a sign-up with the first code of the authenticator app: creates the member, and the organisation where there is none, and
    /// begins a session with another token.
    pub async fn portal_enrol(
        &self,
        token: &str,
        next_token: &str,
        code: &str,
        browser: &str,
    ) -> Result<(PortalMember, RecoveryCodes), UseCaseError> {
        let (hash, system_now) =
            (session_hash(&self.keyring, LoginKind::Member, token), self.clock.system_now());
        let found = self.store.read(move |tx| Ok(tx.enrolment_find(&hash, system_now)?)).await?;
        let record = found.ok_or_else(no_enrolment)?;
        let secret = open_totp_secret(&self.keyring, LoginKind::Member, &record.email, &record.totp_secret)?;
        let code: String = code.split_whitespace().collect();
        let Some(totp_step) = totp::verify(&secret, &code, system_now, 0) else {
            return Err(self.enrolment_failed(hash).await?.into());
        };
        let member = MemberId::new(self.entropy.uuid());
        let codes = RecoveryCodes::generate();
        let completion = Completion {
            member,
            organisation: OrganisationId::new(self.entropy.uuid()),
            session: self.new_session(LoginKind::Member, member.into(), next_token, browser),
            totp_secret: record.totp_secret,
            totp_step,
            recovery_hashes: codes.hashes(&self.keyring, member.into()),
            is_open: self.portal_is_open(),
            now: self.now(),
        };
        let created = self.store.write(move |tx| {
            let record = tx.enrolment_find(&hash, system_now)?.ok_or_else(no_enrolment)?;
            completion.run(tx, record)
        });
        Ok((created.await?, codes))
    }

    /// Counts a wrong code. After some the sign-up is over.
    async fn enrolment_failed(&self, hash: [u8; 32]) -> Result<Refusal, UseCaseError> {
        self.store
            .write(move |tx| {
                if tx.enrolment_attempt_count(&hash)? >= MAX_ATTEMPTS {
                    tx.enrolment_delete(&hash)?;
                    return Ok(no_enrolment());
                }
                let text = "the code is wrong or has expired; enter the current one";
                Ok(Refusal::at(RefusalReason::CredentialsInvalid, Field::SignInCode, text))
            })
            .await
    }
}

impl Completion {
    fn run(&self, tx: &mut Tx<'_>, record: EnrolmentRecord) -> Result<PortalMember, UseCaseError> {
        if record.totp_secret != self.totp_secret {
            // Another tab has begun the sign-up again.
            return Err(no_enrolment().into());
        }
        if tx.login_by_email(LoginKind::Member, &record.email)?.is_some() {
            return Err(email_used().into());
        }
        let invitation = match record.invitation {
            Some(id) => Some(tx.invitation_lock(id, self.session.now)?.ok_or_else(unknown_invitation)?),
            None if self.is_open => None,
            None => return Err(unknown_invitation().into()),
        };
        let organisation = self.organisation(tx, &record, invitation.as_ref())?;
        tx.login_insert(&LoginRecord {
            id: self.member.into(),
            kind: LoginKind::Member,
            email: record.email.clone(),
            password_hash: Some(record.password_hash),
            totp_secret: Some(record.totp_secret),
            totp_step: self.totp_step,
            disabled_at: None,
        })?;
        let member = Member {
            id: self.member,
            organisation: organisation.id,
            email: record.email,
            name: record.name,
            role: invitation.as_ref().map_or(MemberRole::Owner, |invitation| invitation.role),
            created_at: self.now,
        };
        tx.member_insert(&member)?;
        tx.recovery_code_insert(self.member.into(), &self.recovery_hashes)?;
        tx.login_session_insert(&self.session)?;
        tx.enrolment_delete(&record.token_hash)?;
        if let Some(invitation) = invitation {
            tx.invitation_delete(invitation.organisation, invitation.id)?;
        }
        let event = AuditEvent::new("member.created", "member", member.id)
            .with("organisation", organisation.id)
            .with("role", member.role.name());
        audit::record(tx, self.now, Actor::Member(self.member), &event)?;
        let session = LoginSessionRecord {
            id: self.session.id,
            browser: self.session.browser.clone(),
            created_at: self.session.now,
            last_seen_at: self.session.now,
        };
        Ok(PortalMember { member, organisation, session })
    }

    fn organisation(
        &self,
        tx: &mut Tx<'_>,
        record: &EnrolmentRecord,
        invitation: Option<&InvitationRecord>,
    ) -> Result<Organisation, UseCaseError> {
        if let Some(id) = invitation.and_then(|invitation| invitation.organisation) {
            return Ok(tx.organisation_find(id)?.required("organisation")?);
        }
        let organisation = Organisation {
            id: self.organisation,
            name: record.organisation_name.clone(),
            created_at: self.now,
        };
        tx.organisation_insert(&organisation)?;
        let event = AuditEvent::new("organisation.created", "organisation", organisation.id);
        audit::record(tx, self.now, Actor::Member(self.member), &event)?;
        Ok(organisation)
    }
}

fn check(order: &SignUpRequest, invitation: Option<&InvitationRecord>) -> Result<Email, Refusal> {
    let mut errors = FieldErrors::default();
    if invitation.is_none_or(|invitation| invitation.organisation.is_none()) {
        check_name(&mut errors, Field::OrganisationName, &order.organisation);
    }
    check_name(&mut errors, Field::Name, &order.name);
    let email = errors.collect(Field::Email, parse_email(&order.email));
    check_password(&mut errors, order.password.expose());
    // An invitation is for one person.
    if let (Some(invitation), Some(email)) = (invitation, &email)
        && invitation.email != *email
    {
        errors.add(Field::Email, "must be the address that the invitation was created for");
    }
    errors.finish()?;
    email.ok_or_else(|| Refusal::malformed(Field::Email, "must be an e-mail address"))
}

fn unknown_invitation() -> Refusal {
    let text = "the invitation is unknown, was accepted or has expired; ask for another one";
    Refusal::at(RefusalReason::ResourceUnknown, Field::Invitation, text)
}

fn no_enrolment() -> Refusal {
    Refusal::new(RefusalReason::StepOutOfOrder, "the sign-up is over; begin again")
}

fn email_used() -> Refusal {
    Refusal::malformed(Field::Email, "is used by a member; sign in, or use another address")
}
