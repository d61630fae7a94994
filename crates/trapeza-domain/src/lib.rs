//! Business rules without I/O.
//!
//! This crate has no clock, randomness, files, wire formats, serde or async. Current time and new ids are arguments. A
//! function here cannot fail for technical reasons; its only error is a [`refusal::Refusal`].

mod string_enum;
mod transition_table;
mod transliteration;

pub mod account;
pub mod application;
pub mod audit_event;
pub mod authorisation;
pub mod basket;
pub mod calendar;
pub mod callback;
pub mod card;
pub mod clearing;
pub mod consent;
pub mod contact;
pub mod credit;
pub mod credit_document;
pub mod decimal;
pub mod egress;
pub mod field;
pub mod health;
pub mod id;
pub mod installment;
pub mod ledger;
pub mod loan;
pub mod login;
pub mod money;
pub mod organisation;
pub mod payee_verification;
pub mod payment;
pub mod psu;
pub mod purpose_code;
pub mod reference;
pub mod refusal;
pub mod search;
pub mod secret;
pub mod signing_basket;
pub mod staff;
pub mod statement;
pub mod statistics;
pub mod status_change;
pub mod text;
pub mod time;
pub mod transaction;
pub mod work_list;
