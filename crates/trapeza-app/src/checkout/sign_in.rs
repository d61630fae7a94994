//! Sign-in at a checkout: the shopper proves to be a customer of the bank. The password alone is not enough; the verified
//! telephone number must be the customer's, or a stolen password could borrow in their name.

use super::{CheckoutContext, out_of_order};
use crate::credential::{AttemptLimiter, invalid_credentials, verify_attempt};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::psu::Psu;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_store::{CheckoutRecord, Tx};

impl App {
    /// Verifies login name and password in two transactions: the attempt is counted in the first, and the password is
    /// verified between them.
    pub async fn checkout_sign_in(
        &self,
        public: &str,
        session: &str,
        login: &str,
        password: Secret<String>,
    ) -> Result<(), UseCaseError> {
        let limiter = self.checkout_context(public, session)?.login_limiter(login);
        let _permit = limiter.acquire(&self.login_queue).await;
        let (context, name) = (self.checkout_context(public, session)?, login.to_owned());
        let counted = self.with_open_basket(context, move |tx, context, basket| {
            let record = context.active(tx, basket)?.record;
            if record.shopper.is_none() {
                return Err(out_of_order().into());
            }
            Ok((context.login_limiter(&name).count_password(tx)?, tx.psu_by_login(&name)?))
        });
        let (decision, found) = counted.await?;
        let (psu, hash) = found.unzip();
        let verified = verify_attempt(decision, password, hash).await?;
        let context = self.checkout_context(public, session)?;
        let finished = self.with_open_basket(context, move |tx, context, basket| {
            let record = context.active(tx, basket)?.record;
            context.sign_in(tx, record, psu.as_ref().filter(|_| verified))
        });
        Ok(finished.await??)
    }
}

impl CheckoutContext {
    fn login_limiter(&self, login: &str) -> AttemptLimiter {
        AttemptLimiter::for_redirect(&self.credential, login)
    }

    fn sign_in(
        &self,
        tx: &mut Tx<'_>,
        record: CheckoutRecord,
        psu: Option<&Psu>,
    ) -> Result<Result<(), Refusal>, UseCaseError> {
        let now = self.decision.now;
        let Some(shopper) = record.shopper else { return Err(out_of_order().into()) };
        let own = psu.filter(|psu| record.phone.as_ref() == Some(&psu.phone));
        let Some(psu) = own else {
            let event = AuditEvent::new("checkout.sign_in_failed", "basket", record.basket);
            audit::record(tx, now, Actor::Bank, &event)?;
            return Ok(Err(invalid_credentials()));
        };
        self.login_limiter(&psu.login).reset_password(tx)?;
        tx.shopper_link_psu(shopper, psu.id)?;
        let event = AuditEvent::new("checkout.signed_in", "basket", record.basket).with("shopper", shopper);
        audit::record(tx, now, Actor::Psu(psu.id), &event)?;
        tx.checkout_update(&CheckoutRecord { psu: Some(psu.id), ..record })?;
        Ok(Ok(()))
    }
}
