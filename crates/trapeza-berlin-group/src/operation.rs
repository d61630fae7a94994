//! Every operation of the dialect, once: its method, path below the base, access and service. Routes and the OpenAPI document are made
//! from this list.

use crate::wire::field_name::spell;
use axum::http::Method;
use trapeza_domain::application::Role;
use trapeza_domain::statistics::Service;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

const AIS: (Access, MessageCodeList) =
    (Access::Tpp(Role::AccountInformation), MessageCodeList::AccountInformation);
const PIS: (Access, MessageCodeList) = (Access::Tpp(Role::PaymentInitiation), MessageCodeList::Payment);
const CANCELLATION: (Access, MessageCodeList) =
    (Access::Tpp(Role::PaymentInitiation), MessageCodeList::PaymentCancellation);
const BASKETS: (Access, MessageCodeList) =
    (Access::Tpp(Role::PaymentInitiation), MessageCodeList::SigningBasket);
const FUNDS: (Access, MessageCodeList) = (Access::Tpp(Role::CardIssuing), MessageCodeList::Funds);
const FUNDS_CONSENT: (Access, MessageCodeList) =
    (Access::Tpp(Role::CardIssuing), MessageCodeList::AccountInformation);

macro_rules! operations {
    ($($name:ident = $id:literal $method:ident $path:literal $kind:expr, $service:ident $success:literal;)*) => {
        $(pub static $name: Operation = operation(
            $id,
            Method::$method,
            $path,
            concat!("Berlin Group ", stringify!($method), " ", $path),
            $kind,
            Service::$service,
            $success,
        );)*

        /// All operations, in the order of the documentation.
        pub static OPERATIONS: &[&Operation] = &[$(&$name,)*];
    };
}

const fn operation(
    id: &'static str,
    method: Method,
    path: &'static str,
    name: &'static str,
    (access, message_codes): (Access, MessageCodeList),
    service: Service,
    success: u16,
) -> Operation {
    Operation {
        id,
        method,
        path,
        name,
        family: ApiFamily::BerlinGroup,
        message_codes,
        access,
        service,
        success,
        is_logged: true,
        // A bulk payment has hundreds of lines.
        body_limit: match service {
            Service::PaymentInitiation if success == 201 => BodyLimit::Basket,
            _ => BodyLimit::Default,
        },
        has_xml: matches!(
            id.as_bytes(),
            b"getTransactionList" | b"getPaymentInformation" | b"getPaymentInitiationStatus"
        ),
        refusal_overrides: &[],
        error_key: ErrorKey::Field,
        field_spelling: spell,
        refusals: &[],
    }
}

operations! {
    CONSENT_CREATE = "createConsent" POST "/v1/consents" AIS, Other 201;
    CONSENT_GET = "getConsentInformation" GET "/v1/consents/{consentId}" AIS, Other 200;
    CONSENT_STATUS = "getConsentStatus" GET "/v1/consents/{consentId}/status" AIS, Other 200;
    CONSENT_DELETE = "deleteConsent" DELETE "/v1/consents/{consentId}" AIS, Other 204;
    CONSENT_AUTHORISATION_START = "startConsentAuthorisation" POST "/v1/consents/{consentId}/authorisations" AIS, Other 201;
    CONSENT_AUTHORISATION_LIST = "getConsentAuthorisation" GET "/v1/consents/{consentId}/authorisations" AIS, Other 200;
    CONSENT_AUTHORISATION_GET = "getConsentScaStatus" GET "/v1/consents/{consentId}/authorisations/{authorisationId}" AIS, Other 200;
    CONSENT_AUTHORISATION_UPDATE = "updateConsentsPsuData" PUT "/v1/consents/{consentId}/authorisations/{authorisationId}" AIS, Other 200;
    ACCOUNT_LIST = "getAccountList" GET "/v1/accounts" AIS, AccountInformation 200;
    ACCOUNT_DETAILS = "readAccountDetails" GET "/v1/accounts/{account-id}" AIS, AccountInformation 200;
    ACCOUNT_BALANCES = "getBalances" GET "/v1/accounts/{account-id}/balances" AIS, AccountInformation 200;
    TRANSACTION_LIST = "getTransactionList" GET "/v1/accounts/{account-id}/transactions" AIS, AccountInformation 200;
    TRANSACTION_DETAILS = "getTransactionDetails" GET "/v1/accounts/{account-id}/transactions/{transactionId}" AIS, AccountInformation 200;
    CARD_ACCOUNT_LIST = "getCardAccount" GET "/v1/card-accounts" AIS, AccountInformation 200;
    CARD_ACCOUNT_DETAILS = "readCardAccount" GET "/v1/card-accounts/{account-id}" AIS, AccountInformation 200;
    CARD_ACCOUNT_BALANCES = "getCardAccountBalances" GET "/v1/card-accounts/{account-id}/balances" AIS, AccountInformation 200;
    CARD_ACCOUNT_TRANSACTIONS = "getCardAccountTransactionList" GET "/v1/card-accounts/{account-id}/transactions" AIS, AccountInformation 200;
    CARD_LIST = "getCardList" GET "/v1/cards" AIS, AccountInformation 200;
    CARD_DETAILS = "readCardDetails" GET "/v1/cards/{card-id}" AIS, AccountInformation 200;
    CARD_BALANCES = "getCardBalances" GET "/v1/cards/{card-id}/balances" AIS, AccountInformation 200;
    CARD_TRANSACTIONS = "getCardTransactionList" GET "/v1/cards/{card-id}/transactions" AIS, AccountInformation 200;
    PAYMENT_INITIATE = "initiatePayment" POST "/v1/{payment-service}/{payment-product}" PIS, PaymentInitiation 201;
    PAYMENT_GET = "getPaymentInformation" GET "/v1/{payment-service}/{payment-product}/{paymentId}" PIS, PaymentInitiation 200;
    PAYMENT_STATUS = "getPaymentInitiationStatus" GET "/v1/{payment-service}/{payment-product}/{paymentId}/status" PIS, PaymentInitiation 200;
    PAYMENT_EXTENDED_STATUS = "getPaymentInitiationExtendedStatus" GET "/v1/{payment-service}/{payment-product}/{paymentId}/extended-status" PIS, PaymentInitiation 200;
    PAYMENT_CANCEL = "cancelPayment" DELETE "/v1/{payment-service}/{payment-product}/{paymentId}" CANCELLATION, Other 202;
    PAYMENT_AUTHORISATION_START = "startPaymentAuthorisation" POST "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations" PIS, Other 201;
    PAYMENT_AUTHORISATION_LIST = "getPaymentInitiationAuthorisation" GET "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations" PIS, Other 200;
    PAYMENT_AUTHORISATION_GET = "getPaymentInitiationScaStatus" GET "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}" PIS, Other 200;
    PAYMENT_AUTHORISATION_UPDATE = "updatePaymentPsuData" PUT "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}" PIS, Other 200;
    CANCELLATION_AUTHORISATION_START = "startPaymentInitiationCancellationAuthorisation" POST "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations" CANCELLATION, Other 201;
    CANCELLATION_AUTHORISATION_LIST = "getPaymentInitiationCancellationAuthorisationInformation" GET "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations" CANCELLATION, Other 200;
    CANCELLATION_AUTHORISATION_GET = "getPaymentCancellationScaStatus" GET "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}" CANCELLATION, Other 200;
    CANCELLATION_AUTHORISATION_UPDATE = "updatePaymentCancellationPsuData" PUT "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}" CANCELLATION, Other 200;
    SIGNING_BASKET_CREATE = "createSigningBasket" POST "/v1/signing-baskets" BASKETS, Other 201;
    SIGNING_BASKET_GET = "getSigningBasket" GET "/v1/signing-baskets/{basketId}" BASKETS, Other 200;
    SIGNING_BASKET_STATUS = "getSigningBasketStatus" GET "/v1/signing-baskets/{basketId}/status" BASKETS, Other 200;
    SIGNING_BASKET_DELETE = "deleteSigningBasket" DELETE "/v1/signing-baskets/{basketId}" BASKETS, Other 204;
    SIGNING_BASKET_AUTHORISATION_START = "startSigningBasketAuthorisation" POST "/v1/signing-baskets/{basketId}/authorisations" BASKETS, Other 201;
    SIGNING_BASKET_AUTHORISATION_LIST = "getSigningBasketAuthorisation" GET "/v1/signing-baskets/{basketId}/authorisations" BASKETS, Other 200;
    SIGNING_BASKET_AUTHORISATION_GET = "getSigningBasketScaStatus" GET "/v1/signing-baskets/{basketId}/authorisations/{authorisationId}" BASKETS, Other 200;
    SIGNING_BASKET_AUTHORISATION_UPDATE = "updateSigningBasketPsuData" PUT "/v1/signing-baskets/{basketId}/authorisations/{authorisationId}" BASKETS, Other 200;
    FUNDS_CONFIRMATION = "checkAvailabilityOfFunds" POST "/v1/funds-confirmations" FUNDS, FundsConfirmation 200;
    FUNDS_CONSENT_CREATE = "createConsentConfirmationOfFunds" POST "/v2/consents/confirmation-of-funds" FUNDS_CONSENT, Other 201;
    FUNDS_CONSENT_GET = "getConsentConfirmationOfFunds" GET "/v2/consents/confirmation-of-funds/{consentId}" FUNDS_CONSENT, Other 200;
    FUNDS_CONSENT_STATUS = "getConsentConfirmationOfFundsStatus" GET "/v2/consents/confirmation-of-funds/{consentId}/status" FUNDS_CONSENT, Other 200;
    FUNDS_CONSENT_DELETE = "deleteConsentConfirmationOfFunds" DELETE "/v2/consents/confirmation-of-funds/{consentId}" FUNDS_CONSENT, Other 204;
    FUNDS_CONSENT_AUTHORISATION_START = "startConsentConfirmationOfFundsAuthorisation" POST "/v2/consents/confirmation-of-funds/{consentId}/authorisations" FUNDS_CONSENT, Other 201;
    FUNDS_CONSENT_AUTHORISATION_LIST = "getConsentConfirmationOfFundsAuthorisation" GET "/v2/consents/confirmation-of-funds/{consentId}/authorisations" FUNDS_CONSENT, Other 200;
    FUNDS_CONSENT_AUTHORISATION_GET = "getConsentConfirmationOfFundsScaStatus" GET "/v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}" FUNDS_CONSENT, Other 200;
    FUNDS_CONSENT_AUTHORISATION_UPDATE = "updateConsentConfirmationOfFundsPsuData" PUT "/v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}" FUNDS_CONSENT, Other 200;
}

/// The OpenAPI document of the dialect.
pub static OPENAPI: Operation = operation(
    "getOpenapi",
    Method::GET,
    "/openapi.json",
    "Berlin Group GET /openapi.json",
    (Access::Open, MessageCodeList::AccountInformation),
    Service::Other,
    200,
);

/// The base itself, which says where the document is.
pub static BASE: Operation = operation(
    "getBase",
    Method::GET,
    "",
    "Berlin Group GET base",
    (Access::Open, MessageCodeList::AccountInformation),
    Service::Other,
    200,
);

macro_rules! refused {
    ($($method:ident $path:literal $kind:expr;)*) => {
        /// Operations of the standard that the bank does not offer. They are answered, so that a client learns that and not that
        /// the path is wrong.
        pub static REFUSED: &[Operation] = &[$(operation(
            "refused",
            Method::$method,
            $path,
            concat!("Berlin Group ", stringify!($method), " ", $path),
            $kind,
            Service::Other,
            405,
        ),)*];
    };
}

refused! {
    GET "/v1/accounts/{account-id}/cheques" AIS;
    PUT "/v1/{payment-service}/{payment-product}/{paymentId}/creditor-confirmation" PIS;
    POST "/v1/verification-of-payee" PIS;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_asks_for_the_role_of_its_service() {
        for operation in OPERATIONS.iter().copied().chain(REFUSED) {
            let service = operation.path.split('/').nth(2).unwrap();
            let role = match (service, operation.path.starts_with("/v2/")) {
                ("funds-confirmations", false) | ("consents", true) => Role::CardIssuing,
                ("consents" | "accounts" | "card-accounts" | "cards", false) => Role::AccountInformation,
                ("{payment-service}" | "signing-baskets" | "verification-of-payee", false) => {
                    Role::PaymentInitiation
                }
                other => panic!("{other:?}: say here which role it asks for"),
            };
            match operation.access {
                Access::Tpp(asked) => assert_eq!(asked, role, "{}", operation.name),
                _ => panic!("{} is open", operation.name),
            }
        }
    }
}
