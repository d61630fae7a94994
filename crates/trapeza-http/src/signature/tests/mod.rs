//! Whole signed requests: what verifies, what does not, and responses that the bank has signed.

mod fixture;
mod request;
mod response;
