//! Actions on merchants: change of terms.

use super::parameter_reader::ParameterReader;
use super::{ActionContext, ActionOutcome};
use crate::UseCaseError;
use crate::merchant::{self, TermsChange};
use trapeza_domain::field::Field;
use trapeza_domain::installment::{Plan, PlanOffer};
use trapeza_domain::staff::StaffAction;
use trapeza_store::Tx;

#[derive(Clone, Debug)]
pub(super) enum MerchantOrder {
    Terms(String, TermsChange),
}

impl MerchantOrder {
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
            _ => None,
        }
    }

    pub(super) fn state(&self, tx: &mut Tx<'_>) -> Result<String, UseCaseError> {
        match self {
            Self::Terms(code, change) => merchant::terms_state(tx, code, change),
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
