//! Texts that customers read, in English and in Greek: SMS and push messages, SCA prompts, statement texts.
//!
//! Every text is a function of a [`Language`], and every function matches on it, so that the compiler rejects a text that
//! is missing in one language. Callers pass values; sentences are put together here only.

pub mod approval;
pub mod message;
pub mod method;
pub mod prompt;
pub mod statement;

/// The language of a text. Where the customer's language is not known, English is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Greek,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::Greek];
}
