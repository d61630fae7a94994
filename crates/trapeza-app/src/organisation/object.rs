//! The consents, payments, signing baskets, baskets and loans of an application as the members of its organisation see them: the state, and when it
//! changed. Personal data of customers is not shown beyond what the application has sent.

use super::PortalMember;
use crate::{App, Required, StoreError, UseCaseError, format_timestamp};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::authorisation::Target;
use trapeza_domain::basket::{Basket, BasketId, BasketState};
use trapeza_domain::consent::{Consent, ConsentKind, ConsentState};
use trapeza_domain::id::{ApplicationId, ConsentId, LoanId, MerchantId, PaymentId, SigningBasketId};
use trapeza_domain::loan::Loan;
use trapeza_domain::money::Money;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::payment::Payment;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::signing_basket::{BasketMember, SigningBasket};
use trapeza_domain::time::Timestamp;
use trapeza_store::Tx;
use uuid::Uuid;

/// How many objects a page lists.
const PAGE_ROWS: usize = 20;

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Consent,
    Payment,
    SigningBasket,
    Basket,
    Loan,
}

/// An object with its state and its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectView {
    pub id: String,
    pub status: String,
    pub created_at: Timestamp,
    pub changed_at: Timestamp,
    /// Further facts: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// What happened when, oldest first.
    pub timeline: Vec<(Timestamp, String)>,
}

/// A page of objects, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectPage {
    pub objects: Vec<ObjectView>,
    /// The position after which the next page begins; `None` on the last page.
    pub next: Option<String>,
}

/// Whose objects are read.
#[derive(Clone, Copy)]
struct Owner {
    application: ApplicationId,
    merchant: Option<MerchantId>,
    now: Timestamp,
}

impl App {
    /// The objects of an application before a position, which an earlier page returned.
    pub async fn portal_object_list(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        kind: ObjectKind,
        before: Option<String>,
    ) -> Result<ObjectPage, UseCaseError> {
        let owner = self.object_owner(caller, application).await?;
        self.store
            .read(move |tx| {
                let (mut objects, positions) = owner.page(tx, kind, before.as_deref())?;
                let is_last = objects.len() <= PAGE_ROWS;
                objects.truncate(PAGE_ROWS);
                let next = if is_last { None } else { positions.get(PAGE_ROWS - 1).cloned() };
                Ok(ObjectPage { objects, next })
            })
            .await
    }

    /// One object of an application.
    pub async fn portal_object(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        kind: ObjectKind,
        id: &str,
    ) -> Result<ObjectView, UseCaseError> {
        let owner = self.object_owner(caller, application).await?;
        let id = id.to_owned();
        self.store.read(move |tx| Ok(owner.find(tx, kind, &id)?.ok_or_else(unknown)?)).await
    }

    async fn object_owner(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
    ) -> Result<Owner, UseCaseError> {
        let record = self.portal_application(caller, application, MemberRole::Viewer).await?;
        let merchant = match record.application.owner {
            ApplicationOwner::Merchant { id, .. } => Some(id),
            ApplicationOwner::ThirdParty => None,
        };
        Ok(Owner { application, merchant, now: self.now() })
    }
}

impl Owner {
    /// One object more than a page has, and the position of each.
    fn page(
        &self,
        tx: &mut Tx<'_>,
        kind: ObjectKind,
        before: Option<&str>,
    ) -> Result<(Vec<ObjectView>, Vec<String>), UseCaseError> {
        let limit = i64::try_from(PAGE_ROWS).unwrap_or(i64::MAX) + 1;
        let number = || before.map_or(Some(i64::MAX), |text| text.parse().ok()).ok_or_else(unknown);
        let (mut objects, mut positions) = (Vec::new(), Vec::new());
        match (kind, self.merchant) {
            (ObjectKind::Consent, None) => {
                let position =
                    before.map_or(Some((Timestamp(i64::MAX), ConsentId::new(Uuid::nil()))), consent_position);
                let position = position.ok_or_else(unknown)?;
                for consent in tx.consent_page_by_application(self.application, position, limit)? {
                    positions.push(format!("{}.{}", consent.created_at.0, consent.id));
                    objects.push(self.consent(tx, &consent)?);
                }
            }
            (ObjectKind::Payment, None) => {
                let before = before.map_or(Some(PaymentId::new(Uuid::max())), PaymentId::parse);
                for payment in
                    tx.payment_page_by_application(self.application, before.ok_or_else(unknown)?, limit)?
                {
                    positions.push(payment.id.to_string());
                    objects.push(self.payment(tx, &payment)?);
                }
            }
            (ObjectKind::SigningBasket, None) => {
                let first = (Timestamp(i64::MAX), SigningBasketId::new(Uuid::nil()));
                let position = before.map_or(Some(first), signing_basket_position).ok_or_else(unknown)?;
                for basket in tx.signing_basket_page_by_application(self.application, position, limit)? {
                    positions.push(format!("{}.{}", basket.created_at.0, basket.id));
                    objects.push(self.signing_basket(tx, &basket)?);
                }
            }
            (ObjectKind::Basket, Some(merchant)) => {
                for basket in tx.basket_page_by_merchant(merchant, number()?, limit)? {
                    positions.push(basket.id.number().to_string());
                    objects.push(self.basket(&basket));
                }
            }
            (ObjectKind::Loan, Some(merchant)) => {
                for loan in tx.loan_page_by_merchant(merchant, number()?, limit)? {
                    positions.push(loan.basket.number().to_string());
                    objects.push(self.loan(&loan));
                }
            }
            _ => return Err(unknown().into()),
        }
        Ok((objects, positions))
    }

    fn find(&self, tx: &mut Tx<'_>, kind: ObjectKind, id: &str) -> Result<Option<ObjectView>, StoreError> {
        let (mut view, targets) = match (kind, self.merchant) {
            (ObjectKind::Consent, None) => {
                let Some(id) = ConsentId::parse(id) else { return Ok(None) };
                let Some(consent) = tx.consent_find_any(self.application, id)? else { return Ok(None) };
                let target = match consent.kind {
                    ConsentKind::Access => Target::Consent(id),
                    ConsentKind::Funds => Target::FundsConsent(id),
                };
                (self.consent(tx, &consent)?, vec![target])
            }
            (ObjectKind::Payment, None) => {
                let Some(id) = PaymentId::parse(id) else { return Ok(None) };
                let Some(payment) = tx.payment_find(self.application, id)? else { return Ok(None) };
                (self.payment(tx, &payment)?, vec![Target::Payment(id), Target::Cancellation(id)])
            }
            (ObjectKind::SigningBasket, None) => {
                let Some(id) = SigningBasketId::parse(id) else { return Ok(None) };
                let Some(basket) = tx.signing_basket_find(self.application, id)? else { return Ok(None) };
                (self.signing_basket(tx, &basket)?, vec![Target::SigningBasket(id)])
            }
            (ObjectKind::Basket, Some(merchant)) => {
                let Some(id) = id.parse().ok().map(BasketId::new) else { return Ok(None) };
                let Some(basket) = tx.basket_find(merchant, id)? else { return Ok(None) };
                let mut view = self.basket(&basket);
                if let BasketState::Approved { loan } = basket.state {
                    let loan = tx.loan_find(merchant, loan)?.required("loan")?;
                    view.facts.push(("Refunded", refunded(&loan)));
                }
                (view, Vec::new())
            }
            (ObjectKind::Loan, Some(merchant)) => {
                let Some(id) = LoanId::parse(id) else { return Ok(None) };
                let Some(loan) = tx.loan_find(merchant, id)? else { return Ok(None) };
                (self.loan(&loan), Vec::new())
            }
            _ => return Ok(None),
        };
        for target in targets {
            for record in tx.authorisation_list(self.application, target)? {
                let started = format!("authorisation {} started", record.authorisation.id);
                view.timeline.push((record.authorisation.created_at, started));
            }
        }
        view.timeline.sort_by_key(|(at, _)| *at);
        Ok(Some(view))
    }

    /// The login of the customer, unless they gave it on the bank's page only.
    fn psu_id(&self, tx: &mut Tx<'_>, id: Uuid, login: &str) -> Result<String, StoreError> {
        Ok(match tx.login_is_private(self.application, id)? {
            true => "given on the bank's page".to_owned(),
            false => login.to_owned(),
        })
    }

    fn consent(&self, tx: &mut Tx<'_>, consent: &Consent) -> Result<ObjectView, StoreError> {
        let consent = consent.as_of(self.now);
        let mut timeline = vec![(consent.created_at, "created".to_owned())];
        if let ConsentState::Valid { since } = consent.state {
            timeline.push((since, "authorised by the customer".to_owned()));
        }
        let psu = self.psu_id(tx, consent.id.uuid(), &consent.psu)?;
        let mut facts = vec![("Kind", consent.kind.name().to_owned()), ("PSU_ID", psu)];
        facts.extend(consent.validity.end.map(|end| ("Valid until", format_timestamp(end))));
        Ok(view(
            consent.id,
            consent.state.status().name(),
            (consent.created_at, consent.last_action),
            facts,
            timeline,
        ))
    }

    fn payment(&self, tx: &mut Tx<'_>, payment: &Payment) -> Result<ObjectView, StoreError> {
        let payment = payment.as_of(self.now);
        let instruction = &payment.instruction;
        let facts = vec![
            ("Product", instruction.product.name().to_owned()),
            ("PSU_ID", self.psu_id(tx, payment.id.uuid(), &payment.psu)?),
            ("Amount", instruction.amount.to_string()),
            ("Creditor", instruction.creditor_name.clone()),
        ];
        let timeline = vec![(payment.created_at, "initiated".to_owned())];
        let times = (payment.created_at, payment.last_action);
        Ok(view(payment.id, payment.state.status().name(), times, facts, timeline))
    }

    fn signing_basket(&self, tx: &mut Tx<'_>, basket: &SigningBasket) -> Result<ObjectView, StoreError> {
        let basket = basket.as_of(self.now);
        let mut facts = vec![("PSU_ID", self.psu_id(tx, basket.id.uuid(), &basket.psu)?)];
        facts.extend(basket.members.iter().map(|member| match member {
            BasketMember::Payment(id) => ("Payment", id.to_string()),
            BasketMember::Consent(id) => ("Consent", id.to_string()),
        }));
        let timeline = vec![(basket.created_at, "created".to_owned())];
        let times = (basket.created_at, basket.last_action);
        Ok(view(basket.id, basket.state.status().name(), times, facts, timeline))
    }

    fn basket(&self, basket: &Basket) -> ObjectView {
        let basket = basket.as_of(self.now);
        let mut facts = vec![
            ("basketId", basket.public.to_string()),
            ("orderIdentifier", basket.order.order_identifier.clone()),
            ("Value", basket.order.value.to_string()),
        ];
        if let BasketState::Approved { loan } = basket.state {
            facts.push(("Loan", loan.to_string()));
        }
        let timeline = vec![(basket.created_at, "created".to_owned())];
        let times = (basket.created_at, basket.last_action);
        view(basket.id.number(), basket.state.name(), times, facts, timeline)
    }

    fn loan(&self, loan: &Loan) -> ObjectView {
        let facts = vec![
            ("Basket", loan.basket.number().to_string()),
            ("Amount", loan.amount.to_string()),
            ("Refunded", refunded(loan)),
        ];
        let mut timeline = vec![(loan.requested_at, "requested".to_owned())];
        timeline.extend(loan.decided_at.map(|at| (at, "decided".to_owned())));
        view(loan.id, loan.state.name(), (loan.requested_at, loan.last_action), facts, timeline)
    }
}

fn refunded(loan: &Loan) -> String {
    Money::new(loan.state.refunded_minor(), loan.amount.currency).to_string()
}

fn view(
    id: impl ToString,
    status: &str,
    (created_at, changed_at): (Timestamp, Timestamp),
    facts: Vec<(&'static str, String)>,
    mut timeline: Vec<(Timestamp, String)>,
) -> ObjectView {
    if timeline.iter().all(|(at, _)| *at != changed_at) {
        timeline.push((changed_at, format!("{status} (last change)")));
    }
    ObjectView { id: id.to_string(), status: status.to_owned(), created_at, changed_at, facts, timeline }
}

fn consent_position(text: &str) -> Option<(Timestamp, ConsentId)> {
    let (created_at, id) = position(text)?;
    Some((created_at, ConsentId::parse(id)?))
}

fn signing_basket_position(text: &str) -> Option<(Timestamp, SigningBasketId)> {
    let (created_at, id) = position(text)?;
    Some((created_at, SigningBasketId::parse(id)?))
}

/// A time and an id.
fn position(text: &str) -> Option<(Timestamp, &str)> {
    let (micros, id) = text.split_once('.')?;
    Some((Timestamp(micros.parse().ok()?), id))
}

fn unknown() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown object")
}
