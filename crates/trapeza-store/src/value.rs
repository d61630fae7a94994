//! Typed parameters of statements and typed columns of rows. Each engine maps them to its own types in its `value` module.

use crate::error::StoreError;
use trapeza_domain::basket::PublicBasketId;
use trapeza_domain::id::{
    AccountId, ApplicationId, AuthorisationId, BatchId, CallbackId, CardId, ClearingId, ConsentId,
    InvitationId, LoanId, LoanReviewId, LoginId, LoginSessionId, ManualPostingId, MemberId, MerchantId,
    MethodId, OrganisationId, PasskeyId, PaymentId, PsuId, RefundId, ShopperId, SigningBasketId, StaffId,
    StaffRequestId, StaffTokenId,
};
use trapeza_domain::ledger::{HoldId, LedgerAccountId, TransferId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::{Date, Timestamp};
use uuid::Uuid;

/// One parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Param<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Text(&'a str),
    /// A text that is JSON.
    Json(&'a str),
    Bytes(&'a [u8]),
    Uuid(Uuid),
    Timestamp(Timestamp),
    Date(Date),
}

/// Parameters in the order of `$1`, `$2`, …
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Param::from($value)),*][..] };
}

macro_rules! param_from {
    ($($type:ty => |$value:ident| $param:expr;)*) => {$(
        impl<'a> From<$type> for Param<'a> {
            fn from($value: $type) -> Self {
                $param
            }
        }
    )*};
}

param_from! {
    bool => |value| Self::Bool(value);
    i64 => |value| Self::Integer(value);
    u32 => |value| Self::Integer(value.into());
    &'a str => |value| Self::Text(value);
    &'a String => |value| Self::Text(value);
    &'a [u8] => |value| Self::Bytes(value);
    &'a Vec<u8> => |value| Self::Bytes(value);
    Uuid => |value| Self::Uuid(value);
    Timestamp => |value| Self::Timestamp(value);
    Date => |value| Self::Date(value);
    Currency => |value| Self::Text(value.code());
    PublicBasketId => |value| Self::Uuid(Uuid::from_bytes(*value.as_bytes()));
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

/// One row of an engine: its columns by index, `None` for null.
pub(crate) trait Row {
    fn is_null(&self, column: usize) -> Result<bool, StoreError>;
    fn boolean(&self, column: usize) -> Result<Option<bool>, StoreError>;
    fn integer(&self, column: usize) -> Result<Option<i64>, StoreError>;
    fn text(&self, column: usize) -> Result<Option<&str>, StoreError>;
    fn bytes(&self, column: usize) -> Result<Option<&[u8]>, StoreError>;
    fn uuid(&self, column: usize) -> Result<Option<Uuid>, StoreError>;
    fn timestamp(&self, column: usize) -> Result<Option<Timestamp>, StoreError>;
    fn date(&self, column: usize) -> Result<Option<Date>, StoreError>;
}

/// One row of a result, read column by column from the first on.
pub struct RowReader<'r> {
    row: &'r dyn Row,
    next: usize,
}

impl<'r> RowReader<'r> {
    pub(crate) fn new(row: &'r dyn Row) -> Self {
        Self { row, next: 0 }
    }

    /// The next column. A column that may be null is read as an `Option`.
    pub fn read<T: FromColumn<'r>>(&mut self) -> Result<T, StoreError> {
        let column = self.column();
        T::from_column(column)?
            .ok_or_else(|| StoreError::internal(format!("column {} is null", column.index)))
    }

    /// The next column as a text, parsed.
    pub fn parse<T, P: Parsed<T>>(&mut self, parse: impl FnOnce(&'r str) -> P) -> Result<T, StoreError> {
        let at = self.next;
        parse(self.read()?).parsed().ok_or_else(|| unknown_value(at))
    }

    /// The same for a column that may be null.
    pub fn parse_opt<T, P: Parsed<T>>(
        &mut self,
        parse: impl FnOnce(&'r str) -> P,
    ) -> Result<Option<T>, StoreError> {
        let at = self.next;
        let text: Option<&'r str> = self.read()?;
        text.map(|text| parse(text).parsed().ok_or_else(|| unknown_value(at))).transpose()
    }

    /// An amount, from the column of its currency and the column of its minor units.
    pub fn money(&mut self) -> Result<Money, StoreError> {
        let currency = self.read()?;
        Ok(Money::new(self.read()?, currency))
    }

    /// The same for two columns that may be null.
    pub fn money_opt(&mut self) -> Result<Option<Money>, StoreError> {
        let (currency, minor): (Option<Currency>, Option<i64>) = (self.read()?, self.read()?);
        Ok(currency.zip(minor).map(|(currency, minor)| Money::new(minor, currency)))
    }

    /// Whether the next column is null, without reading it.
    pub fn next_is_null(&self) -> Result<bool, StoreError> {
        self.row.is_null(self.next)
    }

    pub fn skip(&mut self, columns: usize) {
        self.next += columns;
    }

    fn column(&mut self) -> Column<'r> {
        let index = self.next;
        self.next += 1;
        Column { row: self.row, index }
    }
}

fn unknown_value(column: usize) -> StoreError {
    StoreError::internal(format!("column {column} holds an unknown value"))
}

/// What a parser returns: an `Option` or a `Result`.
pub trait Parsed<T> {
    fn parsed(self) -> Option<T>;
}

impl<T> Parsed<T> for Option<T> {
    fn parsed(self) -> Self {
        self
    }
}

impl<T, E> Parsed<T> for Result<T, E> {
    fn parsed(self) -> Option<T> {
        self.ok()
    }
}

/// One column of one row, in the types that both engines have.
#[derive(Clone, Copy)]
pub struct Column<'r> {
    row: &'r dyn Row,
    index: usize,
}

/// A type that a column can be read as; `None` when the column is null.
pub trait FromColumn<'r>: Sized {
    fn from_column(column: Column<'r>) -> Result<Option<Self>, StoreError>;
}

macro_rules! from_column {
    ($($type:ty => |$column:ident| $value:expr;)*) => {$(
        impl<'r> FromColumn<'r> for $type {
            fn from_column($column: Column<'r>) -> Result<Option<Self>, StoreError> {
                $value
            }
        }
    )*};
}

from_column! {
    bool => |column| column.row.boolean(column.index);
    i64 => |column| column.row.integer(column.index);
    &'r str => |column| column.row.text(column.index);
    &'r [u8] => |column| column.row.bytes(column.index);
    String => |column| Ok(column.row.text(column.index)?.map(str::to_owned));
    Vec<u8> => |column| Ok(column.row.bytes(column.index)?.map(<[u8]>::to_vec));
    Uuid => |column| column.row.uuid(column.index);
    Timestamp => |column| column.row.timestamp(column.index);
    Date => |column| column.row.date(column.index);
    PublicBasketId => |column| Ok(column.row.uuid(column.index)?.map(|uuid| Self::new(uuid.into_bytes())));
    u32 => |column| column.row.integer(column.index)?.map(u32::try_from).transpose().map_err(StoreError::internal);
    usize => |column| column.row.integer(column.index)?.map(usize::try_from).transpose().map_err(StoreError::internal);
    Currency => |column| column.row.text(column.index)?.map(Currency::parse).transpose().map_err(StoreError::internal);
}

impl<'r, T: FromColumn<'r>> FromColumn<'r> for Option<T> {
    fn from_column(column: Column<'r>) -> Result<Option<Self>, StoreError> {
        T::from_column(column).map(Some)
    }
}

/// A hash or another value of a fixed length.
impl<'r, const N: usize> FromColumn<'r> for [u8; N] {
    fn from_column(column: Column<'r>) -> Result<Option<Self>, StoreError> {
        let array = column.row.bytes(column.index)?.map(Self::try_from).transpose();
        array.map_err(|_| StoreError::internal(format!("column {} does not hold {N} bytes", column.index)))
    }
}

macro_rules! uuid_ids {
    ($($id:ident)*) => {$(
        impl From<$id> for Param<'_> {
            fn from(id: $id) -> Self {
                Self::Uuid(id.uuid())
            }
        }

        impl<'r> FromColumn<'r> for $id {
            fn from_column(column: Column<'r>) -> Result<Option<Self>, StoreError> {
                Ok(column.row.uuid(column.index)?.map(Self::new))
            }
        }
    )*};
}

uuid_ids! {
    AccountId ApplicationId AuthorisationId BatchId CallbackId CardId ClearingId ConsentId ManualPostingId InvitationId LoanId LoanReviewId LoginId LoginSessionId MemberId
    MerchantId MethodId OrganisationId PasskeyId PaymentId PsuId RefundId ShopperId SigningBasketId StaffId StaffRequestId StaffTokenId
}

macro_rules! integer_ids {
    ($($id:ident)*) => {$(
        impl From<$id> for Param<'_> {
            fn from(id: $id) -> Self {
                Self::Integer(id.0)
            }
        }

        impl<'r> FromColumn<'r> for $id {
            fn from_column(column: Column<'r>) -> Result<Option<Self>, StoreError> {
                Ok(column.row.integer(column.index)?.map(Self))
            }
        }
    )*};
}

/// The detail of a transaction. A hold passes it on to the transfers that capture it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DetailId(pub i64);

integer_ids! { DetailId HoldId LedgerAccountId TransferId }
