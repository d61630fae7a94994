//! An app on a test database and third parties in it, for tests of use cases without HTTP.

use crate::database::Database;
use std::sync::Arc;
use trapeza_app::application::NewTpp;
use trapeza_app::keyring::KeyPurpose;
use trapeza_app::sca::ScaSettings;
use trapeza_app::{App, Clock, Entropy, Keyring, Tpp, Zone};
use trapeza_domain::application::ParsedCertificate;
use trapeza_domain::time::{TimeDelta, Timestamp};

pub const ROOT_SECRET: [u8; 32] = [6; 32];
/// The registered redirect URI of every third party.
pub const REDIRECT_URI: &str = "https://tpp.example/back";

/// The app on a database, with an audit chain that `audit_verify` accepts.
pub async fn open(database: &Database, settings: ScaSettings) -> Arc<App> {
    let mut options = Database::options();
    options.audit_key = Keyring::new(ROOT_SECRET).derive(KeyPurpose::Audit);
    let store = database.open_with(&options);
    let zone = Zone::parse("Europe/Athens").expect("Athens has a time zone");
    let clock = Clock::load(&store, zone).await.expect("the clock is in the store");
    Arc::new(App::new(store, clock, Entropy::os(), Keyring::new(ROOT_SECRET)).with_sca(settings))
}

/// Registers a third party.
pub async fn register(app: &App, name: &str) -> Tpp {
    let order =
        NewTpp { name: name.into(), certificates: Vec::new(), redirect_uris: vec![REDIRECT_URI.into()] };
    let application = app.tpp_register(order).await.expect("the third party is registered").application;
    let certificate = ParsedCertificate {
        fingerprint: [0; 32],
        organisation: "PSDGR-BOG-1".into(),
        name: name.into(),
        host_names: [].into(),
        roles: Vec::new(),
        not_before: Timestamp(0),
        not_after: Timestamp(i64::MAX),
    };
    Tpp { application, certificate: Arc::new(certificate) }
}

/// Moves the bank's clock without the sweep that `clock_advance` runs.
pub async fn clock_advance_without_sweep(app: &App, span: TimeDelta) {
    app.store().write(move |tx| Ok(tx.clock_advance(span)?)).await.expect("the clock is advanced");
    app.clock().synchronise(app.store()).await.expect("the clock is read");
}
