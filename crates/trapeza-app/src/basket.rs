//! Baskets: creation and reading. Their decision is in `outcome`, the shopper's steps are in `checkout`.
//!
//! A read shows a basket as of now. A write that finds an expired one saves the expiry first.

mod outcome;

pub(crate) use outcome::{
    DecisionContext, OpenedBasket, approve, decline, discount_minor, ensure_open, expire_if_due, void,
};

use crate::authentication::Merchant;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::merchant_terms::{basket_terms, merchant, terms};
use crate::{App, Required, UseCaseError, audit, external_url};
use std::sync::Arc;
use trapeza_domain::application::MerchantUrls;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::{
    AmountLimits, Basket, BasketId, BasketOrder, BasketState, NewBasket, PublicBasketId,
};
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::installment::Installment;
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{IdempotencyRecord, MerchantRecord, StoreError, Tx};

/// How many numbers are tried for a new basket. Numbers contain the time in milliseconds; at 5,000 baskets per second one
/// in some hundreds is taken.
const CANDIDATE_IDS: usize = 5;

/// A validated request for a basket.
pub struct BasketRequest {
    pub idempotency: IdempotentRequest,
    /// The merchant's `requestId` as it was sent.
    pub request: String,
    pub order: BasketOrder,
}

/// A basket with its merchant, application and installments.
#[derive(Clone, Debug)]
pub struct BasketView {
    pub basket: Basket,
    pub merchant: BasketMerchant,
    pub application: BasketApplication,
    /// The financed amount, less refunds.
    pub financed: Money,
    /// The installments of the contract less refunds; before there is a contract, those of the merchant's default
    /// plan from today.
    pub installments: Vec<Installment>,
}

/// The merchant of a basket.
#[derive(Clone, Debug)]
pub struct BasketMerchant {
    pub number: i64,
    pub code: String,
    pub name: String,
}

/// The application that created a basket.
#[derive(Clone, Debug)]
pub struct BasketApplication {
    pub id: ApplicationId,
    pub created_at: Timestamp,
    pub urls: MerchantUrls,
}

impl App {
    /// Creates a basket that waits for its shopper. `parse` validates the request against limits. The merchant's limits are
    /// compared inside the transaction; they are read before it only for a request that is refused anyway, so that the
    /// refusal names every wrong field. A replay gets the basket of the first request.
    pub async fn basket_create(
        &self,
        caller: &Merchant,
        parse: impl Fn(&AmountLimits) -> Result<BasketRequest, Refusal>,
    ) -> Result<IdempotentOutcome<Arc<Basket>>, UseCaseError> {
        let (&Merchant { merchant, application, currency, .. }, now) = (caller, self.now());
        let parsed = match parse(&AmountLimits::unlimited(currency)) {
            Ok(parsed) => parsed,
            Err(_) => {
                let terms = self.store.read(move |tx| Ok(basket_terms(tx, merchant)?)).await?;
                parse(&terms.limits)?
            }
        };
        let BasketRequest { idempotency, request, order } = parsed;
        let public = PublicBasketId::new(self.entropy.bytes());
        let ids = self.candidate_ids(now);
        let egress_policy = match self.settings.sandbox {
            Some(_) => EgressPolicy::PublicOrLoopback,
            None => EgressPolicy::Public,
        };
        self.store
            .write(move |tx| {
                let terms = basket_terms(tx, merchant)?;
                if !terms.limits.allow(order.value) {
                    if let Some(record) = idempotency.find(tx)? {
                        return Ok(IdempotentOutcome::replayed(Arc::new(recorded(tx, merchant, &record)?)));
                    }
                    return Err(terms.limits.refusal().into());
                }
                let reservation = idempotency.reserve(tx, "created", public.as_bytes(), now)?;
                if !reservation.is_new(tx)? {
                    let record = idempotency.find(tx)?.required("idempotency record")?;
                    return Ok(IdempotentOutcome::replayed(Arc::new(recorded(tx, merchant, &record)?)));
                }
                check_addresses(tx, application, &order, egress_policy)?;
                let expires_at = now.plus(terms.ttl);
                for id in ids {
                    let request = request.clone();
                    let new = NewBasket { id, public, application, merchant, request, now, expires_at };
                    let (basket, event) = Basket::create(new, order.clone());
                    if tx.basket_insert(&basket)? {
                        audit::record(tx, now, Actor::Application(application), &event)?;
                        return Ok(IdempotentOutcome::fresh(Arc::new(basket)));
                    }
                }
                Err(StoreError::Conflict("no basket number was free".into()).into())
            })
            .await
    }

    /// The numbers that a new basket may get. They protect nothing, so they need no secure randomness.
    fn candidate_ids(&self, now: Timestamp) -> [BasketId; CANDIDATE_IDS] {
        let random = self.entropy.fast_uuid().into_bytes();
        // Bytes 6 and 8 of a UUID hold its version and variant.
        let pairs = [[0, 1], [2, 3], [4, 5], [9, 10], [11, 12]];
        pairs.map(|[high, low]| BasketId::generate(now, u16::from_be_bytes([random[high], random[low]])))
    }

    /// A basket of the merchant as of now.
    pub async fn basket_find(&self, caller: &Merchant, public: &str) -> Result<BasketView, UseCaseError> {
        let (id, public, now) = (caller.merchant, parse_public_id(public)?, self.now());
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let basket = tx.basket_find_by_public_id(id, public)?.ok_or_else(not_found)?.as_of(now);
                view(tx, basket, today)
            })
            .await
    }

    /// Checks that a basket exists.
    pub async fn basket_exists(&self, public: PublicBasketId) -> Result<(), UseCaseError> {
        let found = self.store.read(move |tx| Ok(tx.basket_by_public_id(public)?)).await?;
        Ok(found.map(|_| ()).ok_or_else(not_found)?)
    }
}

/// Checks the basket's own addresses like the application's. Their host must be one of the application's, so that a stolen
/// subscription key cannot send shoppers or callbacks elsewhere.
fn check_addresses(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    order: &BasketOrder,
    egress_policy: EgressPolicy,
) -> Result<(), UseCaseError> {
    let callbacks = [
        (Field::SuccessCallback, order.success_callback.as_deref()),
        (Field::FailCallback, order.fail_callback.as_deref()),
    ];
    let redirects = [
        (Field::SuccessRedirect, order.success_redirect.as_deref()),
        (Field::FailureRedirect, order.failure_redirect.as_deref()),
    ];
    if callbacks.iter().chain(&redirects).all(|(_, address)| address.is_none()) {
        return Ok(());
    }
    let urls = tx.application_find(application)?.required("application")?.urls;
    let own = [urls.success_callback, urls.fail_callback, urls.success_redirect, urls.failure_redirect];
    let hosts: Vec<String> = own
        .iter()
        .flatten()
        .filter_map(|url| Some(external_url::parse(url, egress_policy).ok()?.host_str()?.to_owned()))
        .collect();
    let parsed = callbacks
        .into_iter()
        .filter_map(|(field, address)| Some((field, external_url::parse_callback(address?, egress_policy))))
        .chain(
            redirects
                .into_iter()
                .filter_map(|(field, address)| Some((field, external_url::parse(address?, egress_policy)))),
        );
    let mut errors = FieldErrors::default();
    for (field, url) in parsed {
        let Some(url) = errors.collect(field, url) else { continue };
        if !url.host_str().is_some_and(|host| hosts.iter().any(|own| own == host)) {
            errors.add(field, "must have the host of one of the application's addresses");
        }
    }
    Ok(errors.finish()?)
}

/// A basket with its merchant, application and installments.
fn view(tx: &mut Tx<'_>, basket: Basket, today: Date) -> Result<BasketView, UseCaseError> {
    let record = merchant(tx, basket.merchant)?;
    let (financed, installments) = financing(tx, &basket, &record, today)?;
    let merchant = BasketMerchant { number: record.number, code: record.code, name: record.name };
    let record = tx.application_find(basket.application)?.required("application")?;
    let application =
        BasketApplication { id: basket.application, created_at: record.created_at, urls: record.urls };
    Ok(BasketView { basket, merchant, application, financed, installments })
}

/// The financed amount and its installments.
fn financing(
    tx: &mut Tx<'_>,
    basket: &Basket,
    merchant: &MerchantRecord,
    today: Date,
) -> Result<(Money, Vec<Installment>), StoreError> {
    let value = basket.order.value;
    if let BasketState::Approved { loan } = basket.state {
        let refunded = tx.loan_find(basket.merchant, loan)?.map_or(0, |loan| loan.state.refunded_minor());
        let progress = tx.loan_installment_list(loan)?.into_iter().filter_map(|one| one.as_agreed());
        let installments = progress.filter(|one| one.amount_minor() > 0).collect();
        return Ok((Money { minor: value.minor - refunded, ..value }, installments));
    }
    let usual = terms(tx, merchant)?.default_plan();
    // An amount that is too small for the plan has no installments.
    let installments = usual.and_then(|plan| plan.schedule(value.minor, today)).unwrap_or_default();
    Ok((value, installments))
}

/// The basket that an idempotency record names.
fn recorded(tx: &mut Tx<'_>, merchant: MerchantId, record: &IdempotencyRecord) -> Result<Basket, StoreError> {
    let public = record.result.as_slice().try_into().map(PublicBasketId::new);
    let public = public.map_err(|_| StoreError::internal("an idempotency record names no basket"))?;
    tx.basket_find_by_public_id(merchant, public)?.required("basket")
}

/// An id that cannot be parsed is treated like an unknown one.
pub fn parse_public_id(public: &str) -> Result<PublicBasketId, Refusal> {
    PublicBasketId::parse(public).ok_or_else(not_found)
}

/// The same refusal for an unknown basket and for one of another merchant.
pub(crate) fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::BasketId, "unknown basket; send the publicBasketId")
}
