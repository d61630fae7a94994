//! The stories of the bank: whole flows over HTTP, and the suites that hold one rule against both engines.
//!
//! One program for all of them, because linking the server once is quicker than linking it for every file.

mod authorisation;
mod authorisation_http;
mod bad_luck;
mod basket_store;
mod basket_story;
mod callback_bad_luck;
mod callback_store;
mod callback_story;
mod callers;
mod checkout_story;
mod clearing_files;
mod clearing_nodes;
mod clearing_story;
mod consent_store;
mod consent_story;
mod demo;
mod device;
mod durable;
mod known_callers;
mod ledger;
mod loan_service;
mod log;
mod matrix;
mod pages_browser;
mod pages_http;
mod pay_later_story;
mod payee_responder;
mod payment_faults;
mod payment_proofs;
mod payment_serial;
mod payment_story;
mod process;
mod production;
mod races;
mod reading;
mod refund_story;
mod sms_gateway;
mod store;
mod three_ways;
