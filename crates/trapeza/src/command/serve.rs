//! `trapeza serve`: the bank in production. It does not start with anything unsafe in its configuration.

use super::{root_secret, runtime};
use crate::admin::AdminServer;
use crate::bootstrap::RunMode;
use crate::cli::Serve;
use crate::config::{DatabaseUrl, production_faults};
use crate::data_dir::DataDir;
use crate::metrics::Metrics;
use crate::reload::{ReloadSignal, Reloader};
use crate::server::{AdminInterface, Couriers};
use crate::{bootstrap, file_limit, log, server};
use std::fmt::Write;
use std::sync::Arc;
use tokio::net::TcpListener;
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
    let faults = production_faults(&config);
    if !faults.is_empty() {
        let mut text = "refusing to start with this configuration:".to_owned();
        for fault in faults {
            let _ = write!(text, "\n- {fault}");
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
        let mut app = bootstrap::open(&config, dir.path(), &secret, RunMode::Production).await?;
        match bootstrap::clearing(&config)? {
            Some(folders) => app = app.with_clearing(Arc::new(Clearing::new(folders))),
            None => tracing::warn!("clearing is not set: SEPA credit transfers will not leave the bank"),
        }
        if let Some(directory) = bootstrap::payee_directory(&config)? {
            app = app.with_payee_verifier(Arc::new(directory));
        }
        let app = Arc::new(app);
        let listener = TcpListener::bind(config.listen).await;
        let listener = listener.map_err(|error| format!("cannot listen on {}: {error}", config.listen))?;
        let bound = listener.local_addr().map_err(|error| error.to_string())?;
        let settings = bootstrap::settings(&config, config.base_url(bound), false);
        let bank = AppState::new(app, settings, move || metrics.render());
        let admin = AdminInterface {
            socket: AdminServer::bind(&dir, &lock)?,
            database: config.database.as_ref().map(DatabaseUrl::to_string),
        };
        let sms = bootstrap::sms_gateway(&config)?;
        if sms.is_none() {
            tracing::warn!("sms.url is not set: codes by text message will not be sent");
        }
        let couriers =
            Couriers { sms, callback: bootstrap::callback_courier(&config, EgressPolicy::Public)? };
        tracing::info!(%bound, "listening");
        let options = bootstrap::server_options(&config)?;
        let reload = reload.run(Reloader { sources, tls: options.tls.clone(), log });
        server::run_until_shutdown(bank, listener, options, admin, couriers, reload).await
    })
}
