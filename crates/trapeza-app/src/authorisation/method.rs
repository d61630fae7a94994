//! Which methods a name has. A name that is nobody's has some too, the same each time, so that a third party cannot
//! tell who is a customer of the bank by asking.

use crate::keyring::Purpose;
use crate::{App, Keyring, Stop, StoreError};
use trapeza_domain::id::MethodId;
use trapeza_domain::psu::MethodKind;
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
    pub async fn methods_for(&self, psu: &str) -> Result<Vec<MethodView>, Stop> {
        let (psu, keyring) = (psu.to_owned(), self.keyring.clone());
        self.store.read(move |tx| Ok(methods(tx, &keyring, &psu)?)).await
    }
}

pub(super) fn methods(tx: &mut Tx<'_>, keyring: &Keyring, psu: &str) -> Result<Vec<MethodView>, StoreError> {
    let Some((psu, _)) = tx.psu_by_login(psu)? else { return Ok(decoys(keyring, psu)) };
    let real = tx.sca_method_list(psu.id)?.into_iter();
    Ok(real.map(|method| MethodView { id: method.id, kind: method.kind, name: method.name }).collect())
}

/// One to three methods, a text message first as nearly everybody has it.
fn decoys(keyring: &Keyring, psu: &str) -> Vec<MethodView> {
    let draw = keyring.hash(Purpose::Decoy, &[b"which", psu.as_bytes()]);
    let mut kinds = vec![MethodKind::Sms];
    kinds.extend(draw[0].is_multiple_of(2).then_some(MethodKind::Push));
    kinds.extend(draw[1].is_multiple_of(4).then_some(MethodKind::Chip));
    let one = |kind: MethodKind| {
        let seed = keyring.hash(Purpose::Decoy, &[b"id", psu.as_bytes(), kind.name().as_bytes()]);
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
        let sizes: Vec<usize> = (0..64).map(|n| decoys(&ring, &n.to_string()).len()).collect();
        assert!(sizes.contains(&1) && sizes.contains(&2) && sizes.contains(&3), "{sizes:?}");
    }
}
