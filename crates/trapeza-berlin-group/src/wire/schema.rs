//! Parts of schemas that no Rust type says.

use schemars::{Schema, SchemaGenerator, json_schema};
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::ConsentStatus;

/// A string that is one of these words.
pub fn one_of(words: impl IntoIterator<Item = &'static str>) -> Schema {
    json_schema!({ "type": "string", "enum": words.into_iter().collect::<Vec<_>>() })
}

pub fn consent_status(_: &mut SchemaGenerator) -> Schema {
    one_of(ConsentStatus::ALL.iter().map(|each| each.name()))
}

pub fn sca_status(_: &mut SchemaGenerator) -> Schema {
    one_of(ScaStatus::ALL.iter().map(|each| each.name()))
}

pub fn transaction_status(_: &mut SchemaGenerator) -> Schema {
    one_of([
        "ACCC", "ACCP", "ACSC", "ACSP", "ACTC", "ACWC", "ACWP", "RCVD", "PDNG", "RJCT", "CANC", "ACFC",
        "PATC", "PART",
    ])
}

pub fn account_status(_: &mut SchemaGenerator) -> Schema {
    one_of(["enabled", "deleted", "blocked"])
}

pub fn account_usage(_: &mut SchemaGenerator) -> Schema {
    one_of(["PRIV", "ORGA"])
}
