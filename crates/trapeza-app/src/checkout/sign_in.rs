//! Signing in at a checkout: the customer shows that they hold an account here. The password alone does not do: the
//! telephone that was proven has to be the one the bank has for them, or a stolen password would borrow in their name.

use super::{Till, out_of_order};
use crate::authorisation::{Gate, Guard, pause, verify, wrong};
use crate::{App, UseCaseError, audit};
use trapeza_domain::event::{Actor, Event};
use trapeza_domain::psu::Psu;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_store::{CheckoutRecord, Tx};

impl App {
    /// Tries a name and a password. Two transactions: the try is counted first, the hash is made between them.
    pub async fn checkout_sign_in(
        &self,
        public: &str,
        browser: &str,
        login: &str,
        password: Secret<String>,
    ) -> Result<(), UseCaseError> {
        let _turn = self.till(public, browser)?.page_guard(login).turn(&self.turns).await;
        let (till, name) = (self.till(public, browser)?, login.to_owned());
        let reserved = self.at_the_till(till, move |tx, till, basket| {
            let record = till.going(tx, basket)?.record;
            if record.customer.is_none() {
                return Err(out_of_order().into());
            }
            Ok((till.page_guard(&name).password(tx)?, tx.psu_by_login(&name)?))
        });
        let (gate, found) = reserved.await?;
        if let Gate::Open { wait } = gate {
            pause(wait).await;
        }
        // Whatever is known already, the same work is done: the time must not tell.
        let (psu, hash) = found.map_or((None, None), |(psu, hash)| (Some(psu), Some(hash)));
        let right = verify(password, hash).await? && gate != Gate::Shut;
        let till = self.till(public, browser)?;
        let settled = self.at_the_till(till, move |tx, till, basket| {
            let record = till.going(tx, basket)?.record;
            till.signed_in(tx, record, psu.as_ref().filter(|_| right))
        });
        Ok(settled.await??)
    }
}

impl Till {
    fn page_guard(&self, name: &str) -> Guard {
        Guard::of_page(&self.keyring, &self.settings, name, self.occasion.now)
    }

    fn signed_in(
        &self,
        tx: &mut Tx<'_>,
        record: CheckoutRecord,
        psu: Option<&Psu>,
    ) -> Result<Result<(), Refusal>, UseCaseError> {
        let now = self.occasion.now;
        let Some(customer) = record.customer else { return Err(out_of_order().into()) };
        let own = psu.filter(|psu| record.phone.as_ref() == Some(&psu.phone));
        let Some(psu) = own else {
            let event = Event::new("checkout.sign_in_wrong", "basket", record.basket);
            audit::note(tx, now, Actor::Bank, &event)?;
            return Ok(Err(wrong()));
        };
        self.page_guard(&psu.login).password_right(tx)?;
        tx.shopper_link_psu(customer, psu.id)?;
        let event = Event::new("checkout.signed_in", "basket", record.basket).with("customer", customer);
        audit::note(tx, now, Actor::Psu(psu.id), &event)?;
        tx.checkout_update(&CheckoutRecord { psu: Some(psu.id), ..record })?;
        Ok(Ok(()))
    }
}
