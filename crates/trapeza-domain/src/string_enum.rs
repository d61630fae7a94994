//! Enums whose variants have a stable name that is stored and displayed.

/// Declares an enum with `ALL`, `name` and `parse` (the inverse of `name`).
macro_rules! string_enum {
    ($($(#[$doc:meta])* $vis:vis enum $type:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $type {
            /// All variants in the order of the enum, for tables and tests.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

pub(crate) use string_enum;
