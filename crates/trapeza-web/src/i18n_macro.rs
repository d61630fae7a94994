//! A table of texts: every text in English and in Greek, beside each other, so that neither is forgotten.

/// Makes a struct of the texts, one value of it a language, and a list of both for the tests.
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

pub(super) use text_table;
