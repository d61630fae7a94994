//! Strong customer authentication: the sequences that authorise a consent, and those that must not.

mod attempt_limit;
mod decoupled;
mod embedded;
mod otp;
mod redirect;
mod target;
