//! Passwords of customers, hashed with Argon2id. Hashing takes tens of milliseconds, so it never runs inside a
//! transaction.

use super::AttemptDecision;
use crate::StoreError;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use trapeza_domain::psu::Psu;
use trapeza_domain::secret::Secret;
use trapeza_store::Tx;

/// How many passwords are hashed at the same time: half of the cores, so that other requests are served meanwhile. Each
/// needs 19 MiB.
static HASHING_PERMITS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Arc::new(Semaphore::new((cores / 2).clamp(1, 4)))
});

/// The minimum that OWASP recommends: 19 MiB, two passes, one lane.
fn argon() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).expect("these parameters are in range");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// The hash to store, with a random salt.
pub fn hash(password: &Secret<String>) -> String {
    let hashed = argon().hash_password(password.expose().as_bytes());
    hashed.expect("hashing fails only without randomness or memory").to_string()
}

/// The same on a thread that may block, when a permit is free.
pub(crate) async fn hash_blocking(password: Secret<String>) -> Result<String, StoreError> {
    run_blocking(HASHING_PERMITS.clone(), move || hash(&password)).await
}

/// Whether the hash was made from this password. A malformed hash matches no password.
pub fn verify(password: &Secret<String>, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|parsed| argon().verify_password(password.expose().as_bytes(), &parsed).is_ok())
}

/// Verifies a password whose attempt was counted, after the back-off that the count demands. Without a hash, or when the
/// attempt is blocked, the same work is done and the result is false, so that the time reveals nothing.
pub(crate) async fn verify_attempt(
    decision: AttemptDecision,
    given: Secret<String>,
    hash: Option<String>,
) -> Result<bool, StoreError> {
    if let AttemptDecision::Allowed { wait, .. } = decision
        && let Ok(micros) = u64::try_from(wait.0)
    {
        tokio::time::sleep(Duration::from_micros(micros)).await;
    }
    let verified = run_blocking(HASHING_PERMITS.clone(), move || {
        // The dummy hash is computed in either case, because its first computation takes time as well.
        let dummy = dummy_hash();
        verify(&given, hash.as_deref().unwrap_or(dummy)) && hash.is_some()
    });
    Ok(verified.await? && decision != AttemptDecision::Blocked)
}

/// The customer whose password was verified against `hash`, unless it was reset or the customer was closed meanwhile.
pub(crate) fn verified_psu(
    tx: &mut Tx<'_>,
    login: &str,
    hash: Option<&str>,
) -> Result<Option<Psu>, StoreError> {
    let found = tx.psu_by_login(login)?;
    Ok(found.filter(|(_, current)| current.is_some() && current.as_deref() == hash).map(|(psu, _)| psu))
}

/// Runs `work` on a thread that may block, when a permit is free. The thread owns the permit, because it works to the end
/// even when the caller has disconnected and the future is dropped.
async fn run_blocking<T: Send + 'static>(
    permits: Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    let permit = permits.acquire_owned().await.map_err(StoreError::internal)?;
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    work.await.map_err(StoreError::internal)
}

/// A hash of a random password that stands in for the hash of an unknown customer.
fn dummy_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let random = crate::Entropy::os().uuid().to_string();
        hash(&Secret::new(random))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::time::TimeDelta;

    fn secret(text: &str) -> Secret<String> {
        Secret::new(text.to_owned())
    }

    #[test]
    fn hash_verifies_only_its_own_password() {
        let stored = hash(&secret("olive-tree"));
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(stored, hash(&secret("olive-tree")));
        assert!(verify(&secret("olive-tree"), &stored));
        assert!(!verify(&secret("olive-tree "), &stored));
        assert!(!verify(&secret("olive-tree"), "olive-tree"));
    }

    #[tokio::test]
    async fn cancelled_work_holds_its_permit_until_it_is_done() {
        let permits = Arc::new(Semaphore::new(1));
        let (finish, finished) = std::sync::mpsc::channel::<()>();
        let work = run_blocking(permits.clone(), move || finished.recv().is_ok());
        assert!(tokio::time::timeout(Duration::from_millis(1), work).await.is_err());
        assert_eq!(permits.available_permits(), 0, "the thread owns the permit");
        finish.send(()).unwrap();
        assert!(permits.acquire().await.is_ok());
    }

    #[tokio::test]
    async fn blocked_attempt_fails_with_the_right_password() {
        let stored = hash(&secret("olive-tree"));
        let attempt = |decision| verify_attempt(decision, secret("olive-tree"), Some(stored.clone()));
        let allowed = AttemptDecision::Allowed { wait: TimeDelta(0), last_before_block: false };
        assert_eq!(attempt(allowed).await, Ok(true));
        assert_eq!(attempt(AttemptDecision::Blocked).await, Ok(false));
        assert_eq!(verify_attempt(allowed, secret("olive-tree"), None).await, Ok(false));
    }
}
