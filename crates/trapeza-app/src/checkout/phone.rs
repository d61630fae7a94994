//! Verification of a telephone number with an OTP. The limits are those of every OTP.

use super::{ActiveCheckout, CheckoutContext, out_of_order};
use crate::credential::{AttemptLimiter, NewChallenge, OtpBinding, invalid_credentials};
use crate::merchant_terms::merchant;
use crate::notification::{self, MessageContent, NewMessage};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::authorisation::throttle::MessageKind;
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_store::{CheckoutRecord, Tx};
use trapeza_texts::{Language, message};

impl App {
    /// Sends an OTP to a telephone number: the given one, the one of the last OTP, or the merchant's. The
    /// message is in the language of the page. A new OTP replaces the one before.
    pub async fn checkout_phone(
        &self,
        public: &str,
        session: &str,
        language: Language,
        phone: Option<Phone>,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, session)?;
        let sent = self.with_open_basket(context, move |tx, context, basket| {
            let active = context.active(tx, basket)?;
            if active.record.shopper.is_some() {
                return Err(out_of_order().into());
            }
            let given_by_merchant = active.opened.basket.order.phone.clone();
            let phone = phone.clone().or(active.record.phone.clone()).or(given_by_merchant);
            let phone = phone.ok_or_else(|| Refusal::malformed(Field::PhoneNumber, "is required"))?;
            context.send_otp(tx, active, phone, language)
        });
        sent.await
    }

    /// Verifies the OTP.
    pub async fn checkout_code(
        &self,
        public: &str,
        session: &str,
        otp: Secret<String>,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, session)?;
        let verified = self.with_open_basket(context, move |tx, context, basket| {
            let active = context.active(tx, basket)?;
            context.verify_otp(tx, active, &otp)
        });
        // A wrong OTP is counted, so its refusal must not roll back the transaction.
        Ok(verified.await??)
    }
}

impl CheckoutContext {
    fn send_otp(
        &self,
        tx: &mut Tx<'_>,
        active: ActiveCheckout,
        phone: Phone,
        language: Language,
    ) -> Result<(), UseCaseError> {
        let (ActiveCheckout { opened, record }, context) = (active, &self.credential);
        let limiter = AttemptLimiter::for_phone(context, &phone, opened.basket.merchant);
        let sent = record.challenge.as_ref().map(|challenge| challenge.sent_messages(true));
        limiter.count_message(tx, MessageKind::CheckoutSms, sent, opened.basket.expires_at)??;
        let merchant = message::display_name(&merchant(tx, opened.basket.merchant)?.name);
        let (otp, amount) = (&context.entropy.otp, opened.basket.order.value);
        let text = message::checkout_otp(language, &context.bank_name, amount, &merchant, otp.expose());
        let content = MessageContent::Otp(otp.expose());
        let new = NewMessage { recipient: phone.as_str(), content, text: &text };
        notification::enqueue(tx, context, &new)?;
        let subject: [&[u8]; 2] = [self.public.as_bytes(), phone.as_str().as_bytes()];
        let challenge =
            binding(&subject).challenge(context, NewChallenge::sms(otp), record.challenge.as_ref());
        let event = AuditEvent::new("checkout.otp_sent", "basket", opened.basket.id);
        audit::record(tx, context.now, Actor::Bank, &event.with("sends", challenge.sends))?;
        tx.checkout_update(&CheckoutRecord { phone: Some(phone), challenge: Some(challenge), ..record })?;
        Ok(())
    }

    fn verify_otp(
        &self,
        tx: &mut Tx<'_>,
        active: ActiveCheckout,
        otp: &Secret<String>,
    ) -> Result<Result<(), Refusal>, UseCaseError> {
        let (ActiveCheckout { opened, record }, context) = (active, &self.credential);
        let merchant = opened.basket.merchant;
        let (Some(phone), Some(challenge), None) = (&record.phone, &record.challenge, record.shopper) else {
            return Err(out_of_order().into());
        };
        let limiter = AttemptLimiter::for_phone(context, phone, merchant);
        if !limiter.otp_is_allowed(tx)? || !challenge.is_open(context.now) {
            return Ok(Err(invalid_credentials()));
        }
        let subject: [&[u8]; 2] = [self.public.as_bytes(), phone.as_str().as_bytes()];
        let fixed = context.settings.fixed_otp.as_ref();
        if !binding(&subject).matches(&context.keyring, challenge, otp, fixed) {
            limiter.count_wrong_otp(tx)?;
            let challenge = Challenge { attempts: challenge.attempts + 1, ..challenge.clone() };
            let event = AuditEvent::new("checkout.otp_wrong", "basket", record.basket);
            audit::record(tx, context.now, Actor::Bank, &event.with("attempts", challenge.attempts))?;
            tx.checkout_update(&CheckoutRecord { challenge: Some(challenge), ..record })?;
            return Ok(Err(invalid_credentials()));
        }
        limiter.reset_otp(tx)?;
        let shopper = tx.shopper_by_phone(self.shopper, phone, context.now)?;
        let event = AuditEvent::new("checkout.phone_verified", "basket", record.basket);
        audit::record(tx, context.now, Actor::Bank, &event.with("shopper", shopper.id))?;
        let record = CheckoutRecord { shopper: Some(shopper.id), challenge: None, ..record };
        tx.checkout_update(&record)?;
        self.decline_if_ineligible(tx, ActiveCheckout { opened, record })?;
        Ok(Ok(()))
    }
}

/// An OTP is bound to the basket and the telephone number.
fn binding<'a>(subject: &'a [&'a [u8]]) -> OtpBinding<'a> {
    OtpBinding { purpose: "checkout", subject }
}
