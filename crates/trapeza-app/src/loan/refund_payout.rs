//! Refunds to borrowers without an account here: what they paid by transfer goes back to the accounts that paid, by SEPA credit
//! transfer or, for payers of this bank, by internal transfer. What cannot be sent stays on the loan's credit account, where the
//! operator sees it.

use crate::ledger::{self, Posting, PostingDetail};
use crate::{StoreError, UseCaseError, audit};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::clearing::{RoutingTable, is_sepa_country};
use trapeza_domain::id::{ApplicationId, PaymentId, RefundId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::loan::Loan;
use trapeza_domain::money::Money;
use trapeza_domain::payment::{NewPayment, Payment, PaymentInstruction, PaymentProduct};
use trapeza_domain::reference::{AccountReference, Bic, Iban, StoredIdentifier, StoredReference};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{LoanPayer, RefundPayment, Tx};

/// A refund goes back to so many accounts at most.
pub(super) const PAYERS_MAX: usize = 8;

/// An amount that goes back, and what its payments need.
pub(super) struct RefundPayout<'a> {
    pub refund: RefundId,
    pub loan: &'a Loan,
    pub minor: i64,
    /// The text on the payees' statements.
    pub remittance: String,
    /// Ids for the payments.
    pub payments: &'a [PaymentId],
    pub routing: &'a RoutingTable,
    pub collection: Option<Iban>,
    pub bank_name: &'a str,
    pub now: Timestamp,
    pub today: Date,
}

/// The account that an operator names for a refund that could not be sent to the accounts that paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundPayee {
    pub iban: Iban,
    pub name: String,
    /// The payee's bank; without it the routing table decides.
    pub agent: Option<Bic>,
}

/// How a payer is reached, and the bank's own account and BIC.
struct Route {
    method: PayoutMethod,
    debtor: Iban,
    debtor_agent: Bic,
}

enum PayoutMethod {
    /// The payer's account at this bank.
    Internal(LedgerAccountId),
    /// The payer's bank.
    Sepa(Bic),
}

/// The account of what the bank owes to the borrower of a loan who has no account here.
pub(super) fn credit_account(tx: &mut Tx<'_>, loan: &Loan) -> Result<LedgerAccountId, StoreError> {
    let owner = Some(loan.id.uuid());
    tx.ledger_account_open(LedgerAccountKind::Customer, owner, loan.amount.currency, 0)
}

/// What is on that account and is not being sent: the operator must pay it back in another method.
pub(super) fn payable_minor(tx: &mut Tx<'_>, loan: &Loan) -> Result<i64, StoreError> {
    let (kind, owner) = (LedgerAccountKind::Customer, Some(loan.id.uuid()));
    let Some(id) = tx.ledger_account_by_owner(kind, owner, loan.amount.currency)? else { return Ok(0) };
    let balance = tx.ledger_account_find(id)?.and_then(|account| account.statement);
    Ok(balance.map_or(0, |balance| balance.booked - balance.held))
}

impl RefundPayout<'_> {
    /// Sends the amount, which is on the credit account, to the accounts that paid: to the last payer first, and to none more than
    /// it paid.
    pub(super) fn send(&self, tx: &mut Tx<'_>) -> Result<(), UseCaseError> {
        let mut left = self.minor;
        let most = i64::try_from(PAYERS_MAX).unwrap_or(i64::MAX);
        // Without a collection account there is no account that the payments could come from.
        let payers = match self.collection {
            Some(_) => tx.loan_payer_list(self.loan.id, most)?,
            None => Vec::new(),
        };
        for (payer, id) in payers.into_iter().zip(self.payments) {
            let part = left.min(payer.paid.minor - payer.returned_minor);
            if part <= 0 {
                continue;
            }
            let Some(route) = self.route(tx, &payer)? else { continue };
            let amount = Money::new(part, payer.paid.currency);
            self.pay(tx, *id, &payer, amount, route)?;
            tx.loan_payer_update(&LoanPayer { returned_minor: payer.returned_minor + part, ..payer })?;
            left -= part;
        }
        if left > 0 {
            let event = AuditEvent::new("loan.refund_payable", "loan", self.loan.id);
            let event = event.with("refund", self.refund).with("amount_minor", left);
            audit::record(tx, self.now, Actor::Bank, &event)?;
        }
        Ok(())
    }

    /// Sends the whole amount to an account that the operator names. False when no payment reaches it.
    pub(super) fn send_to(
        &self,
        tx: &mut Tx<'_>,
        id: PaymentId,
        payee: &RefundPayee,
    ) -> Result<bool, UseCaseError> {
        let amount = Money::new(self.minor, self.loan.amount.currency);
        let payee = LoanPayer {
            loan: self.loan.id,
            iban: payee.iban,
            name: payee.name.clone(),
            agent: payee.agent.clone(),
            own_agent: None,
            paid: amount,
            returned_minor: 0,
            last_paid_at: self.now,
        };
        let Some(route) = self.route(tx, &payee)? else { return Ok(false) };
        self.pay(tx, id, &payee, amount, route)?;
        Ok(true)
    }

    /// `None` when no payment reaches the payer.
    fn route(&self, tx: &mut Tx<'_>, payer: &LoanPayer) -> Result<Option<Route>, StoreError> {
        let accounts = tx.account_by_iban(&payer.iban)?;
        if !accounts.is_empty() {
            let is_usable = |account: &Account| {
                account.currency == payer.paid.currency && account.status == AccountStatus::Enabled
            };
            let account = accounts.into_iter().find(is_usable);
            return Ok(account.zip(self.collection).map(|(account, debtor)| Route {
                method: PayoutMethod::Internal(account.ledger),
                debtor,
                debtor_agent: account.bic,
            }));
        }
        let routed = |iban: &Iban| self.routing.find(iban).cloned();
        let agent = payer.agent.clone().or_else(|| routed(&payer.iban));
        let agent = agent.filter(|_| is_sepa_country(&payer.iban));
        let own = self.collection.and_then(|debtor| {
            let agent = payer.own_agent.clone().or_else(|| routed(&debtor));
            agent.map(|debtor_agent| (debtor, debtor_agent))
        });
        let route = agent.zip(own);
        Ok(route.map(|(agent, (debtor, debtor_agent))| Route {
            method: PayoutMethod::Sepa(agent),
            debtor,
            debtor_agent,
        }))
    }

    fn pay(
        &self,
        tx: &mut Tx<'_>,
        id: PaymentId,
        payer: &LoanPayer,
        amount: Money,
        route: Route,
    ) -> Result<(), UseCaseError> {
        let (Route { method, debtor, debtor_agent }, now) = (route, self.now);
        let (product, event, payee, agent) = match method {
            PayoutMethod::Internal(payee) => {
                (PaymentProduct::InternalTransfers, LedgerEvent::InternalTransfer, Some(payee), None)
            }
            PayoutMethod::Sepa(agent) => {
                (PaymentProduct::SepaCreditTransfers, LedgerEvent::SepaOutAccepted, None, Some(agent))
            }
        };
        let instruction = self.instruction(product, payer, amount, debtor);
        let new = NewPayment { id, application: ApplicationId::BANK, psu: String::new(), now };
        let detail = self.detail(&instruction);
        let (payment, initiated) = Payment::initiate(new, instruction);
        tx.payment_insert(&payment)?;
        let posting = Posting {
            event,
            parties: Parties { payer: Some(credit_account(tx, self.loan)?), payee, ..Parties::default() },
            amounts: Amounts::of(amount),
            reference: id.to_string(),
            booking_day: self.today,
            value_day: self.today,
            detail: PostingDetail::Account(Box::new(detail)),
        };
        ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
        let (payment, authorised) = payment.authorise(now)?;
        let payment = Payment { routed_agent: agent, ..payment };
        let (payment, sent) = match product {
            PaymentProduct::InternalTransfers => payment.execute(now)?,
            PaymentProduct::SepaCreditTransfers => payment.accept(TimeDelta(0), now)?,
        };
        tx.payment_update(&payment)?;
        for event in [initiated.with("refund", self.refund), authorised, sent] {
            audit::record(tx, now, Actor::Bank, &event)?;
        }
        let (refund, loan) = (self.refund, self.loan.id);
        let sent = RefundPayment { payment: id, refund, loan, debtor_iban: debtor, debtor_agent };
        Ok(tx.refund_payment_insert(&sent)?)
    }

    fn instruction(
        &self,
        product: PaymentProduct,
        payer: &LoanPayer,
        amount: Money,
        debtor: Iban,
    ) -> PaymentInstruction {
        let currency = Some(amount.currency);
        PaymentInstruction {
            product,
            end_to_end_id: Some(self.refund.uuid().simple().to_string()),
            debtor: StoredReference { identifier: StoredIdentifier::Iban(debtor), currency },
            amount,
            fee: Money::zero(amount.currency),
            creditor: payer.iban,
            creditor_currency: None,
            creditor_agent: payer.agent.clone(),
            creditor_agent_name: None,
            creditor_name: payer.name.clone(),
            creditor_address: None,
            remittance: Some(self.remittance.clone()),
        }
    }

    fn detail(&self, terms: &PaymentInstruction) -> TransactionDetail {
        let payee = AccountReference::iban(terms.creditor, Some(terms.amount.currency));
        TransactionDetail {
            particulars: TransactionFields {
                end_to_end_id: terms.end_to_end_id.clone(),
                creditor: Party::new(terms.creditor_name.clone(), Some(payee)),
                debtor: Party::new(self.bank_name, None),
                remittance_unstructured: terms.remittance.clone(),
                ..TransactionFields::default()
            },
            bank_transaction_code: Some("LDAS-CSLN-OTHR".to_owned()),
            ..TransactionDetail::default()
        }
    }
}
