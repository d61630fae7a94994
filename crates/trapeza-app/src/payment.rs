//! Payments: initiating, showing and calling them back. Nothing here tells whether the customer or the accounts exist,
//! or whether money is there: that comes out when the customer authorises (`execution`).
//!
//! A read shows a payment as of now. A write that finds one overtaken by time writes that down first.

mod cancellation;
mod execution;
mod payee;

pub use cancellation::CalledBack;
pub(crate) use execution::{authorise, cancel};
pub use payee::PayeeResponder;
pub(crate) use payee::payee_checked;

use crate::caller::Tpp;
use crate::keyring::Purpose;
use crate::repeat::{Answered, Call};
use crate::{App, Keyring, Stop, audit, authorisation};
use trapeza_domain::authorisation::Target;
use trapeza_domain::consent::{ConsentState, Kind};
use trapeza_domain::event::Actor;
use trapeza_domain::id::{ApplicationId, ConsentId, PaymentId};
use trapeza_domain::payment::{Fees, Payment, PaymentBirth, PaymentOrder, PaymentProduct};
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_domain::time::Instant;
use trapeza_store::{ReplayRecord, StoreError, Tx};

/// How the bank makes payments. The default is production's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentSettings {
    pub fees: Fees,
    /// Whether a payee of the name `HOLD` keeps a payment from clearing for an hour: the sandbox's, to try a
    /// cancellation in peace.
    pub hold_by_name: bool,
}

impl App {
    /// Takes an order that then waits for its customer. A repeated call is answered as the first one was.
    pub async fn payment_initiate(
        &self,
        call: Call,
        tpp: &Tpp,
        psu: String,
        consent: Option<String>,
        order: PaymentOrder,
    ) -> Result<Answered<Payment>, Stop> {
        let (id, application, now) = (PaymentId::new(self.entropy.uuid()), tpp.application, self.now());
        let birth = PaymentBirth { id, application, psu, now };
        let terms = order.terms(&self.payments.fees, |pan| self.keyring.pan_hash(pan));
        self.store
            .write(move |tx| {
                if let Some(record) = call.find(tx)? {
                    let found = tx.payment_find(application, made(&record)?)?;
                    return Ok(Answered::again(found.ok_or_else(gone)?.as_created()));
                }
                if let Some(consent) = &consent {
                    check_consent(tx, &birth, consent)?;
                }
                let (payment, event) = Payment::receive(birth.clone(), terms.clone());
                tx.payment_insert(&payment)?;
                audit::note(tx, now, Actor::Application(application), &event)?;
                call.save(tx, "initiated", id.as_bytes(), now)?;
                Ok(Answered::first(payment))
            })
            .await
    }

    /// A third party's own payment as it is now. Under the other product's path it is refused.
    pub async fn payment_find(&self, tpp: &Tpp, product: PaymentProduct, id: &str) -> Result<Payment, Stop> {
        let (application, id, now) = (tpp.application, parse(id)?, self.now());
        let found = self.store.read(move |tx| Ok(tx.payment_find(application, id)?)).await?;
        let payment = found.ok_or_else(unknown)?;
        check_product(&payment, product)?;
        Ok(payment.as_of(now))
    }

    /// The last two digits of the telephone that goes with a name. A name that is nobody's has some too.
    pub async fn phone_hint(&self, psu: &str) -> Result<String, Stop> {
        let (psu, keyring) = (psu.to_owned(), self.keyring.clone());
        self.store.read(move |tx| Ok(phone_hint(tx, &keyring, &psu)?)).await
    }
}

/// Writes down that a payment's time is over, if it is, and hands it on as it is now.
pub(crate) fn settle(tx: &mut Tx<'_>, payment: Payment, now: Instant) -> Result<Payment, StoreError> {
    let (payment, event) = payment.settle(now);
    if let Some(event) = event {
        tx.payment_update(&payment)?;
        audit::note(tx, now, Actor::Bank, &event)?;
        authorisation::close(tx, payment.application, Target::Payment(payment.id), now)?;
    }
    Ok(payment)
}

/// A third party's own payment, locked, as it is now. Every write on a payment begins here.
pub(crate) fn current(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    id: PaymentId,
    now: Instant,
) -> Result<Payment, Stop> {
    let payment = tx.payment_lock(application, id)?.ok_or_else(unknown)?;
    Ok(settle(tx, payment, now)?)
}

pub(crate) fn check_product(payment: &Payment, product: PaymentProduct) -> Result<(), Refusal> {
    if payment.terms.product == product {
        return Ok(());
    }
    let text = "the payment is not one of this product";
    Err(Refusal::at(Reason::ProductInvalid, "payment-product", text))
}

/// A consent need not be named, but one that is has to be good, and of the customer who pays: another's is none.
fn check_consent(tx: &mut Tx<'_>, birth: &PaymentBirth, id: &str) -> Result<(), Stop> {
    let unknown = || Refusal::at(Reason::ConsentUnknown, "consentID", "there is no such consent");
    let id = ConsentId::parse(id).ok_or_else(unknown)?;
    let consent = tx.consent_find(birth.application, id, Kind::Access)?;
    let consent = consent.filter(|consent| consent.psu == birth.psu).ok_or_else(unknown)?;
    match consent.as_of(birth.now).state {
        ConsentState::Valid { .. } => Ok(()),
        ConsentState::Expired => {
            Err(Refusal::at(Reason::ConsentExpired, "consentID", "the consent has expired").into())
        }
        state => {
            let text = format!("the consent is not valid: it is {}", state.status().name());
            Err(Refusal::at(Reason::ConsentInvalid, "consentID", text).into())
        }
    }
}

fn phone_hint(tx: &mut Tx<'_>, keyring: &Keyring, psu: &str) -> Result<String, StoreError> {
    let last = match tx.psu_by_login(psu)? {
        Some((psu, _)) => {
            let phone = psu.phone.as_str();
            phone[phone.len().saturating_sub(2)..].to_owned()
        }
        None => {
            let draw = keyring.hash(Purpose::Decoy, &[b"phone", psu.as_bytes()]);
            format!("{:02}", u16::from_be_bytes([draw[0], draw[1]]) % 100)
        }
    };
    Ok(format!("********{last}"))
}

/// The payment that a repeated call made.
fn made(record: &ReplayRecord) -> Result<PaymentId, StoreError> {
    PaymentId::from_bytes(&record.object)
        .ok_or_else(|| StoreError::broken("a replay record names no payment"))
}

fn gone() -> StoreError {
    StoreError::broken("a payment that was made is gone")
}

/// An id that cannot be read is one that does not exist.
fn parse(id: &str) -> Result<PaymentId, Refusal> {
    PaymentId::parse(id).ok_or_else(unknown)
}

/// The same words for one that never was and for another's.
pub(crate) fn unknown() -> Refusal {
    Refusal::at(Reason::ResourceUnknown, "paymentId", "there is no such payment")
}
