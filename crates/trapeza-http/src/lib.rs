//! The bank over HTTP: the only place that knows its wire forms.

pub mod server;
