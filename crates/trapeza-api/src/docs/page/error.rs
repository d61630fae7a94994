//! The page of errors: every refusal once, with its statuses, an example of its cause, what to do and the operations that answer it.

use super::layout::{ERRORS, Layout};
use crate::docs::{DocVariant, operations, refusal};
use askama::Template;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "docs_errors.html")]
struct ErrorPage {
    layout: Layout,
    rows: Vec<ErrorRow>,
}

struct ErrorRow {
    key: String,
    /// The names of the code, with the statuses.
    codes: Vec<String>,
    cause: String,
    remedy: &'static str,
    operations: usize,
}

pub fn page(variant: &DocVariant) -> String {
    let page = ErrorPage { layout: Layout::new(variant, "Errors", ERRORS), rows: rows(variant) };
    page.render().expect("the template writes into a String, which cannot fail")
}

fn rows(variant: &DocVariant) -> Vec<ErrorRow> {
    let mut rows: BTreeMap<(u16, String), ErrorRow> = BTreeMap::new();
    let mut status_of: BTreeMap<String, u16> = BTreeMap::new();
    for error in operations(variant).flat_map(refusal::of) {
        let status = *status_of.entry(error.key.clone()).or_insert(error.status.as_u16());
        let row = rows.entry((status, error.key.clone())).or_insert_with(|| ErrorRow {
            remedy: remedy(&error.key),
            cause: error.text.clone(),
            codes: Vec::new(),
            key: error.key.clone(),
            operations: 0,
        });
        let code = format!("{} {}", error.status.as_u16(), error.name);
        if !row.codes.contains(&code) {
            row.codes.push(code);
        }
        row.operations += 1;
    }
    rows.into_values().collect()
}

/// What the caller does about a refusal. A test proves that every refusal has a remedy.
fn remedy(key: &str) -> &'static str {
    match key {
        "KeyUnknown" => {
            "Send the subscription key of your application. A lost key cannot be shown again; ask for a new one."
        }
        "ClientUnknown" => "Send the ClientId of the application that the key belongs to.",
        "CertificateMissing" => {
            "Send your certificate: in the sandbox as a header, in production by the TLS connection."
        }
        "CertificateInvalid" => "Use a certificate that is registered for this application.",
        "CertificateExpired" => "Renew the certificate and have the new one registered.",
        "CertificateBlocked" => "Ask the bank why the certificate is blocked.",
        "CertificateRevoked" => "Use a certificate that was not revoked.",
        "RoleMissing" => {
            "Use a certificate with the PSD2 role of the operation: PSP_AI, PSP_PI or PSP_IC. What replaces the bank of a sandbox is sent by a program or by the bank's own pages."
        }
        "SignatureMissing" => "Sign the request: Digest, Signature and TPP-Signature-Certificate.",
        "SignatureInvalid" => "Compute digest and signature over the bytes and headers that you send.",
        "ApplicationUnknown" => "Send the X-Application-ID of the application that the key belongs to.",
        "RateExceeded" => "Wait for the time in Retry-After, then send fewer requests per second.",
        "Malformed" => "Correct the fields that the error names; all of them are reported together.",
        "TooLarge" => "Send a smaller body.",
        "NotAcceptable" => "Accept application/json, or send no Accept.",
        "MediaTypeUnsupported" => "Send JSON with Content-Type application/json.",
        "Inconsistent" => "Send a new idempotency key: this one belongs to another request.",
        "Unsupported" => "Use one of the documented values.",
        "PeriodInvalid" => "Send a period whose end is not before its beginning.",
        "ExecutionDateInvalid" => "Send a date between today and 365 days ahead.",
        "PathUnknown" => "Correct the path.",
        "MethodNotAllowed" => "Use one of the methods in the header Allow.",
        "ResourceUnknown" => "Check the id: the object does not exist or belongs to another caller.",
        "ProductUnknown" => "Use internal-transfers or sepa-credit-transfers.",
        "ProductInvalid" => "Use the product under which the payment was initiated.",
        "ServiceUnknown" => "Use the service payments.",
        "StatusInvalid" => "Fetch the object: its state does not allow the request. See the page of states.",
        "StepOutOfOrder" => "Follow one of the links in _links: they are the steps that are possible now.",
        "ScaMethodUnknown" => "Choose one of scaMethods.",
        "CredentialsInvalid" => "Ask the customer for password or code again. After several wrong ones wait.",
        "CancellationInvalid" => "Nothing: the payment was submitted. Ask the payee to return it.",
        "ConsentUnknown" => "Check the id of the consent, and create a new consent if it is lost.",
        "ConsentInvalid" => "Read the status of the consent; have it authorised or create a new one.",
        "ConsentLacksRight" => "Create a consent that covers this account and this kind of data.",
        "ConsentExpired" => "Create a new consent and have the customer authorise it.",
        "AccessExceeded" => "Wait for the time in Retry-After, or read while the customer is present.",
        "CardInvalid" => "Send the number of a card of this account, or none.",
        "FundsNotActivated" => "Use an account that takes part in the confirmation of funds.",
        "TooSlow" => "Send the body without delay.",
        "Failed" => "Report the correlation id to the bank.",
        "Unavailable" => {
            "Wait for the time in Retry-After, then send the same request with the same idempotency key."
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_cause_and_a_remedy() {
        for row in rows(&DocVariant::sandbox()) {
            assert!(!row.remedy.is_empty() && !row.cause.is_empty(), "{}", row.key);
        }
    }
}
