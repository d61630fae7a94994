//! `trapeza callbacks list|show|replay`: callbacks to merchants and third parties, and their dead letters.

use super::describe_error;
use crate::cli::{Callbacks, CallbacksList};
use std::fmt::Write;
use trapeza_app::callback::{CallbackDetail, CallbackRecord, topic_name};
use trapeza_app::{App, format_timestamp};
use trapeza_domain::callback::{CallbackState, CallbackTopic};
use trapeza_domain::id::CallbackId;

/// The output is read by a person.
const MAX_LISTED: i64 = 10_000;

pub async fn execute(app: &App, command: &Callbacks) -> Result<String, String> {
    match command {
        Callbacks::List(arguments) => list(app, arguments).await,
        Callbacks::Show(show) => {
            Ok(describe(&app.callback_detail(parse(&show.id)?).await.map_err(describe_error)?))
        }
        Callbacks::Replay(replay) => match &replay.id {
            Some(id) => {
                app.callback_replay(parse(id)?).await.map_err(describe_error)?;
                Ok("the callback is delivered again now\n".to_owned())
            }
            None => {
                let count = app.callback_replay_dead().await.map_err(describe_error)?;
                Ok(format!("{count} dead callbacks are delivered again now\n"))
            }
        },
    }
}

async fn list(app: &App, arguments: &CallbacksList) -> Result<String, String> {
    let (status, limit) = (arguments.state.status(), i64::from(arguments.limit));
    let mut text = String::new();
    for record in app.callback_list(status, limit.clamp(1, MAX_LISTED)).await.map_err(describe_error)? {
        let _ = writeln!(text, "{}", line(&record));
    }
    let counts = app.callback_count().await.map_err(describe_error)?;
    let counts: Vec<String> =
        counts.iter().map(|(status, count)| format!("{count} {}", status.name())).collect();
    let all = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
    let _ = writeln!(text, "all callbacks: {all}");
    Ok(text)
}

fn line(record: &CallbackRecord) -> String {
    let callback = &record.callback;
    format!(
        "{}  {:10}  {:8}  attempts {:2}  since {}  {} {}  application {}",
        callback.id,
        callback.state.status().name(),
        callback.topic.name(),
        callback.attempts,
        format_timestamp(callback.created_at),
        object_name(callback.topic),
        record.object_id,
        callback.application,
    )
}

fn describe(detail: &CallbackDetail) -> String {
    let callback = &detail.record.callback;
    let when = match callback.state {
        CallbackState::Waiting { due, .. } => format!("waiting, next attempt {}", format_timestamp(due)),
        CallbackState::Delivered { at } => format!("delivered {}", format_timestamp(at)),
        CallbackState::Dead { at } => format!("dead since {}", format_timestamp(at)),
        CallbackState::Disabled { at } => format!("disabled by its receiver {}", format_timestamp(at)),
    };
    let mut text = format!(
        "callback     {}\napplication  {}\nkind         {}\n{:12} {}\nenqueued     {}\nstate        {when}\n\
         body         {}\n",
        callback.id,
        callback.application,
        topic_name(callback.topic),
        object_name(callback.topic),
        detail.record.object_id,
        format_timestamp(callback.created_at),
        detail.record.body,
    );
    for attempt in &detail.attempts {
        let status = attempt.http_status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        let error = attempt.error.as_deref().unwrap_or("delivered");
        let at = format_timestamp(attempt.attempted_at);
        let _ = writeln!(
            text,
            "attempt {:2}   {at}  {status}  {} ms  {error}",
            attempt.number, attempt.duration_ms
        );
    }
    text
}

/// What the callback reports on.
const fn object_name(topic: CallbackTopic) -> &'static str {
    match topic {
        CallbackTopic::Basket(_) => "basket",
        CallbackTopic::Status => "object",
    }
}

fn parse(id: &str) -> Result<CallbackId, String> {
    CallbackId::parse(id).ok_or_else(|| format!("{id} is not the id of a callback"))
}
