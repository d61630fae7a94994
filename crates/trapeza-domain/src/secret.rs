//! Values that must not be printed: passwords, codes, keys, card numbers. The content is reachable through `expose` only,
//! so that a search for that word finds every use.

use std::fmt;
use zeroize::Zeroize;

/// A value that is wiped from memory when dropped and never printed.
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
    fn secret_debug_hides_the_content() {
        let secret = Secret::new("correct horse".to_owned());
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_eq!(secret.expose(), "correct horse");
    }
}
