//! `trapeza sandbox`: a demo bank on this machine, made at the first start, with everything to try it.

use super::runtime;
use crate::admin::AdminServer;
use crate::bootstrap::RunMode;
use crate::cli::Sandbox;
use crate::config::{Config, DatabaseUrl};
use crate::data_dir::{DataDir, Lock};
use crate::demo::{self, SeedOptions, sandbox_file};
use crate::listeners::Listeners;
use crate::metrics::Metrics;
use crate::reload::{ReloadSignal, Reloader};
use crate::root_secret::Secret;
use crate::seal_files::RunningSeals;
use crate::server::{AdminInterface, Couriers, Server};
use crate::tls_files::RunningTls;
use crate::{allocator, bootstrap, console_server, file_limit, log, server};
use serde_json::Value;
use std::fmt::Write;
use std::num::NonZeroU64;
use std::sync::Arc;
use trapeza_domain::egress::EgressPolicy;
use trapeza_http::AppState;
use trapeza_sandbox::SandboxSetup;

/// `print` is a function pointer: a generic function would compile the whole server a second time, into the binary.
pub fn run(sandbox: &Sandbox, print: fn(&str)) -> (String, bool) {
    match serve(sandbox, print) {
        Ok(()) => (String::new(), true),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

fn serve(sandbox: &Sandbox, print: fn(&str)) -> Result<(), String> {
    let sources = sandbox.sources();
    let config = sources.load().map_err(|error| error.to_string())?.config;
    let log = log::start(&config.log)?;
    file_limit::raise(config.limits.connections.get());
    let metrics = Metrics::install()?;
    let dir = DataDir::open(&config.data)?;
    let lock = dir.lock()?;
    let secret = secret(&config, &dir, &lock)?;
    runtime()?.block_on(async {
        let reload = ReloadSignal::listen()?;
        let telemetry = bootstrap::telemetry_start(&config)?;
        let mut listeners = Listeners::bind(&config).await?;
        let bound = listeners.public.local_addr().map_err(|error| error.to_string())?;
        let base_url = config.base_url(bound);
        let app = bootstrap::open(&config, dir.path(), &secret, RunMode::Sandbox(sandbox_file::OTP)).await?;
        let defaults = SeedOptions::default();
        let seed_options = SeedOptions {
            seed: sandbox.seed.unwrap_or(defaults.seed),
            days: sandbox.days.unwrap_or(defaults.days),
            scale: sandbox.scale.map(NonZeroU64::get),
        };
        let (clearing, clearing_house) = bootstrap::sandbox_clearing(dir.path())?;
        let app = app.with_clearing(Arc::new(clearing));
        let app = match bootstrap::instant_gateway(&config)? {
            Some(gateway) => app.with_instant_clearing(Arc::new(gateway)),
            None => app.with_instant_clearing(Arc::new(clearing_house)),
        };
        let app = bootstrap::with_identity_provider(app, &config)?;
        let app = Arc::new(app.with_demo(demo::source(seed_options)));
        let sandbox_file = demo::seed(&app, dir.path(), &base_url, seed_options).await?;
        allocator::release_free_memory();
        let seals = RunningSeals::load(&config, sandbox_file["authority"].as_str().map(str::to_owned))?;
        let settings = bootstrap::settings(&config, base_url.clone(), true, seals.settings.clone());
        let store = app.store().clone();
        let bank = AppState::new(app, settings, move || metrics.render(&store));
        let admin = AdminInterface {
            socket: AdminServer::bind(&dir, &lock)?,
            database: config.database.as_ref().map(DatabaseUrl::to_string),
        };
        let dialect = config.berlin_group.settings().map(|dialect| dialect.base);
        print(&welcome(&base_url, dialect.as_deref(), &dir, &sandbox_file));
        // The demo customers' telephones do not exist.
        let callback = bootstrap::callback_courier(&config, EgressPolicy::PublicOrLoopback)?;
        let couriers = Couriers { sms: None, email: None, callback };
        let tls = RunningTls::load(&config)?;
        let (tls_expiry, options) =
            (tls.expiry.clone(), bootstrap::server_options(&config, tls.config.clone()));
        let seal_expiry = seals.expiry.clone();
        let own = listeners.bind_own(tls.config.is_some()).await?;
        let sandbox = SandboxSetup::of_sandbox_file(own, &sandbox_file);
        let console = console_server::open(&config, listeners.console.take(), &bank)?;
        let reload = reload.run(Reloader { sources, config, tls, seals, log });
        let server = Server {
            bank,
            listeners,
            options,
            admin,
            couriers,
            tls_expiry,
            seal_expiry,
            telemetry,
            sandbox,
            console,
        };
        server::run_until_shutdown(server, reload).await
    })
}

/// The sandbox may make its own secret; a production bank is given one.
fn secret(config: &Config, dir: &DataDir, lock: &Lock) -> Result<Secret, String> {
    match &config.secret_file {
        Some(file) => Secret::read(file),
        None => dir.secret_open_or_make(lock),
    }
}

/// What a developer reads first.
fn welcome(base_url: &str, dialect: Option<&str>, dir: &DataDir, sandbox_file: &Value) -> String {
    let dialect = dialect.map(|base| format!("Berlin Group  {base_url}{base}\n  ")).unwrap_or_default();
    let merchant = &sandbox_file["merchants"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "Trapeza sandbox: {base_url}\n\n  \
           reference     {base_url}/docs\n  \
           OpenAPI       {base_url}/openapi.json\n  \
           {dialect}\
           bank's app    {base_url}/app\n  \
           samples       {base_url}/sample/tpp, {base_url}/sample/shop\n  \
           console       {base_url}/console   (create a login: trapeza staff add)\n  \
           keys, users   {}\n\nTry it:\n\n  \
           curl -i {base_url}/configuration \\\n    \
             -H 'X-Application-ID: {}' \\\n    \
             -H 'Ocp-Apim-Subscription-Key: {}'\n\n",
        dir.path().join(sandbox_file::FILE).display(),
        text(&merchant["application_id"]),
        text(&merchant["subscription_key"]),
    );
    out
}
