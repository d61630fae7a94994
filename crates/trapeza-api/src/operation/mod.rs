//! Every operation of the API, once: its method, path, access and refusals.
//!
//! The routes, the OpenAPI document and the table of refusals are generated from this list, so that they cannot differ.

use trapeza_domain::application::Role;
use trapeza_http::operation::{Access, Operation};

macro_rules! operation {
    ($id:literal $method:ident $path:literal, $($field:ident: $value:expr),* $(,)?) => {
        Operation {
            id: $id,
            method: Method::$method,
            path: $path,
            name: concat!(stringify!($method), " ", $path),
            $($field: $value,)*
            ..operation!()
        }
    };
    () => {
        Operation {
            id: "",
            method: Method::GET,
            path: "",
            name: "",
            family: ApiFamily::PayLater,
            message_codes: MessageCodeList::AccountInformation,
            access: Access::Open,
            service: trapeza_domain::statistics::Service::Other,
            success: 200,
            is_logged: true,
            body_limit: BodyLimit::Default,
            has_xml: false,
            refusal_overrides: &[],
            error_key: ErrorKey::Field,
            field_spelling: crate::wire::field_name::spell,
            refusals: &[],
        }
    };
}

mod account_information;
mod authorisation;
mod consent;
mod pay_later;
mod payment;
mod sandbox;

pub use account_information::*;
pub use authorisation::*;
pub use consent::*;
pub use pay_later::*;
pub use payment::*;
pub use sandbox::*;

const AIS: Access = Access::Tpp(Role::AccountInformation);
const FUNDS: Access = Access::Tpp(Role::CardIssuing);
const PAYMENT: Access = Access::Tpp(Role::PaymentInitiation);

/// All operations, in the order of the documentation.
pub static OPERATIONS: &[&Operation] = &[
    &CONSENT_CREATE,
    &CONSENT_GET,
    &CONSENT_STATUS,
    &CONSENT_DELETE,
    &CONSENT_AUTHORISATION.start,
    &CONSENT_AUTHORISATION.list,
    &CONSENT_AUTHORISATION.get,
    &CONSENT_AUTHORISATION.update,
    &FUNDS_CONSENT_CREATE,
    &FUNDS_CONSENT_GET,
    &FUNDS_CONSENT_DELETE,
    &FUNDS_CONSENT_STATUS,
    &FUNDS_AUTHORISATION.start,
    &FUNDS_AUTHORISATION.list,
    &FUNDS_AUTHORISATION.get,
    &FUNDS_AUTHORISATION.update,
    &FUNDS_CONFIRMATION,
    &PAYMENT_INITIATE,
    &PAYMENT_GET,
    &PAYMENT_STATUS,
    &PAYMENT_AUTHORISATION.start,
    &PAYMENT_AUTHORISATION.list,
    &PAYMENT_AUTHORISATION.get,
    &PAYMENT_AUTHORISATION.update,
    &PAYMENT_CANCEL,
    &CANCELLATION_AUTHORISATION.start,
    &CANCELLATION_AUTHORISATION.list,
    &CANCELLATION_AUTHORISATION.get,
    &CANCELLATION_AUTHORISATION.update,
    &ACCOUNT_LIST,
    &ACCOUNT_DETAILS,
    &ACCOUNT_BALANCES,
    &TRANSACTION_LIST,
    &TRANSACTION_DETAILS,
    &CARD_LIST,
    &CARD_DETAILS,
    &CARD_BALANCES,
    &CARD_TRANSACTIONS,
    &BASKET_CREATE,
    &BASKET_GET,
    &LOAN_SIMULATE,
    &LOAN_GET,
    &LOAN_REFUND,
    &BASKET_VOID,
    &CONFIGURATION,
    &SANDBOX_CLOCK,
    &SANDBOX_CLOCK_ADVANCE,
    &SANDBOX_MESSAGES,
    &SANDBOX_APPLICATION,
    &SANDBOX_CALLBACKS,
    &SANDBOX_OUTCOMES,
    &SANDBOX_CUSTOMER_LIST,
    &SANDBOX_CUSTOMER,
    &SANDBOX_ACCOUNT,
    &SANDBOX_CARD,
    &SANDBOX_TRANSACTION,
    &SANDBOX_TRANSACTION_LIST,
    &SANDBOX_EXPORT,
    &SANDBOX_IMPORT,
    &SANDBOX_RESET,
    &LIVEZ,
    &READYZ,
    &METRICS,
    &OPENAPI,
    &DOCS,
    &DOCS_PAGE,
];

/// Whether an operation exists in the sandbox only.
pub fn is_sandbox_only(operation: &Operation) -> bool {
    operation.path.starts_with("/sandbox/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::statistics::{Interface, Service};

    /// A new operation must be added here: whether its response time is published is a decision.
    #[test]
    fn operation_of_third_parties_is_counted_by_its_service() {
        let ids = |service: Service| {
            let counted = OPERATIONS.iter().filter(|operation| {
                operation.measured_call().is_some_and(|call| {
                    assert_eq!(call.interface, Interface::Dedicated);
                    call.service == service
                })
            });
            counted.map(|operation| operation.id).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            ids(Service::AccountInformation),
            "listAccounts getAccount getAccountBalances listTransactions getTransaction listCards getCard \
             getCardBalances listCardTransactions"
        );
        assert_eq!(ids(Service::PaymentInitiation), "initiatePayment getPayment getPaymentStatus");
        assert_eq!(ids(Service::FundsConfirmation), "confirmFunds");
        assert_eq!(
            ids(Service::Other),
            "createConsent getConsent getConsentStatus deleteConsent startConsentAuthorisation \
             listConsentAuthorisations getConsentAuthorisation updateConsentAuthorisation createFundsConsent \
             getFundsConsent deleteFundsConsent getFundsConsentStatus startFundsConsentAuthorisation \
             listFundsConsentAuthorisations getFundsConsentAuthorisation updateFundsConsentAuthorisation \
             startPaymentAuthorisation listPaymentAuthorisations getPaymentAuthorisation updatePaymentAuthorisation \
             cancelPayment startCancellationAuthorisation listCancellationAuthorisations getCancellationAuthorisation \
             updateCancellationAuthorisation"
        );
        let others = OPERATIONS.iter().filter(|operation| operation.measured_call().is_none());
        assert!(others.clone().all(|operation| !matches!(operation.access, Access::Tpp(_))));
        assert_eq!(others.count(), 28, "operations of merchants, the sandbox and monitoring");
    }
}
