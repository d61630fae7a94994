//! Merchants as operators manage them: validation, list and changes of their terms. Their keys and secrets are in
//! `application`.

mod payout;
mod terms;

pub use payout::{MerchantPayout, Payout};
pub(crate) use payout::{payout_approved_state, payout_of_text};
pub(crate) use terms::{TermsChange, terms_approved_state, terms_set};

use crate::{App, StoreError, UseCaseError, audit, external_url};
use trapeza_domain::application::{ApplicationOwner, MerchantUrls};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::field::Field;
use trapeza_domain::installment::PlanOffer;
use trapeza_domain::money::Money;
use trapeza_domain::payment::PayeeAccount;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::text::is_control_or_bidi;
use trapeza_domain::time::Timestamp;
use trapeza_store::{ApplicationRecord, MerchantRecord, Tx};

/// The possible numbers of installments.
const INSTALLMENTS: [u32; 4] = [3, 4, 6, 12];
const MAX_NAME_CHARS: usize = 70;
/// 100 percent in basis points.
const WHOLE_BP: u32 = 10_000;

/// A merchant as the operator registers it.
pub struct NewMerchant {
    pub name: String,
    pub code: String,
    pub number: i64,
    pub limits: AmountLimits,
    pub plans: Vec<PlanOffer>,
    /// The merchant's discount on each loan, in basis points.
    pub discount_basis_points: u32,
    pub sandbox: bool,
    pub urls: MerchantUrls,
}

/// A merchant with its plans, applications and balance.
#[derive(Clone, Debug)]
pub struct MerchantView {
    pub merchant: MerchantRecord,
    pub plans: Vec<PlanOffer>,
    pub applications: Vec<ApplicationRecord>,
    /// What the bank owes the merchant now and is not being paid out.
    pub payable: Money,
    /// What is in payouts that clearing has not answered.
    pub in_payouts: Money,
    /// Where its balance is paid to.
    pub settlement: Option<PayeeAccount>,
}

/// Changes of a merchant; `None` leaves a value unchanged. An empty URL removes it.
#[derive(Clone, Debug, Default)]
pub struct MerchantChange {
    pub name: Option<String>,
    pub minimum: Option<Money>,
    pub maximum: Option<Money>,
    pub plans: Option<Vec<PlanOffer>>,
    pub discount_basis_points: Option<u32>,
    pub urls: MerchantUrls,
    /// The settlement account; the inner `None` removes it.
    pub settlement: Option<Option<PayeeAccount>>,
}

impl App {
    pub async fn merchant_list(&self) -> Result<Vec<MerchantView>, UseCaseError> {
        self.store
            .read(|tx| {
                let merchants = tx.merchant_list()?;
                Ok(merchants.into_iter().map(|merchant| view(tx, merchant)).collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Changes the terms of the merchant with this code. Existing baskets and loans keep theirs.
    pub async fn merchant_update_terms(
        &self,
        code: &str,
        change: MerchantChange,
    ) -> Result<MerchantView, UseCaseError> {
        let (code, now) = (code.to_owned(), self.now());
        check_urls(&change.urls, self.url_policy())?;
        if let Some(Some(account)) = &change.settlement {
            payout::validate(account, self.settings.payments.collection)?;
        }
        let actor = audit::current_actor();
        self.store.write(move |tx| update(tx, &code, &change, (actor, now))).await
    }
}

/// Changes a merchant, for this actor. The URLs were checked before.
fn update(
    tx: &mut Tx<'_>,
    code: &str,
    change: &MerchantChange,
    (actor, now): (Actor, Timestamp),
) -> Result<MerchantView, UseCaseError> {
    let found = tx.merchant_by_code(code)?;
    let before = view(tx, found.ok_or_else(not_found)?)?;
    let after = changed(before.merchant, change);
    let plans = change.plans.as_ref().unwrap_or(&before.plans);
    check(&after.name, after.limits, plans, after.discount_basis_points)?;
    tx.merchant_update(&after, plans)?;
    for application in &before.applications {
        let urls = urls_changed(&application.urls, &change.urls);
        tx.application_urls_set(application.application.id, &urls)?;
    }
    let mut event = AuditEvent::new("merchant.changed", "merchant", after.id);
    if let Some(settlement) = &change.settlement {
        tx.settlement_account_set(after.id, settlement.as_ref())?;
        let iban = settlement.as_ref().map_or_else(|| "none".to_owned(), |to| to.iban.masked());
        event = event.with("settlement_iban", iban);
    }
    audit::record(tx, now, actor, &event)?;
    Ok(view(tx, after)?)
}

/// What an approval of a new settlement account compares: the present one. Refused when the new one is not valid.
pub(crate) fn settlement_approved_state(
    tx: &mut Tx<'_>,
    code: &str,
    account: &PayeeAccount,
    collection: Option<Iban>,
) -> Result<String, UseCaseError> {
    payout::validate(account, collection)?;
    let merchant = tx.merchant_by_code(code)?.ok_or_else(not_found)?;
    let present = tx.settlement_account_find(merchant.id)?;
    if present.as_ref() == Some(account) {
        let text = "is the settlement account already";
        return Err(Refusal::at(RefusalReason::StatusInvalid, Field::SettlementAccount, text).into());
    }
    Ok(format!("{present:?}"))
}

/// Sets the account to which payouts go, for this actor.
pub(crate) fn settlement_set(
    tx: &mut Tx<'_>,
    code: &str,
    account: &PayeeAccount,
    by: (Actor, Timestamp),
) -> Result<(), UseCaseError> {
    let change = MerchantChange { settlement: Some(Some(account.clone())), ..MerchantChange::default() };
    update(tx, code, &change, by).map(drop)
}

fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::MerchantCode, "unknown merchant")
}

/// Validates a merchant before its registration.
pub(crate) fn validate(order: &NewMerchant, url_policy: EgressPolicy) -> Result<(), Refusal> {
    let mut errors = FieldErrors::default();
    let code = order.code.as_str();
    let plain = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '-';
    if !(1..=32).contains(&code.len()) || !code.chars().all(plain) {
        errors.add(Field::MerchantCode, "must be 1–32 capital letters, digits and hyphens");
    }
    if order.number <= 0 {
        errors.add(Field::MerchantNumber, "must be greater than zero");
    }
    errors.finish()?;
    check_urls(&order.urls, url_policy)?;
    check(&order.name, order.limits, &order.plans, order.discount_basis_points)
}

/// Checks that the code and the number are unused.
pub(crate) fn check_free(tx: &mut Tx<'_>, order: &NewMerchant) -> Result<(), UseCaseError> {
    for merchant in tx.merchant_list()? {
        let field = if merchant.code == order.code { Field::MerchantCode } else { Field::MerchantNumber };
        if merchant.code == order.code || merchant.number == order.number {
            return Err(Refusal::at(
                RefusalReason::StatusInvalid,
                field,
                "is already used by another merchant",
            )
            .into());
        }
    }
    Ok(())
}

fn check(
    name: &str,
    limits: AmountLimits,
    plans: &[PlanOffer],
    discount_basis_points: u32,
) -> Result<(), Refusal> {
    let mut errors = FieldErrors::default();
    if !(1..=MAX_NAME_CHARS).contains(&name.chars().count()) || name.chars().any(is_control_or_bidi) {
        errors.add(Field::Name, format!("must be 1–{MAX_NAME_CHARS} characters without control characters"));
    }
    let AmountLimits { minimum, maximum } = limits;
    if minimum.currency != maximum.currency || !minimum.is_positive() || minimum.minor > maximum.minor {
        errors.add(
            Field::Limits,
            "the minimum must be greater than zero and at most the maximum, in one currency",
        );
    }
    for (place, PlanOffer { plan, .. }) in plans.iter().enumerate() {
        let earlier = &plans[..place];
        if !INSTALLMENTS.contains(&plan.installments) {
            errors.add(Field::Plans, format!("{} installments; use 3, 4, 6 or 12", plan.installments));
        } else if earlier.iter().any(|offer| offer.plan.installments == plan.installments) {
            errors.add(Field::Plans, format!("{} installments are listed twice", plan.installments));
        }
        if plan.yearly_rate_bp > WHOLE_BP {
            errors.add(Field::Plans, "the yearly rate must be at most 100 percent");
        }
    }
    if !plans.is_empty() && plans.iter().filter(|offer| offer.is_default).count() != 1 {
        errors.add(Field::Plans, "exactly one plan must be the default");
    }
    if discount_basis_points >= WHOLE_BP {
        errors.add(Field::Discount, "must be less than 100 percent");
    }
    errors.finish()
}

/// Validates URLs: in production public hosts, and https for callbacks. The courier checks the address again when it
/// connects.
fn check_urls(urls: &MerchantUrls, url_policy: EgressPolicy) -> Result<(), Refusal> {
    let mut errors = FieldErrors::default();
    let given = |url: &Option<String>| url.clone().filter(|url| !url.is_empty());
    for (field, url) in
        [(Field::SuccessCallback, &urls.success_callback), (Field::FailCallback, &urls.fail_callback)]
    {
        if let Some(url) = given(url) {
            errors.collect(field, external_url::parse_callback(&url, url_policy));
        }
    }
    for (field, url) in
        [(Field::SuccessRedirect, &urls.success_redirect), (Field::FailureRedirect, &urls.failure_redirect)]
    {
        if let Some(url) = given(url) {
            errors.collect(field, external_url::parse(&url, url_policy));
        }
    }
    errors.finish()
}

fn changed(merchant: MerchantRecord, change: &MerchantChange) -> MerchantRecord {
    MerchantRecord {
        name: change.name.clone().unwrap_or(merchant.name),
        limits: AmountLimits {
            minimum: change.minimum.unwrap_or(merchant.limits.minimum),
            maximum: change.maximum.unwrap_or(merchant.limits.maximum),
        },
        discount_basis_points: change.discount_basis_points.unwrap_or(merchant.discount_basis_points),
        ..merchant
    }
}

fn urls_changed(old: &MerchantUrls, new: &MerchantUrls) -> MerchantUrls {
    let one = |old: &Option<String>, new: &Option<String>| {
        new.clone().or_else(|| old.clone()).filter(|url| !url.is_empty())
    };
    MerchantUrls {
        success_callback: one(&old.success_callback, &new.success_callback),
        fail_callback: one(&old.fail_callback, &new.fail_callback),
        success_redirect: one(&old.success_redirect, &new.success_redirect),
        failure_redirect: one(&old.failure_redirect, &new.failure_redirect),
    }
}

pub(crate) fn view(tx: &mut Tx<'_>, merchant: MerchantRecord) -> Result<MerchantView, StoreError> {
    let plans = tx.plan_list(merchant.id)?;
    let all = tx.application_list()?.into_iter();
    let is_own = |owner| matches!(owner, ApplicationOwner::Merchant { id, .. } if id == merchant.id);
    let own = all.filter(|record| is_own(record.application.owner));
    let applications = own.collect();
    let (_, balance) = payout::account(tx, &merchant)?;
    let (payable, in_payouts) = (balance.available(&merchant), balance.held(&merchant));
    let settlement = tx.settlement_account_find(merchant.id)?;
    Ok(MerchantView { applications, plans, merchant, payable, in_payouts, settlement })
}
