//! Parameters and columns in SQLite's types: a UUID is a BLOB of 16 bytes, a timestamp an INTEGER of microseconds, a date an
//! INTEGER of days, a boolean 0 or 1.

use crate::error::StoreError;
use crate::value::Param;
use rusqlite::Row;
use rusqlite::types::{ToSqlOutput, ValueRef};
use trapeza_domain::time::{Date, Timestamp};
use uuid::Uuid;

impl rusqlite::ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Bool(value) => ValueRef::Integer((*value).into()),
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Text(value) | Self::Json(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
            Self::Uuid(value) => ValueRef::Blob(value.as_bytes()),
            Self::Timestamp(value) => ValueRef::Integer(value.0),
            Self::Date(value) => ValueRef::Integer(value.0.into()),
        }))
    }
}

pub(crate) fn is_null(row: &Row<'_>, at: usize) -> Result<bool, StoreError> {
    Ok(matches!(value(row, at)?, ValueRef::Null))
}

pub(crate) fn integer(row: &Row<'_>, at: usize) -> Result<Option<i64>, StoreError> {
    value(row, at)?.as_i64_or_null().map_err(StoreError::internal)
}

pub(crate) fn boolean(row: &Row<'_>, at: usize) -> Result<Option<bool>, StoreError> {
    Ok(integer(row, at)?.map(|value| value != 0))
}

pub(crate) fn text<'r>(row: &'r Row<'_>, at: usize) -> Result<Option<&'r str>, StoreError> {
    value(row, at)?.as_str_or_null().map_err(StoreError::internal)
}

pub(crate) fn bytes<'r>(row: &'r Row<'_>, at: usize) -> Result<Option<&'r [u8]>, StoreError> {
    value(row, at)?.as_blob_or_null().map_err(StoreError::internal)
}

pub(crate) fn uuid(row: &Row<'_>, at: usize) -> Result<Option<Uuid>, StoreError> {
    bytes(row, at)?.map(Uuid::from_slice).transpose().map_err(StoreError::internal)
}

pub(crate) fn timestamp(row: &Row<'_>, at: usize) -> Result<Option<Timestamp>, StoreError> {
    Ok(integer(row, at)?.map(Timestamp))
}

pub(crate) fn date(row: &Row<'_>, at: usize) -> Result<Option<Date>, StoreError> {
    let days = integer(row, at)?.map(i32::try_from).transpose().map_err(StoreError::internal)?;
    Ok(days.map(Date))
}

fn value<'r>(row: &'r Row<'_>, at: usize) -> Result<ValueRef<'r>, StoreError> {
    row.get_ref(at).map_err(StoreError::internal)
}
