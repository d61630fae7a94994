//! `trapeza callbacks list|show|replay`: what merchants were told or are owed, and the dead letters among it.

use super::{on_the_bank, told};
use crate::admin::{Answer, Command};
use crate::cli::Callbacks;
use std::fmt::Write;
use trapeza_app::callback::{CallbackDetail, CallbackRecord};
use trapeza_app::{App, format_timestamp};
use trapeza_domain::callback::{CallbackState, CallbackStatus};
use trapeza_domain::id::CallbackId;

/// How its commands begin on the admin socket.
pub const PREFIX: &str = "callbacks ";
/// An answer is read by a person.
const LISTED_MAX: i64 = 10_000;

pub fn run(callbacks: &Callbacks) -> (String, bool) {
    let (bank, name, arguments) = match callbacks {
        Callbacks::List(list) => {
            (&list.bank, "list", vec![list.state.owed().name().to_owned(), list.limit.to_string()])
        }
        Callbacks::Show(show) => (&show.bank, "show", vec![show.id.clone()]),
        Callbacks::Replay(replay) => match &replay.id {
            Some(id) => (&replay.bank, "replay", vec![id.clone()]),
            None => (&replay.bank, "replay dead", Vec::new()),
        },
    };
    let command = Command { command: format!("{PREFIX}{name}"), arguments: arguments.clone() };
    on_the_bank(bank, command, |app| report(app, name, &arguments))
}

/// Does it. Blocks until it is done.
pub fn report(app: &App, name: &str, arguments: &[String]) -> Answer {
    let done = super::runtime().and_then(|runtime| {
        runtime.block_on(async {
            match (name, arguments) {
                ("list", [state, limit]) => list(app, state, limit).await,
                ("show", [id]) => Ok(shown(&app.callback_detail(parse(id)?).await.map_err(told)?)),
                ("replay", [id]) => {
                    app.callback_replay(parse(id)?).await.map_err(told)?;
                    Ok("it is tried again now\n".to_owned())
                }
                ("replay dead", []) => {
                    let count = app.callback_replay_dead().await.map_err(told)?;
                    Ok(format!("{count} dead callbacks are tried again now\n"))
                }
                _ => Err(format!("a bank does not know the command {PREFIX}{name}")),
            }
        })
    });
    match done {
        Ok(text) => Answer { text, exit: 0 },
        Err(problem) => Answer { text: format!("{problem}\n"), exit: 1 },
    }
}

async fn list(app: &App, state: &str, limit: &str) -> Result<String, String> {
    let owed = CallbackStatus::parse(state).ok_or_else(|| format!("there is no state {state}"))?;
    let limit: i64 = limit.parse().map_err(|_| format!("{limit} is not a number"))?;
    let mut text = String::new();
    for record in app.callback_list(owed, limit.clamp(1, LISTED_MAX)).await.map_err(told)? {
        let _ = writeln!(text, "{}", line(&record));
    }
    let counts = app.callback_count().await.map_err(told)?;
    let counts: Vec<String> = counts.iter().map(|(owed, count)| format!("{count} {}", owed.name())).collect();
    let all = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
    let _ = writeln!(text, "all callbacks: {all}");
    Ok(text)
}

fn line(record: &CallbackRecord) -> String {
    let callback = &record.callback;
    format!(
        "{}  {:10}  {:8}  tries {:2}  since {}  basket {}  application {}",
        callback.id,
        callback.state.status().name(),
        callback.kind.name(),
        callback.attempts,
        format_timestamp(callback.created_at),
        record.public_basket_id,
        callback.application,
    )
}

fn shown(detail: &CallbackDetail) -> String {
    let callback = &detail.record.callback;
    let when = match callback.state {
        CallbackState::Waiting { due, .. } => format!("waiting, tried next {}", format_timestamp(due)),
        CallbackState::Delivered { at } => format!("delivered {}", format_timestamp(at)),
        CallbackState::Dead { at } => format!("dead since {}", format_timestamp(at)),
        CallbackState::Disabled { at } => format!("turned off by its receiver {}", format_timestamp(at)),
    };
    let mut text = format!(
        "callback     {}\napplication  {}\nkind         basket.{}\nbasket       {}\nowed         {}\nstate        {when}\n\
         body         {}\n",
        callback.id,
        callback.application,
        callback.kind.name(),
        detail.record.public_basket_id,
        format_timestamp(callback.created_at),
        detail.record.body,
    );
    for attempt in &detail.attempts {
        let status = attempt.http_status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        let error = attempt.error.as_deref().unwrap_or("taken");
        let at = format_timestamp(attempt.attempted_at);
        let _ = writeln!(
            text,
            "try {:2}       {at}  {status}  {} ms  {error}",
            attempt.number, attempt.duration_ms
        );
    }
    text
}

fn parse(id: &str) -> Result<CallbackId, String> {
    CallbackId::parse(id).ok_or_else(|| format!("{id} is not the id of a callback"))
}
