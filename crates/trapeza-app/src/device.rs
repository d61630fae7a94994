//! Devices that customers enrol as the bank's app: sessions, CSRF tokens, and the key that signs approvals.

mod browser;
mod key;
mod list;
mod session;

pub use browser::is_session_token;
pub(crate) use browser::session_token_hash;
pub(crate) use key::is_signed;
pub use key::{approval_message, digest_hex};
pub use list::CustomerDevice;
pub use session::{DeviceSession, SESSION_TTL};
