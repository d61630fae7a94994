//! The console of the bank's staff, by a browser without scripts.

mod access;
mod action;
mod health;
mod identity_provider;
mod ledger;
mod sign_in;
mod work_list;
