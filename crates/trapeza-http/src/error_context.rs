//! What decides the format of a request's errors.

use crate::operation::{ApiFamily, FieldSpelling, MessageCodeList, Operation};
use crate::settings::Settings;
use trapeza_domain::field::FieldPath;
use uuid::Uuid;

/// The properties of a request that decide the format of its errors.
#[derive(Clone, Copy, Debug)]
pub struct ErrorContext {
    pub family: ApiFamily,
    pub message_codes: MessageCodeList,
    /// `None` where no operation was found.
    pub operation: Option<&'static Operation>,
    pub field_spelling: FieldSpelling,
    pub correlation: Uuid,
}

impl ErrorContext {
    pub fn of(operation: &'static Operation, correlation: Uuid) -> Self {
        let Operation { family, message_codes, field_spelling, .. } = *operation;
        Self { family, message_codes, operation: Some(operation), field_spelling, correlation }
    }

    /// For a request whose operation is not found, or not yet.
    pub fn of_request(settings: &Settings, path: &str, correlation: Uuid) -> Self {
        let native = Self::of_path(path, correlation);
        match &settings.berlin_group {
            Some(dialect) if dialect.covers(path) => Self { family: ApiFamily::BerlinGroup, ..native },
            _ => native,
        }
    }

    /// For a path without an operation: the version prefix decides the family. Its refusals name no fields of the domain.
    pub fn of_path(path: &str, correlation: Uuid) -> Self {
        let open_banking = ["/v1", "/v2"].iter().any(|prefix| {
            path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let family = if open_banking { ApiFamily::OpenBanking } else { ApiFamily::PayLater };
        let field_spelling = |path: &FieldPath| match path {
            FieldPath::Spelled(name) => name.clone(),
            FieldPath::Fields(_) => String::new(),
        };
        let message_codes = MessageCodeList::AccountInformation;
        Self { family, message_codes, operation: None, field_spelling, correlation }
    }
}
