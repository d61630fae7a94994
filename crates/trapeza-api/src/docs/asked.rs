//! What a caller has to send with an operation: what its right asks for, and what is its own.

use super::parameter::{
    APPLICATION_ID, CERTIFICATE, CLIENT_ID, KEY, OWN_APPLICATION_ID, OWN_CLIENT_ID, Parameter, Place,
    REQUEST_ID,
};
use crate::docs::index;
use trapeza_http::operation::{Operation, Right};

/// All parameters of an operation: its path, what its right asks for, and what is its own.
pub fn of(operation: &Operation) -> Vec<&'static Parameter> {
    let headers: &[&'static Parameter] = match operation.right {
        Right::Tpp(_) => &[&REQUEST_ID, &CERTIFICATE, &CLIENT_ID, &KEY],
        Right::Merchant => &[&APPLICATION_ID, &KEY],
        Right::Application => &[&OWN_CLIENT_ID, &OWN_APPLICATION_ID, &KEY],
        Right::Open => &[],
    };
    let own = index::of(operation).doc.parameters.iter();
    let (first, rest): (Vec<_>, Vec<_>) = own.copied().partition(|own| own.place == Place::Path);
    first.into_iter().chain(headers.iter().copied()).chain(rest).collect()
}
