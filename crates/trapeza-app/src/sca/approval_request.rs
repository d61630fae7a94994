//! What a customer approves, as values: accounts, rights and end date of a consent, or amount, payee and account of a
//! payment. Pages put them into sentences.

use super::context::StepContext;
use super::target::LoadedTarget;
use crate::StoreError;
use trapeza_domain::account::{Account, AccountName, AccountStatus};
use trapeza_domain::consent::{Access, AccessTerms, FundsTerms, Scope, matches_account};
use trapeza_domain::id::PsuId;
use trapeza_domain::money::Money;
use trapeza_domain::payee_verification::VerifiedPayee;
use trapeza_domain::payment::{Payment, PaymentTiming};
use trapeza_domain::reference::{StoredIdentifier, StoredReference};
use trapeza_domain::time::Date;
use trapeza_store::Tx;

/// What a signed-in customer is asked to approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalRequest {
    /// Reading accounts.
    Access {
        scope: Scope,
        /// The listed accounts; with other scopes, the accounts that the customer has now.
        accounts: Vec<ApprovalAccount>,
        recurring: bool,
        /// The last day.
        until: Date,
        frequency_per_day: i64,
    },
    /// Confirmation of funds.
    Funds { account: ApprovalAccount, card: Option<String> },
    /// A payment or its cancellation.
    Payment(Box<ApprovalPayment>),
    /// Payments and consents that are approved together.
    Basket(Vec<ApprovalRequest>),
}

/// What dynamic linking binds (RTS 2018/389, Art. 5): exactly this amount to exactly this payee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalPayment {
    /// The payment is to be cancelled, not executed.
    pub cancellation: bool,
    pub amount: Money,
    /// The bank's fee.
    pub fee: Money,
    pub payee: String,
    pub payee_account: String,
    pub from: ApprovalAccount,
    pub remittance: Option<String>,
    pub timing: PaymentTiming,
    /// The verification of the payee's name, where there was one.
    pub payee_verification: Option<VerifiedPayee>,
    /// Of a bulk payment, which has many payees.
    pub bulk: Option<ApprovalBulk>,
}

/// What a customer approves of a bulk payment besides the sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalBulk {
    pub count: u32,
    /// Eight digits of the digest of all lines.
    pub fingerprint: String,
    /// The first lines, where they are shown: amount, payee and account of each.
    pub lines: Vec<(Money, String, String)>,
}

/// How many lines of a bulk payment are listed.
const BULK_LINES_SHOWN: usize = 100;

/// An account or card as the request names it, with the rights that are requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAccount {
    /// An IBAN, a masked card number, a telephone number.
    pub number: String,
    pub currency: Option<&'static str>,
    /// `None` when it is not the customer's account.
    pub name: Option<AccountName>,
    pub balances: bool,
    pub transactions: bool,
    /// The names of its owners are requested.
    pub owner_name: bool,
}

/// What the target asks this customer to approve.
pub(super) fn approval_request(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    psu: PsuId,
) -> Result<ApprovalRequest, StoreError> {
    let mut own = tx.account_list(psu)?;
    own.retain(|account| account.status != AccountStatus::Deleted);
    let mut request = request_of(context, loaded, &own);
    list_lines(tx, loaded, &mut request)?;
    Ok(request)
}

/// Adds the lines of a bulk payment. In a signing basket, bulks are shown by their sum, number and fingerprint.
fn list_lines(
    tx: &mut Tx<'_>,
    loaded: &LoadedTarget,
    request: &mut ApprovalRequest,
) -> Result<(), StoreError> {
    if let (
        LoadedTarget::Payment(payment) | LoadedTarget::Cancellation(payment),
        ApprovalRequest::Payment(asked),
    ) = (loaded, request)
        && let Some(bulk) = &mut asked.bulk
    {
        let lines = tx.bulk_line_list(payment, BULK_LINES_SHOWN)?;
        let each = lines
            .into_iter()
            .map(|line| (line.amount, line.creditor_name, line.creditor.as_str().to_owned()));
        bulk.lines = each.collect();
    }
    Ok(())
}

fn request_of(context: &StepContext, loaded: &LoadedTarget, own: &[Account]) -> ApprovalRequest {
    match loaded {
        LoadedTarget::Access(access) => access_request(&access.terms, own, &context.zone),
        LoadedTarget::Funds(funds) => funds_request(&funds.terms, own),
        LoadedTarget::Payment(payment) => payment_request(payment, false, own),
        LoadedTarget::Cancellation(payment) => payment_request(payment, true, own),
        LoadedTarget::Basket(basket) => {
            let members = basket.members.iter().map(|member| request_of(context, member, own));
            ApprovalRequest::Basket(members.collect())
        }
    }
}

/// An access request, from the terms of the consent and the accounts that the customer has now.
pub(crate) fn access_request(terms: &AccessTerms, own: &[Account], zone: &crate::Zone) -> ApprovalRequest {
    let options = &terms.options;
    let accounts = match &terms.access {
        Access::Listed(lists) => {
            let mut named: Vec<(&StoredReference, ApprovalAccount)> = Vec::new();
            for (list, balances, transactions) in [
                (&lists.accounts, false, false),
                (&lists.balances, true, false),
                (&lists.transactions, false, true),
            ] {
                for reference in list {
                    let index = named.iter().position(|(listed, _)| *listed == reference);
                    let index = index.unwrap_or_else(|| {
                        let owner_name = options.names_owner(|listed| listed == reference);
                        let account = requested_account(reference, own);
                        named.push((reference, ApprovalAccount { owner_name, ..account }));
                        named.len() - 1
                    });
                    named[index].1.balances |= balances;
                    named[index].1.transactions |= transactions;
                }
            }
            named.into_iter().map(|(_, account)| account).collect()
        }
        access => {
            let scope = access.scope();
            let (balances, transactions) = match access {
                Access::Offered(rights) => (rights.balances, rights.transactions),
                _ => (scope != Scope::AvailableAccounts, scope == Scope::AllPsd2),
            };
            let rights = |account: &Account| ApprovalAccount {
                number: account.iban.as_str().to_owned(),
                currency: Some(account.currency.code()),
                name: Some(account.name.clone()),
                balances,
                transactions,
                owner_name: options.names_owner(|listed| matches_account(listed, account)),
            };
            let covered = |account: &&Account| options.permits(account.kind.cash_account_type());
            own.iter().filter(covered).map(rights).collect()
        }
    };
    ApprovalRequest::Access {
        scope: terms.access.scope(),
        accounts,
        recurring: terms.recurring,
        until: zone.day(terms.end),
        frequency_per_day: terms.frequency_per_day,
    }
}

pub(crate) fn funds_request(terms: &FundsTerms, own: &[Account]) -> ApprovalRequest {
    let card = terms.card_number.as_ref().map(|pan| pan.masked.as_str().to_owned());
    ApprovalRequest::Funds { account: requested_account(&terms.account, own), card }
}

fn payment_request(payment: &Payment, cancellation: bool, own: &[Account]) -> ApprovalRequest {
    ApprovalRequest::Payment(Box::new(approval_payment(payment, cancellation, own)))
}

pub(super) fn approval_payment(payment: &Payment, cancellation: bool, own: &[Account]) -> ApprovalPayment {
    let terms = &payment.instruction;
    ApprovalPayment {
        cancellation,
        amount: terms.amount,
        fee: terms.fee,
        payee: terms.creditor_name.clone(),
        payee_account: terms.creditor.as_str().to_owned(),
        from: requested_account(&terms.debtor, own),
        remittance: terms.remittance.clone(),
        timing: terms.timing,
        payee_verification: payment.payee_verification.clone(),
        bulk: terms.bulk.map(|bulk| ApprovalBulk {
            count: bulk.count,
            fingerprint: bulk.digest.fingerprint(),
            lines: Vec::new(),
        }),
    }
}

fn requested_account(reference: &StoredReference, own: &[Account]) -> ApprovalAccount {
    let number = match &reference.identifier {
        StoredIdentifier::Iban(iban) => iban.as_str(),
        StoredIdentifier::Bban(bban) => bban.as_str(),
        StoredIdentifier::Pan(pan) => pan.masked.as_str(),
        StoredIdentifier::MaskedPan(masked) => masked.as_str(),
        StoredIdentifier::Msisdn(msisdn) => msisdn.as_str(),
    };
    let is_named = |account: &&Account| {
        let iban = account.iban.as_str();
        let same_currency = reference.currency.is_none_or(|currency| currency == account.currency);
        same_currency && (iban == number || iban.get(4..) == Some(number))
    };
    ApprovalAccount {
        number: number.to_owned(),
        currency: reference.currency.map(|currency| currency.code()),
        name: own.iter().find(is_named).map(|account| account.name.clone()),
        balances: false,
        transactions: false,
        owner_name: false,
    }
}
