//! A merchant with a callback URL and enqueued callbacks, for tests and benchmarks of delivery without baskets.

use trapeza_app::App;
use trapeza_app::application::{MerchantUrls, NewMerchant};
use trapeza_app::callback::{self, EnqueueContext};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::callback::{CallbackEvent, CallbackKind};
use trapeza_domain::id::{ApplicationId, CallbackId, LoanId};
use trapeza_domain::money::{Currency, Money};
use uuid::Uuid;

/// Registers a merchant with a callback URL; returns its application and webhook secret.
pub async fn merchant(app: &App, number: i64, url: Option<&str>) -> (ApplicationId, String) {
    let url = url.map(str::to_owned);
    let order = NewMerchant {
        name: format!("Shop {number}"),
        code: format!("{number:06}"),
        number,
        limits: AmountLimits {
            minimum: Money::new(100, Currency::EUR),
            maximum: Money::new(200_000, Currency::EUR),
        },
        plans: Vec::new(),
        discount_basis_points: 0,
        sandbox: true,
        urls: MerchantUrls { success_callback: url.clone(), fail_callback: url, ..MerchantUrls::default() },
    };
    let (key, secret) = app.merchant_register(order).await.expect("the merchant is registered");
    (key.application, secret.expose().clone())
}

/// The outcome of one basket.
pub fn event(kind: CallbackKind, number: u128) -> CallbackEvent {
    CallbackEvent {
        kind,
        public_basket: format!("basket-{number}"),
        order: format!("order-{number}"),
        request: Uuid::from_u128(number).to_string(),
        loan: (kind == CallbackKind::Approved).then(|| LoanId::new(Uuid::from_u128(number))),
        amount: (kind == CallbackKind::Approved).then(|| Money::new(4990, Currency::EUR)),
        reason: (kind == CallbackKind::Declined).then(|| "EXPOSURE".to_owned()),
        address: None,
        sequence: 1,
    }
}

/// Enqueues one callback per number in one transaction; returns their ids.
pub async fn enqueue(
    app: &App,
    application: ApplicationId,
    numbers: std::ops::Range<u128>,
) -> Vec<CallbackId> {
    let news: Vec<(CallbackId, CallbackEvent)> = numbers
        .map(|number| (CallbackId::new(app.entropy().fast_uuid()), event(CallbackKind::Approved, number)))
        .collect();
    let ids = news.iter().map(|(id, _)| *id).collect();
    let now = app.now();
    let enqueued = app.store().write(move |tx| {
        for (id, event) in &news {
            let context = EnqueueContext { id: *id, now, trace: None, sandbox_system_time: None };
            callback::enqueue(tx, application, event, &context)?;
        }
        Ok(())
    });
    enqueued.await.expect("it is enqueued");
    ids
}
