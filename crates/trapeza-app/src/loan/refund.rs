//! Refunds of loans and voids of baskets by merchants, in one idempotent transaction. How a refund is divided is the
//! domain's, the accounts are in the posting table.

use super::refund_payout::{MAX_PAYERS, RefundPayout, credit_account};
use super::servicing::{parties, payer, update_and_reschedule};
use crate::authentication::Merchant;
use crate::basket::{self, DecisionContext};
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::ledger::{self, Posting, PostingDetail};
use crate::payment::bank_payment::BankPaymentContext;
use crate::{App, Required, StoreError, UseCaseError, audit, credit, merchant_terms};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::{Basket, BasketState, DeclineReason};
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::field::Field;
use trapeza_domain::id::{LoanId, PaymentId, RefundId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::ledger::{LedgerAccountKind, LedgerError};
use trapeza_domain::loan::{InstallmentState, Loan, LoanState, Refund};
use trapeza_domain::money::Money;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{IdempotencyRecord, RefundRecord, Tx};
use trapeza_texts::statement::BookingText;

/// A merchant's request for a refund or a void.
#[derive(Clone, Debug)]
pub struct RefundOrder {
    /// The public id of the basket.
    pub basket: String,
    /// The merchant's idempotency key, as it was sent.
    pub request: String,
    /// Without an amount, everything that is left is refunded.
    pub amount: Option<Money>,
    pub reason: Option<String>,
}

/// A refund with its basket.
#[derive(Clone, Debug)]
pub struct RefundView {
    pub id: RefundId,
    pub loan: LoanId,
    /// The merchant's idempotency key, as it was sent.
    pub request: String,
    pub refund: Refund,
    pub basket: Basket,
}

impl RefundView {
    fn new(record: RefundRecord, basket: Basket) -> Self {
        let RefundRecord { id, loan, request_id: request, refund, .. } = record;
        Self { id, loan, request, refund, basket }
    }
}

/// The outcome of a void.
#[derive(Clone, Debug)]
pub enum Voided {
    /// The basket was not decided and is ended now.
    Ended(Basket),
    /// The basket was approved, and the rest of its loan is refunded.
    Refunded(RefundView),
}

/// What a refund needs and must be created before its transaction.
#[derive(Clone)]
struct RefundContext {
    who: Merchant,
    order: RefundOrder,
    id: RefundId,
    /// The id of a loan, should the void of a basket create one.
    loan: LoanId,
    decision: DecisionContext,
    /// The counterparty on the customer's statement.
    bank_name: Arc<str>,
    /// What a refund by transfer needs: ids, routes, and the bank's collection account.
    payments: Vec<PaymentId>,
    routing: Arc<RoutingTable>,
    collection: Option<Iban>,
}

impl App {
    /// Refunds an amount of a loan, or the rest. A replay gets the recorded refund.
    pub async fn loan_refund(
        &self,
        request: IdempotentRequest,
        caller: &Merchant,
        order: RefundOrder,
    ) -> Result<IdempotentOutcome<RefundView>, UseCaseError> {
        let context = self.refund_context(caller, order);
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    return Ok(IdempotentOutcome::replayed(context.refunded(tx, &record)?));
                }
                let basket = context.basket(tx)?.as_of(context.decision.now);
                let BasketState::Approved { loan } = basket.state else {
                    let text =
                        format!("the basket is {}; only an approved one is refunded", basket.state.name());
                    return Err(invalid_basket(text).into());
                };
                let record = context.refund(tx, &basket, loan)?;
                request.record(tx, "refunded", record.id.as_bytes(), context.decision.now)?;
                Ok(IdempotentOutcome::fresh(RefundView::new(record, basket)))
            })
            .await
    }

    /// Voids a basket: an undecided one ends, an approved one is refunded completely. A basket that is void already gets the same
    /// outcome under another key.
    pub async fn basket_void(
        &self,
        request: IdempotentRequest,
        caller: &Merchant,
        order: RefundOrder,
    ) -> Result<IdempotentOutcome<Voided>, UseCaseError> {
        let context = self.refund_context(caller, order);
        let voided = self.store.write(move |tx| {
            if let Some(record) = request.find(tx)? {
                return Ok(Ok(IdempotentOutcome::replayed(context.voided(tx, &record)?)));
            }
            let (basket, decision) = (context.basket(tx)?, &context.decision);
            let basket = basket::expire_if_due(tx, basket, decision)?;
            let voided = match basket.state {
                BasketState::Created | BasketState::Opened { .. } => {
                    let basket = basket::void(tx, basket, context.loan, decision)?;
                    request.record(tx, "voided", &basket.id.number().to_be_bytes(), decision.now)?;
                    Voided::Ended(basket)
                }
                BasketState::Declined { reason: DeclineReason::Voided, .. } => {
                    request.record(tx, "voided", &basket.id.number().to_be_bytes(), decision.now)?;
                    Voided::Ended(basket)
                }
                BasketState::Approved { loan } => {
                    let record = match context.last_refund(tx, &basket, loan)? {
                        Some(record) => record,
                        None => context.refund(tx, &basket, loan)?,
                    };
                    request.record(tx, "refunded", record.id.as_bytes(), decision.now)?;
                    Voided::Refunded(RefundView::new(record, basket))
                }
                // The expiry is saved although the request is refused.
                state => return Ok(Err(invalid_basket(format!("the basket is {} already", state.name())))),
            };
            Ok(Ok(IdempotentOutcome::fresh(voided)))
        });
        Ok(voided.await??)
    }

    fn refund_context(&self, caller: &Merchant, order: RefundOrder) -> RefundContext {
        RefundContext {
            who: caller.clone(),
            order,
            id: RefundId::new(self.entropy.uuid()),
            loan: LoanId::new(self.entropy.uuid()),
            decision: self.decision_context(audit::member_or(Actor::Application(caller.application))),
            bank_name: self.bank_name().clone(),
            payments: (0..MAX_PAYERS).map(|_| self.payment_id()).collect(),
            routing: self.settings.payments.routing.clone(),
            collection: self.settings.payments.collection,
        }
    }
}

impl RefundContext {
    /// The merchant's basket, locked.
    fn basket(&self, tx: &mut Tx<'_>) -> Result<Basket, UseCaseError> {
        let public = basket::parse_public_id(&self.order.basket)?;
        Ok(tx.basket_lock_by_public_id(self.who.merchant, public)?.ok_or_else(basket::not_found)?)
    }

    /// The refund that completed the refunds of a loan, if everything is refunded.
    fn last_refund(
        &self,
        tx: &mut Tx<'_>,
        basket: &Basket,
        loan: LoanId,
    ) -> Result<Option<RefundRecord>, StoreError> {
        let loan = tx.loan_lock(basket.merchant, loan)?.required("loan")?;
        if loan.refundable_minor() != Some(0) {
            return Ok(None);
        }
        Ok(tx.refund_list(loan.id)?.pop())
    }

    fn refund(&self, tx: &mut Tx<'_>, basket: &Basket, loan: LoanId) -> Result<RefundRecord, UseCaseError> {
        let loan = tx.loan_lock(basket.merchant, loan)?.required("loan")?;
        let DecisionContext { now, today, actor, .. } = self.decision;
        let amount_minor = self.amount_minor(&loan)?;
        let ((after, event), refund) = loan.clone().refund(amount_minor, now).map_err(as_field_error)?;
        let mut installments = tx.loan_installment_list(loan.id)?;
        let before = installments.clone();
        let waived_minor = reduce_schedule(&loan, &mut installments, &refund, &self.decision);
        self.book(tx, &loan, &refund, waived_minor)?;
        for (one, _) in installments.iter().zip(before).filter(|(one, before)| **one != *before) {
            tx.loan_installment_update(loan.id, one)?;
        }
        let record = RefundRecord {
            id: self.id,
            loan: loan.id,
            application: self.who.application,
            request_id: self.order.request.clone(),
            reason: self.order.reason.clone(),
            refund,
            at: now,
        };
        tx.refund_insert(&record)?;
        audit::record(tx, now, actor, &event.with("refund", self.id))?;
        update_and_reschedule(tx, after, &installments, now, today)?;
        Ok(record)
    }

    fn amount_minor(&self, loan: &Loan) -> Result<i64, Refusal> {
        match self.order.amount {
            Some(amount) if amount.currency != loan.amount.currency => {
                Err(Refusal::malformed(Field::Amount, format!("the loan is in {}", loan.amount.currency)))
            }
            Some(amount) => Ok(amount.minor),
            None => match loan.refundable_minor() {
                Some(0) => Err(invalid_basket("everything was refunded already".to_owned())),
                max => Ok(max.unwrap_or(0)),
            },
        }
    }

    /// Posts the refund: from the merchant and the discount to the loan, paid amounts back to the customer, and
    /// waived interest.
    fn book(
        &self,
        tx: &mut Tx<'_>,
        loan: &Loan,
        refund: &Refund,
        waived_minor: i64,
    ) -> Result<(), UseCaseError> {
        let currency = loan.amount.currency;
        let of = |minor| Amounts::of(Money::new(minor, currency));
        let accounts = parties(tx, loan, None)?;
        let owner = Some(loan.merchant.uuid());
        let payable = tx.ledger_account_find_or_insert(LedgerAccountKind::Merchant, owner, currency, 0)?;
        let from_merchant = Parties { merchant: Some(payable), ..accounts };
        let amounts = of(refund.amount_minor).discount(refund.discount_minor);
        let mut postings =
            vec![self.posting(LedgerEvent::MerchantRefund, from_merchant, amounts, PostingDetail::None)];
        let merchant = merchant_terms::merchant(tx, loan.merchant)?.name;
        let remittance = BookingText::Refund { merchant }.to_stored();
        let payee = payee(tx, loan)?;
        if refund.returned_minor > 0 {
            let (creditor, ledger) = match &payee {
                Some(account) => {
                    let owner = tx.account_owner_names(account.id)?.into_iter().next().unwrap_or_default();
                    (Party::new(owner, Some(account.reference())), account.ledger)
                }
                None => (Party::default(), credit_account(tx, loan)?),
            };
            let detail = TransactionDetail {
                particulars: TransactionFields {
                    creditor,
                    debtor: Party::new(&*self.bank_name, None),
                    remittance_unstructured: Some(remittance.clone()),
                    ..TransactionFields::default()
                },
                bank_transaction_code: Some("LDAS-CSLN-OTHR".to_owned()),
                ..TransactionDetail::default()
            };
            let to_customer = Parties { payee: Some(ledger), ..accounts };
            let detail = PostingDetail::Account(Box::new(detail));
            postings.push(self.posting(
                LedgerEvent::RefundReturned,
                to_customer,
                of(refund.returned_minor),
                detail,
            ));
        }
        if waived_minor > 0 {
            let amounts = of(0).interest(waived_minor);
            postings.push(self.posting(LedgerEvent::InterestWaived, accounts, amounts, PostingDetail::None));
        }
        match ledger::post(tx, &postings)? {
            Ok(_) if payee.is_none() && refund.returned_minor > 0 => {
                self.payout(loan, refund.returned_minor, remittance).send(tx)
            }
            Ok(_) => Ok(()),
            // Only the merchant's account can have insufficient funds here.
            Err(LedgerError::InsufficientFunds) => {
                let (field, what) = match self.order.amount {
                    Some(_) => (Field::Amount, "is"),
                    None => (Field::BasketId, "what is left of the loan is"),
                };
                let text = format!(
                    "{what} more than the bank owes the merchant now; refund less, or after further sales"
                );
                Err(Refusal::malformed(field, text).into())
            }
            Err(error) => Err(StoreError::internal(error).into()),
        }
    }

    /// The way back of an amount that a borrower without an account here has paid.
    fn payout<'a>(&'a self, loan: &'a Loan, minor: i64, remittance: String) -> RefundPayout<'a> {
        RefundPayout {
            refund: self.id,
            loan,
            minor,
            remittance,
            payments: &self.payments,
            context: BankPaymentContext {
                routing: &self.routing,
                collection: self.collection,
                bank_name: &self.bank_name,
                now: self.decision.now,
                today: self.decision.today,
            },
        }
    }

    fn posting(
        &self,
        event: LedgerEvent,
        parties: Parties,
        amounts: Amounts,
        detail: PostingDetail,
    ) -> Posting {
        let day = self.decision.today;
        Posting {
            event,
            parties,
            amounts,
            reference: self.id.to_string(),
            booking_day: day,
            value_day: day,
            detail,
        }
    }

    /// The refund that an idempotency record names.
    fn refunded(&self, tx: &mut Tx<'_>, record: &IdempotencyRecord) -> Result<RefundView, UseCaseError> {
        let id = RefundId::from_bytes(&record.result)
            .ok_or_else(|| StoreError::internal("an idempotency record names no refund"))?;
        let basket = self.basket(tx)?;
        let loan = basket.state.loan().required("loan")?;
        let record = tx.refund_list(loan)?.into_iter().find(|record| record.id == id);
        Ok(RefundView::new(record.required("refund")?, basket))
    }

    fn voided(&self, tx: &mut Tx<'_>, record: &IdempotencyRecord) -> Result<Voided, UseCaseError> {
        if record.outcome == "refunded" {
            return self.refunded(tx, record).map(Voided::Refunded);
        }
        Ok(Voided::Ended(self.basket(tx)?))
    }
}

fn reduce_schedule(
    loan: &Loan,
    installments: &mut [InstallmentState],
    refund: &Refund,
    context: &DecisionContext,
) -> i64 {
    match &loan.state {
        LoanState::Granted { contract, .. } => {
            contract.plan.reduce_schedule(installments, refund.relieved_minor, context.today)
        }
        _ => 0,
    }
}

/// The account that receives a refund: the linked one while it exists, or that of a customer who has none linked and paid in the app.
fn payee(tx: &mut Tx<'_>, loan: &Loan) -> Result<Option<Account>, StoreError> {
    let account = payer(tx, loan)?.filter(|account| account.status != AccountStatus::Deleted);
    if account.is_some() {
        return Ok(account);
    }
    let LoanState::Granted { contract, .. } = &loan.state else { return Ok(None) };
    let Some(borrower) = contract.borrower else { return Ok(None) };
    let linked = tx.shopper_find(borrower.shopper)?.and_then(|customer| customer.psu);
    match borrower.psu.or(linked) {
        Some(psu) => credit::collection_account(tx, psu, loan.amount.currency),
        None => Ok(None),
    }
}

/// A refusal because of the loan's state is reported on the basket that the request names.
fn as_field_error(refusal: Refusal) -> Refusal {
    match (refusal.reason, refusal.errors.first()) {
        (RefusalReason::StatusInvalid, Some(error)) => invalid_basket(error.text.clone()),
        _ => refusal,
    }
}

fn invalid_basket(text: String) -> Refusal {
    Refusal::malformed(Field::BasketId, text)
}
