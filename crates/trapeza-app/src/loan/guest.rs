//! The page of a loan for its borrower without an account here. The creditor reference names the loan; a code that is sent to the
//! telephone number of the purchase gives a browser access for a while.

use super::admin::{EarlyEnd, end_early};
use super::customer::{CustomerLoan, customer_loan};
use super::forbearance;
use super::review::ReviewRequest;
use crate::credential::{AttemptLimiter, CredentialContext, NewChallenge, OtpBinding, invalid_credentials};
use crate::device::session_token_hash;
use crate::merchant_terms::merchant;
use crate::notification::{self, MessageContent, NewMessage};
use crate::{App, Required, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::authorisation::throttle::{MAX_RESENDS, MessageKind};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::LoanReviewId;
use trapeza_domain::loan::{Loan, LoanState, PayoffQuote};
use trapeza_domain::reference::{CreditorReference, Iban};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{Date, TimeDelta};
use trapeza_store::{GuestSession, Tx};
use trapeza_texts::{Language, message};

/// How long a browser has to send back a code, and how long it has access afterwards.
const SESSION_TTL: TimeDelta = TimeDelta::minutes(15);

/// What a browser may see of a loan.
#[derive(Clone, Debug)]
pub enum GuestLoanView {
    /// A code must be requested. `phone` is the end of the telephone number.
    Locked {
        phone: String,
    },
    /// A code was sent.
    CodeSent {
        phone: String,
        /// The code is still accepted.
        open: bool,
        /// Another code may be sent.
        again: bool,
    },
    Verified(Box<CustomerLoan>),
}

/// What a step needs and must be created before its transaction.
#[derive(Clone)]
struct GuestContext {
    credential: CredentialContext,
    reference: CreditorReference,
    session: [u8; 32],
    today: Date,
    collection: Option<Iban>,
}

impl App {
    pub async fn guest_loan_view(
        &self,
        reference: &str,
        session: &str,
    ) -> Result<GuestLoanView, UseCaseError> {
        let context = self.guest_context(reference, session)?;
        self.store.read(move |tx| context.view(tx)).await
    }

    /// Sends a code to the telephone number of the purchase, in the language of the page. It replaces the one before.
    pub async fn guest_loan_send_code(
        &self,
        reference: &str,
        session: &str,
        language: Language,
    ) -> Result<(), UseCaseError> {
        let context = self.guest_context(reference, session)?;
        self.store.write(move |tx| context.send_code(tx, language)).await
    }

    pub async fn guest_loan_verify_code(
        &self,
        reference: &str,
        session: &str,
        otp: Secret<String>,
    ) -> Result<(), UseCaseError> {
        let context = self.guest_context(reference, session)?;
        // A wrong code is counted, so its refusal must not roll back the transaction.
        Ok(self.store.write(move |tx| context.verify_code(tx, &otp)).await??)
    }

    /// Withdraws from the loan. What is owed is paid back by transfer.
    pub async fn guest_loan_withdraw(
        &self,
        reference: &str,
        session: &str,
    ) -> Result<PayoffQuote, UseCaseError> {
        let context = self.guest_context(reference, session)?;
        self.store
            .write(move |tx| {
                let loan = context.verified_loan(tx)?;
                let time = (context.credential.now, context.today);
                end_early(
                    tx,
                    loan,
                    EarlyEnd::Withdrawn,
                    (Actor::Bank, None),
                    &context.credential.bank_name,
                    time,
                )
            })
            .await
    }

    /// Pauses the loan.
    pub async fn guest_loan_pause(&self, reference: &str, session: &str) -> Result<(), UseCaseError> {
        let context = self.guest_context(reference, session)?;
        self.store
            .write(move |tx| {
                let loan = context.verified_loan(tx)?;
                forbearance::pause(tx, loan, Actor::Bank, (context.credential.now, context.today))
            })
            .await
    }

    /// Asks for a longer plan.
    pub async fn guest_loan_extension(
        &self,
        reference: &str,
        session: &str,
        language: Language,
        stated: ReviewRequest,
    ) -> Result<(), UseCaseError> {
        let context = self.guest_context(reference, session)?;
        let review = LoanReviewId::new(self.entropy.uuid());
        self.store
            .write(move |tx| {
                let loan = context.verified_loan(tx)?;
                let by = (language, Actor::Bank, context.credential.now);
                forbearance::ask_for_extension(tx, &loan, review, &stated, by)
            })
            .await
    }

    fn guest_context(&self, reference: &str, session: &str) -> Result<GuestContext, Refusal> {
        let credential = self.credential_context();
        Ok(GuestContext {
            reference: CreditorReference::find_in(reference).ok_or_else(not_found)?,
            session: session_token_hash(&self.keyring, session),
            today: self.clock.zone().day(credential.now),
            collection: self.settings.payments.collection,
            credential,
        })
    }
}

impl GuestContext {
    /// The loan, locked, and the telephone number of its borrower. A loan with a linked account is in the bank's app.
    fn loan(&self, tx: &mut Tx<'_>) -> Result<(Loan, Phone), UseCaseError> {
        let loan = tx.loan_lock_by_reference(&self.reference)?.ok_or_else(not_found)?;
        let phone = phone(tx, &loan)?;
        Ok((loan, phone))
    }

    /// The loan, locked, in a browser that has verified the telephone number.
    fn verified_loan(&self, tx: &mut Tx<'_>) -> Result<Loan, UseCaseError> {
        let (loan, _) = self.loan(tx)?;
        if !self.session(tx, &loan)?.is_some_and(|session| session.verified) {
            return Err(invalid_credentials().into());
        }
        Ok(loan)
    }

    fn session(&self, tx: &mut Tx<'_>, loan: &Loan) -> Result<Option<GuestSession>, StoreError> {
        tx.guest_session_find(loan.id, &self.session, self.credential.now)
    }

    fn view(&self, tx: &mut Tx<'_>) -> Result<GuestLoanView, UseCaseError> {
        let loan = tx.loan_by_reference(&self.reference)?.ok_or_else(not_found)?;
        let phone = phone(tx, &loan)?.last_digits().to_owned();
        match self.session(tx, &loan)? {
            Some(GuestSession { verified: true, .. }) => {
                Ok(GuestLoanView::Verified(Box::new(customer_loan(tx, loan, self.collection, self.today)?)))
            }
            Some(GuestSession { challenge: Some(challenge), .. }) => Ok(GuestLoanView::CodeSent {
                phone,
                open: challenge.is_open(self.credential.now),
                again: challenge.sends <= MAX_RESENDS,
            }),
            _ => Ok(GuestLoanView::Locked { phone }),
        }
    }

    fn send_code(&self, tx: &mut Tx<'_>, language: Language) -> Result<(), UseCaseError> {
        let ((loan, phone), context) = (self.loan(tx)?, &self.credential);
        let before = self.session(tx, &loan)?.and_then(|session| session.challenge);
        let limiter = AttemptLimiter::for_borrower(context, &phone, loan.id);
        let sent = before.as_ref().map(|challenge| challenge.sent_messages(true));
        let expires_at = context.now.plus(SESSION_TTL);
        limiter.count_message(tx, MessageKind::CheckoutSms, sent, expires_at)??;
        let merchant = message::display_name(&merchant(tx, loan.merchant)?.name);
        let otp = &context.entropy.otp;
        let text = message::loan_otp(language, &context.bank_name, &merchant, otp.expose());
        let content = MessageContent::Otp(otp.expose());
        let new = NewMessage { recipient: phone.as_str(), content, text: &text };
        notification::enqueue(tx, context, &new)?;
        let subject: [&[u8]; 2] = [loan.id.as_bytes(), &self.session];
        let challenge = binding(&subject).challenge(context, NewChallenge::sms(otp), before.as_ref());
        let event = AuditEvent::new("loan.otp_sent", "loan", loan.id).with("sends", challenge.sends);
        audit::record(tx, context.now, Actor::Bank, &event)?;
        let session = GuestSession {
            loan: loan.id,
            session_token_hash: self.session,
            expires_at,
            verified: false,
            challenge: Some(challenge),
        };
        Ok(tx.guest_session_save(&session)?)
    }

    fn verify_code(
        &self,
        tx: &mut Tx<'_>,
        otp: &Secret<String>,
    ) -> Result<Result<(), Refusal>, UseCaseError> {
        let ((loan, phone), context) = (self.loan(tx)?, &self.credential);
        let Some(session) = self.session(tx, &loan)? else { return Ok(Err(invalid_credentials())) };
        let Some(challenge) = session.challenge.clone() else { return Ok(Err(invalid_credentials())) };
        let limiter = AttemptLimiter::for_borrower(context, &phone, loan.id);
        if !limiter.otp_is_allowed(tx)? || !challenge.is_open(context.now) {
            return Ok(Err(invalid_credentials()));
        }
        let subject: [&[u8]; 2] = [loan.id.as_bytes(), &self.session];
        let fixed = context.settings.fixed_otp.as_ref();
        if !binding(&subject).matches(&context.keyring, &challenge, otp, fixed) {
            limiter.count_wrong_otp(tx)?;
            let challenge = Challenge { attempts: challenge.attempts + 1, ..challenge };
            let event = AuditEvent::new("loan.otp_wrong", "loan", loan.id);
            audit::record(tx, context.now, Actor::Bank, &event.with("attempts", challenge.attempts))?;
            let session = GuestSession { challenge: Some(challenge), ..session };
            tx.guest_session_save(&session)?;
            return Ok(Err(invalid_credentials()));
        }
        limiter.reset_otp(tx)?;
        audit::record(
            tx,
            context.now,
            Actor::Bank,
            &AuditEvent::new("loan.phone_verified", "loan", loan.id),
        )?;
        let expires_at = context.now.plus(SESSION_TTL);
        let session = GuestSession { expires_at, verified: true, challenge: None, ..session };
        tx.guest_session_save(&session)?;
        Ok(Ok(()))
    }
}

/// The telephone number of a borrower without a linked account.
fn phone(tx: &mut Tx<'_>, loan: &Loan) -> Result<Phone, UseCaseError> {
    let LoanState::Granted { contract, .. } = &loan.state else { return Err(not_found().into()) };
    let guest = contract.borrower.filter(|borrower| borrower.account.is_none()).ok_or_else(not_found)?;
    Ok(tx.shopper_find(guest.shopper)?.required("shopper")?.phone)
}

/// An OTP is bound to the loan and the browser.
fn binding<'a>(subject: &'a [&'a [u8]]) -> OtpBinding<'a> {
    OtpBinding { purpose: "loan", subject }
}

/// The same refusal for an unknown reference, a mistyped one, and a loan that is collected from an account.
fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::LoanId, "unknown reference of a loan")
}
