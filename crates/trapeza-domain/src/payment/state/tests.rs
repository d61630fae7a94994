//! Deadlines, cancellations and submission of payments.

use super::super::transitions::in_state;
use super::*;
use crate::payee_verification::{PayeeVerification, VerifiedPayee};
use crate::reference::Bic;

const CREATED: Timestamp = Timestamp(0);

#[test]
fn unauthorised_payment_is_rejected_after_a_day() {
    let payment = in_state(PaymentState::Received);
    let day = CREATED.plus(TimeDelta::hours(24));
    assert_eq!(payment.as_of(day.minus(TimeDelta(1))).state, PaymentState::Received);
    assert_eq!(payment.as_of(day).state.number(), 7);
    assert!(payment.clone().authorise(day).is_err());
    assert!(payment.clone().request_cancellation(day).is_err());
    assert_eq!(payment.clone().expire_if_due(day.minus(TimeDelta(1))), (payment.clone(), None));
    assert_eq!(payment.clone().expire_if_due(day).0, payment.as_of(day), "stored at the same point in time");
    let (settled, event) = payment.clone().expire_if_due(day.plus(TimeDelta::days(3)));
    assert_eq!((settled.last_action, event.map(|event| event.action)), (day, Some("payment.rejected")));
    assert_eq!(settled.clone().expire_if_due(day), (settled, None));
}

const WAITING: PaymentState = PaymentState::Accepted { submit_at: CREATED, cancellation_hold_until: None };

#[test]
fn cancellation_request_suspends_submission_for_the_authorisation_ttl() {
    let (suspended, _) = in_state(WAITING).request_cancellation(CREATED).unwrap();
    let end = CREATED.plus(AUTHORISATION_TTL);
    assert!(suspended.clone().submit(end.minus(TimeDelta(1))).is_err());
    assert!(suspended.clone().submit(end).is_ok());
    let (resumed, _) = suspended.decline_cancellation(CREATED).unwrap();
    assert!(resumed.clone().submit(CREATED).is_ok());
    assert!(resumed.cancel(CREATED).is_err(), "the cancellation was declined");
}

#[test]
fn second_cancellation_request_does_not_extend_the_suspension() {
    let end = CREATED.plus(AUTHORISATION_TTL);
    let (suspended, _) = in_state(WAITING).request_cancellation(CREATED).unwrap();
    let (again, _) = suspended.request_cancellation(end.minus(TimeDelta(1))).unwrap();
    assert!(again.clone().submit(end).is_ok());
    assert!(again.clone().request_cancellation(end).is_err(), "it is due for submission");
    assert!(again.cancel(end).is_err());
    let (resumed, _) =
        in_state(WAITING).request_cancellation(CREATED).unwrap().0.decline_cancellation(CREATED).unwrap();
    assert!(resumed.request_cancellation(CREATED).is_err());
    // Before it is due, a cancellation may be requested any number of times.
    let later =
        PaymentState::Accepted { submit_at: end.plus(AUTHORISATION_TTL), cancellation_hold_until: Some(end) };
    let (again, _) = in_state(later).request_cancellation(end).unwrap();
    assert!(again.submit(end.plus(AUTHORISATION_TTL)).is_ok());
}

#[test]
fn payments_are_submitted_every_five_seconds() {
    let accepted = |at, delay| match in_state(PaymentState::Authorised).accept(delay, Timestamp(at)) {
        Ok((Payment { state: PaymentState::Accepted { submit_at, .. }, .. }, _)) => submit_at.0,
        other => panic!("{other:?}"),
    };
    assert_eq!(accepted(0, TimeDelta(0)), 5_000_000);
    assert_eq!(accepted(4_999_999, TimeDelta(0)), 5_000_000);
    assert_eq!(accepted(5_000_000, TimeDelta(0)), 10_000_000);
    assert_eq!(accepted(1, TimeDelta::hours(1)), 3_605_000_000);
}

#[test]
fn as_created_leaves_out_what_happened_later() {
    let created = in_state(PaymentState::Received);
    let later = Payment {
        state: PaymentState::Settled,
        last_action: Timestamp(9),
        payee_verification: Some(VerifiedPayee::new(PayeeVerification::Match, None)),
        routed_agent: Some(Bic::parse("TRPZGRAA").unwrap()),
        execution_number: 4,
        ..created.clone()
    };
    assert_eq!(later.as_created(), created);
}

#[test]
fn third_party_is_notified_of_another_status_only_if_it_asked() {
    let quiet = in_state(PaymentState::Received);
    let asked = Payment { notifies: true, ..quiet.clone() };
    let change = |status, is_final| StatusChange {
        application: asked.application,
        object: NotifiedObject::Payment(asked.id),
        status: NewStatus::Object { status, is_final },
    };
    let (cancelled, event) = asked.clone().request_cancellation(CREATED).unwrap();
    assert_eq!(event.status, Some(change(cancelled.state.status().name(), true)));
    assert_eq!(quiet.request_cancellation(CREATED).unwrap().1.status, None);
    assert_eq!(asked.status_change(PaymentState::Received), None, "the status is the same");
}

#[test]
fn requested_cancellation_has_its_end() {
    let until = Some(Timestamp(7));
    let (accepted, scheduled) = (
        PaymentState::Accepted { submit_at: CREATED, cancellation_hold_until: until },
        PaymentState::Scheduled { execute_at: CREATED, cancellation_hold_until: until },
    );
    assert_eq!((accepted.cancellation_hold_until(), scheduled.cancellation_hold_until()), (until, until));
    assert_eq!(PaymentState::Received.cancellation_hold_until(), None);
}
