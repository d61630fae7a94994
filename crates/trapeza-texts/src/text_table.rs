//! A macro for tables of texts with both languages side by side, so that neither is forgotten.

/// Defines a struct of texts with one value per language, and a list of both for the tests.
macro_rules! text_table {
    ($(#[$doc:meta])* $name:ident { $($key:ident: $english:literal | $greek:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            $(pub $key: &'static str,)*
        }

        pub static ENGLISH: $name = $name { $($key: $english,)* };
        pub static GREEK: $name = $name { $($key: $greek,)* };

        #[cfg(test)]
        pub const TABLE: &[(&str, &str, &str)] = &[$((stringify!($key), $english, $greek),)*];
    };
}

pub(crate) use text_table;
