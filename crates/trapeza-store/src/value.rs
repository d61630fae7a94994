//! What goes into a statement and what comes out of a row. Four kinds only, so that both engines agree on all of them:
//! text, 64-bit integers, bytes, null.

use crate::error::StoreError;
use rusqlite::types::{ToSqlOutput, ValueRef};
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;

/// One parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Param<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// Parameters in the order of `$1`, `$2`, …
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Param::from($value)),*][..] };
}

impl From<i64> for Param<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<i32> for Param<'_> {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<bool> for Param<'_> {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Param<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Param<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(value)
    }
}

impl<'a> From<&'a Vec<u8>> for Param<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Param<'a> {
    fn from(value: &'a [u8; N]) -> Self {
        Self::Bytes(value)
    }
}

impl<'a, T> From<Option<T>> for Param<'a>
where
    Param<'a>: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::from)
    }
}

impl rusqlite::ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
        }))
    }
}

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            // The server infers a narrower type for a few places (an interval, a smallint); say it in that width.
            Self::Int(value) if *ty == Type::INT4 => i32::try_from(*value)?.to_sql(ty, out),
            Self::Int(value) => value.to_sql(ty, out),
            Self::Text(value) => value.to_sql(ty, out),
            Self::Bytes(value) => value.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// One row of an answer, read by position.
pub enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    pub fn int(&self, at: usize) -> Result<i64, StoreError> {
        match self {
            // Most columns are numbers: the shortest way to one.
            Self::Sqlite(row) => match row.get_ref(at) {
                Ok(ValueRef::Integer(value)) => Ok(value),
                _ => self.opt_int(at)?.ok_or_else(|| is_null(at)),
            },
            Self::Postgres(_) => self.opt_int(at)?.ok_or_else(|| is_null(at)),
        }
    }

    pub fn text(&self, at: usize) -> Result<String, StoreError> {
        self.str(at).map(str::to_owned)
    }

    pub fn bytes(&self, at: usize) -> Result<Vec<u8>, StoreError> {
        self.slice(at).map(<[u8]>::to_vec)
    }

    pub fn bool(&self, at: usize) -> Result<bool, StoreError> {
        Ok(self.int(at)? != 0)
    }

    pub fn opt_int(&self, at: usize) -> Result<Option<i64>, StoreError> {
        match self {
            Self::Sqlite(row) => row.get(at).map_err(StoreError::internal),
            Self::Postgres(row) => row.try_get(at).map_err(StoreError::internal),
        }
    }

    pub fn opt_text(&self, at: usize) -> Result<Option<String>, StoreError> {
        Ok(self.opt_str(at)?.map(str::to_owned))
    }

    pub fn opt_bytes(&self, at: usize) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.opt_slice(at)?.map(<[u8]>::to_vec))
    }

    /// A text where it lies, for a reader that makes something else of it.
    pub fn str(&self, at: usize) -> Result<&str, StoreError> {
        self.opt_str(at)?.ok_or_else(|| is_null(at))
    }

    pub fn opt_str(&self, at: usize) -> Result<Option<&str>, StoreError> {
        match self {
            Self::Sqlite(row) => {
                let value = row.get_ref(at).map_err(StoreError::internal)?;
                value.as_str_or_null().map_err(StoreError::internal)
            }
            Self::Postgres(row) => row.try_get(at).map_err(StoreError::internal),
        }
    }

    fn slice(&self, at: usize) -> Result<&[u8], StoreError> {
        self.opt_slice(at)?.ok_or_else(|| is_null(at))
    }

    pub(crate) fn opt_slice(&self, at: usize) -> Result<Option<&[u8]>, StoreError> {
        match self {
            Self::Sqlite(row) => {
                let value = row.get_ref(at).map_err(StoreError::internal)?;
                value.as_blob_or_null().map_err(StoreError::internal)
            }
            Self::Postgres(row) => row.try_get(at).map_err(StoreError::internal),
        }
    }

    /// A fixed number of bytes: a hash, an id.
    pub fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], StoreError> {
        self.slice(at)?
            .try_into()
            .map_err(|_| StoreError::Internal(format!("column {at} does not hold {N} bytes")))
    }

    /// A value kept by its name, read back by its type's `parse`.
    pub fn named<T>(&self, at: usize, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
        parse(self.str(at)?).ok_or_else(|| StoreError::Internal(format!("column {at} holds an unknown name")))
    }

    pub fn currency(&self, at: usize) -> Result<Currency, StoreError> {
        self.named(at, |code| Currency::parse(code).ok())
    }

    /// An amount from its currency's column and its minor units' column.
    pub fn money(&self, currency: usize, minor: usize) -> Result<Money, StoreError> {
        Ok(Money::new(self.int(minor)?, self.currency(currency)?))
    }

    /// A number that is small and not negative.
    pub fn count(&self, at: usize) -> Result<u32, StoreError> {
        u32::try_from(self.int(at)?).map_err(StoreError::internal)
    }

    pub fn day(&self, at: usize) -> Result<Date, StoreError> {
        i32::try_from(self.int(at)?).map(Date).map_err(StoreError::internal)
    }

    /// An id, by the constructor of its type.
    pub fn id<T>(&self, at: usize, new: fn(uuid::Uuid) -> T) -> Result<T, StoreError> {
        Ok(new(uuid::Uuid::from_bytes(self.array(at)?)))
    }

    pub fn opt_id<T>(&self, at: usize, new: fn(uuid::Uuid) -> T) -> Result<Option<T>, StoreError> {
        match self.opt_slice(at)? {
            None => Ok(None),
            Some(_) => self.id(at, new).map(Some),
        }
    }
}

fn is_null(at: usize) -> StoreError {
    StoreError::Internal(format!("column {at} is null"))
}
