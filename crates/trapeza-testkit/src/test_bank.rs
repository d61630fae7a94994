//! A bank for one test, with the sandbox's demo data behind a real socket.

use crate::api_client::{ApiClient, ApiResponse};
use crate::browser::Browser;
use crate::database::Database;
use crate::ledger_fixture::opening_posting;
use crate::seal::TestSeal;
use crate::seeded_bank::{self, system_time};
use crate::tpp_fixture::clock_advance_without_sweep;
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use trapeza::bootstrap::sandbox_clearing;
use trapeza::demo::{self, SeedOptions};
use trapeza::server::service;
use trapeza_app::bank_profile::BankProfile;
use trapeza_app::keyring::KeyPurpose;
use trapeza_app::ledger::Posting;
use trapeza_app::sca::ScaSettings;
use trapeza_app::staff::{IdentityProvider, LocalSignIn};
use trapeza_app::{
    App, ClearingPort, Clock, Entropy, InstantPort, Keyring, PayeeLimits, PayeeVerifier, PaymentSettings,
    SandboxBehaviour, Store, Zone,
};
use trapeza_app::{format_date, parse_timestamp};
use trapeza_domain::clearing::{RoutingTable, UnmatchedPolicy};
use trapeza_domain::payment::Fees;
use trapeza_domain::reference::Iban;
use trapeza_domain::time::{Date, TimeDelta};
use trapeza_http::Reloadable;
use trapeza_http::server::{Drained, ExpiredCrl, ServerOptions};
use trapeza_http::signature::{Seal, SealAuthorities, SignatureMode, SignatureSettings};
use trapeza_http::{
    AppState, BerlinGroupSettings, CamtVersion, CertificateMode, LinkForm, RateLimitSettings, Settings,
    TrustedProxies,
};
use trapeza_sandbox::SandboxSetup;

/// The root secret of test banks.
const ROOT: [u8; 32] = *b"the secret of the banks of tests";

/// When a test bank starts: always the same morning, so that every date in a response is the same.
const BEGINNING: &str = "2035-03-15T08:00:00Z";

pub struct TestBank {
    pub base_url: String,
    /// Content of `sandbox.json`.
    pub sandbox_file: Value,
    pub app: Arc<App>,
    /// What the handlers of its requests use.
    pub state: Arc<AppState>,
    pub database: Database,
    client: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<Drained>>,
    directory: tempfile::TempDir,
}

/// Options of a test bank.
#[derive(Clone, Default)]
pub struct TestBankOptions {
    pub rates: Option<RateLimitSettings>,
    /// Fees of payments.
    pub fees: Fees,
    /// Another clearing port than the sandbox's.
    pub clearing: Option<Arc<dyn ClearingPort>>,
    /// Another instant clearing port than the sandbox's.
    pub instant_clearing: Option<Arc<dyn InstantPort>>,
    /// Another routing table than the sandbox's.
    pub routing: Option<RoutingTable>,
    /// Without the sandbox's collection account.
    pub no_collection_account: bool,
    /// What happens to incoming transfers that cannot be booked.
    pub unmatched: UnmatchedPolicy,
    /// An external payee verification service.
    pub payee_responder: Option<Arc<dyn PayeeVerifier>>,
    /// The identity provider of the staff, and who may still sign in without it.
    pub identity_provider: Option<(Arc<dyn IdentityProvider>, LocalSignIn)>,
    /// Budgets of payee verification.
    pub payee_limits: Option<PayeeLimits>,
    /// Another description of the bank than the default.
    pub bank_profile: Option<BankProfile>,
    /// Another name than the default.
    pub bank_name: Option<&'static str>,
    /// Whether shoppers without an account declare their income.
    pub declared_income: bool,
    /// Whether the hourly budgets of messages apply, as in production.
    pub limit_messages: bool,
    /// Another version of statements as XML than the default.
    pub camt: Option<CamtVersion>,
    /// Whether third parties sign their requests.
    pub signature: SignatureMode,
    /// Other authorities of seals than the demo's.
    pub seal_authorities: Option<Reloadable<SealAuthorities>>,
    /// The bank's own seal.
    pub seal: Option<Reloadable<Seal>>,
    /// Without demo data and what only a sandbox does: its operations, fixed outcomes and open sign-up.
    pub production: bool,
}

impl TestBankOptions {
    /// The documented rate limits.
    pub fn limited() -> Self {
        let number = |n| NonZeroU32::new(n).expect("not zero");
        let rates =
            RateLimitSettings { per_second: number(50), burst: number(100), failures_per_minute: number(10) };
        Self { rates: Some(rates), ..Self::default() }
    }
}

impl TestBank {
    pub async fn start(database: Database) -> Self {
        Self::with_options(database, TestBankOptions::default()).await
    }

    pub async fn with_options(database: Database, shape: TestBankOptions) -> Self {
        let directory = tempfile::tempdir().expect("the test needs a directory");
        let passed = match shape.production || !database.is_new() {
            true => TimeDelta(0),
            false => seeded_bank::copy(&database, directory.path(), Self::seed).await,
        };
        Self::in_directory(directory, database, shape, passed).await
    }

    /// Seeds a bank, which is stopped then.
    async fn seed(database: Database) -> seeded_bank::Stopped {
        let directory = tempfile::tempdir().expect("the test needs a directory");
        let mut bank =
            Self::in_directory(directory, database, TestBankOptions::default(), TimeDelta(0)).await;
        bank.stop().await;
        (bank.database, bank.directory)
    }

    /// The bank of a directory, whose clock continues where it was before `passed`.
    async fn in_directory(
        directory: tempfile::TempDir,
        database: Database,
        shape: TestBankOptions,
        passed: TimeDelta,
    ) -> Self {
        let keyring = Keyring::new(ROOT);
        let mut options = Database::options();
        options.audit_key = keyring.derive(KeyPurpose::Audit);
        let store = database.open_with(&options);
        let zone = Zone::parse("Europe/Athens").expect("Athens has a time zone");
        start_at(&store, BEGINNING, passed).await;
        let clock = Clock::load(&store, zone).await.expect("the clock is in the store");
        let routing = shape.routing.clone().unwrap_or_else(demo::routing_table);
        let collection = (!shape.no_collection_account).then(demo::collection_iban);
        let unmatched = shape.unmatched;
        let payments =
            PaymentSettings { fees: shape.fees, routing: Arc::new(routing), collection, unmatched };
        // Longer than the ninety days that require recent SCA, short enough for hundreds of tests.
        let seed_options = SeedOptions { days: 120, ..SeedOptions::default() };
        let app = App::new(store, clock, Entropy::os(), keyring)
            .with_sca(ScaSettings {
                limit_messages: shape.limit_messages,
                ..ScaSettings::sandbox(demo::sandbox_file::OTP)
            })
            .with_payments(payments)
            .with_clearing(clearing(directory.path(), &shape))
            .with_instant_clearing(instant_clearing(directory.path(), &shape));
        let app = if shape.declared_income { app.with_declared_income() } else { app };
        let app = if shape.production {
            app
        } else {
            let authority = demo::authority(&app, directory.path()).expect("the authority is made");
            app.with_sandbox(SandboxBehaviour::default())
                .with_demo(demo::source(seed_options))
                .with_test_certificates(Arc::new(authority))
        };
        let app = match &shape.payee_responder {
            Some(responder) => app.with_payee_verifier(responder.clone()),
            None => app,
        };
        let app = match &shape.identity_provider {
            Some((provider, local)) => app.with_identity_provider(provider.clone(), *local),
            None => app,
        };
        let app = match shape.payee_limits {
            Some(limits) => app.with_payee_limits(limits),
            None => app,
        };
        let app = match &shape.bank_profile {
            Some(profile) => app.with_bank_profile(profile.clone()),
            None => app,
        };
        let app = match shape.bank_name {
            Some(name) => app.with_bank_name(name),
            None => app,
        };
        let app = Arc::new(app);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let bound = listener.local_addr().expect("an address");
        let base_url = format!("http://{bound}");
        let sandbox_file = match shape.production {
            true => Value::Null,
            false => {
                let seeded = demo::seed(&app, directory.path(), &base_url, seed_options).await;
                seeded.expect("the demo bank is made")
            }
        };
        let settings =
            Settings { signature: signature(&sandbox_file, &shape), ..settings(&base_url, &shape) };
        let state = AppState::new(app.clone(), settings, String::new);
        let handlers = service(state.clone(), SandboxSetup::of_sandbox_file(bound, &sandbox_file));
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(Arc::new(handlers).serve(listener, ServerOptions::default(), async move {
            let _ = stopped.await;
        }));
        Self {
            base_url,
            sandbox_file,
            app,
            state,
            database,
            client: reqwest::Client::new(),
            stop: Some(stop),
            served: Some(served),
            directory,
        }
    }

    /// A third party of the demo with its headers: 0 and 1 have all roles, 2 account information only.
    pub fn tpp(&self, number: usize) -> ApiClient {
        self.anonymous().as_tpp(&self.sandbox_file["tpps"][number])
    }

    /// The same, with signed requests.
    pub fn signing_tpp(&self, number: usize) -> ApiClient {
        self.tpp(number).signed_by(Arc::new(TestSeal::of_tpp(&self.sandbox_file["tpps"][number])))
    }

    /// A merchant of the demo with its headers.
    pub fn merchant(&self, number: usize) -> ApiClient {
        self.anonymous().as_merchant(&self.sandbox_file["merchants"][number])
    }

    /// A client without headers.
    pub fn anonymous(&self) -> ApiClient {
        ApiClient::new(self.client.clone(), self.base_url.clone())
    }

    /// A browser without cookies.
    pub fn browser(&self) -> Browser {
        Browser::new(&self.base_url)
    }

    /// Advances the bank's clock and runs everything due.
    pub async fn advance(&self, duration: &str) -> ApiResponse {
        let answer = self.anonymous().post("/sandbox/clock", &json!({ "advance": duration })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer
    }

    /// Advances the bank's clock without the sweep, as when the sweep is late.
    pub async fn pass(&self, span: TimeDelta) {
        clock_advance_without_sweep(&self.app, span).await;
    }

    /// Authorises an object by the embedded approach with password and OTP.
    pub async fn authorise(&self, tpp: &ApiClient, path: &str, psu: &Value) {
        let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
        assert_eq!(started.status, 200, "{started:?}");
        let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
        let mut answer = tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
        if let Some(method) = answer.method_with_code() {
            answer = tpp.put(&own, &method).await;
        }
        assert_eq!(answer.text("/scaStatus"), "scaMethodSelected", "{answer:?}");
        let last = tpp.put(&own, &json!({ "scaAuthenticationData": self.sandbox_file["otp"] })).await;
        assert_eq!((last.status, last.text("/scaStatus")), (200, "finalised"), "{last:?}");
    }

    /// Books an opening balance on an account of the demo bank.
    pub async fn book_opening(&self, iban: &str, minor: i64) {
        let iban = Iban::parse(iban).expect("a valid IBAN");
        let found =
            self.app.store().read(move |tx| Ok(tx.account_by_iban(&iban)?)).await.expect("accounts are read");
        let account = found.into_iter().next().expect("the account is there");
        let today = self.app.clock().today();
        let posting = Posting { booking_day: today, value_day: today, ..opening_posting(&account, minor) };
        self.app.ledger_post(vec![posting]).await.expect("it is booked");
    }

    /// The clearing directories `outgoing`, `incoming` and `done`.
    pub fn clearing_directory(&self, name: &str) -> PathBuf {
        self.directory.path().join("clearing").join(name)
    }

    /// The bank's date `days` ago.
    pub fn days_ago(&self, days: i32) -> String {
        format_date(Date(self.app.clock().today().0 - days))
    }

    /// Stops the server and closes the store.
    pub async fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(served) = self.served.take() {
            let _ = served.await;
        }
        let store = self.app.store().clone();
        tokio::task::spawn_blocking(move || store.close()).await.expect("the store closes");
    }
}

/// The sandbox's clearing, unless the test replaces it.
fn clearing(directory: &Path, shape: &TestBankOptions) -> Arc<dyn ClearingPort> {
    match &shape.clearing {
        Some(port) => port.clone(),
        None => Arc::new(sandbox_clearing(directory).expect("the folders are made").0),
    }
}

/// The sandbox's instant clearing, unless the test replaces it.
fn instant_clearing(directory: &Path, shape: &TestBankOptions) -> Arc<dyn InstantPort> {
    match &shape.instant_clearing {
        Some(port) => port.clone(),
        None => Arc::new(sandbox_clearing(directory).expect("the folders are made").1),
    }
}

/// Moves the clock of a new bank forward.
async fn start_at(store: &Store, moment: &str, passed: TimeDelta) {
    let target = parse_timestamp(moment).expect("a moment");
    let (ahead, _) = store.read(|tx| Ok(tx.clock_find()?)).await.expect("the clock is read");
    let by = if ahead.0 == 0 { target.since(system_time()) } else { TimeDelta(-passed.0) };
    store.write(move |tx| Ok(tx.clock_advance(by)?)).await.expect("the clock is moved");
}

fn signature(sandbox_file: &Value, shape: &TestBankOptions) -> SignatureSettings {
    let demo = || {
        let pem = sandbox_file["authority"].as_str().expect("the demo has an authority");
        let loaded = SealAuthorities::load(pem.as_bytes(), None, ExpiredCrl::Accept);
        Reloadable::new(loaded.expect("the authority can be used").authorities)
    };
    if shape.production {
        return SignatureSettings::default();
    }
    let authorities = shape.seal_authorities.clone().unwrap_or_else(demo);
    SignatureSettings { mode: shape.signature, authorities, seal: shape.seal.clone() }
}

fn settings(base_url: &str, shape: &TestBankOptions) -> Settings {
    Settings {
        public_url: base_url.to_owned(),
        certificates: CertificateMode::Header,
        trusted_proxies: TrustedProxies::default(),
        signature: SignatureSettings::default(),
        sandbox: !shape.production,
        berlin_group: Some(BerlinGroupSettings {
            base: "/berlin-group".to_owned(),
            links: LinkForm::Absolute,
            camt: shape.camt.unwrap_or(CamtVersion::V08),
            sandbox_application: Some(demo::clients::FIRST_TPP.to_owned()),
        }),
        body_bytes: 65536,
        basket_body_bytes: 1 << 20,
        json_depth: 32,
        request_timeout: Duration::from_secs(30),
        rate_limits: shape.rates,
        request_log: Some(TimeDelta::days(7)),
    }
}
