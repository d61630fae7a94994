//! Requests that race: revocation against reads, payments against one balance, cached credentials against their change.

mod credential_cache;
mod payment;
pub mod revocation;
