//! The transition table: every command in every state, computed by the state machine itself.

use super::{
    LineCounts, NewPayment, Payment, PaymentInstruction, PaymentProduct, PaymentState, PaymentTiming,
    RejectionReason, Transition,
};
use crate::clearing::ReasonCode;
use crate::id::{ApplicationId, PaymentId};
use crate::money::{Currency, Money};
use crate::reference::{Iban, StoredIdentifier, StoredReference};
use crate::refusal::Refusal;
use crate::time::{TimeDelta, Timestamp};
use crate::transition_table::{markdown, refused};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(0);

const STATES: [PaymentState; 17] = [
    PaymentState::Received,
    PaymentState::Authorised,
    PaymentState::Scheduled { execute_at: Timestamp(1), cancellation_hold_until: None },
    PaymentState::Scheduled { execute_at: NOW, cancellation_hold_until: None },
    PaymentState::Scheduled { execute_at: NOW, cancellation_hold_until: Some(Timestamp(1)) },
    PaymentState::Scheduled { execute_at: NOW, cancellation_hold_until: Some(NOW) },
    PaymentState::Accepted { submit_at: Timestamp(1), cancellation_hold_until: None },
    PaymentState::Accepted { submit_at: NOW, cancellation_hold_until: None },
    PaymentState::Accepted { submit_at: NOW, cancellation_hold_until: Some(Timestamp(1)) },
    PaymentState::Accepted { submit_at: NOW, cancellation_hold_until: Some(NOW) },
    PaymentState::Submitted,
    PaymentState::Settled,
    PaymentState::Credited,
    PaymentState::PartlyAccepted { has_open_lines: true },
    PaymentState::PartlyAccepted { has_open_lines: false },
    PaymentState::Rejected { accepted: false, reason: RejectionReason::Funds, code: None },
    PaymentState::Cancelled,
];

type Command = (&'static str, fn(Payment) -> Result<Transition, Refusal>);

const COMMANDS: [Command; 15] = [
    ("authorise", |payment| payment.authorise(NOW)),
    ("schedule", |payment| payment.schedule(Timestamp(1), NOW)),
    ("postpone", |payment| payment.postpone(Timestamp(1), NOW)),
    ("repeat", |payment| payment.repeat(Some(Timestamp(1)), NOW)),
    ("execute_lines", |payment| payment.execute_lines(LineCounts { open: 0, done: 1, rejected: 1 }, NOW)),
    ("accept", |payment| payment.accept(TimeDelta(0), NOW)),
    ("submit_instant", |payment| payment.submit_instant(NOW)),
    ("submit", |payment| payment.submit(NOW)),
    ("settle", |payment| payment.settle(NOW)),
    ("execute", |payment| payment.execute(NOW)),
    ("reject", |payment| payment.reject(RejectionReason::Refused, NOW)),
    ("reject_by_clearing", |payment| payment.reject_by_clearing(ReasonCode::NARRATIVE, NOW)),
    ("request_cancellation", |payment| payment.request_cancellation(NOW)),
    ("cancel", |payment| payment.cancel(NOW)),
    ("decline_cancellation", |payment| payment.decline_cancellation(NOW)),
];

/// A markdown table with a row per state and a column per command.
pub fn transition_table() -> String {
    markdown(
        COMMANDS.iter().map(|(name, _)| *name),
        STATES.map(|state| {
            let cells = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state))));
            (name(state), cells.collect())
        }),
    )
}

fn cell(outcome: Result<Transition, Refusal>) -> String {
    match outcome {
        Ok((payment, event)) => format!("{} ({})", name(payment.state), event.action),
        Err(refusal) => refused(&refusal),
    }
}

fn name(state: PaymentState) -> String {
    let more = match state {
        PaymentState::Accepted { cancellation_hold_until: Some(until), .. }
        | PaymentState::Scheduled { cancellation_hold_until: Some(until), .. }
            if NOW < until =>
        {
            ", cancellation requested"
        }
        PaymentState::Accepted { cancellation_hold_until: Some(_), .. }
        | PaymentState::Scheduled { cancellation_hold_until: Some(_), .. } => ", due, cancellation declined",
        PaymentState::Accepted { submit_at: due, .. } | PaymentState::Scheduled { execute_at: due, .. }
            if due <= NOW =>
        {
            ", due"
        }
        PaymentState::PartlyAccepted { has_open_lines: true } => ", lines in clearing",
        _ => "",
    };
    let scheduled = if matches!(state, PaymentState::Scheduled { .. }) { ", scheduled" } else { "" };
    format!("{}{scheduled}{more}", state.status().name())
}

pub(super) fn in_state(state: PaymentState) -> Payment {
    let iban = Iban::parse("GR1601101250000000012300695").expect("the example is an IBAN");
    let instruction = PaymentInstruction {
        product: PaymentProduct::SepaCreditTransfers,
        end_to_end_id: None,
        debtor: StoredReference { identifier: StoredIdentifier::Iban(iban), currency: None },
        amount: Money::new(1, Currency::EUR),
        fee: Money::zero(Currency::EUR),
        creditor: iban,
        creditor_currency: None,
        creditor_agent: None,
        creditor_agent_name: None,
        creditor_name: String::new(),
        creditor_address: None,
        remittance: None,
        timing: PaymentTiming::Immediate,
        bulk: None,
    };
    let (id, application) = (PaymentId::new(Uuid::nil()), ApplicationId::new(Uuid::nil()));
    let new = NewPayment { id, application, psu: String::new(), now: NOW };
    Payment { state, ..Payment::initiate(new, instruction).0 }
}

#[cfg(test)]
mod tests {
    use super::super::TransactionStatus;
    use super::*;

    #[test]
    fn every_command_in_every_state() {
        for status in TransactionStatus::ALL {
            assert!(STATES.iter().any(|state| state.status() == *status), "{status:?} is not in the table");
        }
        insta::assert_snapshot!(transition_table());
    }

    #[test]
    fn final_states_refuse_every_command() {
        for state in STATES.into_iter().filter(|state| state.is_final()) {
            for (name, command) in COMMANDS {
                assert!(command(in_state(state)).is_err(), "{name} in {state:?}");
            }
        }
    }
}
