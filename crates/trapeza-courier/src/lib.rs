//! Communication with other systems: SMS gateway, e-mail, merchants' callbacks, clearing files, payee verification,
//! the staff's identity provider, traces.
//!
//! Outbound messages are stored in the transaction of their cause. They are claimed in one transaction, sent outside of any,
//! and recorded in another, so each is sent at least once. The app decides their content, this crate their format.

mod api_client;
pub mod callback;
pub mod clearing;
mod client_span;
pub mod email;
mod http_client;
pub mod identity_provider;
mod json_client;
pub mod otlp;
pub mod payee_verification;
pub mod sms;

pub use api_client::{ApiClient, ApiResponse};
pub use callback::CallbackCourier;
pub use clearing::{Clearing, InstantGateway, SandboxClearingHouse, Spool};
pub use email::{EmailGateway, EmailSettings};
pub use http_client::Roots;
pub use identity_provider::OpenIdProvider;
pub use json_client::JsonClient;
pub use otlp::OtlpExporter;
pub use payee_verification::HttpPayeeVerifier;
pub use sms::SmsGateway;
