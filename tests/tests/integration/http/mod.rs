//! Requests over HTTP against a running bank: whole flows, validation, and who may call what.

pub mod access_matrix;
pub mod account_information;
pub mod app_confirmation;
pub mod authentication;
pub mod authorisation;
pub mod basket;
pub mod callback;
pub mod checkout;
pub mod clearing;
pub mod consent;
pub mod credential_limits;
pub mod ledger_check;
pub mod loan_servicing;
pub mod loan_transfer;
pub mod page_forms;
pub mod pages;
pub mod pay_later;
pub mod payee_verification;
pub mod payment;
pub mod payment_validation;
pub mod refund;
pub mod reporting;
pub mod sandbox;
mod sca_approaches;
pub mod sms_gateway;
pub mod statement;
