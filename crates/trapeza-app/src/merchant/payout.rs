//! Payouts: the bank pays a merchant's balance to its settlement account, by SEPA credit transfer or, to an account of this bank, at
//! once. Until clearing answers the amount is held on the merchant's account; what is rejected or returned is on it again.

use super::not_found;
use crate::payment::bank_payment::{BankPayer, BankPayment, PayoutContext};
use crate::{App, Required, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::clearing::is_sepa_country;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind, LedgerError, StatementBalance};
use trapeza_domain::money::Money;
use trapeza_domain::payment::{PayeeAccount, Payment};
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{MerchantRecord, Tx};
use trapeza_texts::statement::BookingText;

/// Maximum number of payouts of a list.
const MAX_LISTED: i64 = 1000;

/// A payout that was sent, and what is left to pay out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payout {
    pub payment: PaymentId,
    pub amount: Money,
    pub left: Money,
    /// The settlement account.
    pub payee: Iban,
    /// Whether the money has arrived, because the account is at this bank.
    pub is_internal: bool,
}

/// A payout with its payment, and what has come back of it after settlement.
#[derive(Clone, Debug)]
pub struct MerchantPayout {
    pub payment: Payment,
    pub returned: Money,
}

impl App {
    /// Pays the merchant with this code an amount, or its whole balance.
    pub async fn merchant_payout(&self, code: &str, amount: Option<Money>) -> Result<Payout, UseCaseError> {
        let (code, context) = (code.to_owned(), self.payout_context(audit::current_actor()));
        self.store.write(move |tx| payout(tx, &code, amount, &context)).await
    }

    /// The payouts to the merchant with this code, newest first.
    pub async fn merchant_payout_list(
        &self,
        code: &str,
        limit: i64,
    ) -> Result<Vec<MerchantPayout>, UseCaseError> {
        let code = code.to_owned();
        self.store
            .read(move |tx| {
                let merchant = tx.merchant_by_code(&code)?.ok_or_else(not_found)?;
                let mut payouts = Vec::new();
                for sent in tx.merchant_payout_list(merchant.id, limit.clamp(1, MAX_LISTED))? {
                    let payment = tx.payment_find(ApplicationId::BANK, sent.payment)?.required("payment")?;
                    let returned = Money { minor: sent.returned_minor, ..payment.instruction.amount };
                    payouts.push(MerchantPayout { payment, returned });
                }
                Ok(payouts)
            })
            .await
    }
}

/// What an approval of a payout compares: the account that gets it. Refused when the amount is not payable.
pub(crate) fn payout_approved_state(
    tx: &mut Tx<'_>,
    code: &str,
    amount: &str,
) -> Result<String, UseCaseError> {
    let merchant = tx.merchant_by_code(code)?.ok_or_else(not_found)?;
    let amount = payout_amount(&merchant, amount)?;
    let (_, balance) = account(tx, &merchant)?;
    let available = balance.available(&merchant);
    if amount.minor > available.minor {
        return Err(exceeds(available).into());
    }
    let payee = tx.settlement_account_find(merchant.id)?.ok_or_else(no_settlement_account)?;
    Ok(format!("{payee:?}"))
}

/// An amount in the merchant's currency.
pub(crate) fn payout_amount(merchant: &MerchantRecord, text: &str) -> Result<Money, Refusal> {
    let parsed = Money::parse(text, merchant.limits.minimum.currency);
    let amount = parsed.map_err(|text| Refusal::malformed(Field::Amount, text))?;
    if !amount.is_positive() {
        return Err(Refusal::malformed(Field::Amount, "must be greater than zero"));
    }
    Ok(amount)
}

/// Pays a merchant an amount that staff have named, in the merchant's currency.
pub(crate) fn payout_of_text(
    tx: &mut Tx<'_>,
    code: &str,
    amount: &str,
    context: &PayoutContext,
) -> Result<Payout, UseCaseError> {
    let merchant = tx.merchant_by_code(code)?.ok_or_else(not_found)?;
    let amount = payout_amount(&merchant, amount)?;
    payout(tx, code, Some(amount), context)
}

/// Pays a merchant an amount, or the whole balance.
fn payout(
    tx: &mut Tx<'_>,
    code: &str,
    amount: Option<Money>,
    context: &PayoutContext,
) -> Result<Payout, UseCaseError> {
    let merchant = tx.merchant_by_code(code)?.ok_or_else(not_found)?;
    let (account, balance) = account(tx, &merchant)?;
    let available = balance.available(&merchant);
    let account = account.filter(|_| available.is_positive());
    let account = account.ok_or_else(|| invalid("the merchant has no payable balance"))?;
    let amount = amount.unwrap_or(available);
    if amount.currency != available.currency || !amount.is_positive() {
        let text = format!("must be greater than zero, in {}", available.currency);
        return Err(Refusal::malformed(Field::Amount, text).into());
    }
    let payee = tx.settlement_account_find(merchant.id)?.ok_or_else(no_settlement_account)?;
    if context.collection.is_none() {
        let text = "bank.collection_iban is not set; there is no account that the payment could come from";
        return Err(invalid(text).into());
    }
    let bank = context.bank_payment();
    let route = bank.route(tx, &payee, amount.currency, None)?.ok_or_else(|| {
        let text = "no payment reaches this account: its bank is unknown (give its BIC), or it is an account of this bank that cannot be used";
        Refusal::at(RefusalReason::StatusInvalid, Field::SettlementAccount, text)
    })?;
    let id = context.payment;
    let remittance = BookingText::Payout { code: merchant.code.clone() }.to_stored();
    let order = BankPayment {
        id,
        payer: BankPayer::Merchant(account),
        payee: &payee,
        amount,
        cause: ("payout", id.uuid()),
        remittance: &remittance,
    };
    let payment = bank.pay(tx, &order, route)?.map_err(|error| match error {
        LedgerError::InsufficientFunds => UseCaseError::from(exceeds(available)),
        error => StoreError::internal(error).into(),
    })?;
    tx.merchant_payout_insert(merchant.id, id)?;
    let event = AuditEvent::new("merchant.paid_out", "merchant", merchant.id);
    let event = event.with("amount_minor", amount.minor).with("payment", id);
    audit::record(tx, context.now, context.actor, &event)?;
    Ok(Payout {
        payment: id,
        amount,
        left: Money { minor: available.minor - amount.minor, ..available },
        payee: payee.iban,
        is_internal: payment.routed_agent.is_none(),
    })
}

fn exceeds(available: Money) -> Refusal {
    let text = format!("is more than the payable balance, {}", available.to_decimal_string());
    Refusal::malformed(Field::Amount, text)
}

/// Checks a settlement account before it is stored.
pub(super) fn validate(account: &PayeeAccount, collection: Option<Iban>) -> Result<(), Refusal> {
    let field = Field::SettlementAccount;
    PayeeAccount::validate_name(&account.name)
        .map_err(|text| Refusal::malformed(field, format!("the name {text}")))?;
    if collection == Some(account.iban) {
        return Err(Refusal::malformed(field, "must not be the bank's own collection account"));
    }
    if !is_sepa_country(&account.iban) {
        return Err(Refusal::malformed(field, "must be an IBAN of a SEPA country"));
    }
    Ok(())
}

fn invalid(text: &str) -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, text)
}

fn no_settlement_account() -> Refusal {
    let text = "is required: the merchant has no settlement account";
    Refusal::at(RefusalReason::StatusInvalid, Field::SettlementAccount, text)
}

/// What is on the merchant's account, and what of it is in payouts that clearing has not answered.
#[derive(Clone, Copy, Default)]
pub(super) struct MerchantBalance {
    booked_minor: i64,
    held_minor: i64,
}

impl MerchantBalance {
    /// What the bank owes the merchant and is not being paid out.
    pub(super) fn available(&self, merchant: &MerchantRecord) -> Money {
        Money::new(self.booked_minor - self.held_minor, merchant.limits.minimum.currency)
    }

    pub(super) fn held(&self, merchant: &MerchantRecord) -> Money {
        Money::new(self.held_minor, merchant.limits.minimum.currency)
    }
}

/// The ledger account of a merchant, if it has one yet, and its balance.
pub(super) fn account(
    tx: &mut Tx<'_>,
    merchant: &MerchantRecord,
) -> Result<(Option<LedgerAccountId>, MerchantBalance), StoreError> {
    let (kind, currency) = (LedgerAccountKind::Merchant, merchant.limits.minimum.currency);
    let id = tx.ledger_account_by_owner(kind, Some(merchant.id.uuid()), currency)?;
    let account = id.map(|id| tx.ledger_account_find(id)).transpose()?.flatten();
    let balance = account.and_then(|account| account.statement);
    let balance = balance.map(|StatementBalance { booked, held, .. }| MerchantBalance {
        booked_minor: booked,
        held_minor: held,
    });
    Ok((id, balance.unwrap_or_default()))
}
