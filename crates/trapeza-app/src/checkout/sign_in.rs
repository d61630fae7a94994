//! Sign-in at a checkout: the shopper proves to be a customer of the bank. The password alone is not enough; the verified
//! telephone number must be the customer's, or a stolen password could borrow in their name.

use super::{ActiveCheckout, CheckoutContext, out_of_order};
use crate::credential::{AttemptLimiter, invalid_credentials, verified_psu, verify_attempt};
use crate::{App, UseCaseError, audit, basket, notification};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::id::MerchantId;
use trapeza_domain::psu::Psu;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_store::{CheckoutRecord, Tx};
use trapeza_texts::Language;

impl App {
    /// Signs in on a page in this language. Verifies login name and password in two transactions: the attempt is counted in the first, and the password is
    /// verified between them.
    pub async fn checkout_sign_in(
        &self,
        public: &str,
        session: &str,
        language: Language,
        login: &str,
        password: Secret<String>,
    ) -> Result<(), UseCaseError> {
        let merchant = self.checkout_merchant(public).await?;
        let limiter = self.checkout_context(public, session)?.login_limiter(login, merchant);
        let _permit = limiter.acquire(&self.login_queue).await?;
        let (context, name) = (self.checkout_context(public, session)?, login.to_owned());
        let counted = self.with_open_basket(context, move |tx, context, basket| {
            let record = context.active(tx, basket)?.record;
            if record.shopper.is_none() {
                return Err(out_of_order().into());
            }
            let decision = context.login_limiter(&name, merchant).count_password(tx)?;
            Ok((decision, tx.psu_by_login(&name)?))
        });
        let (decision, found) = counted.await?;
        let (psu, hash) = found.unzip();
        let hash = hash.flatten();
        let verified = verify_attempt(decision, password, hash.clone()).await?;
        let context = CheckoutContext { language, ..self.checkout_context(public, session)? };
        let name = login.to_owned();
        let finished = self.with_open_basket(context, move |tx, context, basket| {
            let active = context.active(tx, basket)?;
            if let (false, true, Some(psu)) = (verified, decision.blocks_if_wrong(), &psu) {
                notification::enqueue_password_block(tx, &context.credential, psu.id)?;
            }
            let current = verified_psu(tx, &name, hash.as_deref())?;
            context.sign_in(tx, active, merchant, current.as_ref().filter(|_| verified))
        });
        Ok(finished.await??)
    }

    async fn checkout_merchant(&self, public: &str) -> Result<MerchantId, UseCaseError> {
        let public = basket::parse_public_id(public)?;
        let found = self.store.read(move |tx| Ok(tx.basket_by_public_id(public)?)).await?;
        Ok(found.ok_or_else(basket::not_found)?.merchant)
    }
}

impl CheckoutContext {
    fn login_limiter(&self, login: &str, merchant: MerchantId) -> AttemptLimiter {
        AttemptLimiter::for_checkout(&self.credential, login, merchant)
    }

    fn sign_in(
        &self,
        tx: &mut Tx<'_>,
        active: ActiveCheckout,
        merchant: MerchantId,
        psu: Option<&Psu>,
    ) -> Result<Result<(), Refusal>, UseCaseError> {
        let (ActiveCheckout { opened, record }, now) = (active, self.decision.now);
        let Some(shopper) = record.shopper else { return Err(out_of_order().into()) };
        let own = psu.filter(|psu| record.phone.as_ref() == Some(&psu.phone));
        let Some(psu) = own else {
            let event = AuditEvent::new("checkout.sign_in_failed", "basket", record.basket);
            audit::record(tx, now, Actor::Bank, &event)?;
            return Ok(Err(invalid_credentials()));
        };
        self.login_limiter(&psu.login, merchant).reset_password(tx)?;
        tx.psu_language_set(psu.id, self.language.tag())?;
        tx.shopper_link_psu(shopper, psu.id)?;
        let event = AuditEvent::new("checkout.signed_in", "basket", record.basket).with("shopper", shopper);
        audit::record(tx, now, Actor::Psu(psu.id), &event)?;
        let record = CheckoutRecord { psu: Some(psu.id), ..record };
        tx.checkout_update(&record)?;
        self.decline_if_ineligible(tx, ActiveCheckout { opened, record })?;
        Ok(Ok(()))
    }
}
