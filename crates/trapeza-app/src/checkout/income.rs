//! The declaration of income and expenses by a shopper without an account here, before any plan is shown.

use super::{ActiveCheckout, CheckoutContext, out_of_order};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::loan::DeclaredIncome;
use trapeza_store::CheckoutRecord;

impl App {
    /// Declares income and expenses. A further declaration replaces the one before, until the basket is decided.
    pub async fn checkout_income(
        &self,
        public: &str,
        session: &str,
        income: DeclaredIncome,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, session)?;
        let declared = self.with_open_basket(context, move |tx, context, basket| {
            let ActiveCheckout { opened, record } = context.active(tx, basket)?;
            if record.shopper.is_none() || record.psu.is_some() || !context.declared_income {
                return Err(out_of_order().into());
            }
            let event = AuditEvent::new("checkout.income_declared", "basket", record.basket)
                .with("income_minor", income.income_minor)
                .with("expenses_minor", income.expenses_minor)
                .with("source", income.source.name());
            audit::record(tx, context.decision.now, Actor::Bank, &event)?;
            let record = CheckoutRecord { income: Some(income), ..record };
            tx.checkout_update(&record)?;
            context.decline_if_ineligible(tx, ActiveCheckout { opened, record })
        });
        declared.await
    }
}

impl CheckoutContext {
    /// Whether the shopper must declare an income before plans are shown.
    pub(super) fn awaits_income(&self, record: &CheckoutRecord) -> bool {
        self.declared_income && record.psu.is_none() && record.income.is_none()
    }
}
