//! Creating a payment together with its authorisation.

use super::{check_consent, recorded_id};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::payment::PayeeCheck;
use crate::sca::{Created, StartOption};
use crate::{App, Required, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::payment::{Payment, PaymentOrder};

impl App {
    /// Creates a payment and, for an implicit start, its authorisation in the same transaction. `psu` is empty while the customer is not
    /// known; a payment under a consent is its customer's.
    pub async fn payment_initiate_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        consent: Option<String>,
        order: PaymentOrder,
        start: StartOption,
    ) -> Result<Replayable<Created<Payment>>, UseCaseError> {
        let start = self.target_start(tpp, start);
        let (payment, event) = self.new_payment(tpp, psu, order)?;
        let (application, now) = (payment.application, payment.created_at);
        let today = self.clock.zone().day(now);
        let instruction = &payment.instruction;
        let check = match start.is_implicit() {
            true => {
                self.payee_check_new(application, instruction.creditor, &instruction.creditor_name).await?
            }
            false => PayeeCheck::default(),
        };
        let payee = check.clone();
        let created = self
            .store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let id = recorded_id(&record)?;
                    let first = tx.payment_find(application, id)?.required("payment")?;
                    let authorisation = start.replayed(tx, Target::Payment(id), &record)?;
                    return Ok(Replayable::replayed(Created { object: first.as_created(), authorisation }));
                }
                payment.instruction.timing.check(today)?;
                let mut object = payment.clone();
                if let Some(consent) = &consent {
                    object.psu = check_consent(tx, &object, consent)?;
                }
                tx.payment_insert(&object)?;
                audit::record(tx, now, Actor::Application(application), &event)?;
                let (result, authorisation) = start.run(tx, Target::Payment(object.id), payee.clone())?;
                request.record(tx, "initiated", &result, now)?;
                Ok(Replayable::fresh(Created { object, authorisation }))
            })
            .await?;
        if let (false, Some(started)) = (created.replayed, &created.value.authorisation) {
            self.payee_mismatch_record(application, &check, started.payee_verification);
        }
        Ok(created)
    }
}
