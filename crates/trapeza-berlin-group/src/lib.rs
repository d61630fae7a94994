//! The second dialect of the interface for third parties: NextGenPSD2 XS2A of the Berlin Group, version 1.3, with the standard's
//! own names, from the same use cases as `trapeza-api`.
//!
//! [`operation`] lists the operations, `routes` assigns their handlers, `handler/` calls the app, `wire/` reads and writes bodies,
//! `link` writes links. The table of refusals is `trapeza_http::berlin_group`. Nothing is decided here.

mod docs;
mod handler;
mod header;
mod link;
pub mod operation;
mod routes;
mod wire;

pub use docs::document;
pub use routes::routes;
