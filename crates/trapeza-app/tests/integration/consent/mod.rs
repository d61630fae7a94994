//! Access and funds consents: created once, visible to their owner only, terminated or expired.

mod create;
mod expiry;
mod terminate;

use trapeza_app::idempotency::{IdempotentRequest, RequestIdentity};
use trapeza_app::{App, Tpp};
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessOptions, ConsentKind, FundsConsentRequest, ValidUntil,
};
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::id::ConsentId;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{AccountReference, Iban, Pan};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::Database;
use uuid::Uuid;

const PAN: &str = "4111111111111111";

fn create_request(app: &App, tpp: &Tpp, request: u128, body: &str) -> IdempotentRequest {
    app.idempotent_request(&RequestIdentity {
        application: tpp.application,
        operation: "POST /v1/consents",
        idempotency_key: Uuid::from_u128(request),
        field: Field::RequestId,
        path: "/v1/consents",
        psu: "anna",
        consent: "",
        body: body.as_bytes(),
    })
}

fn terminate_request(app: &App, tpp: &Tpp, request: u128, id: &str) -> IdempotentRequest {
    app.idempotent_request(&RequestIdentity {
        application: tpp.application,
        operation: "DELETE /v1/consents/{consentId}",
        idempotency_key: Uuid::from_u128(request),
        field: Field::RequestId,
        path: id,
        psu: "",
        consent: "",
        body: b"",
    })
}

fn access_order(app: &App, days: i64) -> AccessConsentRequest {
    AccessConsentRequest {
        access: Access::AllPsd2,
        options: AccessOptions::default(),
        recurring: true,
        valid_until: ValidUntil::Timestamp(app.now().plus(TimeDelta::days(days))),
        frequency_per_day: 4,
        combined_service: false,
    }
}

async fn create(app: &App, tpp: &Tpp, request: u128, order: AccessConsentRequest) -> AccessConsent {
    let created =
        app.consent_create(create_request(app, tpp, request, "{}"), tpp, "anna".into(), order).await.unwrap();
    assert!(!created.replayed);
    created.value
}

fn funds_order() -> FundsConsentRequest {
    FundsConsentRequest {
        account: AccountReference::iban(
            Iban::parse("GR1601101250000000012300695").unwrap(),
            Some(Currency::EUR),
        ),
        card_number: Some(Pan::parse(PAN).unwrap()),
        card_expiry: None,
        card_information: Some("Gold, Ελλάδα".into()),
        registration_information: None,
    }
}

/// Stores the effect of an authorisation, without the authorisation.
async fn authorise(app: &App, tpp: &Tpp, id: ConsentId, kind: ConsentKind) {
    let (application, now) = (tpp.application, app.now());
    let work = app.store().write(move |tx| {
        let consent = tx.consent_lock(application, id, kind)?.expect("the consent exists");
        let (consent, _) = consent.authorise(now)?;
        Ok(tx.consent_update(&consent)?)
    });
    work.await.unwrap();
}

/// The statuses as stored, which time may have overtaken.
fn stored_statuses(database: &Database) -> Vec<String> {
    database.column("SELECT status FROM consent ORDER BY created_at, status")
}

/// The actions on consents and the kind of their actor.
fn audit_events(database: &Database) -> Vec<String> {
    let sql = "SELECT actor, action FROM audit_event WHERE action <> 'application.registered'
               AND action <> 'clock.advanced' ORDER BY occurred_at, action";
    let rows = database.rows(sql);
    rows.iter().map(|row| format!("{} by {}", row[1], row[0].split(':').next().unwrap_or_default())).collect()
}

fn consent_unknown() -> (RefusalReason, FieldPath) {
    (RefusalReason::ConsentUnknown, Field::ConsentId.into())
}
