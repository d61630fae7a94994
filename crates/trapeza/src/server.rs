//! A bank at work: the server, what time makes due, the operator's socket, and an end in order.

use crate::admin::{AdminServer, Answer, Command};
use crate::command::{
    application, audit_verify, callbacks, clearing_list, device, ledger_check, loan, merchant, psu,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::interval;
use trapeza_app::App;
use trapeza_courier::{CallbackCourier, SmsGateway};
use trapeza_http::server::{ServerOptions, serve};
use trapeza_http::{AppState, HttpService};

/// How often what became due is done.
const SWEEP: Duration = Duration::from_secs(1);
/// How often the heads of the audit chains go to the log, which the database cannot change.
const HEADS: Duration = Duration::from_secs(60);

/// Who carries what leaves the bank.
pub struct Couriers {
    pub sms: Option<SmsGateway>,
    pub callback: CallbackCourier,
}

/// Serves until the process is told to stop; returns when everything is on disk.
pub async fn run_until_shutdown(
    bank: Arc<AppState>,
    listener: TcpListener,
    options: ServerOptions,
    admin: AdminServer,
    couriers: Couriers,
) -> Result<(), String> {
    let stop = stop_signal()?;
    let drain = options.drain_timeout;
    let (stopping, stopped) = tokio::sync::watch::channel(false);
    let housekeeping = tokio::spawn(background_loop(bank.clone()));
    let operators = {
        let bank = bank.clone();
        tokio::spawn(admin.serve(move |command| handle_admin(bank.clone(), command)))
    };
    let courier = {
        let app = bank.app.clone();
        tokio::spawn(async move {
            if let Some(sms) = couriers.sms {
                sms.run(app).await;
            }
        })
    };
    let callbacks = {
        let (app, mut told, mut late) = (bank.app.clone(), stopped.clone(), stopped);
        tokio::spawn(async move {
            let told = async move {
                let _ = told.wait_for(|stopping| *stopping).await;
            };
            // Tries that take longer are made again after the next start, when their leases are over.
            let late = async move {
                let _ = late.wait_for(|stopping| *stopping).await;
                tokio::time::sleep(drain).await;
            };
            tokio::select! {
                () = couriers.callback.run(app, told) => {}
                () = late => tracing::warn!("some callbacks were still under way and were cut off"),
            }
        })
    };
    let draining = bank.clone();
    let shutdown = async move {
        stop.await;
        tracing::info!("told to stop: no longer ready, finishing what is under way");
        draining.draining.store(true, Ordering::Relaxed);
        stopping.send_replace(true);
    };
    let service = service(bank.clone());
    let drained = serve(listener, service, options, shutdown).await;
    if drained.cut_off > 0 {
        tracing::warn!(drained.cut_off, "some connections were still busy and were cut off");
    }
    housekeeping.abort();
    operators.abort();
    courier.abort();
    if callbacks.await.is_err() {
        tracing::error!("the courier of callbacks ended badly");
    }
    log_heads(&bank.app);
    let store = bank.app.store().clone();
    let closed = tokio::task::spawn_blocking(move || store.close()).await;
    closed.map_err(|_| "the store could not be closed".to_owned())?;
    tracing::info!("stopped");
    Ok(())
}

/// The API and the pages, as they are served.
pub fn service(bank: Arc<AppState>) -> HttpService {
    let operations = trapeza_api::routes(bank.settings.sandbox);
    HttpService::new(bank, operations, trapeza_web::routes())
}

/// Ready at the first SIGTERM or SIGINT.
fn stop_signal() -> Result<impl Future<Output = ()>, String> {
    let listen = |kind| signal(kind).map_err(|error| format!("signals cannot be heard: {error}"));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// What no request should pay for, and what time makes due.
async fn background_loop(bank: Arc<AppState>) {
    let (mut sweep, mut heads) = (interval(SWEEP), interval(HEADS));
    loop {
        tokio::select! {
            _ = sweep.tick() => {
                if let Err(stop) = bank.app.clock().synchronise(bank.app.store()).await {
                    tracing::warn!(%stop, "the clock could not be noted; it will be tried again");
                }
                if let Err(stop) = bank.app.sweep(bank.app.now()).await {
                    tracing::warn!(%stop, "what is due could not be done; it will be tried again");
                }
            }
            _ = heads.tick() => {
                log_heads(&bank.app);
                bank.prune_rate_limits();
            }
        }
    }
}

fn log_heads(app: &App) {
    for head in app.store().audit_heads() {
        let mac: String = head.mac.iter().map(|byte| format!("{byte:02x}")).collect();
        tracing::info!(chain = head.chain, sequence = head.sequence, mac, "audit head");
    }
}

/// What an operator asks of a running bank.
async fn handle_admin(bank: Arc<AppState>, command: Command) -> Answer {
    let work = tokio::task::spawn_blocking(move || match command.command.as_str() {
        clearing_list::NAME => clearing_list::report(&bank.app),
        "ledger check" => ledger_check::report(&bank.app),
        "audit verify" => audit_verify::report(&bank.app, &command.arguments),
        name if name.starts_with(application::PREFIX) => {
            application::report(&bank.app, &name[application::PREFIX.len()..], &command.arguments)
        }
        name if name.starts_with(merchant::PREFIX) => {
            merchant::report(&bank.app, &name[merchant::PREFIX.len()..], &command.arguments)
        }
        name if name.starts_with(psu::PREFIX) => {
            psu::report(&bank.app, &name[psu::PREFIX.len()..], &command.arguments)
        }
        name if name.starts_with(callbacks::PREFIX) => {
            callbacks::report(&bank.app, &name[callbacks::PREFIX.len()..], &command.arguments)
        }
        name if name.starts_with(loan::PREFIX) => {
            loan::report(&bank.app, &name[loan::PREFIX.len()..], &command.arguments)
        }
        device::NAME if bank.settings.sandbox => device::report(&bank.app, &command.arguments),
        other => Answer { text: format!("a running bank does not know the command {other}\n"), exit: 2 },
    });
    work.await
        .unwrap_or_else(|_| Answer { text: "the command failed; the log says why\n".to_owned(), exit: 1 })
}
