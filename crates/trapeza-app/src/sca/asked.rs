//! What a customer is asked, as facts: which accounts, which rights, until when; or how much, to whom, from where. The words for it, in whichever
//! language, are the page's.

use super::StepContext;
use super::target::LoadedTarget;
use crate::StoreError;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::consent::{Access, AccessTerms, FundsTerms, Scope};
use trapeza_domain::id::PsuId;
use trapeza_domain::money::Money;
use trapeza_domain::payee_verification::PayeeVerification;
use trapeza_domain::payment::Payment;
use trapeza_domain::reference::{StoredIdentifier, StoredReference};
use trapeza_domain::time::Date;
use trapeza_store::Tx;

/// A question to a customer who has signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalRequest {
    /// Leave to read.
    Access {
        scope: Scope,
        /// Those that are named; with the other scopes, those the customer has now.
        accounts: Vec<ApprovalAccount>,
        recurring: bool,
        /// The last day.
        until: Date,
        frequency_per_day: i64,
    },
    /// Leave to ask whether amounts are there.
    Funds { account: ApprovalAccount, card: Option<String> },
    /// Money to be sent, or to be called back.
    Payment(Box<ApprovalPayment>),
}

/// What a payment links together (RTS 2018/389, Art. 5): exactly this amount to exactly this payee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalPayment {
    /// It is to be called back, not made.
    pub cancellation: bool,
    pub amount: Money,
    /// What the bank takes for it.
    pub fee: Money,
    pub payee: String,
    pub payee_account: String,
    pub from: ApprovalAccount,
    pub remittance: Option<String>,
    /// How the payee's name fits their account, where somebody looked.
    pub payee_verification: Option<PayeeVerification>,
}

/// An account or card as it is named, with what may be read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAccount {
    /// An IBAN, a masked card number, a telephone number.
    pub number: String,
    pub currency: Option<&'static str>,
    /// What its owner calls it; `None` when it is not theirs.
    pub name: Option<String>,
    pub balances: bool,
    pub transactions: bool,
}

/// What `loaded` asks of this customer.
pub(super) fn asked(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    psu: PsuId,
) -> Result<ApprovalRequest, StoreError> {
    let mut own = tx.account_list(psu)?;
    own.retain(|account| account.status != AccountStatus::Deleted);
    Ok(match loaded {
        LoadedTarget::Access(access) => asked_access(&access.terms, &own, &context.zone),
        LoadedTarget::Funds(funds) => asked_funds(&funds.terms, &own),
        LoadedTarget::Payment(payment) => payment_asked(payment, false, &own),
        LoadedTarget::Cancellation(payment) => payment_asked(payment, true, &own),
    })
}

/// Leave to read, by its terms and the accounts that the customer has now.
pub(crate) fn asked_access(terms: &AccessTerms, own: &[Account], zone: &crate::Zone) -> ApprovalRequest {
    let accounts = match &terms.access {
        Access::Listed(lists) => {
            let mut named: Vec<(&StoredReference, ApprovalAccount)> = Vec::new();
            for (list, balances, transactions) in [
                (&lists.accounts, false, false),
                (&lists.balances, true, false),
                (&lists.transactions, false, true),
            ] {
                for reference in list {
                    let index = named.iter().position(|(known, _)| *known == reference);
                    let index = index.unwrap_or_else(|| {
                        named.push((reference, of_reference(reference, own)));
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
            let rights = |account: &Account| ApprovalAccount {
                number: account.iban.as_str().to_owned(),
                currency: Some(account.currency.code()),
                name: Some(account.name.clone()),
                balances: scope != Scope::AvailableAccounts,
                transactions: scope == Scope::AllPsd2,
            };
            own.iter().map(rights).collect()
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

/// Leave to ask whether amounts are there.
pub(crate) fn asked_funds(terms: &FundsTerms, own: &[Account]) -> ApprovalRequest {
    let card = terms.card_number.as_ref().map(|pan| pan.masked.as_str().to_owned());
    ApprovalRequest::Funds { account: of_reference(&terms.account, own), card }
}

fn payment_asked(payment: &Payment, cancellation: bool, own: &[Account]) -> ApprovalRequest {
    let terms = &payment.instruction;
    ApprovalRequest::Payment(Box::new(ApprovalPayment {
        cancellation,
        amount: terms.amount,
        fee: terms.fee,
        payee: terms.creditor_name.clone(),
        payee_account: terms.creditor.as_str().to_owned(),
        from: of_reference(&terms.debtor, own),
        remittance: terms.remittance.clone(),
        payee_verification: payment.payee_verification,
    }))
}

fn of_reference(reference: &StoredReference, own: &[Account]) -> ApprovalAccount {
    let number = match &reference.identifier {
        StoredIdentifier::Iban(iban) => iban.as_str(),
        StoredIdentifier::Bban(bban) => bban.as_str(),
        StoredIdentifier::Pan(pan) => pan.masked.as_str(),
        StoredIdentifier::MaskedPan(masked) => masked.as_str(),
        StoredIdentifier::Msisdn(msisdn) => msisdn.as_str(),
    };
    let is = |account: &&Account| {
        let iban = account.iban.as_str();
        let wanted = reference.currency.is_none_or(|currency| currency == account.currency);
        wanted && (iban == number || iban.get(4..) == Some(number))
    };
    ApprovalAccount {
        number: number.to_owned(),
        currency: reference.currency.map(|currency| currency.code()),
        name: own.iter().find(is).map(|account| account.name.clone()),
        balances: false,
        transactions: false,
    }
}
