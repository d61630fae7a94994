//! Request objects: [`request!`] declares the names, types and descriptions of an object's fields once; its reader and its schema
//! follow from that. A reader records the error of every field.

use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::fields::{Fields, missing_field};

/// The value of a field, or `None` where it is absent or invalid. An invalid field has its error recorded.
pub trait FromField<'a>: Sized {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self>;
}

/// A required field that was read; its error is recorded where it is `None`.
pub fn required<'a, T>(fields: &Fields<'a>, name: &'static str, value: Option<T>) -> Option<T> {
    fields.required(name, value)
}

/// The value of a required field, once [`Fields::finish`] has found no error.
pub fn value<T>(value: Option<T>) -> Result<T, Refusal> {
    value.ok_or_else(missing_field)
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

/// Declares a request object: `"name in JSON" => field: type`, with `required` before the name of a compulsory field.
macro_rules! request {
    ($(#[$meta:meta])* $vis:vis struct $name:ident<$life:lifetime> {
        $($(#[$field_meta:meta])* $($required:ident)? $wire:literal => $field:ident: $kind:ty,)*
    }) => {
        #[derive(schemars::JsonSchema)]
        $(#[$meta])*
        $vis struct $name<$life> {
            $(
                $(#[$field_meta])*
                #[schemars(rename = $wire)]
                $(#[schemars($required)])?
                pub $field: Option<$kind>,
            )*
        }

        impl<$life> $name<$life> {
            /// Reads the object and records the errors of its fields.
            pub fn read(fields: &trapeza_http::extract::fields::Fields<$life>) -> Self {
                Self {
                    $($field: {
                        let read = $crate::wire::request::FromField::from_field(fields, $wire);
                        $(let read = $crate::wire::request::$required(fields, $wire, read);)?
                        read
                    },)*
                }
            }
        }

        impl<$life> $crate::wire::request::FromField<$life> for $name<$life> {
            fn from_field(
                fields: &trapeza_http::extract::fields::Fields<$life>,
                name: &'static str,
            ) -> Option<Self> {
                fields.opt_object(name).map(|object| Self::read(&object))
            }
        }

        impl<$life> $crate::wire::request::FromField<$life> for Vec<$name<$life>> {
            fn from_field(
                fields: &trapeza_http::extract::fields::Fields<$life>,
                name: &'static str,
            ) -> Option<Self> {
                fields.has(name).then(|| fields.objects(name).iter().map($name::read).collect())
            }
        }
    };
}
pub(crate) use request;
