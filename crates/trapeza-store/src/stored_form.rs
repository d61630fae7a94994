//! The form of values that are stored as bytes: a version byte, then postcard.
//!
//! Stored values are read for years. A type that is stored in this form never changes: a changed one gets another version.

use crate::error::StoreError;
use serde::{Deserialize, Serialize};

pub(crate) const VERSION: u8 = 1;

pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(value, vec![VERSION])
        .expect("a vector grows, and the stored types have a postcard form")
}

/// Bytes of another version, damaged bytes and further bytes are an error, which names the entity.
pub(crate) fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8], entity: &str) -> Result<T, StoreError> {
    let Some((&VERSION, encoded)) = bytes.split_first() else {
        return Err(StoreError::internal(format!("{entity}: unknown version of the stored form")));
    };
    let damaged = || StoreError::internal(format!("{entity}: the stored form cannot be decoded"));
    let mut deserializer = postcard::Deserializer::from_bytes(encoded);
    let value = T::deserialize(&mut deserializer).map_err(|_| damaged())?;
    match deserializer.finalize() {
        Ok([]) => Ok(value),
        _ => Err(damaged()),
    }
}
