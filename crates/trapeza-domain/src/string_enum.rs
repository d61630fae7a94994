//! Enumerations whose variants have a name that is stored and printed. A name, once given, never changes: rows keep
//! it. The integers some of them have on the wire are not known here.

/// Declares an enum with `ALL`, `name` and `parse` (the way back from a name).
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
            /// Every variant once, in the order of the enum: for tables and tests.
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
