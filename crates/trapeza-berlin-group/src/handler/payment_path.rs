//! The payment that a path names: its service, its product and whether it was ordered as pain.001.

use crate::link;
use trapeza_app::UseCaseError;
use trapeza_app::payment::BulkPayment;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::payment::{Payment, PaymentProduct, PaymentService};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::TppRequest;

/// Products whose orders are messages have the names of the others behind this.
pub const PAIN_PREFIX: &str = "pain.001-";

/// The service and the product in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentPath {
    pub service: PaymentService,
    pub product: PaymentProduct,
    /// The order is a message pain.001.
    pub is_pain: bool,
}

impl PaymentPath {
    pub fn of(request: &TppRequest) -> Result<Self, Refusal> {
        let service = PaymentService::parse(request.path("payment-service")).ok_or_else(|| {
            let text = "is not offered; use payments, periodic-payments or bulk-payments";
            Refusal::at(RefusalReason::ServiceUnknown, FieldPath::spelled("payment-service"), text)
        })?;
        let name = request.path("payment-product");
        let (is_pain, name) = match name.strip_prefix(PAIN_PREFIX) {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let product = PaymentProduct::parse(name).map(|product| Self { service, product, is_pain });
        let is_instant = request.state.app.offers_instant_payments();
        product.filter(|path| path.is_offered(is_instant)).ok_or_else(|| {
            let names = Self::offered(service, is_instant).join(", ");
            let text = format!("unknown product; expected one of {names}");
            Refusal::at(RefusalReason::ProductUnknown, Field::PaymentProduct, text)
        })
    }

    /// The names of the products that a service has.
    fn offered(service: PaymentService, offers_instant_payments: bool) -> Vec<String> {
        let forms = [false, true].into_iter().flat_map(|is_pain| {
            PaymentProduct::ALL.iter().map(move |&product| Self { service, product, is_pain })
        });
        forms
            .filter(|path| path.is_offered(offers_instant_payments))
            .map(|path| {
                let prefix = if path.is_pain { PAIN_PREFIX } else { "" };
                [prefix, path.product.name()].concat()
            })
            .collect()
    }

    const fn is_offered(&self, offers_instant_payments: bool) -> bool {
        let is_form = match (self.is_pain, self.service) {
            (true, PaymentService::PeriodicPayments) => false,
            (true, PaymentService::Payments | PaymentService::BulkPayments) => self.product.is_sepa(),
            (false, _) => true,
        };
        let is_product = match self.product {
            PaymentProduct::InternalTransfers | PaymentProduct::SepaCreditTransfers => true,
            PaymentProduct::InstantSepaCreditTransfers => {
                matches!(self.service, PaymentService::Payments) && offers_instant_payments
            }
        };
        is_form && is_product
    }

    /// The address of a payment with this path.
    pub fn link(request: &TppRequest, id: &str) -> String {
        let (service, product) = (request.path("payment-service"), request.path("payment-product"));
        format!("{}/v1/{service}/{product}/{id}", link::base(&request.state))
    }
}

/// The payment of the path, which must be one of its service and product. A SEPA credit transfer within the bank, instant or not, is
/// stored as an internal transfer.
pub async fn find(request: &TppRequest) -> Result<Payment, UseCaseError> {
    let path = PaymentPath::of(request)?;
    if path.service == PaymentService::BulkPayments {
        return Ok(find_bulk(request, path).await?.payment);
    }
    let (app, id) = (&request.state.app, request.path("paymentId"));
    let payment = match app.payment_find(&request.caller, path.product, id).await {
        Err(UseCaseError::Refused(refusal))
            if refusal.reason == RefusalReason::ProductInvalid && path.product.is_sepa() =>
        {
            app.payment_find(&request.caller, PaymentProduct::InternalTransfers, id).await?
        }
        found => found?,
    };
    if payment.instruction.service() != path.service {
        return Err(Refusal::at(RefusalReason::ResourceUnknown, Field::PaymentId, "unknown payment").into());
    }
    check_message(request, path, &payment).await?;
    Ok(payment)
}

/// The same for a bulk payment with its lines.
pub async fn find_bulk(request: &TppRequest, path: PaymentPath) -> Result<BulkPayment, UseCaseError> {
    let (app, id) = (&request.state.app, request.path("paymentId"));
    let bulk = app.bulk_payment_find(&request.caller, path.product, id).await?;
    check_message(request, path, &bulk.payment).await?;
    Ok(bulk)
}

/// Below a product of messages are only payments that were ordered so. Below the other products are all.
async fn check_message(
    request: &TppRequest,
    path: PaymentPath,
    payment: &Payment,
) -> Result<(), UseCaseError> {
    let app = &request.state.app;
    if !path.is_pain || app.payment_message_exists(&request.caller, payment.id).await? {
        return Ok(());
    }
    let text = "the payment was not ordered as pain.001";
    Err(Refusal::at(RefusalReason::ProductInvalid, Field::PaymentProduct, text).into())
}

/// The message in which the payment of the path was ordered. Others have no form but JSON.
pub async fn find_message(request: &TppRequest) -> Result<(Payment, String), UseCaseError> {
    let payment = find(request).await?;
    if PaymentPath::of(request)?.is_pain
        && let Some(message) = request.state.app.payment_message_find(&request.caller, payment.id).await?
    {
        return Ok((payment, message));
    }
    let text = "must allow application/json: the payment was not ordered as pain.001";
    Err(Refusal::at(RefusalReason::NotAcceptable, FieldPath::spelled("Accept"), text).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offered_products_depend_on_the_service() {
        let of = |service| PaymentPath::offered(service, true).join(" ");
        assert_eq!(
            of(PaymentService::Payments),
            "internal-transfers sepa-credit-transfers instant-sepa-credit-transfers \
             pain.001-sepa-credit-transfers pain.001-instant-sepa-credit-transfers"
        );
        assert_eq!(
            of(PaymentService::BulkPayments),
            "internal-transfers sepa-credit-transfers pain.001-sepa-credit-transfers"
        );
        assert_eq!(of(PaymentService::PeriodicPayments), "internal-transfers sepa-credit-transfers");
        let without = PaymentPath::offered(PaymentService::Payments, false);
        assert!(without.iter().all(|name| !name.contains("instant")), "{without:?}");
    }
}
