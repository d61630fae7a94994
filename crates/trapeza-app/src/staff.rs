//! The bank's staff: enrolment, sign-in and sessions, actions and the requests for those that need a second person.
//!
//! [`App::staff_action_run`] is the one way to an action, for the console, the command line and the admin API. A member of the staff is
//! loaded with every request and again in the transaction of every action, so that a lost role takes effect at once.

mod action;
mod command;
mod context;
mod enrolment;
mod identity_provider;
mod local_sign_in;
mod member;
mod request;
mod session;
mod token;

pub use action::ActionResult;
pub use command::parameter_names;
pub use context::{ActionOutcome, ActionParameters};
pub use enrolment::{Enrolled, StaffEnrolment};
pub use identity_provider::{
    CodeExchange, Identity, IdentityProvider, ProviderError, ProviderFuture, ProviderRequest,
    ProviderResponse, ProviderSignIn,
};
pub use local_sign_in::LocalSignIn;
pub(crate) use member::needs_confirmation;
pub use session::StaffCaller;
pub use token::StaffTokenRecord;

use crate::login::token_hash;
use crate::{Keyring, UseCaseError};
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffId;
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::Staff;
use trapeza_store::Tx;

/// A member of the staff.
pub(crate) fn required(tx: &mut Tx<'_>, id: StaffId) -> Result<Staff, UseCaseError> {
    let unknown =
        || Refusal::at(RefusalReason::ResourceUnknown, Field::StaffId, "unknown member of the staff");
    Ok(tx.staff_find(id)?.ok_or_else(unknown)?)
}

/// The keyed hash under which an enrolment link is stored.
fn enrolment_hash(keyring: &Keyring, token: &str) -> [u8; 32] {
    token_hash(keyring, LoginKind::Staff, "enrolment", token)
}
