//! `trapeza serve`: the bank in production. It does not start with anything unsafe in its configuration.

use super::{root_secret, runtime};
use crate::admin::AdminServer;
use crate::bootstrap::RunMode;
use crate::cli::Serve;
use crate::config::{DatabaseUrl, production_problems};
use crate::data_dir::DataDir;
use crate::listeners::Listeners;
use crate::metrics::Metrics;
use crate::reload::{ReloadSignal, Reloader};
use crate::seal_files::RunningSeals;
use crate::server::{AdminInterface, Couriers, Server};
use crate::tls_files::RunningTls;
use crate::{bootstrap, console_server, file_limit, log, server};
use std::fmt::Write;
use std::sync::Arc;
use trapeza_courier::Clearing;
use trapeza_domain::egress::EgressPolicy;
use trapeza_http::AppState;

pub fn run(serve: &Serve) -> (String, bool) {
    match serve_until_stopped(serve) {
        Ok(()) => (String::new(), true),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

fn serve_until_stopped(serve: &Serve) -> Result<(), String> {
    let sources = serve.sources();
    let config = sources.load().map_err(|error| error.to_string())?.config;
    let problems = production_problems(&config);
    if !problems.is_empty() {
        let mut text = "refusing to start with this configuration:".to_owned();
        for error in problems {
            let _ = write!(text, "\n- {error}");
        }
        return Err(text);
    }
    let log = log::start(&config.log)?;
    file_limit::raise(config.limits.connections.get());
    let metrics = Metrics::install()?;
    let dir = DataDir::open(&config.data)?;
    let lock = dir.lock()?;
    let secret = root_secret(&config, &dir, &lock)?;
    runtime()?.block_on(async {
        let reload = ReloadSignal::listen()?;
        let telemetry = bootstrap::telemetry_start(&config)?;
        let mut app = bootstrap::open(&config, dir.path(), &secret, RunMode::Production).await?;
        match bootstrap::clearing(&config)? {
            Some(folders) => app = app.with_clearing(Arc::new(Clearing::new(folders))),
            None => tracing::warn!("clearing is not set: SEPA credit transfers will not leave the bank"),
        }
        if let Some(gateway) = bootstrap::instant_gateway(&config)? {
            app = app.with_instant_clearing(Arc::new(gateway));
        }
        if let Some(directory) = bootstrap::payee_directory(&config)? {
            app = app.with_payee_verifier(Arc::new(directory));
        }
        let app = Arc::new(bootstrap::with_identity_provider(app, &config)?);
        let mut listeners = Listeners::bind(&config).await?;
        let bound = listeners.public.local_addr().map_err(|error| error.to_string())?;
        let seals = RunningSeals::load(&config, None)?;
        let settings = bootstrap::settings(&config, config.base_url(bound), false, seals.settings.clone());
        let store = app.store().clone();
        let bank = AppState::new(app, settings, move || metrics.render(&store));
        let admin = AdminInterface {
            socket: AdminServer::bind(&dir, &lock)?,
            database: config.database.as_ref().map(DatabaseUrl::to_string),
        };
        if bank.app.bank_profile().contact.is_empty() {
            tracing::warn!("bank.contact_telephone, …_email, …_website and …_address are not set: pages and documents do not say how customers reach the bank");
        }
        let sms = bootstrap::sms_gateway(&config)?;
        if sms.is_none() {
            tracing::warn!("sms.url is not set: codes by text message will not be sent");
        }
        let couriers =
            Couriers { sms, email: bootstrap::email_gateway(&config)?, callback: bootstrap::callback_courier(&config, EgressPolicy::Public)? };
        let tls = RunningTls::load(&config)?;
        let (tls_expiry, options) =
            (tls.expiry.clone(), bootstrap::server_options(&config, tls.config.clone()));
        tracing::info!(%bound, "listening");
        let seal_expiry = seals.expiry.clone();
        let console = console_server::open(&config, listeners.console.take(), &bank)?;
        let reload = reload.run(Reloader { sources, config, tls, seals, log });
        let sandbox = None;
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
