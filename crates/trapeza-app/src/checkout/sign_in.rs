//! Signing in at a checkout: the customer shows that they hold an account here. The password alone does not do: the
//! telephone that was proven has to be the one the bank has for them, or a stolen password would borrow in their name.

use super::{CheckoutContext, out_of_order};
use crate::sca::{AttemptDecision, AttemptLimiter, pause, verify, wrong};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
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
        let _turn = self.checkout_context(public, browser)?.page_guard(login).turn(&self.login_queue).await;
        let (context, name) = (self.checkout_context(public, browser)?, login.to_owned());
        let reserved = self.with_open_basket(context, move |tx, context, basket| {
            let record = context.going(tx, basket)?.record;
            if record.customer.is_none() {
                return Err(out_of_order().into());
            }
            Ok((context.page_guard(&name).password(tx)?, tx.psu_by_login(&name)?))
        });
        let (gate, found) = reserved.await?;
        if let AttemptDecision::Allowed { wait } = gate {
            pause(wait).await;
        }
        // Whatever is known already, the same work is done: the time must not tell.
        let (psu, hash) = found.map_or((None, None), |(psu, hash)| (Some(psu), Some(hash)));
        let right = verify(password, hash).await? && gate != AttemptDecision::Blocked;
        let context = self.checkout_context(public, browser)?;
        let settled = self.with_open_basket(context, move |tx, context, basket| {
            let record = context.going(tx, basket)?.record;
            context.signed_in(tx, record, psu.as_ref().filter(|_| right))
        });
        Ok(settled.await??)
    }
}

impl CheckoutContext {
    fn page_guard(&self, name: &str) -> AttemptLimiter {
        AttemptLimiter::for_redirect(&self.keyring, &self.settings, name, self.decision.now)
    }

    fn signed_in(
        &self,
        tx: &mut Tx<'_>,
        record: CheckoutRecord,
        psu: Option<&Psu>,
    ) -> Result<Result<(), Refusal>, UseCaseError> {
        let now = self.decision.now;
        let Some(customer) = record.customer else { return Err(out_of_order().into()) };
        let own = psu.filter(|psu| record.phone.as_ref() == Some(&psu.phone));
        let Some(psu) = own else {
            let event = AuditEvent::new("checkout.sign_in_failed", "basket", record.basket);
            audit::record(tx, now, Actor::Bank, &event)?;
            return Ok(Err(wrong()));
        };
        self.page_guard(&psu.login).password_right(tx)?;
        tx.shopper_link_psu(customer, psu.id)?;
        let event = AuditEvent::new("checkout.signed_in", "basket", record.basket).with("customer", customer);
        audit::record(tx, now, Actor::Psu(psu.id), &event)?;
        tx.checkout_update(&CheckoutRecord { psu: Some(psu.id), ..record })?;
        Ok(Ok(()))
    }
}
