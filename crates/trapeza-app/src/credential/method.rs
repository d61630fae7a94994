//! The SCA methods of a login name. An unknown name has stable decoy methods, so that a third party cannot find out who
//! is a customer of the bank.

use crate::keyring::KeyPurpose;
use crate::{App, Keyring, StoreError, UseCaseError};
use trapeza_domain::id::MethodId;
use trapeza_domain::psu::{MethodKind, ScaMethod};
use trapeza_store::Tx;
use trapeza_texts::Language;
use trapeza_texts::method::method_name;

/// A method as third parties see it, without telephone digits and owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodView {
    pub id: MethodId,
    pub kind: MethodKind,
    /// The same name for every customer and for decoys: a name of its own would identify a customer.
    pub name: &'static str,
}

impl MethodView {
    pub const fn new(id: MethodId, kind: MethodKind) -> Self {
        Self { id, kind, name: method_name(Language::English, kind) }
    }
}

impl App {
    /// The methods of a login name, real or decoy.
    pub async fn methods_for(&self, psu: &str) -> Result<Vec<MethodView>, UseCaseError> {
        let (psu, keyring) = (psu.to_owned(), self.keyring.clone());
        self.store.read(move |tx| Ok(methods(tx, &keyring, &psu)?)).await
    }
}

/// None for a customer who is not identified yet.
pub(crate) fn methods(tx: &mut Tx<'_>, keyring: &Keyring, psu: &str) -> Result<Vec<MethodView>, StoreError> {
    if psu.is_empty() {
        return Ok(Vec::new());
    }
    let real = tx.psu_contact(psu)?.map(|(_, methods)| methods);
    Ok(methods_of(keyring, psu, real))
}

/// The views of methods that were loaded already; `None` stands for an unknown name.
pub(crate) fn methods_of(keyring: &Keyring, psu: &str, real: Option<Vec<ScaMethod>>) -> Vec<MethodView> {
    let Some(real) = real else { return decoys(keyring, psu) };
    let view = |method: ScaMethod| MethodView::new(method.id, method.kind);
    real.into_iter().map(view).collect()
}

/// One or several methods, usually with SMS first, like those of most customers. Every combination of kinds in every order
/// occurs for some name; a combination that never occurs would identify a customer.
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
        // Version 4, like the ids of real methods.
        let id = uuid::Builder::from_random_bytes(bytes).into_uuid();
        MethodView::new(MethodId::new(id), kind)
    };
    kinds.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoy_methods_are_stable_per_name_and_differ_between_names() {
        let keyring = Keyring::new([1; 32]);
        let decoy = decoys(&keyring, "ghost");
        assert_eq!(decoy, decoys(&keyring, "ghost"));
        assert_ne!(decoy[0].id, decoys(&keyring, "other")[0].id);
        assert_ne!(decoy[0].id, decoys(&Keyring::new([2; 32]), "ghost")[0].id);
        assert_eq!(decoy[0].id.uuid().get_version_num(), 4);
    }

    #[test]
    fn decoys_cover_every_combination_of_methods() {
        use MethodKind::{Chip, Photo, Push, Sms};
        let keyring = Keyring::new([1; 32]);
        let kinds =
            |n: u32| decoys(&keyring, &n.to_string()).iter().map(|method| method.kind).collect::<Vec<_>>();
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
