//! Refunds and voids by hand: the use cases of merchants' applications, run with the member as actor.

use super::PortalMember;
use crate::authentication::Merchant;
use crate::idempotency::{IdempotentRequest, RequestIdentity};
use crate::loan::{RefundOrder, RefundView, Voided};
use crate::{App, UseCaseError, audit};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::Money;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use uuid::Uuid;

/// A basket of an application, and the idempotency key of the form: a form that is sent twice takes effect once.
pub struct BasketAction<'a> {
    pub application: ApplicationId,
    /// The public id of the basket.
    pub basket: &'a str,
    pub idempotency_key: &'a str,
}

impl App {
    /// Refunds an amount of the loan of a basket; everything that is left when `amount` is empty.
    pub async fn portal_refund(
        &self,
        caller: &PortalMember,
        action: BasketAction<'_>,
        amount: &str,
    ) -> Result<RefundView, UseCaseError> {
        let merchant = self.portal_merchant(caller, action.application).await?;
        let sum = match amount {
            "" => None,
            text => {
                let parsed = Money::parse(text, merchant.currency);
                let positive = parsed.and_then(|sum| {
                    if sum.is_positive() { Ok(sum) } else { Err("must be greater than zero") }
                });
                Some(positive.map_err(|text| Refusal::malformed(Field::Amount, text))?)
            }
        };
        let (request, order) = self.refund_request("portal refund", &action, amount, sum)?;
        let refund = self.loan_refund(request, &merchant, order);
        Ok(audit::run_as_member(caller.member.id, refund).await?.value)
    }

    /// Voids a basket: an undecided one ends, an approved one is refunded completely.
    pub async fn portal_void(
        &self,
        caller: &PortalMember,
        action: BasketAction<'_>,
    ) -> Result<Voided, UseCaseError> {
        let merchant = self.portal_merchant(caller, action.application).await?;
        let (request, order) = self.refund_request("portal void", &action, "", None)?;
        let void = self.basket_void(request, &merchant, order);
        Ok(audit::run_as_member(caller.member.id, void).await?.value)
    }

    async fn portal_merchant(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
    ) -> Result<Merchant, UseCaseError> {
        let record = self.portal_application(caller, application, MemberRole::Developer).await?;
        match record.application.owner {
            ApplicationOwner::Merchant { id: merchant, currency } => {
                let sandbox = record.application.sandbox;
                Ok(Merchant { application, merchant, currency, sandbox })
            }
            ApplicationOwner::ThirdParty => {
                Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown merchant").into())
            }
        }
    }

    fn refund_request(
        &self,
        operation: &'static str,
        action: &BasketAction<'_>,
        body: &str,
        amount: Option<Money>,
    ) -> Result<(IdempotentRequest, RefundOrder), Refusal> {
        let idempotency_key = Uuid::try_parse(action.idempotency_key);
        let idempotency_key =
            idempotency_key.map_err(|_| Refusal::malformed(Field::MerchantRequestId, "must be a UUID"))?;
        let request = self.idempotent_request(&RequestIdentity {
            application: action.application,
            operation,
            idempotency_key,
            field: Field::MerchantRequestId,
            path: action.basket,
            psu: "",
            consent: "",
            body: body.as_bytes(),
        });
        let order = RefundOrder {
            basket: action.basket.to_owned(),
            request: idempotency_key.to_string(),
            amount,
            reason: None,
        };
        Ok((request, order))
    }
}
