//! Terms of a merchant as staff change them: amounts are in the merchant's currency.

use super::{MerchantChange, changed, check, not_found, update};
use crate::UseCaseError;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::field::Field;
use trapeza_domain::installment::PlanOffer;
use trapeza_domain::money::Money;
use trapeza_domain::refusal::FieldErrors;
use trapeza_domain::time::Timestamp;
use trapeza_store::{MerchantRecord, Tx};

/// New terms; `None` leaves a value unchanged. The amounts are decimal numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermsChange {
    pub minimum: Option<String>,
    pub maximum: Option<String>,
    pub discount_basis_points: Option<u32>,
    pub plans: Option<Vec<PlanOffer>>,
}

/// The present terms, for an approval. Refused when the new ones are not valid.
pub(crate) fn terms_approved_state(
    tx: &mut Tx<'_>,
    code: &str,
    change: &TermsChange,
) -> Result<String, UseCaseError> {
    let (merchant, change) = read(tx, code, change)?;
    let plans = tx.plan_list(merchant.id)?;
    let after = changed(merchant.clone(), &change);
    check(&after.name, after.limits, change.plans.as_ref().unwrap_or(&plans), after.discount_basis_points)?;
    Ok(format!("{merchant:?} {plans:?}"))
}

/// Sets new terms, for this actor. Existing baskets and loans keep theirs.
pub(crate) fn terms_set(
    tx: &mut Tx<'_>,
    code: &str,
    change: &TermsChange,
    by: (Actor, Timestamp),
) -> Result<(), UseCaseError> {
    let (_, change) = read(tx, code, change)?;
    update(tx, code, &change, by)?;
    Ok(())
}

fn read(
    tx: &mut Tx<'_>,
    code: &str,
    change: &TermsChange,
) -> Result<(MerchantRecord, MerchantChange), UseCaseError> {
    let merchant = tx.merchant_by_code(code)?.ok_or_else(not_found)?;
    let currency = merchant.limits.minimum.currency;
    let mut errors = FieldErrors::default();
    let mut amount = |text: &Option<String>| {
        let parsed = text.as_deref().map(|text| Money::parse(text, currency));
        parsed.and_then(|amount| errors.collect(Field::Limits, amount))
    };
    let (minimum, maximum) = (amount(&change.minimum), amount(&change.maximum));
    errors.finish()?;
    let change = MerchantChange {
        minimum,
        maximum,
        plans: change.plans.clone(),
        discount_basis_points: change.discount_basis_points,
        ..MerchantChange::default()
    };
    Ok((merchant, change))
}
