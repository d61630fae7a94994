//! The bank's own words and rules, pure.
//!
//! Nothing here reads a clock, draws a random number, opens a file or speaks a wire format. What time it is and
//! which id a new thing gets are arguments. The domain cannot fail for outside reasons: it only refuses
//! ([`refusal::Refusal`]).

pub mod application;
pub mod id;
pub mod refusal;
pub mod time;
