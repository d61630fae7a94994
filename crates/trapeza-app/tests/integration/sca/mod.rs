//! Strong customer authentication: the sequences that authorise a consent, and those that must not.

mod account_choice;
mod approval_request;
mod attempt_limit;
mod decoupled;
mod embedded;
mod identification;
mod implicit;
mod otp;
mod redirect;
mod target;
