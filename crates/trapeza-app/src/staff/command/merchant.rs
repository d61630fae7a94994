//! Actions on merchants: terms, settlement account, payouts.

use super::parameter_reader::ParameterReader;
use super::{ActionContext, ActionOutcome};
use crate::UseCaseError;
use crate::merchant::{self, TermsChange};
use trapeza_domain::field::Field;
use trapeza_domain::installment::{Plan, PlanOffer};
use trapeza_domain::payment::PayeeAccount;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::staff::StaffAction;
use trapeza_store::Tx;

#[derive(Clone, Debug)]
pub(super) enum MerchantCommand {
    Terms(String, TermsChange),
    SettlementAccount(String, PayeeAccount),
    /// With the amount as it was given, in the merchant's currency.
    Payout(String, String),
}

impl MerchantCommand {
    pub(super) fn parse(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<Self> {
        let code = reader.required("code", Field::MerchantCode).map(str::to_owned);
        match action {
            StaffAction::MerchantTerms => {
                let change = TermsChange {
                    minimum: reader.text("minimum"),
                    maximum: reader.text("maximum"),
                    discount_basis_points: reader.optional(
                        "discount_basis_points",
                        Field::Discount,
                        |text| text.parse().map_err(|_| "must be a number"),
                    ),
                    plans: reader.optional("plans", Field::Plans, plans),
                };
                Some(Self::Terms(code?, change))
            }
            StaffAction::MerchantSettlementAccount => {
                let name = reader.required("name", Field::Name);
                let iban = reader.parsed("iban", Field::Iban, Iban::parse);
                let agent = reader.optional("bic", Field::CreditorAgent, Bic::parse);
                let account = PayeeAccount { iban: iban?, name: name?.to_owned(), agent };
                Some(Self::SettlementAccount(code?, account))
            }
            StaffAction::MerchantPayout => {
                let amount = reader.required("amount", Field::Amount).map(str::to_owned);
                Some(Self::Payout(code?, amount?))
            }
            _ => None,
        }
    }

    pub(super) fn approved_state(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<String, UseCaseError> {
        match self {
            Self::Terms(code, change) => merchant::terms_approved_state(tx, code, change),
            Self::SettlementAccount(code, account) => {
                merchant::settlement_approved_state(tx, code, account, context.collection)
            }
            Self::Payout(code, amount) => merchant::payout_approved_state(tx, code, amount),
        }
    }

    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        let by = (context.actor, context.now);
        let text = match self {
            Self::Terms(code, change) => {
                merchant::terms_set(tx, code, change, by)?;
                format!("changed the terms of merchant {code}")
            }
            Self::SettlementAccount(code, account) => {
                merchant::settlement_set(tx, code, account, by)?;
                format!("changed the settlement account of merchant {code} to {}", account.iban.masked())
            }
            Self::Payout(code, amount) => {
                let payout = merchant::payout_of_text(tx, code, amount, &context.payout())?;
                let (amount, left) = (payout.amount, payout.left);
                format!("paid {amount} to merchant {code} by payment {}, {left} is left", payout.payment)
            }
        };
        Ok(ActionOutcome::of(text))
    }
}

/// Plans as `3:0,6:990`: months and yearly rate in basis points. The first one is the default.
fn plans(text: &str) -> Result<Vec<PlanOffer>, &'static str> {
    let wrong = "must be months and yearly rates in basis points, for example 3:0,6:990";
    let each = text.split(',').enumerate().map(|(index, plan)| {
        let (months, rate) = plan.trim().split_once(':').ok_or(wrong)?;
        let installments = months.parse().map_err(|_| wrong)?;
        let yearly_rate_bp = rate.parse().map_err(|_| wrong)?;
        Ok(PlanOffer { plan: Plan { installments, yearly_rate_bp }, is_default: index == 0 })
    });
    each.collect()
}
