//! Payments of the bank itself: refunds to borrowers without an account here, and payouts to merchants. They leave by SEPA credit
//! transfer, with a hold until clearing answers, or as an internal transfer when the payee's account is here.
//!
//! The debtor is the bank under its collection account. A payment that clearing rejects or returns is back on the ledger account
//! that paid it.

use crate::ledger::{self, Posting, PostingDetail};
use crate::{App, StoreError, UseCaseError, audit};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::clearing::{RoutingTable, is_sepa_country};
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::ledger::{LedgerAccountId, LedgerError};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::{
    NewPayment, PayeeAccount, Payment, PaymentInstruction, PaymentProduct, PaymentTiming,
};
use trapeza_domain::reference::{AccountReference, Bic, Iban, StoredIdentifier, StoredReference};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{BankPaymentRecord, Tx};
use uuid::Uuid;

/// What all payments of the bank in one transaction share.
#[derive(Clone, Copy)]
pub(crate) struct BankPaymentContext<'a> {
    pub routing: &'a RoutingTable,
    /// Without a collection account there is no account that a payment could come from.
    pub collection: Option<Iban>,
    pub bank_name: &'a str,
    pub now: Timestamp,
    pub today: Date,
}

/// What a payout by an operator or by staff needs and must be created before its transaction.
#[derive(Clone)]
pub(crate) struct PayoutContext {
    pub actor: Actor,
    pub payment: PaymentId,
    pub routing: Arc<RoutingTable>,
    pub collection: Option<Iban>,
    pub bank_name: Arc<str>,
    pub now: Timestamp,
    pub today: Date,
}

impl App {
    pub(crate) fn payout_context(&self, actor: Actor) -> PayoutContext {
        let now = self.now();
        PayoutContext {
            actor,
            payment: self.payment_id(),
            routing: self.settings.payments.routing.clone(),
            collection: self.settings.payments.collection,
            bank_name: self.bank_name().clone(),
            now,
            today: self.clock.zone().day(now),
        }
    }
}

impl PayoutContext {
    pub(crate) fn bank_payment(&self) -> BankPaymentContext<'_> {
        BankPaymentContext {
            routing: &self.routing,
            collection: self.collection,
            bank_name: &self.bank_name,
            now: self.now,
            today: self.today,
        }
    }
}

/// The ledger account that pays.
#[derive(Clone, Copy)]
pub(crate) enum BankPayer {
    /// What a borrower without an account here is owed.
    Borrower(LedgerAccountId),
    Merchant(LedgerAccountId),
}

pub(crate) struct BankPayment<'a> {
    pub id: PaymentId,
    pub payer: BankPayer,
    pub payee: &'a PayeeAccount,
    pub amount: Money,
    /// The refund or the payout: the end-to-end id, and in the audit log under this name.
    pub cause: (&'static str, Uuid),
    /// The text on the payee's statement.
    pub remittance: &'a str,
}

/// How a payee is reached, and the bank's own account and BIC.
pub(crate) struct Route {
    method: Method,
    debtor: Iban,
    debtor_agent: Bic,
}

enum Method {
    /// The payee's account at this bank.
    Internal(LedgerAccountId),
    /// The payee's bank.
    Sepa(Bic),
}

impl BankPayer {
    /// Product, ledger event and the parties without the payee.
    const fn booking(self, method: &Method) -> (LedgerEvent, Parties) {
        const NONE: Parties = Parties::NONE;
        match (self, method) {
            (Self::Borrower(account), Method::Internal(_)) => {
                (LedgerEvent::InternalTransfer, Parties { payer: Some(account), ..NONE })
            }
            (Self::Borrower(account), Method::Sepa(_)) => {
                (LedgerEvent::SepaOutAccepted, Parties { payer: Some(account), ..NONE })
            }
            (Self::Merchant(account), Method::Internal(_)) => {
                (LedgerEvent::MerchantPayoutInternal, Parties { merchant: Some(account), ..NONE })
            }
            (Self::Merchant(account), Method::Sepa(_)) => {
                (LedgerEvent::MerchantPayoutAccepted, Parties { merchant: Some(account), ..NONE })
            }
        }
    }

    const fn transaction_code(self) -> &'static str {
        match self {
            Self::Borrower(_) => "LDAS-CSLN-OTHR",
            Self::Merchant(_) => "PMNT-ICDT-ESCT",
        }
    }
}

impl BankPaymentContext<'_> {
    /// `None` when no payment reaches the payee. `own_agent` is this bank as the payee's bank addresses it, if that is known.
    pub(crate) fn route(
        &self,
        tx: &mut Tx<'_>,
        payee: &PayeeAccount,
        currency: Currency,
        own_agent: Option<Bic>,
    ) -> Result<Option<Route>, StoreError> {
        let Some(debtor) = self.collection else { return Ok(None) };
        let accounts = tx.account_by_iban(&payee.iban)?;
        if !accounts.is_empty() {
            let is_usable =
                |account: &Account| account.currency == currency && account.status == AccountStatus::Enabled;
            return Ok(accounts.into_iter().find(is_usable).map(|account| Route {
                method: Method::Internal(account.ledger),
                debtor,
                debtor_agent: account.bic,
            }));
        }
        let routed = |iban: &Iban| self.routing.find(iban).cloned();
        let agent = payee.agent.clone().or_else(|| routed(&payee.iban));
        let agent = agent.filter(|_| currency == Currency::EUR && is_sepa_country(&payee.iban));
        let route = agent.zip(own_agent.or_else(|| routed(&debtor)));
        Ok(route.map(|(agent, debtor_agent)| Route { method: Method::Sepa(agent), debtor, debtor_agent }))
    }

    /// Books and submits the payment. The inner error is the ledger's refusal; the caller must then roll back.
    pub(crate) fn pay(
        &self,
        tx: &mut Tx<'_>,
        order: &BankPayment<'_>,
        route: Route,
    ) -> Result<Result<Payment, LedgerError>, UseCaseError> {
        let (Route { method, debtor, debtor_agent }, now) = (route, self.now);
        let (event, parties) = order.payer.booking(&method);
        let (product, payee, agent) = match method {
            Method::Internal(payee) => (PaymentProduct::InternalTransfers, Some(payee), None),
            Method::Sepa(agent) => (PaymentProduct::SepaCreditTransfers, None, Some(agent)),
        };
        let instruction = order.instruction(product, debtor);
        let detail = self.detail(order, &instruction);
        let new = NewPayment { id: order.id, application: ApplicationId::BANK, psu: String::new(), now };
        let (payment, initiated) = Payment::initiate(new, instruction);
        tx.payment_insert(&payment)?;
        let posting = Posting {
            event,
            parties: Parties { payee, ..parties },
            amounts: Amounts::of(order.amount),
            reference: order.id.to_string(),
            booking_day: self.today,
            value_day: self.today,
            detail: PostingDetail::Account(Box::new(detail)),
        };
        if let Err(error) = ledger::post(tx, &[posting])? {
            return Ok(Err(error));
        }
        let (payment, authorised) = payment.authorise(now)?;
        let payment = Payment { routed_agent: agent, ..payment };
        let (payment, sent) = match product {
            PaymentProduct::InternalTransfers => payment.execute(now)?,
            PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
                payment.accept(TimeDelta(0), now)?
            }
        };
        tx.payment_update(&payment)?;
        let (name, cause) = order.cause;
        for event in [initiated.with(name, cause), authorised, sent] {
            audit::record(tx, now, Actor::Bank, &event)?;
        }
        let record = BankPaymentRecord { payment: order.id, debtor_iban: debtor, debtor_agent };
        tx.bank_payment_insert(&record)?;
        Ok(Ok(payment))
    }

    fn detail(&self, order: &BankPayment<'_>, terms: &PaymentInstruction) -> TransactionDetail {
        let payee = AccountReference::iban(terms.creditor, Some(terms.amount.currency));
        TransactionDetail {
            particulars: TransactionFields {
                end_to_end_id: terms.end_to_end_id.clone(),
                creditor: Party::new(terms.creditor_name.clone(), Some(payee)),
                debtor: Party::new(self.bank_name, None),
                remittance_unstructured: terms.remittance.clone(),
                ..TransactionFields::default()
            },
            bank_transaction_code: Some(order.payer.transaction_code().to_owned()),
            ..TransactionDetail::default()
        }
    }
}

impl BankPayment<'_> {
    fn instruction(&self, product: PaymentProduct, debtor: Iban) -> PaymentInstruction {
        let (amount, payee) = (self.amount, self.payee);
        PaymentInstruction {
            product,
            end_to_end_id: Some(self.cause.1.simple().to_string()),
            debtor: StoredReference {
                identifier: StoredIdentifier::Iban(debtor),
                currency: Some(amount.currency),
            },
            amount,
            fee: Money::zero(amount.currency),
            creditor: payee.iban,
            creditor_currency: None,
            creditor_agent: payee.agent.clone(),
            creditor_agent_name: None,
            creditor_name: payee.name.clone(),
            creditor_address: None,
            remittance: Some(self.remittance.to_owned()),
            timing: PaymentTiming::Immediate,
            bulk: None,
        }
    }
}
