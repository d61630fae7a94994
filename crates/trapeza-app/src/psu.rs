//! Customers: taking one on, with the ways they prove themselves.

use crate::ocra::{DEVICE_SUITE, Input, Suite};
use crate::{App, Entropy, Stop, audit, password};
use trapeza_domain::contact::Phone;
use trapeza_domain::event::{Actor, Event};
use trapeza_domain::id::{MethodId, PsuId};
use trapeza_domain::psu::{MethodKind, Psu, ScaMethod};
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_domain::secret::Secret;

/// A customer as the operator registers them.
pub struct PsuOrder {
    pub id: PsuId,
    pub login: String,
    pub name: String,
    pub phone: Phone,
    pub password: Secret<String>,
    /// In the order in which they are offered.
    pub methods: Vec<MethodOrder>,
}

/// A method as the operator registers it.
#[derive(Clone, Debug)]
pub struct MethodOrder {
    pub id: MethodId,
    pub kind: MethodKind,
    pub name: String,
}

impl App {
    /// Takes a customer on. Hashing the password takes tens of milliseconds of the calling thread.
    pub async fn psu_register(&self, order: PsuOrder) -> Result<Psu, Stop> {
        let now = self.now();
        let password_hash = password::hash(&order.password);
        let PsuOrder { id, login, name, phone, methods, .. } = order;
        let psu = Psu { id, login, name, phone };
        let seeds: Vec<Vec<u8>> = methods.iter().map(|method| self.device_seed_new(method.id)).collect();
        self.store
            .write(move |tx| {
                if !tx.psu_insert(&psu, &password_hash, now)? {
                    let text = "there is already a customer with this login";
                    return Err(Refusal::new(Reason::StatusInvalid, text).into());
                }
                for (MethodOrder { id, kind, name }, seed) in methods.iter().cloned().zip(&seeds) {
                    tx.sca_method_insert(&ScaMethod { id, psu: psu.id, kind, name })?;
                    if matches!(kind, MethodKind::Chip | MethodKind::Photo) {
                        tx.sca_device_insert(id, seed)?;
                    }
                }
                let event = Event::new("psu.registered", "psu", psu.id).with("methods", methods.len());
                audit::note(tx, now, Actor::Operator, &event)?;
                Ok(psu.clone())
            })
            .await
    }

    /// The methods of the customer who signs in with this name; none when there is no such customer.
    pub async fn sca_methods(&self, login: &str) -> Result<Vec<ScaMethod>, Stop> {
        let login = login.to_owned();
        self.store
            .read(move |tx| match tx.psu_by_login(&login)? {
                Some((psu, _)) => Ok(tx.sca_method_list(psu.id)?),
                None => Ok(Vec::new()),
            })
            .await
    }

    /// The seed to put into a customer's chip device or photo reader; `None` for other methods.
    pub async fn device_seed(&self, method: MethodId) -> Result<Option<Secret<Vec<u8>>>, Stop> {
        let sealed = self.store.read(move |tx| Ok(tx.sca_device_seed(method)?)).await?;
        let open = |sealed: Vec<u8>| self.keyring.open(method.as_bytes(), &sealed);
        Ok(sealed.and_then(open).map(|seed| Secret::new(seed.to_vec())))
    }

    /// What a customer's chip device or photo reader answers to a challenge: for a sandbox, where nobody has one in
    /// their hand. `None` for other methods, and for what is no challenge. Blocks the calling thread.
    pub fn device_answer(&self, method: MethodId, challenge: &str) -> Result<Option<String>, Stop> {
        let sealed = self.store.read_blocking(move |tx| Ok(tx.sca_device_seed(method)?))?;
        let seed = sealed.and_then(|sealed| self.keyring.open(method.as_bytes(), &sealed));
        let suite = Suite::parse(DEVICE_SUITE).expect("our own suite is well written");
        let input = Input { question: challenge, ..Input::default() };
        Ok(seed.and_then(|seed| suite.answer(&seed, &input)))
    }

    /// Secrets never come from a seed of the demo bank's.
    fn device_seed_new(&self, method: MethodId) -> Vec<u8> {
        let machine = Entropy::machine();
        self.keyring.seal(method.as_bytes(), &machine.bytes::<32>(), machine.bytes())
    }
}
