//! Parameters and columns in PostgreSQL's native types, in their binary form.
//!
//! PostgreSQL counts timestamps and dates from 2000-01-01. Its largest and smallest values are `infinity` and `-infinity`,
//! and so are ours: a block without an end is stored as `infinity`.

use crate::error::StoreError;
use crate::value::{self, Param};
use std::error::Error;
use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use trapeza_domain::time::{Date, Timestamp};
use uuid::Uuid;

/// 2000-01-01 in microseconds and in days since 1970-01-01.
const EPOCH_MICROS: i64 = 946_684_800_000_000;
const EPOCH_DAYS: i32 = 10_957;

const JSONB_VERSION: u8 = 1;

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, ty) {
            (Self::Null, _) => return Ok(IsNull::Yes),
            (Self::Bool(value), &Type::BOOL) => out.extend_from_slice(&[(*value).into()]),
            (Self::Integer(value), &Type::INT8) => out.extend_from_slice(&value.to_be_bytes()),
            (Self::Integer(value), &Type::INT4) => {
                out.extend_from_slice(&i32::try_from(*value)?.to_be_bytes());
            }
            (Self::Text(value), &Type::TEXT | &Type::VARCHAR | &Type::NAME | &Type::UNKNOWN)
            | (Self::Json(value), &Type::JSON) => out.extend_from_slice(value.as_bytes()),
            (Self::Json(value), &Type::JSONB) => {
                out.extend_from_slice(&[JSONB_VERSION]);
                out.extend_from_slice(value.as_bytes());
            }
            (Self::Bytes(value), &Type::BYTEA) => out.extend_from_slice(value),
            (Self::Uuid(value), &Type::UUID) => out.extend_from_slice(value.as_bytes()),
            (Self::Timestamp(value), &Type::TIMESTAMPTZ) => {
                out.extend_from_slice(&to_postgres_micros(value.0)?.to_be_bytes());
            }
            (Self::Date(value), &Type::DATE) => {
                out.extend_from_slice(&to_postgres_days(value.0)?.to_be_bytes());
            }
            _ => return Err(format!("a parameter of another type than {ty}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn to_postgres_micros(micros: i64) -> Result<i64, &'static str> {
    match micros {
        i64::MIN | i64::MAX => Ok(micros),
        _ => micros.checked_sub(EPOCH_MICROS).ok_or("a timestamp outside PostgreSQL's range"),
    }
}

fn to_postgres_days(days: i32) -> Result<i32, &'static str> {
    match days {
        i32::MIN | i32::MAX => Ok(days),
        _ => days.checked_sub(EPOCH_DAYS).ok_or("a date outside PostgreSQL's range"),
    }
}

impl value::Row for Row {
    fn is_null(&self, at: usize) -> Result<bool, StoreError> {
        Ok(raw(self, at)?.is_none())
    }

    fn boolean(&self, at: usize) -> Result<Option<bool>, StoreError> {
        Ok(fixed::<1>(self, at, &Type::BOOL)?.map(|[byte]| byte != 0))
    }

    fn integer(&self, at: usize) -> Result<Option<i64>, StoreError> {
        if *column_type(self, at)? == Type::INT4 {
            return Ok(fixed(self, at, &Type::INT4)?.map(|bytes| i32::from_be_bytes(bytes).into()));
        }
        Ok(fixed(self, at, &Type::INT8)?.map(i64::from_be_bytes))
    }

    fn text(&self, at: usize) -> Result<Option<&str>, StoreError> {
        let ty = column_type(self, at)?;
        let bytes = match *ty {
            Type::JSONB => raw(self, at)?.and_then(|bytes| bytes.strip_prefix(&[JSONB_VERSION])),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::JSON | Type::UNKNOWN => raw(self, at)?,
            _ => return Err(wrong_type(at, ty)),
        };
        bytes.map(std::str::from_utf8).transpose().map_err(StoreError::internal)
    }

    fn bytes(&self, at: usize) -> Result<Option<&[u8]>, StoreError> {
        match column_type(self, at)? {
            &Type::BYTEA => raw(self, at),
            ty => Err(wrong_type(at, ty)),
        }
    }

    fn uuid(&self, at: usize) -> Result<Option<Uuid>, StoreError> {
        Ok(fixed(self, at, &Type::UUID)?.map(Uuid::from_bytes))
    }

    fn timestamp(&self, at: usize) -> Result<Option<Timestamp>, StoreError> {
        let micros = fixed(self, at, &Type::TIMESTAMPTZ)?.map(i64::from_be_bytes);
        Ok(micros.map(|micros| match micros {
            i64::MIN | i64::MAX => Timestamp(micros),
            _ => Timestamp(micros.saturating_add(EPOCH_MICROS)),
        }))
    }

    fn date(&self, at: usize) -> Result<Option<Date>, StoreError> {
        let days = fixed(self, at, &Type::DATE)?.map(i32::from_be_bytes);
        Ok(days.map(|days| match days {
            i32::MIN | i32::MAX => Date(days),
            _ => Date(days.saturating_add(EPOCH_DAYS)),
        }))
    }
}

/// The binary form of a column, whatever its type.
struct Raw<'r>(&'r [u8]);

impl<'r> FromSql<'r> for Raw<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn raw(row: &Row, at: usize) -> Result<Option<&[u8]>, StoreError> {
    let raw: Option<Raw<'_>> = row.try_get(at).map_err(StoreError::internal)?;
    Ok(raw.map(|raw| raw.0))
}

fn fixed<const N: usize>(row: &Row, at: usize, expected: &Type) -> Result<Option<[u8; N]>, StoreError> {
    let ty = column_type(row, at)?;
    if ty != expected {
        return Err(wrong_type(at, ty));
    }
    raw(row, at)?.map(<[u8; N]>::try_from).transpose().map_err(StoreError::internal)
}

fn column_type(row: &Row, at: usize) -> Result<&Type, StoreError> {
    let column = row.columns().get(at).ok_or_else(|| StoreError::internal(format!("no column {at}")))?;
    Ok(column.type_())
}

fn wrong_type(at: usize, ty: &Type) -> StoreError {
    StoreError::internal(format!("column {at} is of another type than expected: {ty}"))
}
