//! Statements that wait to be sent together: the server works through them without a pause for us in between.

use crate::value::Param;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Statement};

/// Something to send whose answer is only whether it failed, and how many rows it changed.
pub(super) enum Waiting {
    Batch(&'static str),
    Statement(Statement, Box<[Kept]>),
}

/// A parameter that outlives the call it came with.
pub(super) enum Kept {
    Null,
    Int(i64),
    Text(Box<str>),
    Bytes(Box<[u8]>),
}

impl From<&Param<'_>> for Kept {
    fn from(param: &Param<'_>) -> Self {
        match *param {
            Param::Null => Self::Null,
            Param::Int(value) => Self::Int(value),
            Param::Text(value) => Self::Text(value.into()),
            Param::Bytes(value) => Self::Bytes(value.into()),
        }
    }
}

impl Kept {
    fn param(&self) -> Param<'_> {
        match self {
            Self::Null => Param::Null,
            Self::Int(value) => Param::Int(*value),
            Self::Text(value) => Param::Text(value),
            Self::Bytes(value) => Param::Bytes(value),
        }
    }
}

/// Something under way.
pub(super) type Sent<'a> = Pin<Box<dyn Future<Output = Result<u64, Error>> + 'a>>;

impl Waiting {
    /// Is sent when it is polled for the first time.
    pub(super) fn send(self, client: &Client) -> Sent<'_> {
        match self {
            Self::Batch(sql) => Box::pin(async move { client.batch_execute(sql).await.map(|()| 0) }),
            Self::Statement(statement, kept) => Box::pin(async move {
                let params: Vec<Param<'_>> = kept.iter().map(Kept::param).collect();
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

/// Sends all of it in its order and waits for every answer. The first failure is the one that counts: behind it the
/// server refuses the rest, and answers a COMMIT by rolling back without complaint.
pub(super) async fn all(mut sent: Vec<Sent<'_>>) -> Result<Vec<u64>, Error> {
    let mut answers: Vec<Option<Result<u64, Error>>> = sent.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, answer) in sent.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *answer = Some(ready);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}
