//! The executions of a standing order. Each is a payment of its own; that one fails does not end the order.

use super::state::{is_executable, out_of_state};
use super::{Payment, PaymentInstruction, PaymentState, PaymentTiming, Transition};
use crate::id::PaymentId;
use crate::refusal::Refusal;
use crate::time::{Date, Timestamp};

impl Payment {
    /// The day of the next execution of a standing order.
    pub fn next_execution_day(&self) -> Option<Date> {
        match self.instruction.timing {
            PaymentTiming::Standing(order) => order.execution_day(self.execution_number),
            PaymentTiming::Immediate | PaymentTiming::OnDate(_) => None,
        }
    }

    /// The payment that executes a due standing order on a day. It has the same order and its own id.
    pub fn execution(&self, id: PaymentId, day: Date, now: Timestamp) -> Transition {
        let execution = Self {
            id,
            instruction: PaymentInstruction {
                timing: PaymentTiming::OnDate(day),
                ..self.instruction.clone()
            },
            state: PaymentState::Scheduled { execute_at: now, cancellation_hold_until: None },
            created_at: now,
            last_action: now,
            routed_agent: None,
            standing_order: Some(self.id),
            execution_number: self.execution_number.saturating_add(1),
            // The third party asked to be notified of the order.
            notifies: false,
            signing_basket: None,
            ..self.clone()
        };
        let event = execution.event("payment.initiated");
        (execution, event.with("standing_order", self.id))
    }

    /// An execution was created. The order waits for the next one, or has ended.
    pub fn repeat(self, next: Option<Timestamp>, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            state @ PaymentState::Scheduled { .. } if is_executable(state, now) => {
                let number = self.execution_number.saturating_add(1);
                let order = Self { execution_number: number, ..self };
                let (order, event) = match next {
                    Some(execute_at) => {
                        let waiting = PaymentState::Scheduled { execute_at, cancellation_hold_until: None };
                        order.moved(waiting, now, "payment.repeated")
                    }
                    None => order.moved(PaymentState::Settled, now, "payment.completed"),
                };
                Ok((order, event.with("execution", number)))
            }
            state => Err(out_of_state(state)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::transitions::in_state;
    use super::*;
    use crate::id::SigningBasketId;
    use crate::reference::Bic;
    use uuid::Uuid;

    #[test]
    fn execution_is_a_payment_of_its_own_on_its_day() {
        let now = Timestamp(9);
        let order = Payment {
            notifies: true,
            signing_basket: Some(SigningBasketId::new(Uuid::nil())),
            routed_agent: Some(Bic::parse("TRPZGRAA").unwrap()),
            execution_number: 4,
            ..in_state(PaymentState::Scheduled { execute_at: Timestamp(1), cancellation_hold_until: None })
        };
        let id = PaymentId::new(Uuid::from_u128(5));
        let (execution, event) = order.execution(id, Date(20), now);
        let scheduled = in_state(PaymentState::Scheduled { execute_at: now, cancellation_hold_until: None });
        let expected = Payment {
            id,
            instruction: PaymentInstruction {
                timing: PaymentTiming::OnDate(Date(20)),
                ..scheduled.instruction.clone()
            },
            created_at: now,
            last_action: now,
            standing_order: Some(order.id),
            execution_number: 5,
            ..scheduled
        };
        assert_eq!((execution, event.action), (expected, "payment.initiated"));
    }
}
