//! The parameters of an operation: its path, authentication and its own.

use super::parameter::{
    APPLICATION_ID, CERTIFICATE, CLIENT_ID, DIGEST, KEY, Location, OWN_APPLICATION_ID, OWN_CLIENT_ID,
    Parameter, REQUEST_ID, SIGNATURE, SIGNATURE_CERTIFICATE,
};
use crate::docs::index;
use trapeza_http::operation::{Access, Operation};

/// All parameters of an operation: path first, then authentication, then its own.
pub fn operation(operation: &Operation) -> Vec<&'static Parameter> {
    let headers: &[&'static Parameter] = match operation.access {
        Access::Tpp(_) => {
            &[&REQUEST_ID, &CERTIFICATE, &CLIENT_ID, &KEY, &DIGEST, &SIGNATURE, &SIGNATURE_CERTIFICATE]
        }
        Access::Merchant => &[&APPLICATION_ID, &KEY],
        Access::Application => &[&OWN_CLIENT_ID, &OWN_APPLICATION_ID, &KEY],
        Access::Open => &[],
    };
    let own = index::of(operation).doc.parameters.iter();
    let (first, rest): (Vec<_>, Vec<_>) = own.copied().partition(|own| own.location == Location::Path);
    first.into_iter().chain(headers.iter().copied()).chain(rest).collect()
}
