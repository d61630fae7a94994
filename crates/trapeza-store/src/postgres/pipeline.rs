//! Statements that are sent together, without waiting for a response in between.

use crate::value::Param;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Statement};

/// A statement to be sent of which only failure and number of rows matter.
pub(super) enum Deferred {
    Batch(&'static str),
    Statement(Statement, Box<[OwnedParam]>),
}

/// A parameter that outlives the call it came with.
pub(super) enum OwnedParam {
    /// Borrows nothing.
    Plain(Param<'static>),
    Text(Box<str>),
    Json(Box<str>),
    Bytes(Box<[u8]>),
}

impl From<&Param<'_>> for OwnedParam {
    fn from(param: &Param<'_>) -> Self {
        match *param {
            Param::Text(value) => Self::Text(value.into()),
            Param::Json(value) => Self::Json(value.into()),
            Param::Bytes(value) => Self::Bytes(value.into()),
            Param::Null => Self::Plain(Param::Null),
            Param::Bool(value) => Self::Plain(Param::Bool(value)),
            Param::Integer(value) => Self::Plain(Param::Integer(value)),
            Param::Uuid(value) => Self::Plain(Param::Uuid(value)),
            Param::Timestamp(value) => Self::Plain(Param::Timestamp(value)),
            Param::Date(value) => Self::Plain(Param::Date(value)),
        }
    }
}

impl OwnedParam {
    fn as_param(&self) -> Param<'_> {
        match self {
            Self::Plain(param) => *param,
            Self::Text(value) => Param::Text(value),
            Self::Json(value) => Param::Json(value),
            Self::Bytes(value) => Param::Bytes(value),
        }
    }
}

/// A statement whose response is awaited.
pub(super) type InFlight<'a> = Pin<Box<dyn Future<Output = Result<u64, Error>> + 'a>>;

impl Deferred {
    /// The statement is sent when the future is polled for the first time.
    pub(super) fn send(self, client: &Client) -> InFlight<'_> {
        match self {
            Self::Batch(sql) => Box::pin(async move { client.batch_execute(sql).await.map(|()| 0) }),
            Self::Statement(statement, params) => Box::pin(async move {
                let params: Vec<Param<'_>> = params.iter().map(OwnedParam::as_param).collect();
                execute(client, &statement, &params).await
            }),
        }
    }
}

pub(super) async fn execute(
    client: &Client,
    statement: &Statement,
    params: &[Param<'_>],
) -> Result<u64, Error> {
    let references: Vec<&(dyn ToSql + Sync)> = params.iter().map(|param| param as _).collect();
    client.execute(statement, &references).await
}

/// Sends all statements in their order and waits for every response. The first error is the result: after it the server
/// rejects the rest, and answers a COMMIT by rolling back without an error.
pub(super) async fn join_in_order(mut in_flight: Vec<InFlight<'_>>) -> Result<Vec<u64>, Error> {
    let mut results: Vec<Option<Result<u64, Error>>> = in_flight.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, result) in in_flight.iter_mut().zip(&mut results) {
            if result.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *result = Some(ready);
            }
        }
        if results.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}
