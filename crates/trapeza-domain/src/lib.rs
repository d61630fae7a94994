//! The bank's own words and rules, pure.
//!
//! Nothing here reads a clock, draws a random number, opens a file or speaks a wire format. What time it is and
//! which id a new thing gets are arguments. The domain cannot fail for outside reasons: it only refuses
//! ([`refusal::Refusal`]).

mod string_enum;
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
pub mod decimal;
pub mod egress;
pub mod id;
pub mod installment;
pub mod ledger;
pub mod loan;
pub mod money;
pub mod payee_verification;
pub mod payment;
pub mod psu;
pub mod purpose_code;
pub mod reference;
pub mod refusal;
pub mod secret;
pub mod text;
pub mod time;
pub mod transaction;
