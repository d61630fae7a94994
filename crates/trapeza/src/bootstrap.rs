//! Builds the parts of the program from its configuration.

mod bank_profile;
mod identity_provider;

pub use bank_profile::bank_profile;
pub use identity_provider::{identity_provider, with_identity_provider};

use crate::config::{CertificateMode, Config, DatabaseUrl, Switch, Telemetry};
use crate::root_key::{RootSecrets, SealedWith};
use crate::root_secret::Secret;
use crate::{demo, routing};
use ::metrics::gauge;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trapeza_app::keyring::KeyPurpose;
use trapeza_app::sca::ScaSettings;
use trapeza_app::{
    App, Clock, Entropy, Keyring, PayeeLimits, PaymentSettings, SandboxBehaviour, Store, Zone, trace,
};
use trapeza_courier::callback::CallbackSettings;
use trapeza_courier::otlp::OtlpSink;
use trapeza_courier::{
    ApiClient, CallbackCourier, Clearing, EmailGateway, EmailSettings, HttpPayeeVerifier, InstantGateway,
    JsonClient, OtlpExporter, Roots, SandboxClearingHouse, SmsGateway, Spool,
};
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::payment::Fees;
use trapeza_domain::reference::Iban;
use trapeza_domain::secret::Secret as DomainSecret;
use trapeza_domain::time::TimeDelta;
use trapeza_http::server::{ServerOptions, SharedTlsConfig};
use trapeza_http::signature::SignatureSettings;
use trapeza_http::{CertificateMode as EdgeMode, RateLimitSettings, Settings};
use trapeza_store::{DatabaseLocation, PostgresTimeouts, StoreOptions, root_key_find};

/// The SQLite file in the data directory.
pub const DATABASE_FILE: &str = "trapeza.db";

/// Sandbox and production differ in how customers authenticate and in the clearing counterpart.
#[derive(Clone, Copy)]
pub enum RunMode {
    Production,
    /// With a fixed OTP that is always accepted.
    Sandbox(&'static str),
}

/// How often the root key is read when another process creates the bank, or rotates its secret, at the same moment.
const ROOT_KEY_ATTEMPTS: usize = 3;

/// Opens and migrates the store, and creates the app on it. Creates the bank in an empty database. A root key that is still
/// encrypted with the previous root secret is encrypted with the current one.
pub async fn open(config: &Config, data: &Path, secret: &Secret, mode: RunMode) -> Result<App, String> {
    let secrets = RootSecrets::load(config, secret)?;
    let file = data.join(DATABASE_FILE);
    let url = database_url(config)?;
    for _ in 0..ROOT_KEY_ATTEMPTS {
        let stored = root_key_find(location(url.as_ref(), &file));
        let stored = stored.map_err(|error| format!("cannot open the database: {error}"))?;
        let (root_key, with) = match &stored {
            Some((sealed, _)) => secrets.open(sealed)?,
            None => (RootSecrets::generate(), SealedWith::Current),
        };
        let app = open_app(config, &file, &root_key, mode).await?;
        let is_stored = match (stored, with) {
            (None, _) => app.root_key_create(secrets.seal(&root_key)).await,
            (Some((before, _)), SealedWith::Previous) => {
                app.root_key_replace(before.ciphertext, secrets.seal(&root_key)).await
            }
            (Some(_), SealedWith::Current) => Ok(true),
        };
        if is_stored.map_err(|error| error.to_string())? {
            app.clock().zone_store(app.store()).await.map_err(|error| error.to_string())?;
            if secrets.has_previous() {
                tracing::info!(
                    "root secret: secret_file protects the database, previous_secret_file may be removed"
                );
            }
            return Ok(app);
        }
        app.store().close();
    }
    Err("other processes changed the root key at the same time; start again".to_owned())
}

async fn open_app(config: &Config, file: &Path, root_key: &[u8; 32], mode: RunMode) -> Result<App, String> {
    let keyring = Keyring::new(*root_key);
    let entropy = Entropy::os();
    let mut options = StoreOptions::new(keyring.derive(KeyPurpose::Audit), entropy.bytes());
    options.queue_capacity = config.store.queue.get();
    options.batch_jobs = config.store.batch_jobs.get();
    options.batch_time = config.store.batch;
    options.postgres_threads = config.store.postgres_threads.get();
    options.postgres_timeouts = PostgresTimeouts {
        connect: config.store.postgres_connect_timeout,
        statement: config.store.postgres_statement_timeout,
    };
    let url = database_url(config)?;
    let store = match location(url.as_ref(), file) {
        DatabaseLocation::Postgres(url) => Store::open_postgres(url, &options),
        DatabaseLocation::Sqlite(file) => Store::open_sqlite(file, &options),
    };
    let store = store.map_err(|error| format!("cannot open the database: {error}"))?;
    let zone = Zone::parse(&config.zone)?;
    let clock = Clock::load(&store, zone).await.map_err(|error| error.to_string())?;
    let app = App::new(store, clock, entropy, keyring);
    let (app, routing, default_collection) = match mode {
        RunMode::Production => (app, routes(config)?, None),
        RunMode::Sandbox(otp) => {
            let app = app.with_sca(ScaSettings::sandbox(otp)).with_sandbox(SandboxBehaviour::default());
            let data = file.parent().unwrap_or(Path::new("."));
            let authority = demo::authority(&app, data)?;
            let app = app.with_test_certificates(Arc::new(authority));
            (app, demo::routing_table(), Some(demo::collection_iban()))
        }
    };
    let app = app
        .with_bank_profile(bank_profile(config)?)
        .with_email(config.email.url.is_some())
        .with_payments(payments(config, routing, default_collection))
        .with_callback_retention(TimeDelta::days(config.callback.keep_days.get().into()));
    let app = match config.bank.declared_income {
        Switch::On => app.with_declared_income(),
        Switch::Off => app,
    };
    Ok(match config.rate_limit {
        Switch::On => app.with_payee_limits(PayeeLimits {
            per_application: config.rate.payee_mismatches_per_hour,
            per_iban: config.rate.payee_mismatches_per_iban_per_hour,
        }),
        Switch::Off => app,
    })
}

/// The database of a URL, or else the SQLite database `file` in the data directory.
pub fn location<'a>(url: Option<&'a DatabaseUrl>, file: &'a Path) -> DatabaseLocation<'a> {
    match url {
        Some(url) => DatabaseLocation::Postgres(url.reveal()),
        None => DatabaseLocation::Sqlite(file),
    }
}

/// The configured URL of PostgreSQL, with the password from its file. Errors name the setting.
pub fn database_url(config: &Config) -> Result<Option<DatabaseUrl>, String> {
    let Some(file) = &config.database_password_file else { return Ok(config.database.clone()) };
    let Some(url) = &config.database else {
        return Err("database_password_file is set without database".to_owned());
    };
    let password = secret_line("database_password_file", file, "password")?;
    url.with_password(password.expose()).map(Some).map_err(|text| format!("database: {text}"))
}

/// The secret in a file that other users cannot read. A line break at its end is ignored. `what` is what the file contains.
fn secret_line(key: &str, file: &Path, what: &str) -> Result<DomainSecret<String>, String> {
    let unusable = |text: String| format!("{key}: {} {text}", file.display());
    let unreadable = |error: std::io::Error| unusable(format!("cannot be read ({error})"));
    let mode = std::fs::metadata(file).map_err(unreadable)?.permissions().mode();
    if mode & 0o007 != 0 {
        return Err(unusable(format!(
            "is readable by every user; change the {what} and run chmod 600 on it"
        )));
    }
    let text = DomainSecret::new(std::fs::read_to_string(file).map_err(unreadable)?);
    match text.expose().trim_end_matches(['\r', '\n']) {
        "" => Err(unusable(format!("contains no {what}"))),
        secret => Ok(DomainSecret::new(secret.to_owned())),
    }
}

fn payments(config: &Config, routing: RoutingTable, default_collection: Option<Iban>) -> PaymentSettings {
    let fees = Fees { internal_minor: config.fees.internal_minor, sepa_minor: config.fees.sepa_minor };
    let collection = config.bank.collection_iban.or(default_collection);
    let unmatched = config.clearing.unmatched;
    PaymentSettings { fees, routing: Arc::new(routing), collection, unmatched }
}

/// The routing table, if configured. Errors name the setting.
pub fn routes(config: &Config) -> Result<RoutingTable, String> {
    let Some(path) = &config.clearing.routes else { return Ok(RoutingTable::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("clearing.routes: cannot read {} ({error})", path.display()))?;
    routing::parse(&text).map_err(|(line, problem)| format!("clearing.routes: line {line}: {problem}"))
}

/// The clearing spool, if configured. Errors name the setting.
pub fn clearing(config: &Config) -> Result<Option<Spool>, String> {
    let folders = &config.clearing;
    let (outgoing, incoming, done) = match (&folders.outgoing, &folders.incoming, &folders.done) {
        (None, None, None) => return Ok(None),
        (Some(outgoing), Some(incoming), Some(done)) => (outgoing, incoming, done),
        _ => {
            return Err(
                "clearing.outgoing, clearing.incoming and clearing.done must be set together".to_owned()
            );
        }
    };
    let opened = Spool::open(outgoing, incoming, done, Entropy::os().bytes());
    opened.map(Some).map_err(|error| format!("clearing: cannot use the directories ({error})"))
}

/// The sandbox's clearing: a spool in the data directory and a simulated clearing house, which also answers instant payments.
pub fn sandbox_clearing(data: &Path) -> Result<(Clearing, SandboxClearingHouse), String> {
    let folders = Spool::make(&data.join("clearing"), Entropy::os().bytes());
    let folders = folders.map_err(|error| format!("cannot create the clearing directories: {error}"))?;
    let clearing_house = SandboxClearingHouse::new(folders.clone(), demo::is_own_iban);
    Ok((Clearing::new(folders).with_sandbox(clearing_house.clone()), clearing_house))
}

/// Settings of the HTTP layer.
pub fn settings(
    config: &Config,
    public_url: String,
    sandbox: bool,
    signature: SignatureSettings,
) -> Settings {
    Settings {
        public_url,
        sandbox,
        certificates: match config.callers.certificate_mode {
            CertificateMode::Mtls => EdgeMode::Mtls,
            CertificateMode::Proxy => EdgeMode::Proxy,
            CertificateMode::Header => EdgeMode::Header,
        },
        trusted_proxies: config.callers.trusted_proxies.clone(),
        signature,
        body_bytes: config.limits.body_bytes.get(),
        basket_body_bytes: config.limits.basket_body_bytes.get(),
        json_depth: config.limits.json_depth.get(),
        berlin_group: config.berlin_group.settings(),
        request_timeout: config.timeouts.request,
        rate_limits: (config.rate_limit == Switch::On).then_some(RateLimitSettings {
            per_second: config.rate.per_second,
            burst: config.rate.burst,
            failures_per_minute: config.rate.failed_authentications_per_minute,
        }),
        request_log: (config.request_log.keep_days > 0)
            .then(|| TimeDelta::days(config.request_log.keep_days.into())),
    }
}

/// The SMS gateway, if configured. Errors name the setting.
pub fn sms_gateway(config: &Config) -> Result<Option<SmsGateway>, String> {
    let sms = &config.sms;
    let json_client = json_client("sms", &sms.url, &sms.token_file, &sms.ca_file)?;
    Ok(json_client.map(SmsGateway::new))
}

/// The server for e-mail, if configured. Errors name the setting.
pub fn email_gateway(config: &Config) -> Result<Option<EmailGateway>, String> {
    let email = &config.email;
    let Some(url) = &email.url else { return Ok(None) };
    let read = |key: &str, file: &Path| {
        std::fs::read(file)
            .map_err(|error| format!("email.{key}: {} cannot be read ({error})", file.display()))
    };
    let from = email.from.as_deref().ok_or("email.from is required with email.url")?;
    let credentials = match &email.credentials_file {
        Some(file) => {
            let text = String::from_utf8(read("credentials_file", file)?).unwrap_or_default();
            let (user, password) =
                text.trim().split_once(':').ok_or("email.credentials_file must contain user:password")?;
            Some((user.to_owned(), DomainSecret::new(password.to_owned())))
        }
        None => None,
    };
    let ca = email.ca_file.as_deref().map_or(Ok(Vec::new()), |file| read("ca_file", file))?;
    let gateway = EmailGateway::parse(&EmailSettings { url, from, credentials, ca: &ca });
    gateway.map(Some).map_err(|error| format!("email.{error}"))
}

/// The gateway to instant clearing, if configured.
pub fn instant_gateway(config: &Config) -> Result<Option<InstantGateway>, String> {
    let gateway = &config.instant_clearing;
    let client = json_client("instant_clearing", &gateway.url, &gateway.token_file, &gateway.ca_file)?;
    Ok(client.map(InstantGateway::new))
}

/// The payee verification service for other banks' accounts, if configured.
pub fn payee_directory(config: &Config) -> Result<Option<HttpPayeeVerifier>, String> {
    let check = &config.payee_verification;
    let json_client = json_client("payee_verification", &check.url, &check.token_file, &check.ca_file)?;
    Ok(json_client.map(|json_client| HttpPayeeVerifier::new(json_client, check.limit)))
}

/// An HTTP client for an external service, from the settings of a section.
fn json_client(
    section: &str,
    url: &Option<String>,
    token_file: &Option<PathBuf>,
    ca_file: &Option<PathBuf>,
) -> Result<Option<JsonClient>, String> {
    let Some(url) = url else { return Ok(None) };
    let read = |key: &str, file: &Option<PathBuf>| {
        let unset = || format!("{section}.{key} is required with {section}.url");
        let file = file.as_ref().ok_or_else(unset)?;
        let unread = |error| format!("{section}.{key}: {} cannot be read ({error})", file.display());
        std::fs::read(file).map_err(unread)
    };
    let token = String::from_utf8(read("token_file", token_file)?);
    let token = token.map(|token| token.trim().to_owned()).ok().filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| format!("{section}.token_file contains no token"))?;
    let roots = Roots::parse(&read("ca_file", ca_file)?);
    let roots = roots.map_err(|error| format!("{section}.ca_file {error}"))?;
    let json_client = JsonClient::parse(url, DomainSecret::new(token), roots);
    json_client.map(Some).map_err(|error| format!("{section}.url {error}"))
}

/// The exporter of traces, if configured. Errors name the setting.
pub fn telemetry(config: &Config) -> Result<Option<(OtlpExporter, OtlpSink)>, String> {
    let Telemetry { otlp_endpoint, token_file, ca_file, .. } = &config.telemetry;
    let Some(endpoint) = otlp_endpoint else { return Ok(None) };
    let read = |key: &str, file: &Path| {
        std::fs::read(file)
            .map_err(|error| format!("telemetry.{key}: {} cannot be read ({error})", file.display()))
    };
    let token = token_file.as_deref().map(|file| {
        let token = String::from_utf8(read("token_file", file)?).unwrap_or_default().trim().to_owned();
        if token.is_empty() { Err("telemetry.token_file contains no token".to_owned()) } else { Ok(token) }
    });
    let roots = match ca_file {
        // A collector on the same machine may speak plain HTTP.
        Some(file) if endpoint.starts_with("https://") => {
            Roots::parse(&read("ca_file", file)?).map_err(|error| format!("telemetry.ca_file {error}"))?
        }
        _ => Roots::default(),
    };
    let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
    let client = JsonClient::parse_with(&url, token.transpose()?.map(DomainSecret::new), roots);
    let client = client.map_err(|error| format!("telemetry.otlp_endpoint {error}"))?;
    Ok(Some(OtlpExporter::new(client, "trapeza", env!("CARGO_PKG_VERSION"))))
}

/// Starts exporting traces, if configured.
pub fn telemetry_start(config: &Config) -> Result<Option<OtlpSink>, String> {
    let Some((exporter, sink)) = telemetry(config)? else { return Ok(None) };
    tokio::spawn(exporter.run());
    trace::install(Box::new(sink.clone()), config.telemetry.sampled_millionths);
    Ok(Some(sink))
}

/// The callback courier. A sandbox without a CA file can still call loopback.
pub fn callback_courier(config: &Config, egress_policy: EgressPolicy) -> Result<CallbackCourier, String> {
    let roots = callback_roots(config, egress_policy)?;
    let settings =
        CallbackSettings { limit: config.callback.timeout, ..CallbackSettings::new(egress_policy, roots) };
    CallbackCourier::parse(settings).map_err(|error| format!("callback.timeout_ms {error}"))
}

fn callback_roots(config: &Config, egress_policy: EgressPolicy) -> Result<Roots, String> {
    match &config.callback.ca_file {
        None => Ok(Roots::default()),
        Some(file) if egress_policy == EgressPolicy::PublicOrLoopback && !file.exists() => {
            Ok(Roots::default())
        }
        Some(file) => {
            let pem = std::fs::read(file)
                .map_err(|error| format!("callback.ca_file: {} cannot be read ({error})", file.display()))?;
            Roots::parse(&pem).map_err(|error| format!("callback.ca_file {error}"))
        }
    }
}

/// The client of the commands for developers. It trusts the authorities that callbacks trust.
pub fn developer_client(config: &Config) -> Result<ApiClient, String> {
    let roots = callback_roots(config, EgressPolicy::PublicOrLoopback)?;
    ApiClient::new(roots).map_err(|error| format!("callback.ca_file {error}"))
}

/// Options of the HTTP server.
pub fn server_options(config: &Config, tls: Option<SharedTlsConfig>) -> ServerOptions {
    ServerOptions {
        tls,
        header_timeout: config.timeouts.header,
        body_timeout: config.timeouts.body,
        connections_max: config.limits.connections.get(),
        connections_per_address_max: config.limits.connections_per_address.get(),
        drain_timeout: config.timeouts.drain,
        connections: gauge!("trapeza_connections"),
        ..ServerOptions::default()
    }
}
