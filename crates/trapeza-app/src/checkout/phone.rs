//! Proving a telephone: a code goes to it and comes back through the page. The limits are those of every code.

use super::{ActiveCheckout, CheckoutContext, out_of_order};
use crate::keyring::KeyPurpose;
use crate::merchant_terms::merchant;
use crate::sca::{AttemptLimiter, NewMessage, display_name, message_put, wrong};
use crate::{App, UseCaseError, audit};
use subtle::{Choice, ConstantTimeEq};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::contact::Phone;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_store::{CheckoutRecord, Tx};

impl App {
    /// Names a telephone and sends it a code. Without one the merchant's is meant, where it gave one. Also sends
    /// another code, which voids the first.
    pub async fn checkout_phone(
        &self,
        public: &str,
        browser: &str,
        phone: Option<Phone>,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, browser)?;
        let sent = self.with_open_basket(context, move |tx, context, basket| {
            let going = context.going(tx, basket)?;
            if going.record.customer.is_some() {
                return Err(out_of_order().into());
            }
            let named = phone.clone().or(going.record.phone.clone()).or(going.at.basket.order.phone.clone());
            let phone = named.ok_or_else(|| Refusal::malformed("phone", "a telephone number is required"))?;
            context.challenge(tx, going, phone)
        });
        sent.await
    }

    /// Brings the code.
    pub async fn checkout_code(
        &self,
        public: &str,
        browser: &str,
        code: Secret<String>,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, browser)?;
        let brought = self.with_open_basket(context, move |tx, context, basket| {
            let going = context.going(tx, basket)?;
            context.prove(tx, going.record, &code)
        });
        // A wrong code leaves its mark, so that its refusal must not undo the transaction.
        Ok(brought.await??)
    }
}

impl CheckoutContext {
    fn limiter(&self, phone: &Phone) -> AttemptLimiter {
        AttemptLimiter::for_phone(&self.keyring, &self.settings, phone, self.decision.now)
    }

    fn challenge(&self, tx: &mut Tx<'_>, going: ActiveCheckout, phone: Phone) -> Result<(), UseCaseError> {
        let (ActiveCheckout { at, record }, now) = (going, self.decision.now);
        self.limiter(&phone).send(tx, record.challenge.as_ref(), at.basket.expires_at)??;
        let name = display_name(&merchant(tx, at.basket.merchant)?.name);
        let (code, amount) = (self.fresh.code.expose(), at.basket.order.value);
        let text = format!(
            "Your code to pay {} {} later at {name} is {code}. Tell it to nobody.",
            amount.to_decimal_string(),
            amount.currency
        );
        let mail = NewMessage { recipient: phone.as_str().to_owned(), channel: "SMS", code, text: &text };
        message_put(tx, &self.keyring, &self.settings, &self.fresh, &mail, now)?;
        let nonce = self.fresh.nonce;
        let sends = record.challenge.as_ref().map_or(0, |before| before.sends) + 1;
        let code_hash = self.code_hash(&nonce, &phone, &self.fresh.code);
        let challenge = Challenge { nonce, code_hash, shown: None, sent_at: now, attempts: 0, sends };
        let event = AuditEvent::new("checkout.otp_sent", "basket", at.basket.id).with("sends", sends);
        audit::record(tx, now, Actor::Bank, &event)?;
        tx.checkout_update(&CheckoutRecord { phone: Some(phone), challenge: Some(challenge), ..record })?;
        Ok(())
    }

    fn prove(
        &self,
        tx: &mut Tx<'_>,
        record: CheckoutRecord,
        code: &Secret<String>,
    ) -> Result<Result<(), Refusal>, UseCaseError> {
        let now = self.decision.now;
        let (Some(phone), Some(challenge), None) = (&record.phone, &record.challenge, record.customer) else {
            return Err(out_of_order().into());
        };
        let limiter = self.limiter(phone);
        // Looked at or not, the answer is that of a wrong one.
        if !limiter.code(tx)? || !challenge.is_open(now) {
            return Ok(Err(wrong()));
        }
        if !self.is_right(phone, challenge, code) {
            limiter.code_wrong(tx)?;
            let tried = Challenge { attempts: challenge.attempts + 1, ..challenge.clone() };
            let event =
                AuditEvent::new("checkout.otp_wrong", "basket", record.basket).with("tries", tried.attempts);
            audit::record(tx, now, Actor::Bank, &event)?;
            tx.checkout_update(&CheckoutRecord { challenge: Some(tried), ..record })?;
            return Ok(Err(wrong()));
        }
        limiter.code_right(tx)?;
        let customer = tx.shopper_by_phone(self.customer, phone, now)?;
        let event =
            AuditEvent::new("checkout.phone_verified", "basket", record.basket).with("customer", customer.id);
        audit::record(tx, now, Actor::Bank, &event)?;
        tx.checkout_update(&CheckoutRecord { customer: Some(customer.id), challenge: None, ..record })?;
        Ok(Ok(()))
    }

    /// Takes the same time whatever the code is.
    fn is_right(&self, phone: &Phone, challenge: &Challenge, code: &Secret<String>) -> bool {
        let given = self.code_hash(&challenge.nonce, phone, code);
        let fixed = self.settings.fixed_otp.as_ref();
        let fixed = fixed
            .map_or(Choice::from(0), |fixed| self.code_hash(&challenge.nonce, phone, fixed).ct_eq(&given));
        (challenge.code_hash.ct_eq(&given) | fixed).into()
    }

    /// A code is bound to the basket and the telephone it was sent for.
    fn code_hash(&self, nonce: &[u8; 16], phone: &Phone, code: &Secret<String>) -> [u8; 32] {
        let parts: [&[u8]; 5] =
            [b"checkout", nonce, self.public.as_bytes(), phone.as_str().as_bytes(), code.expose().as_bytes()];
        self.keyring.hash(KeyPurpose::Otp, &parts)
    }
}
