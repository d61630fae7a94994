//! What must not be printed: passwords, codes, keys, card numbers. The content is reached by `expose` alone, so a
//! search for that word finds every place that handles one. It does not know what the content is for.

use std::fmt;
use zeroize::Zeroize;

/// A value wiped from memory when it is dropped and absent from every log.
#[derive(Clone)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    pub const fn new(content: T) -> Self {
        Self(content)
    }

    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_print_its_content() {
        let secret = Secret::new("correct horse".to_owned());
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_eq!(secret.expose(), "correct horse");
    }
}
