//! Parameters and columns in SQLite's types: a UUID is a BLOB of 16 bytes, a timestamp an INTEGER of microseconds, a date an
//! INTEGER of days, a boolean 0 or 1.

use crate::error::StoreError;
use crate::value::{self, Param};
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

impl value::Row for Row<'_> {
    fn is_null(&self, at: usize) -> Result<bool, StoreError> {
        Ok(matches!(value(self, at)?, ValueRef::Null))
    }

    fn integer(&self, at: usize) -> Result<Option<i64>, StoreError> {
        value(self, at)?.as_i64_or_null().map_err(StoreError::internal)
    }

    fn boolean(&self, at: usize) -> Result<Option<bool>, StoreError> {
        Ok(self.integer(at)?.map(|value| value != 0))
    }

    fn text(&self, at: usize) -> Result<Option<&str>, StoreError> {
        value(self, at)?.as_str_or_null().map_err(StoreError::internal)
    }

    fn bytes(&self, at: usize) -> Result<Option<&[u8]>, StoreError> {
        value(self, at)?.as_blob_or_null().map_err(StoreError::internal)
    }

    fn uuid(&self, at: usize) -> Result<Option<Uuid>, StoreError> {
        self.bytes(at)?.map(Uuid::from_slice).transpose().map_err(StoreError::internal)
    }

    fn timestamp(&self, at: usize) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.integer(at)?.map(Timestamp))
    }

    fn date(&self, at: usize) -> Result<Option<Date>, StoreError> {
        let days = self.integer(at)?.map(i32::try_from).transpose().map_err(StoreError::internal)?;
        Ok(days.map(Date))
    }
}

fn value<'r>(row: &'r Row<'_>, at: usize) -> Result<ValueRef<'r>, StoreError> {
    row.get_ref(at).map_err(StoreError::internal)
}
