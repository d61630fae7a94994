//! The running server: HTTP, background loop, admin socket, couriers, and an orderly shutdown.

use crate::admin::{AdminResponse, AdminServer};
use crate::command::{AdminCall, AdminRequest};
use crate::console_server::ConsoleServer;
use crate::hexadecimal;
use crate::listeners::Listeners;
use crate::metrics::sampler::Sampler;
use crate::seal_files::SealExpiry;
use crate::service_manager::{notify_ready, notify_stopping};
use crate::tls_files::SharedTlsExpiry;
use crate::{health_recorder, instant_courier, request_log_recorder, statistics_recorder};
use ::metrics::{gauge, histogram};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::interval;
use trapeza_app::App;
use trapeza_courier::otlp::OtlpSink;
use trapeza_courier::{CallbackCourier, EmailGateway, SmsGateway};
use trapeza_http::Reloadable;
use trapeza_http::router::Route;
use trapeza_http::server::{ServerOptions, ServerThreads};
use trapeza_http::service::Pages;
use trapeza_http::{AppState, HttpService};
use trapeza_sandbox::SandboxSetup;

/// Interval of the sweep.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// Interval at which the heads of the audit chains are logged, where the database cannot change them, and stored.
const HEAD_LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Connections of monitoring, of the console, and of the calls of a sandbox to itself: all need a few.
const LOCAL_CONNECTIONS: usize = 64;

/// Outbound delivery.
pub struct Couriers {
    pub sms: Option<SmsGateway>,
    pub email: Option<EmailGateway>,
    pub callback: CallbackCourier,
}

/// The admin socket, and the database that its commands work on.
pub struct AdminInterface {
    pub socket: AdminServer,
    /// The database URL without its password; `None` for SQLite in the data directory.
    pub database: Option<String>,
}

/// The parts of a server.
pub struct Server {
    pub bank: Arc<AppState>,
    pub listeners: Listeners,
    pub options: ServerOptions,
    pub admin: AdminInterface,
    pub couriers: Couriers,
    pub tls_expiry: SharedTlsExpiry,
    pub seal_expiry: Reloadable<SealExpiry>,
    pub telemetry: Option<OtlpSink>,
    /// The pages of the sandbox; `None` in production.
    pub sandbox: Option<SandboxSetup>,
    /// The console on a listener of its own; `None` when there is none.
    pub console: Option<ConsoleServer>,
}

/// Serves until SIGTERM or SIGINT; returns when everything is on disk. `reload` answers SIGHUP meanwhile.
pub async fn run_until_shutdown(
    server: Server,
    reload: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let Server {
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
    } = server;
    let stop = stop_signal()?;
    let drain = options.drain_timeout;
    let (stopping, stopped) = tokio::sync::watch::channel(false);
    let housekeeping =
        tokio::spawn(background_loop(bank.clone(), console.as_ref().map(|console| console.bank.clone())));
    let reload = tokio::spawn(reload);
    let statistics = tokio::spawn(statistics_recorder::run(bank.clone()));
    let request_log = tokio::spawn(request_log_recorder::run(bank.clone()));
    let instant = tokio::spawn(instant_courier::run(bank.app.clone()));
    let health = tokio::spawn(health_recorder::run(bank.clone()));
    let sampler = tokio::spawn(Sampler::new(bank.app.clone(), tls_expiry, seal_expiry).run());
    let operators = {
        let bank = bank.clone();
        let database = admin.database;
        tokio::spawn(
            admin.socket.serve(move |call, user| handle_admin(bank.clone(), database.clone(), call, user)),
        )
    };
    let courier = {
        let app = bank.app.clone();
        tokio::spawn(async move {
            let sms = async {
                if let Some(sms) = &couriers.sms {
                    sms.run(app.clone()).await;
                }
            };
            let email = async {
                if let Some(email) = &couriers.email {
                    email.run(app.clone()).await;
                }
            };
            tokio::join!(sms, email);
        })
    };
    let callbacks = {
        let (app, mut stopping_signal, mut late) = (bank.app.clone(), stopped.clone(), stopped);
        tokio::spawn(async move {
            let stopping_signal = async move {
                let _ = stopping_signal.wait_for(|stopping| *stopping).await;
            };
            // Attempts that take longer are repeated after the next start, when their leases have expired.
            let late = async move {
                let _ = late.wait_for(|stopping| *stopping).await;
                tokio::time::sleep(drain).await;
            };
            tokio::select! {
                () = couriers.callback.run(app, stopping_signal) => {}
                () = late => tracing::warn!("shutdown: callbacks in progress were aborted, they are retried after the next start"),
            }
        })
    };
    let draining = bank.clone();
    let stopped_at = Arc::new(OnceLock::new());
    let stop_time = stopped_at.clone();
    let shutdown = async move {
        stop.await;
        notify_stopping();
        stop_time.get_or_init(|| draining.app.now());
        tracing::info!("shutdown: not ready any more, finishing requests in progress");
        draining.draining.store(true, Ordering::Relaxed);
        stopping.send_replace(true);
    };
    let service = Arc::new(match listeners.monitoring {
        None => service(bank.clone(), sandbox),
        Some(_) => service_without_metrics(bank.clone(), sandbox),
    });
    let own = listeners.own.map(|listener| {
        // The same service: what the bank sends to the sample shop arrives here as well.
        tokio::spawn(service.clone().serve(listener, local_options(&options), std::future::pending()))
    });
    let monitoring = listeners.monitoring.map(|listener| {
        let (service, options) = (Arc::new(monitoring_service(bank.clone())), local_options(&options));
        // It answers until the last request is finished, so that monitoring sees the shutdown.
        tokio::spawn(service.serve(listener, options, std::future::pending()))
    });
    let console = console.map(|console| {
        let local = local_options(&options);
        let tls = options.tls.clone().filter(|_| console.has_tls);
        let options = ServerOptions { tls, ..local };
        let service = Arc::new(console_service(console.bank));
        tokio::spawn(service.serve(console.listener, options, std::future::pending()))
    });
    // The sockets are bound: from here on a connection waits for its answer instead of being refused.
    notify_ready();
    let drained = service.serve(listeners.public, options, shutdown).await;
    if drained.cut_off > 0 {
        tracing::warn!(drained.cut_off, "shutdown: busy connections were closed");
    }
    housekeeping.abort();
    reload.abort();
    statistics.abort();
    request_log.abort();
    instant.abort();
    health.abort();
    sampler.abort();
    if let Some(monitoring) = monitoring {
        monitoring.abort();
    }
    if let Some(own) = own {
        own.abort();
    }
    if let Some(console) = console {
        console.abort();
    }
    operators.abort();
    courier.abort();
    if callbacks.await.is_err() {
        tracing::error!("callbacks: the courier task failed");
    }
    if let Some(telemetry) = telemetry {
        telemetry.flush().await;
    }
    statistics_recorder::finish(&bank.app, *stopped_at.get_or_init(|| bank.app.now())).await;
    request_log_recorder::flush(&bank).await;
    publish_heads(&bank.app).await;
    let store = bank.app.store().clone();
    let closed = tokio::task::spawn_blocking(move || store.close()).await;
    closed.map_err(|_| "cannot close the store".to_owned())?;
    tracing::info!("stopped");
    Ok(())
}

/// The service with API and pages.
pub fn service(bank: Arc<AppState>, sandbox: Option<SandboxSetup>) -> HttpService {
    let operations = operations(&bank);
    HttpService::new(bank.clone(), operations, pages(&bank, sandbox))
}

/// The same without `/metrics`, which is on a listener of its own.
fn service_without_metrics(bank: Arc<AppState>, sandbox: Option<SandboxSetup>) -> HttpService {
    let mut operations = operations(&bank);
    operations.retain(|(operation, _)| operation.path != trapeza_api::operation::METRICS.path);
    HttpService::new(bank.clone(), operations, pages(&bank, sandbox))
}

/// The operations of both dialects.
fn operations(bank: &AppState) -> Vec<Route> {
    let mut operations = trapeza_api::routes(bank.settings.sandbox, trapeza_berlin_group::document);
    if let Some(dialect) = &bank.settings.berlin_group {
        operations.extend(trapeza_berlin_group::routes(dialect));
    }
    operations
}

/// The pages of customers and developers.
fn pages(bank: &Arc<AppState>, sandbox: Option<SandboxSetup>) -> Pages {
    let router = trapeza_web::routes(bank).merge(trapeza_portal::routes());
    Pages {
        router: match sandbox {
            Some(setup) => router.merge(trapeza_sandbox::routes(setup)).merge(trapeza_console::routes()),
            None => router,
        },
        measured_call: trapeza_web::measured_call,
        error_page: Some(trapeza_web::error_page),
    }
}

/// The console, without everything else.
fn console_service(bank: Arc<AppState>) -> HttpService {
    let pages = Pages {
        router: trapeza_console::routes_of_own_listener(),
        measured_call: |_| None,
        error_page: Some(trapeza_web::error_page),
    };
    HttpService::new(bank, Vec::new(), pages)
}

/// Metrics and health.
fn monitoring_service(bank: Arc<AppState>) -> HttpService {
    HttpService::without_pages(bank, trapeza_api::monitoring_routes())
}

/// The options of a listener without TLS beside the public one.
fn local_options(options: &ServerOptions) -> ServerOptions {
    ServerOptions {
        tls: None,
        threads: ServerThreads::Current,
        connections_max: LOCAL_CONNECTIONS,
        connections_per_address_max: LOCAL_CONNECTIONS,
        connections: ::metrics::Gauge::noop(),
        ..options.clone()
    }
}

/// Resolves at the first SIGTERM or SIGINT.
fn stop_signal() -> Result<impl Future<Output = ()>, String> {
    let listen = |kind| signal(kind).map_err(|error| format!("cannot install signal handlers: {error}"));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// The background loop: clock, sweep, audit heads.
async fn background_loop(bank: Arc<AppState>, console: Option<Arc<AppState>>) {
    let (mut sweep, mut heads) = (interval(SWEEP_INTERVAL), interval(HEAD_LOG_INTERVAL));
    loop {
        tokio::select! {
            _ = sweep.tick() => {
                let synchronised = bank.app.clock().synchronise(bank.app.store()).await;
                bank.writable.store(synchronised.is_ok(), Ordering::Relaxed);
                if let Err(error) = synchronised {
                    tracing::warn!(%error, "clock: synchronisation failed, retrying");
                }
                let started = Instant::now();
                match bank.app.sweep(bank.app.now()).await {
                    Ok(_) => record_sweep(started),
                    Err(error) => tracing::warn!(%error, "sweep: failed, retrying"),
                }
            }
            _ = heads.tick() => {
                publish_heads(&bank.app).await;
                bank.prune_rate_limits();
                if let Some(console) = &console {
                    console.prune_rate_limits();
                }
            }
        }
    }
}

fn record_sweep(started: Instant) {
    histogram!("trapeza_sweep_seconds").record(started.elapsed());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    gauge!("trapeza_sweep_last_success_timestamp_seconds").set(now);
}

/// Logs and stores the heads of the audit chains.
async fn publish_heads(app: &App) {
    for head in app.store().audit_heads() {
        let mac = hexadecimal::encode(&head.mac);
        tracing::info!(chain = head.chain, sequence = head.sequence, mac, "audit head");
    }
    if let Err(error) = app.audit_heads_store().await {
        tracing::warn!(%error, "audit: storing the heads failed, retrying in a minute");
    }
}

/// Executes a request of the admin socket.
async fn handle_admin(
    bank: Arc<AppState>,
    database: Option<String>,
    call: AdminCall,
    user: u32,
) -> AdminResponse {
    let AdminCall { database: named, request } = call;
    let name = request.name();
    if named.is_some() && named != database {
        let (named, database) = (named.unwrap_or_default(), database.as_deref().unwrap_or("SQLite"));
        tracing::warn!(command = name, "admin command refused: it names another database");
        let text = format!(
            "the server on this data directory uses {database}, not {named}; use its database, or give the other bank's --data\n"
        );
        return AdminResponse { text, exit: 2 };
    }
    if matches!(request, AdminRequest::Device(_)) && !bank.settings.sandbox {
        return AdminResponse { text: "only a sandbox simulates devices\n".to_owned(), exit: 2 };
    }
    let work = tokio::task::spawn_blocking(move || request.execute(&bank.app, user));
    let response = work.await.unwrap_or_else(|_| AdminResponse {
        text: "the command failed; see the server's log\n".to_owned(),
        exit: 1,
    });
    tracing::info!(command = name, user, exit = response.exit, "admin command");
    response
}
