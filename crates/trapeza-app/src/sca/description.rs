//! The description of a target in a sentence, for messages and pages. The sentences are in `trapeza_texts`.

use super::context::StepContext;
use super::target::LoadedTarget;
use trapeza_domain::consent::{Access, AccessTerms, OwnerNames};
use trapeza_domain::payment::Payment;
use trapeza_domain::reference::{StoredIdentifier, StoredReference};
use trapeza_texts::Language;
use trapeza_texts::approval::{self, Description, PaymentSummary, ShortReference};

/// What the customer approves, after "… asks to".
pub(super) fn description(target: &LoadedTarget, context: &StepContext, language: Language) -> String {
    approval::description(language, &values(target, context))
}

fn values<'a>(target: &'a LoadedTarget, context: &StepContext) -> Description<'a> {
    if let LoadedTarget::Payment(payment) | LoadedTarget::Cancellation(payment) = target
        && let Some(bulk) = payment.instruction.bulk
    {
        return Description::Bulk {
            is_cancellation: matches!(target, LoadedTarget::Cancellation(_)),
            sum: payment.instruction.amount,
            count: bulk.count,
            fingerprint: bulk.digest.fingerprint(),
            timing: payment.instruction.timing,
        };
    }
    match target {
        LoadedTarget::Access(access) => Description::Access {
            scope: access.terms.access.scope(),
            references: listed(&access.terms),
            owner_names: access.terms.options.owner_names != OwnerNames::Hidden,
            until: access.terms.recurring.then(|| context.zone.day(access.terms.end)),
        },
        LoadedTarget::Funds(funds) => Description::Funds { account: short(&funds.terms.account) },
        LoadedTarget::Payment(payment) => Description::Payment {
            payment: summary(payment),
            verification: payment.payee_verification.as_ref(),
        },
        LoadedTarget::Cancellation(payment) => Description::Cancellation { payment: summary(payment) },
        LoadedTarget::Basket(basket) => {
            Description::Basket(basket.members.iter().map(|member| values(member, context)).collect())
        }
    }
}

/// The references that a consent lists, each once.
fn listed(terms: &AccessTerms) -> Vec<ShortReference> {
    let Access::Listed(lists) = &terms.access else { return Vec::new() };
    let mut references: Vec<ShortReference> = Vec::new();
    for reference in lists.accounts.iter().chain(&lists.balances).chain(&lists.transactions) {
        let reference = short(reference);
        if !references.contains(&reference) {
            references.push(reference);
        }
    }
    references
}

fn short(reference: &StoredReference) -> ShortReference {
    match &reference.identifier {
        StoredIdentifier::Iban(iban) => ShortReference::Account(last(iban.as_str(), 4)),
        StoredIdentifier::Bban(bban) => ShortReference::Account(last(bban.as_str(), 4)),
        StoredIdentifier::Pan(pan) => ShortReference::Card(last(pan.masked.as_str(), 4)),
        StoredIdentifier::MaskedPan(masked) => ShortReference::Card(last(masked.as_str(), 4)),
        StoredIdentifier::Msisdn(msisdn) => ShortReference::Phone(last(msisdn.as_str(), 2)),
    }
}

fn summary(payment: &Payment) -> PaymentSummary<'_> {
    let iban = payment.instruction.creditor.as_str();
    PaymentSummary {
        amount: payment.instruction.amount,
        payee: &payment.instruction.creditor_name,
        account_digits: &iban[iban.len().saturating_sub(4)..],
        timing: payment.instruction.timing,
    }
}

/// The last characters of an ASCII text.
fn last(text: &str, count: usize) -> String {
    text[text.len().saturating_sub(count)..].to_owned()
}
