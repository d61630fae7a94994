//! Idempotency keys: a write that is repeated under the same key has no second effect.
//!
//! Third parties send the key in `x-Request-ID`, merchants in the field `requestId` of the body.

use super::{ApiRequest, header};
use crate::operation::ApiFamily;
use axum::http::HeaderMap;
use trapeza_app::idempotency::{IdempotentRequest, RequestIdentity};
use trapeza_app::{Merchant, Tpp};
use trapeza_domain::field::Field;
use trapeza_domain::refusal::Refusal;
use uuid::Uuid;

/// The `x-Request-ID` of a third party's request.
pub(super) fn read_request_id(headers: &HeaderMap) -> Result<Uuid, Refusal> {
    let text = header::REQUEST.of(headers)?.unwrap_or_default();
    let id = (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten();
    id.ok_or_else(|| {
        let text = "must be a UUID, for example 6f9619ff-8b86-4011-b42d-00cf4fc964ff";
        Refusal::malformed(Field::RequestId, text)
    })
}

impl ApiRequest<Tpp> {
    /// Identifies this request by its `x-Request-ID`, its path, its body and the given header values.
    pub fn idempotent(&self, psu: &str, consent: &str) -> IdempotentRequest {
        self.identify(self.operation.name, self.request_id, psu, consent)
    }

    /// Identifies a part of this request that has an effect and a record of its own.
    pub fn idempotent_part(&self, part: &'static str, id: Uuid) -> IdempotentRequest {
        self.identify(part, id, "", "")
    }

    fn identify(
        &self,
        operation: &'static str,
        idempotency_key: Uuid,
        psu: &str,
        consent: &str,
    ) -> IdempotentRequest {
        let app = &self.state.app;
        let identity = RequestIdentity {
            application: self.caller.application,
            operation,
            idempotency_key,
            field: Field::RequestId,
            path: self.parts.uri.path(),
            psu,
            consent,
            body: &self.body,
        };
        match self.operation.family {
            // The Berlin Group knows no refusal of a request id that was used before.
            ApiFamily::BerlinGroup => app.idempotent_request_by_content(&identity),
            ApiFamily::OpenBanking | ApiFamily::PayLater => app.idempotent_request(&identity),
        }
    }
}

impl ApiRequest<Merchant> {
    /// Identifies this request by the `requestId` of its body, its path and its body.
    pub fn idempotent(&self, idempotency_key: Uuid) -> IdempotentRequest {
        self.state.app.idempotent_request(&RequestIdentity {
            application: self.caller.application,
            operation: self.operation.name,
            idempotency_key,
            field: Field::MerchantRequestId,
            path: self.parts.uri.path(),
            psu: "",
            consent: "",
            body: &self.body,
        })
    }
}
