//! The view of a checkout: the basket for anyone with the link, the stage for the browser that started it.

use super::eligibility::offers;
use super::review::ReviewAccess;
use super::{CheckoutContext, other_browser};
use crate::basket;
use crate::loan::TransferInstructions;
use crate::merchant_terms;
use crate::{App, Required, UseCaseError, credit};
use trapeza_domain::application::MerchantUrls;
use trapeza_domain::authorisation::throttle::MAX_RESENDS;
use trapeza_domain::basket::{Basket, BasketState, DeclineReason};
use trapeza_domain::contact::Phone;
use trapeza_domain::credit_document::DocumentKind;
use trapeza_domain::installment::{Installment, Plan, apr_tenths_of_percent};
use trapeza_domain::loan::LoanState;
use trapeza_domain::money::Money;
use trapeza_domain::reference::Iban;
use trapeza_domain::time::Date;
use trapeza_store::{CheckoutRecord, Tx};

/// What a browser may see.
#[derive(Clone, Debug)]
pub enum CheckoutAccess {
    /// The checkout is not started; any browser may start it.
    Unclaimed(Box<CheckoutView>),
    /// This browser started it.
    Own(Box<CheckoutView>),
    /// Another browser started it.
    OtherBrowser { decided: bool },
    /// The basket ended before the checkout was started: it expired, or the merchant voided it.
    Ended(Box<CheckoutView>),
}

#[derive(Clone, Debug)]
pub struct CheckoutView {
    pub basket: Basket,
    pub merchant_name: String,
    pub urls: MerchantUrls,
    pub stage: Stage,
    /// The date from which installments are computed.
    pub today: Date,
    pub offers: Vec<OfferView>,
    /// The last digits of the telephone number from the merchant.
    pub given_phone: Option<String>,
    /// How the loan is paid without an account here, once the checkout is started.
    pub transfer: Option<TransferInstructions>,
    /// Whether the shopper can have a decline reviewed by a person.
    pub review: ReviewAccess,
}

/// The stage of a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A telephone number is required.
    Phone,
    /// An OTP was sent.
    Code {
        phone: String,
        /// The whole number, if the shopper typed it. One that the merchant sent is not shown: others may have the link.
        typed: Option<Phone>,
        /// The OTP is still accepted.
        open: bool,
        /// Another OTP may be sent.
        again: bool,
    },
    /// The shopper declares income and expenses, or signs in.
    Income,
    /// The telephone number is verified, and a plan can be chosen.
    Plan {
        /// The account from which installments are collected, after a sign-in.
        account: Option<Iban>,
        signed_in: bool,
    },
    /// Decided or expired, with the purchase if there was one.
    Over { bought: Option<Purchase> },
}

/// A purchase as of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purchase {
    /// The open installments, the next one first.
    pub left: Vec<Installment>,
    /// Whether anything was paid or refunded.
    pub begun: bool,
    pub refunded: Money,
    /// Everything was refunded.
    pub undone: bool,
    /// Whether installments are collected from an account, and not paid by transfer.
    pub collected: bool,
    /// The documents that the borrower can download.
    pub documents: Vec<DocumentKind>,
}

/// A plan with everything that the shopper must know before agreeing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferView {
    pub plan: Plan,
    pub is_default: bool,
    pub schedule: Vec<Installment>,
    pub apr_tenths_of_percent: i64,
    pub total_minor: i64,
    /// Why the bank would not grant it to this shopper.
    pub declined: Option<DeclineReason>,
}

impl App {
    /// Views without an effect, because link previews open links, too.
    pub async fn checkout_view(&self, public: &str, browser: &str) -> Result<CheckoutAccess, UseCaseError> {
        let context = self.checkout_context(public, browser)?;
        self.store
            .read(move |tx| {
                let basket = tx.basket_by_public_id(context.public)?.ok_or_else(basket::not_found)?;
                let basket = basket.as_of(context.decision.now);
                match tx.checkout_find(basket.id)? {
                    Some(record) if context.is_own(&record) => {
                        Ok(CheckoutAccess::Own(Box::new(context.view(tx, basket, Some(&record))?)))
                    }
                    None if !basket.state.is_final() && basket.state.loan().is_none() => {
                        Ok(CheckoutAccess::Unclaimed(Box::new(context.view(tx, basket, None)?)))
                    }
                    None if has_ended(&basket) => {
                        Ok(CheckoutAccess::Ended(Box::new(context.view(tx, basket, None)?)))
                    }
                    _ => Ok(CheckoutAccess::OtherBrowser { decided: basket.state.is_final() }),
                }
            })
            .await
    }
}

impl CheckoutContext {
    pub(super) fn view(
        &self,
        tx: &mut Tx<'_>,
        basket: Basket,
        record: Option<&CheckoutRecord>,
    ) -> Result<CheckoutView, UseCaseError> {
        let merchant = merchant_terms::merchant(tx, basket.merchant)?;
        let application = tx.application_find(basket.application)?.required("application")?;
        let today = self.decision.today;
        let offers = offers(tx, &basket, today)?;
        let decisions = match record.filter(|_| !basket.state.is_final()) {
            Some(record) => self.plan_decisions(tx, &basket, record, &offers)?,
            None => None,
        };
        let mut declined = decisions.into_iter().flatten().map(|decision| decision.outcome.err());
        let offers = offers.into_iter().map(|(offer, schedule)| OfferView {
            plan: offer.plan,
            is_default: offer.is_default,
            apr_tenths_of_percent: apr_tenths_of_percent(basket.order.value.minor, &schedule),
            total_minor: schedule.iter().map(Installment::amount_minor).sum(),
            schedule,
            declined: declined.next().flatten(),
        });
        let offers = offers.collect();
        Ok(CheckoutView {
            review: self.review_access(tx, &basket, record)?,
            stage: self.stage(tx, &basket, record)?,
            offers,
            today,
            merchant_name: merchant.name,
            urls: MerchantUrls {
                success_redirect: basket.order.success_redirect.clone().or(application.urls.success_redirect),
                failure_redirect: basket.order.failure_redirect.clone().or(application.urls.failure_redirect),
                ..application.urls
            },
            transfer: self
                .collection
                .zip(basket.state.loan())
                .map(|(iban, loan)| TransferInstructions::new(iban, loan)),
            given_phone: basket.order.phone.as_ref().map(|phone| phone.last_digits().to_owned()),
            basket,
        })
    }

    fn stage(
        &self,
        tx: &mut Tx<'_>,
        basket: &Basket,
        record: Option<&CheckoutRecord>,
    ) -> Result<Stage, UseCaseError> {
        if basket.state.is_final() {
            return Ok(Stage::Over { bought: purchase(tx, basket)? });
        }
        let Some(record) = record else { return Ok(Stage::Phone) };
        if record.shopper.is_some() {
            if self.awaits_income(record) {
                return Ok(Stage::Income);
            }
            let account = match record.psu {
                Some(psu) => credit::collection_account(tx, psu, basket.order.value.currency)?,
                None => None,
            };
            let signed_in = record.psu.is_some();
            return Ok(Stage::Plan { account: account.map(|account| account.iban), signed_in });
        }
        match (&record.phone, &record.challenge) {
            (Some(phone), Some(challenge)) => Ok(Stage::Code {
                phone: phone.last_digits().to_owned(),
                typed: Some(phone.clone()).filter(|phone| basket.order.phone.as_ref() != Some(phone)),
                open: challenge.is_open(self.decision.now),
                again: challenge.sends <= MAX_RESENDS,
            }),
            (None, None) => Ok(Stage::Phone),
            _ => Err(other_browser().into()),
        }
    }
}

/// Whether a basket without a checkout expired or was voided. Other baskets without one were decided by a simulation.
const fn has_ended(basket: &Basket) -> bool {
    matches!(
        basket.state,
        BasketState::Expired { .. } | BasketState::Declined { reason: DeclineReason::Voided, .. }
    )
}

fn purchase(tx: &mut Tx<'_>, basket: &Basket) -> Result<Option<Purchase>, UseCaseError> {
    let Some(loan) = basket.state.loan() else { return Ok(None) };
    let Some(loan) = tx.loan_find(basket.merchant, loan)? else { return Ok(None) };
    let LoanState::Granted { repayment, refunded_minor, contract, .. } = &loan.state else { return Ok(None) };
    let (repayment, refunded_minor) = (*repayment, *refunded_minor);
    let installments = tx.loan_installment_list(loan.id)?;
    let open = installments.iter().filter(|one| repayment.is_open() && one.settled.is_none());
    Ok(Some(Purchase {
        left: open.map(|one| one.installment).filter(|one| one.amount_minor() > 0).collect(),
        begun: refunded_minor > 0 || installments.iter().any(|one| one.settled.is_some()),
        refunded: Money::new(refunded_minor, loan.amount.currency),
        undone: refunded_minor == loan.amount.minor,
        documents: tx.loan_document_kinds(loan.id)?,
        collected: contract.borrower.is_some_and(|borrower| borrower.account.is_some()),
    }))
}
