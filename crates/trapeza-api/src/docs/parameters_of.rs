//! The parameters of an operation: its path, authentication and its own.

use super::parameter::{
    APPLICATION_ID, CERTIFICATE, CLIENT_ID, KEY, Location, OWN_APPLICATION_ID, OWN_CLIENT_ID, Parameter,
    REQUEST_ID,
};
use crate::docs::{index, signature};
use trapeza_http::operation::{Access, Operation};

/// All parameters of an operation: path first, then authentication, then its own, then the signature.
pub fn operation(operation: &Operation) -> Vec<&'static Parameter> {
    let headers: &[&'static Parameter] = match operation.access {
        Access::Tpp(_) => &[&REQUEST_ID, &CERTIFICATE, &CLIENT_ID, &KEY],
        Access::Merchant => &[&APPLICATION_ID, &KEY],
        Access::Application => &[&OWN_CLIENT_ID, &OWN_APPLICATION_ID, &KEY],
        Access::Open => &[],
    };
    let own = index::of(operation).doc.parameters.iter();
    let (first, rest): (Vec<_>, Vec<_>) = own.copied().partition(|own| own.location == Location::Path);
    let is_signed = matches!(operation.access, Access::Tpp(_));
    let signature = signature::PARAMETERS.into_iter().filter(|_| is_signed);
    first.into_iter().chain(headers.iter().copied()).chain(rest).chain(signature).collect()
}
