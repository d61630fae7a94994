//! The thing that an authorisation sets free: found, hashed, put into words, and set free. Everything that depends on
//! what kind of thing it is stands here.

use super::StepContext;
use crate::consent::{self, CustomerAssets};
use crate::{StoreError, UseCaseError, audit, format_date, payment};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::{
    LinkingDigest, PaymentLinkingData, Target, TargetKind, access_consent_digest, funds_consent_digest,
    payment_digest,
};
use trapeza_domain::consent::{
    Access, AccessConsent, AccessTerms, Consent, ConsentKind, ConsentState, ConsentStatus, FundsConsent,
};
use trapeza_domain::id::{ApplicationId, PsuId};
use trapeza_domain::payee_verification::PayeeVerification;
use trapeza_domain::payment::{Payment, PaymentProduct, PaymentState, RejectionReason};
use trapeza_domain::reference::{StoredIdentifier, StoredReference};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::Tx;

/// A target as it is now, locked.
pub(super) enum LoadedTarget {
    Access(AccessConsent),
    Funds(FundsConsent),
    Payment(Box<Payment>),
    /// The payment that is to be called back.
    Cancellation(Box<Payment>),
}

impl LoadedTarget {
    /// The caller's own object, as it is now, and nobody else changes it before this transaction ends.
    pub(super) fn load(tx: &mut Tx<'_>, context: &StepContext, target: Target) -> Result<Self, UseCaseError> {
        let gone = || StoreError::internal("the terms of a consent are gone");
        let (application, now) = (context.application, context.now);
        match target {
            Target::Consent(id) => {
                let consent = consent::current(tx, application, id, ConsentKind::Access, now)?;
                let terms = tx.access_consent_find(application, id)?.ok_or_else(gone)?.terms;
                Ok(Self::Access(AccessConsent { consent, terms }))
            }
            Target::FundsConsent(id) => {
                let consent = consent::current(tx, application, id, ConsentKind::Funds, now)?;
                let terms = tx.funds_consent_find(application, id)?.ok_or_else(gone)?.terms;
                Ok(Self::Funds(FundsConsent { consent, terms }))
            }
            Target::Payment(id) => Ok(Self::Payment(Box::new(payment::current(tx, application, id, now)?))),
            Target::Cancellation(id) => {
                Ok(Self::Cancellation(Box::new(payment::current(tx, application, id, now)?)))
            }
        }
    }

    /// The caller's own object, as it is now, only to look at.
    pub(super) fn look(
        tx: &mut Tx<'_>,
        application: ApplicationId,
        target: Target,
        now: Timestamp,
    ) -> Result<Self, UseCaseError> {
        let unknown = || unknown(target.kind());
        match target {
            Target::Consent(id) => {
                let found = tx.access_consent_find(application, id)?.ok_or_else(unknown)?;
                Ok(Self::Access(AccessConsent { consent: found.consent.as_of(now), ..found }))
            }
            Target::FundsConsent(id) => {
                let found = tx.funds_consent_find(application, id)?.ok_or_else(unknown)?;
                Ok(Self::Funds(FundsConsent { consent: found.consent.as_of(now), ..found }))
            }
            Target::Payment(id) | Target::Cancellation(id) => {
                let found = tx.payment_find(application, id)?.ok_or_else(unknown)?.as_of(now);
                match target.kind() {
                    TargetKind::Cancellation => Ok(Self::Cancellation(Box::new(found))),
                    _ => Ok(Self::Payment(Box::new(found))),
                }
            }
        }
    }

    /// Whether a payment is asked for under its own product. Consents have none.
    pub(super) fn check_product(&self, product: Option<PaymentProduct>) -> Result<(), Refusal> {
        match (self, product) {
            (Self::Payment(payment) | Self::Cancellation(payment), Some(product)) => {
                payment::check_product(payment, product)
            }
            _ => Ok(()),
        }
    }

    /// The customer it is for, as the third party named them.
    pub(super) fn psu_name(&self) -> &str {
        match self {
            Self::Access(access) => &access.consent.psu,
            Self::Funds(funds) => &funds.consent.psu,
            Self::Payment(payment) | Self::Cancellation(payment) => &payment.psu,
        }
    }

    /// When it stops waiting by itself.
    pub(super) fn due(&self) -> Option<Timestamp> {
        match self {
            Self::Access(access) => access.consent.next_deadline().map(|due| due.at),
            Self::Funds(funds) => funds.consent.next_deadline().map(|due| due.at),
            Self::Payment(payment) => payment.next_deadline(),
            Self::Cancellation(payment) => match payment.state {
                PaymentState::Accepted { cancellation_hold_until, .. } => cancellation_hold_until,
                _ => None,
            },
        }
    }

    /// Whether there is still something to be authorised.
    pub(super) fn check_waiting(&self, now: Timestamp) -> Result<(), Refusal> {
        let (waits, thing, path, status) = match self {
            Self::Access(AccessConsent { consent, .. }) | Self::Funds(FundsConsent { consent, .. }) => {
                let waits = consent.state == ConsentState::Received;
                (waits, "consent", "consentId", consent.state.status().name())
            }
            Self::Payment(payment) => {
                let waits = payment.state == PaymentState::Received;
                (waits, "payment", "paymentId", payment.state.status().name())
            }
            Self::Cancellation(payment) => {
                let waits = self.due().is_some_and(|cancellation_hold_until| now < cancellation_hold_until);
                (waits, "payment", "paymentId", payment.state.status().name())
            }
        };
        if waits {
            return Ok(());
        }
        let text = match self {
            Self::Cancellation(_) => {
                format!("nobody has just asked to cancel the payment, which is {status}")
            }
            _ => format!("the {thing} is {status}; it cannot be authorised"),
        };
        Err(Refusal::at(RefusalReason::StatusInvalid, path, text))
    }

    /// Looks whether a payee's name fits, once; `remote_check` is what others say of it. Answers what the third party is to be told of it now.
    pub(super) fn with_payee_checked(
        self,
        tx: &mut Tx<'_>,
        remote_check: Option<PayeeVerification>,
    ) -> Result<(Self, Option<PayeeVerification>), StoreError> {
        let Self::Payment(payment) = self else { return Ok((self, None)) };
        let (payment, told) = payment::with_payee_verification(tx, *payment, remote_check)?;
        Ok((Self::Payment(Box::new(payment)), told))
    }

    /// Whether it was set free.
    pub(super) fn is_granted(&self) -> bool {
        match self {
            Self::Access(AccessConsent { consent, .. }) | Self::Funds(FundsConsent { consent, .. }) => {
                consent.state.status() == ConsentStatus::Valid
            }
            Self::Payment(payment) => {
                !matches!(payment.state, PaymentState::Received | PaymentState::Rejected { .. })
            }
            Self::Cancellation(payment) => payment.state == PaymentState::Cancelled,
        }
    }

    /// What the customer agrees to, as the object is now.
    pub(super) fn link(&self, organisation: &str) -> LinkingDigest {
        match self {
            Self::Access(access) => access_consent_digest(access.consent.id, &access.terms, organisation),
            Self::Funds(funds) => funds_consent_digest(funds.consent.id, &funds.terms, organisation),
            Self::Payment(payment) => money_link(TargetKind::Payment, payment),
            Self::Cancellation(payment) => money_link(TargetKind::Cancellation, payment),
        }
    }

    /// The same in words, after "… asks to".
    pub(super) fn words(&self, context: &StepContext) -> String {
        match self {
            Self::Access(access) => {
                let until = format_date(context.zone.day(access.terms.end));
                match access.terms.recurring {
                    true => format!("{} until {until}", access_words(&access.terms)),
                    false => format!("{} once", access_words(&access.terms)),
                }
            }
            Self::Funds(funds) => {
                format!("ask whether amounts are available on {}", short(&funds.terms.account))
            }
            Self::Payment(payment) => {
                let warning = payment.payee_verification.map_or("", payee_words);
                format!("pay {}{warning}", payment_words(payment))
            }
            Self::Cancellation(payment) => format!("cancel the payment of {}", payment_words(payment)),
        }
    }

    /// The customer has agreed. A consent to what is not theirs is rejected, and so is a payment that cannot be made,
    /// which the third party learns from its status only.
    pub(super) fn authorise(
        self,
        tx: &mut Tx<'_>,
        psu: PsuId,
        context: &StepContext,
    ) -> Result<(), UseCaseError> {
        let (now, today) = (context.now, context.zone.day(context.now));
        let assets = CustomerAssets::load(tx, psu)?;
        let (consent, own, recurring) = match self {
            Self::Access(access) => {
                let own = assets.cover_access(tx, &access.terms)?;
                (access.consent, own, access.terms.recurring)
            }
            Self::Funds(funds) => (funds.consent, assets.cover_funds(tx, &funds.terms)?, false),
            Self::Payment(payment) => {
                return payment::authorise(tx, *payment, psu, &context.payments, now, today);
            }
            Self::Cancellation(payment) => return payment::cancel(tx, *payment, psu, now, today),
        };
        if own && recurring {
            end_older(tx, &consent, psu, now)?;
        }
        let (consent, event) = if own { consent.authorise(now)? } else { consent.reject(now)? };
        tx.consent_update(&consent)?;
        Ok(audit::record(tx, now, Actor::Psu(psu), &event)?)
    }
}

impl LoadedTarget {
    /// The customer has said no.
    pub(super) fn refuse(self, tx: &mut Tx<'_>, psu: PsuId, now: Timestamp) -> Result<(), UseCaseError> {
        let event = match self {
            Self::Access(AccessConsent { consent, .. }) | Self::Funds(FundsConsent { consent, .. }) => {
                let (consent, event) = consent.reject(now)?;
                tx.consent_update(&consent)?;
                event
            }
            Self::Payment(payment) => {
                let (payment, event) = payment.reject(RejectionReason::Refused, now)?;
                tx.payment_update(&payment)?;
                event
            }
            Self::Cancellation(payment) => {
                let (payment, event) = payment.decline_cancellation(now)?;
                tx.payment_update(&payment)?;
                event
            }
        };
        Ok(audit::record(tx, now, Actor::Psu(psu), &event)?)
    }
}

/// A new valid recurring consent ends the older ones of the same customer and third party.
fn end_older(tx: &mut Tx<'_>, newer: &Consent, psu: PsuId, now: Timestamp) -> Result<(), StoreError> {
    for older in tx.consent_recurring_lock(newer.application, &newer.psu)? {
        if older.id == newer.id {
            continue;
        }
        let older = consent::settle(tx, older, now)?;
        if let Some((ended, event)) = older.terminate(now) {
            tx.consent_update(&ended)?;
            audit::record(tx, now, Actor::Psu(psu), &event.with("replaced_by", newer.id))?;
        }
    }
    Ok(())
}

pub(super) fn unknown(kind: TargetKind) -> Refusal {
    match kind {
        TargetKind::Consent | TargetKind::FundsConsent => consent::unknown(),
        TargetKind::Payment | TargetKind::Cancellation => payment::unknown(),
    }
}

fn money_link(kind: TargetKind, payment: &Payment) -> LinkingDigest {
    let account = format!("iban:{}", payment.instruction.creditor.as_str());
    let (amount, payee_name) = (payment.instruction.amount, payment.instruction.creditor_name.as_str());
    payment_digest(kind, payment.id, &PaymentLinkingData { amount, payee_account: &account, payee_name })
}

fn payment_words(payment: &Payment) -> String {
    let whole = payment.instruction.creditor.as_str();
    let tail = &whole[whole.len().saturating_sub(4)..];
    format!("{} to {}, account …{tail}", payment.instruction.amount, payment.instruction.creditor_name)
}

/// What a payer has to know about the payee's name before they agree.
const fn payee_words(check: PayeeVerification) -> &'static str {
    match check {
        PayeeVerification::Match => "",
        PayeeVerification::Close => " (the account's owner has a similar name, but not the same)",
        PayeeVerification::NoMatch => " (beware: the account's owner has another name)",
        PayeeVerification::NotPossible => " (the name of the account's owner could not be checked)",
    }
}

fn access_words(terms: &AccessTerms) -> String {
    match &terms.access {
        Access::Listed(lists) => {
            let mut named: Vec<String> = Vec::new();
            for reference in lists.accounts.iter().chain(&lists.balances).chain(&lists.transactions) {
                let name = short(reference);
                if !named.contains(&name) {
                    named.push(name);
                }
            }
            let more = named.len().saturating_sub(3);
            named.truncate(3);
            let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("read {}{rest}", named.join(", "))
        }
        Access::AvailableAccounts => "see the list of your accounts".to_owned(),
        Access::AvailableAccountsWithBalance => "see the list of your accounts with balances".to_owned(),
        Access::AllPsd2 => "read all your accounts and cards".to_owned(),
    }
}

/// Enough for the owner to recognise it, too little for anybody else who sees the message.
fn short(reference: &StoredReference) -> String {
    let (kind, whole) = match &reference.identifier {
        StoredIdentifier::Iban(iban) => ("account", iban.as_str()),
        StoredIdentifier::Bban(bban) => ("account", bban.as_str()),
        StoredIdentifier::Pan(pan) => ("card", pan.masked.as_str()),
        StoredIdentifier::MaskedPan(masked) => ("card", masked.as_str()),
        StoredIdentifier::Msisdn(msisdn) => ("the accounts of telephone", msisdn.as_str()),
    };
    let tail = if whole.starts_with('+') { 2 } else { 4 };
    format!("{kind} …{}", &whole[whole.len().saturating_sub(tail)..])
}
