//! Which methods a name has. A name that is nobody's has some too, the same each time, so that a third party cannot
//! tell who is a customer of the bank by asking.

use crate::keyring::KeyPurpose;
use crate::{App, Keyring, StoreError, UseCaseError};
use trapeza_domain::id::MethodId;
use trapeza_domain::psu::{MethodKind, ScaMethod};
use trapeza_store::Tx;

/// A method as a third party is told of it: no telephone digits, no owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodView {
    pub id: MethodId,
    pub kind: MethodKind,
    pub name: String,
}

impl App {
    /// The methods that go with a name, whosever it is.
    pub async fn methods_for(&self, psu: &str) -> Result<Vec<MethodView>, UseCaseError> {
        let (psu, keyring) = (psu.to_owned(), self.keyring.clone());
        self.store.read(move |tx| Ok(methods(tx, &keyring, &psu)?)).await
    }
}

pub(crate) fn methods(tx: &mut Tx<'_>, keyring: &Keyring, psu: &str) -> Result<Vec<MethodView>, StoreError> {
    let real = tx.psu_contact(psu)?.map(|(_, methods)| methods);
    Ok(methods_of(keyring, psu, real))
}

/// The same for who has looked already which methods there are; none when the name is nobody's.
pub(crate) fn methods_of(keyring: &Keyring, psu: &str, real: Option<Vec<ScaMethod>>) -> Vec<MethodView> {
    let Some(real) = real else { return decoys(keyring, psu) };
    let seen = |method: ScaMethod| MethodView { id: method.id, kind: method.kind, name: method.name };
    real.into_iter().map(seen).collect()
}

/// One method or several, mostly with a text message first as nearly everybody has it. Every choice of kinds, in every
/// order, is some name's: one that no decoy had would be a customer's for certain.
fn decoys(keyring: &Keyring, psu: &str) -> Vec<MethodView> {
    let draw = keyring.hash(KeyPurpose::Decoy, &[b"which", psu.as_bytes()]);
    let has = |kind: &MethodKind| match kind {
        MethodKind::Sms => !draw[0].is_multiple_of(8),
        MethodKind::Chip => draw[1].is_multiple_of(4),
        MethodKind::Photo => draw[2].is_multiple_of(4),
        MethodKind::Push => draw[3].is_multiple_of(2),
    };
    let mut kinds: Vec<MethodKind> = MethodKind::ALL.iter().copied().filter(has).collect();
    if kinds.is_empty() {
        kinds.push(MethodKind::Sms);
    }
    if draw[4].is_multiple_of(4) {
        kinds.sort_by_key(|kind| draw[8 + *kind as usize]);
    }
    let one = |kind: MethodKind| {
        let seed = keyring.hash(KeyPurpose::Decoy, &[b"id", psu.as_bytes(), kind.name().as_bytes()]);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&seed[..16]);
        // The mark of a random id, which all real ones bear.
        let id = uuid::Builder::from_random_bytes(bytes).into_uuid();
        MethodView { id: MethodId::new(id), kind, name: usual_name(kind).to_owned() }
    };
    kinds.into_iter().map(one).collect()
}

/// What most people's methods are called: a decoy has to look like one of them.
const fn usual_name(kind: MethodKind) -> &'static str {
    match kind {
        MethodKind::Sms => "Text message to my phone",
        MethodKind::Chip => "Card reader",
        MethodKind::Photo => "Photo reader",
        MethodKind::Push => "The bank's app",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_the_same_methods_each_time_and_another_nobody_has_others() {
        let ring = Keyring::new([1; 32]);
        let ghost = decoys(&ring, "ghost");
        assert_eq!(ghost, decoys(&ring, "ghost"));
        assert_ne!(ghost[0].id, decoys(&ring, "spirit")[0].id);
        assert_ne!(ghost[0].id, decoys(&Keyring::new([2; 32]), "ghost")[0].id);
        assert_eq!(ghost[0].id.uuid().get_version_num(), 4);
    }

    #[test]
    fn whatever_methods_a_customer_has_some_nobody_has_the_same() {
        use MethodKind::{Chip, Photo, Push, Sms};
        let ring = Keyring::new([1; 32]);
        let kinds =
            |n: u32| decoys(&ring, &n.to_string()).iter().map(|method| method.kind).collect::<Vec<_>>();
        let shapes: std::collections::HashSet<Vec<MethodKind>> = (0..20_000).map(kinds).collect();
        for real in [
            vec![Sms],
            vec![Push],
            vec![Sms, Push],
            vec![Push, Sms],
            vec![Chip, Photo],
            vec![Sms, Chip, Photo, Push],
            vec![Push, Photo, Chip, Sms],
        ] {
            assert!(shapes.contains(&real), "{real:?}");
        }
    }
}
