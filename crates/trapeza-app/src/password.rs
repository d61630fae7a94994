//! Passwords of customers: hashed with Argon2id, slowly on purpose, and so never inside a transaction.

use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use trapeza_domain::secret::Secret;

/// What OWASP recommends at least: 19 MiB, two passes, one lane.
fn argon() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).expect("these parameters are in range");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// The hash to keep, with a salt of its own.
pub fn hash(password: &Secret<String>) -> String {
    let hashed = argon().hash_password(password.expose().as_bytes());
    hashed.expect("hashing fails only without randomness or memory").to_string()
}

/// Whether this is the password that was hashed. A hash that cannot be read fits nothing.
pub fn verify(password: &Secret<String>, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|parsed| argon().verify_password(password.expose().as_bytes(), &parsed).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_fits_its_hash() {
        let secret = |text: &str| Secret::new(text.to_owned());
        let kept = hash(&secret("olive-tree"));
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(kept, hash(&secret("olive-tree")));
        assert!(verify(&secret("olive-tree"), &kept));
        assert!(!verify(&secret("olive-tree "), &kept));
        assert!(!verify(&secret("olive-tree"), "olive-tree"));
    }
}
