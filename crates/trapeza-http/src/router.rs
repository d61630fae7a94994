//! Finds the operation that a request is for, by path and method. Knows nothing of what operations do.
//!
//! A handler stays where it is and is called there: a router of axum's clones and boxes one for every request, and notes in
//! the request what it found (docs/decisions.md, "A table of our own").

use crate::Bank;
use crate::operation::Operation;
use crate::server::Peer;
use axum::extract::Request;
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use uuid::Uuid;

/// A request as it came in.
pub struct Arrival {
    pub request: Request,
    pub peer: Peer,
    /// What the log knows it by.
    pub correlation: Uuid,
}

/// What answers an operation; [`crate::call::handler`] makes it.
pub type Handler = Box<dyn Fn(Arc<Bank>, &'static Operation, Arrival) -> Answering + Send + Sync>;
pub type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// An operation and what answers it.
pub type Line = (&'static Operation, Handler);

/// All operations, by path.
pub struct Table(matchit::Router<Place>);

/// The operations of one path.
struct Place {
    path: &'static str,
    lines: Vec<Line>,
    allow: HeaderValue,
}

pub enum Found<'a> {
    Operation(&'a Line),
    /// There is the path, but not with this method.
    OtherMethods {
        path: &'static str,
        /// Those there are.
        allow: &'a HeaderValue,
    },
    Nothing,
}

impl Table {
    pub fn new(lines: Vec<Line>) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for line in lines {
            let path = line.0.path;
            match places.iter_mut().find(|place| place.path == path) {
                Some(place) => place.lines.push(line),
                None => places.push(Place { path, lines: vec![line], allow: HeaderValue::from_static("") }),
            }
        }
        let mut table = matchit::Router::new();
        for mut place in places {
            place.allow = allow(&place.lines);
            table.insert(place.path, place).expect("no two paths of operations look alike");
        }
        Self(table)
    }

    /// HEAD finds what GET does.
    pub fn find(&self, method: &Method, path: &str) -> Found<'_> {
        let Ok(found) = self.0.at(path) else { return Found::Nothing };
        let place = found.value;
        let method = if method == Method::HEAD { &Method::GET } else { method };
        match place.lines.iter().find(|(operation, _)| operation.method == *method) {
            Some(line) => Found::Operation(line),
            None => Found::OtherMethods { path: place.path, allow: &place.allow },
        }
    }
}

impl Found<'_> {
    /// The template of the path, under which an answer is counted.
    pub fn route(&self) -> Option<&'static str> {
        match self {
            Self::Operation((operation, _)) => Some(operation.path),
            Self::OtherMethods { path, .. } => Some(path),
            Self::Nothing => None,
        }
    }
}

/// The methods of a path, for the header `Allow`.
fn allow(lines: &[Line]) -> HeaderValue {
    let methods = lines.iter().map(|(operation, _)| match operation.method {
        Method::GET => "GET,HEAD",
        ref other => other.as_str(),
    });
    let methods = methods.collect::<Vec<_>>().join(",");
    HeaderValue::from_str(&methods).expect("the names of methods are plain")
}
