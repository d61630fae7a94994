//! Who pays and who is paid: the accounts of a payment, the payee's bank, and how the payment is booked. The inner error of a result is the
//! rejection reason; nothing was written then.

use crate::consent::CustomerAssets;
use crate::loan::LoanTransfer;
use crate::{SandboxBehaviour, StoreError, Zone};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::consent::matches_account;
use trapeza_domain::id::PsuId;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent};
use trapeza_domain::payment::{PaymentInstruction, PaymentProduct, RejectionReason};
use trapeza_domain::reference::{AccountReference, Bic, Iban};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::Tx;

/// What the configuration decides about executions.
pub(crate) struct ExecutionSettings<'a> {
    pub routing: &'a RoutingTable,
    /// The bank's account to which borrowers pay.
    pub collection: Option<Iban>,
    pub sandbox: Option<SandboxBehaviour>,
    pub zone: &'a Zone,
}

/// The payee's bank of a SEPA credit transfer: the order's, or the routing table's. Fixed when the payment is accepted, so that
/// its clearing message is always the same.
pub(super) fn route(
    terms: &PaymentInstruction,
    routing: &RoutingTable,
) -> Result<Option<Bic>, RejectionReason> {
    match terms.product {
        PaymentProduct::InternalTransfers => Ok(None),
        PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
            let agent = terms.creditor_agent.as_ref().or_else(|| routing.find(&terms.creditor));
            agent.cloned().map(Some).ok_or(RejectionReason::NoRoute)
        }
    }
}

/// Who pays and who is paid, and how it is booked.
pub(super) struct PaymentParties {
    pub payer: Account,
    pub event: LedgerEvent,
    pub payee: Option<LedgerAccountId>,
    pub loan: Option<LoanTransfer>,
}

/// Finds the accounts of the payment. The inner error is the rejection reason.
pub(super) fn parties(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    today: Date,
) -> Result<Result<PaymentParties, RejectionReason>, StoreError> {
    match payer(tx, terms, psu)? {
        Ok(payer) => parties_of(tx, terms, payer, settings, today),
        Err(cause) => Ok(Err(cause)),
    }
}

/// The same for a payer who is known.
pub(super) fn parties_of(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
    payer: Account,
    settings: &ExecutionSettings<'_>,
    today: Date,
) -> Result<Result<PaymentParties, RejectionReason>, StoreError> {
    Ok(match terms.product {
        PaymentProduct::InternalTransfers if settings.collection == Some(terms.creditor) => {
            let event = LedgerEvent::LoanTransferInternal;
            loan_transfer(tx, terms, today)?.map(|transfer| PaymentParties {
                payer,
                event,
                payee: None,
                loan: Some(transfer),
            })
        }
        PaymentProduct::InternalTransfers => {
            let event = LedgerEvent::InternalTransfer;
            payee(tx, terms)?.map(|payee| PaymentParties {
                payer,
                event,
                payee: Some(payee.ledger),
                loan: None,
            })
        }
        PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
            let event = LedgerEvent::SepaOutAccepted;
            Ok(PaymentParties { payer, event, payee: None, loan: None })
        }
    })
}

/// The loan that a payment to the collection account names. A payment of more than is outstanding is rejected, so that
/// nothing must be returned.
pub(super) fn loan_transfer(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
    today: Date,
) -> Result<Result<LoanTransfer, RejectionReason>, StoreError> {
    let found = LoanTransfer::find(tx, &[terms.remittance.as_deref()], terms.amount, today)?;
    Ok(match found {
        None => Err(RejectionReason::ReferenceUnknown),
        Some(transfer) if transfer.excess_minor() > 0 => Err(RejectionReason::AmountTooHigh),
        Some(transfer) => Ok(transfer),
    })
}

/// The customer's account that the order names.
pub(super) fn payer(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
    psu: PsuId,
) -> Result<Result<Account, RejectionReason>, StoreError> {
    let named = CustomerAssets::load(tx, psu)?.matching_accounts(tx, &terms.debtor)?;
    if named.is_empty() {
        let is_closed = |account: &Account| {
            account.status == AccountStatus::Deleted && matches_account(&terms.debtor, account)
        };
        let was_own = tx.account_list(psu)?.iter().any(is_closed);
        return Ok(Err(if was_own { RejectionReason::Closed } else { RejectionReason::Owner }));
    }
    let mut accounts = Vec::new();
    for id in named {
        accounts.extend(tx.account_find(id)?);
    }
    Ok(usable(accounts, terms))
}

fn payee(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
) -> Result<Result<Account, RejectionReason>, StoreError> {
    let mut accounts = tx.account_by_iban(&terms.creditor)?;
    accounts.retain(|account| account.status != AccountStatus::Deleted);
    if accounts.is_empty() {
        return Ok(Err(RejectionReason::PayeeUnknown));
    }
    Ok(usable(accounts, terms))
}

/// The account in the payment's currency that can be used.
fn usable(mut accounts: Vec<Account>, terms: &PaymentInstruction) -> Result<Account, RejectionReason> {
    accounts.retain(|account| account.currency == terms.amount.currency);
    if accounts.is_empty() {
        return Err(RejectionReason::Currency);
    }
    let is_closed = accounts.iter().all(|account| account.status == AccountStatus::Deleted);
    let cause = if is_closed { RejectionReason::Closed } else { RejectionReason::Blocked };
    accounts.into_iter().find(|account| account.status == AccountStatus::Enabled).ok_or(cause)
}

pub(super) fn amounts(terms: &PaymentInstruction) -> Amounts {
    Amounts::of(terms.amount).fee(terms.fee.minor)
}

/// The details of both entries.
pub(super) fn detail(terms: &PaymentInstruction, payer: &Account, payer_name: String) -> TransactionDetail {
    let payee = AccountReference::iban(terms.creditor, Some(terms.amount.currency));
    let code = match terms.product {
        PaymentProduct::InternalTransfers => "PMNT-ICDT-BOOK",
        PaymentProduct::SepaCreditTransfers => "PMNT-ICDT-ESCT",
        PaymentProduct::InstantSepaCreditTransfers => "PMNT-IRCT-ESCT",
    };
    TransactionDetail {
        particulars: TransactionFields {
            end_to_end_id: terms.end_to_end_id.clone(),
            creditor: Party::new(terms.creditor_name.clone(), Some(payee)),
            debtor: Party::new(payer_name, Some(payer.reference())),
            remittance_unstructured: terms.remittance.clone(),
            ..TransactionFields::default()
        },
        bank_transaction_code: Some(code.to_owned()),
        ..TransactionDetail::default()
    }
}
