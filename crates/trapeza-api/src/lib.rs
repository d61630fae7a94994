//! The JSON API: open banking for third parties, Pay Later for merchants, the sandbox, health checks and documentation.
//!
//! [`operation`] lists the operations, `routes` assigns their handlers, `handler/` calls the app, `wire/` reads and writes
//! bodies, [`docs`] renders OpenAPI and the documentation page. Nothing is decided here.

pub mod docs;
mod handler;
pub mod operation;
mod routes;
mod wire;

pub use routes::{monitoring_routes, routes};
