//! Request objects. [`request!`] declares an object once: the names, types and descriptions of its fields. Its reader and its
//! schema follow from that.
//!
//! A reader never stops at the first error: it records the error of every field, and its value is incomplete then.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::fields::{Fields, missing_field};

/// A type that the value of a field may have.
pub trait FromField<'a>: Sized {
    /// The value, or `None` where the field is absent or invalid. An invalid field has its error recorded.
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self>;
}

/// A field of a request object: [`Required`] or an `Option`.
pub trait RequestField<'a>: Sized {
    fn read(fields: &Fields<'a>, name: &'static str) -> Self;
}

/// A required field. It is `None` where the field is absent or invalid, and its error is recorded then.
pub struct Required<T>(pub Option<T>);

impl<T> Required<T> {
    /// The value. It is missing only where an error was recorded, which refuses the request before.
    pub fn value(self) -> Result<T, Refusal> {
        self.0.ok_or_else(missing_field)
    }
}

impl<'a, T: FromField<'a>> RequestField<'a> for Required<T> {
    fn read(fields: &Fields<'a>, name: &'static str) -> Self {
        Self(fields.required(name, T::from_field(fields, name)))
    }
}

impl<'a, T: FromField<'a>> RequestField<'a> for Option<T> {
    fn read(fields: &Fields<'a>, name: &'static str) -> Self {
        T::from_field(fields, name)
    }
}

/// The schema is that of the value; a type that is not an `Option` is required.
impl<T: JsonSchema> JsonSchema for Required<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<'a> FromField<'a> for &'a str {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_text(name)
    }
}

impl<'a> FromField<'a> for bool {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_bool(name)
    }
}

impl<'a> FromField<'a> for i64 {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_integer(name)
    }
}

impl<'a> FromField<'a> for Vec<&'a str> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_texts(name)
    }
}

/// A number as it was written, so that no digit is lost.
#[derive(Clone, Copy, JsonSchema)]
#[schemars(inline, with = "serde_json::Number")]
pub struct NumberText<'a>(pub &'a str);

impl<'a> FromField<'a> for NumberText<'a> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_number(name).map(Self)
    }
}

/// Declares a request object: `"name in JSON" => field: type`.
macro_rules! request {
    ($(#[$meta:meta])* $vis:vis struct $name:ident<$life:lifetime> { $($fields:tt)* }) => {
        $crate::wire::request::request! { @ [$(#[$meta])*] $vis [$name<$life>] $life { $($fields)* } }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::wire::request::request! { @ [$(#[$meta])*] $vis [$name] 'a { $($fields)* } }
    };
    (@ [$($meta:tt)*] $vis:vis [$($object:tt)*] $life:lifetime {
        $($(#[$field_meta:meta])* $wire:literal => $field:ident: $kind:ty,)*
    }) => {
        #[derive(schemars::JsonSchema)]
        $($meta)*
        $vis struct $($object)* {
            $($(#[$field_meta])* #[schemars(rename = $wire)] pub $field: $kind,)*
        }

        impl<$life> $($object)* {
            /// Reads the object and records the errors of its fields.
            pub fn read(fields: &trapeza_http::extract::fields::Fields<$life>) -> Self {
                Self { $($field: $crate::wire::request::RequestField::read(fields, $wire),)* }
            }
        }

        impl<$life> trapeza_http::extract::fields::FieldNames for $($object)* {
            const FIELD_NAMES: &'static [&'static str] = &[$($wire,)*];
        }

        impl<$life> $crate::wire::request::FromField<$life> for $($object)* {
            fn from_field(
                fields: &trapeza_http::extract::fields::Fields<$life>,
                name: &'static str,
            ) -> Option<Self> {
                fields.opt_object(name).map(|object| Self::read(&object))
            }
        }
    };
}
pub(crate) use request;
