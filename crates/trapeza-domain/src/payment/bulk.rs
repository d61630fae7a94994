//! Bulk payments: several payments from one account, ordered together and approved with one authorisation. When the bulk is executed, each
//! line becomes a payment of its own or is rejected on its own.

use super::state::{is_executable, out_of_state};
use super::{
    BulkTerms, LinesDigest, Payment, PaymentInstruction, PaymentOrder, PaymentProduct, PaymentState,
    PaymentTiming, RejectionReason, Transition,
};
use crate::field::Field;
use crate::id::PaymentId;
use crate::money::Money;
use crate::refusal::{FieldErrors, Refusal};
use crate::time::Timestamp;
use sha2::{Digest, Sha256};

/// Maximum number of lines of a bulk payment.
pub const MAX_BULK_LINES: usize = 500;

/// A bulk payment that is valid by its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkOrder {
    pub product: PaymentProduct,
    /// At least one, all from the same account and in the same currency.
    pub lines: Vec<PaymentOrder>,
    pub batch_booking: bool,
    pub timing: PaymentTiming,
}

impl LinesDigest {
    /// Every part is preceded by its length, so that different lines have different inputs.
    pub fn of<'a>(lines: impl ExactSizeIterator<Item = &'a PaymentInstruction>) -> Self {
        let mut hash = Sha256::new();
        hash.update((lines.len() as u64).to_be_bytes());
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        for line in lines {
            part(line.product.name().as_bytes());
            part(&line.amount.minor.to_be_bytes());
            part(line.amount.currency.code().as_bytes());
            part(&line.fee.minor.to_be_bytes());
            part(line.creditor.as_str().as_bytes());
            part(line.creditor_agent.as_ref().map_or("", |agent| agent.as_str()).as_bytes());
            part(line.creditor_name.as_bytes());
            part(line.end_to_end_id.as_deref().unwrap_or_default().as_bytes());
            part(line.remittance.as_deref().unwrap_or_default().as_bytes());
        }
        Self(hash.finalize().into())
    }
}

/// How many lines of a bulk are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Accepted, and not settled yet.
    pub open: u64,
    /// Settled or credited.
    pub done: u64,
    pub rejected: u64,
}

impl LineCounts {
    pub fn add(&mut self, state: PaymentState, count: u64) {
        match state {
            PaymentState::Settled | PaymentState::Credited => self.done += count,
            PaymentState::Rejected { .. } | PaymentState::Cancelled => self.rejected += count,
            _ => self.open += count,
        }
    }

    /// The state of the bulk.
    const fn state(self) -> PaymentState {
        match self {
            Self { open: 0, done: 0, .. } => {
                PaymentState::Rejected { accepted: true, reason: RejectionReason::AllLines, code: None }
            }
            Self { open: 0, rejected: 0, .. } => PaymentState::Settled,
            Self { rejected: 0, .. } => PaymentState::Submitted,
            Self { open, .. } => PaymentState::PartlyAccepted { has_open_lines: open > 0 },
        }
    }
}

impl BulkOrder {
    /// Checks what concerns all lines together: their number, one currency, and a sum that can be booked.
    pub fn check_lines(lines: &[PaymentOrder], count: usize, errors: &mut FieldErrors) {
        if !(1..=MAX_BULK_LINES).contains(&count) {
            errors.add(Field::Payments, format!("must have 1 to {MAX_BULK_LINES} payments"));
        }
        let Some(first) = lines.first() else { return };
        if lines.iter().any(|line| line.amount.currency != first.amount.currency) {
            errors.add(Field::Payments, "must all be in the same currency");
        } else if sum(lines.iter().map(|line| line.amount.minor)).is_none() {
            errors.add(Field::Payments, "must not pay more than can be booked");
        }
    }

    /// The order as it is stored: the bulk and its lines. `line` makes the instruction of a line.
    pub fn instructions(
        self,
        line: impl Fn(PaymentOrder) -> PaymentInstruction,
    ) -> Option<(PaymentInstruction, Vec<PaymentInstruction>)> {
        let lines: Vec<PaymentInstruction> = self.lines.into_iter().map(line).collect();
        let first = lines.first()?;
        let (currency, count) = (first.amount.currency, u32::try_from(lines.len()).ok()?);
        let amount = Money::new(sum(lines.iter().map(|line| line.amount.minor))?, currency);
        let fee = Money::new(sum(lines.iter().map(|line| line.fee.minor))?, currency);
        let digest = LinesDigest::of(lines.iter());
        let bulk = PaymentInstruction {
            product: self.product,
            amount,
            fee,
            debtor: first.debtor.clone(),
            timing: self.timing,
            bulk: Some(BulkTerms { count, batch_booking: self.batch_booking, digest }),
            creditor: first.creditor,
            // A bulk has many payees; lists that name one show how many payments it is.
            creditor_name: format!("{count} payments"),
            creditor_currency: None,
            creditor_agent: None,
            creditor_agent_name: None,
            creditor_address: None,
            end_to_end_id: None,
            remittance: None,
        };
        Some((bulk, lines))
    }
}

fn sum(mut minor: impl Iterator<Item = i64>) -> Option<i64> {
    minor.try_fold(0_i64, i64::checked_add)
}

impl Payment {
    /// The payment that a line of a due bulk becomes. Its money moves, is held, or it is rejected, in the same transaction.
    pub fn line(
        &self,
        id: PaymentId,
        number: u32,
        instruction: PaymentInstruction,
        now: Timestamp,
    ) -> Transition {
        let line = Self {
            id,
            instruction,
            state: PaymentState::Authorised,
            created_at: now,
            last_action: now,
            payee_verification: None,
            routed_agent: None,
            bulk: Some(self.id),
            execution_number: number,
            // The third party asked to be notified of the bulk.
            notifies: false,
            signing_basket: None,
            ..self.clone()
        };
        let event = line.event("payment.initiated");
        (line, event.with("bulk", self.id))
    }

    /// The lines of a due bulk became payments.
    pub fn execute_lines(self, lines: LineCounts, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            state if is_executable(state, now) => Ok(self.moved_to_lines(lines, now)),
            state => Err(out_of_state(state)),
        }
    }

    /// The bulk after a line has ended, unless its state stays the same.
    pub fn follow_lines(self, lines: LineCounts, now: Timestamp) -> Option<Transition> {
        let is_followed = matches!(self.state, PaymentState::Submitted | PaymentState::PartlyAccepted { .. });
        (is_followed && lines.state() != self.state).then(|| self.moved_to_lines(lines, now))
    }

    fn moved_to_lines(self, lines: LineCounts, now: Timestamp) -> Transition {
        let (bulk, event) = self.moved(lines.state(), now, "payment.lines_processed");
        let LineCounts { open, done, rejected } = lines;
        (bulk, event.with("open", open).with("done", done).with("rejected", rejected))
    }
}

#[cfg(test)]
mod tests {
    use super::super::transitions::in_state;
    use super::*;
    use crate::id::SigningBasketId;
    use crate::money::Currency;
    use crate::payee_verification::{PayeeVerification, VerifiedPayee};
    use crate::reference::{AccountReference, Bic, Iban};
    use uuid::Uuid;

    const NOW: Timestamp = Timestamp(0);

    fn counts(open: u64, done: u64, rejected: u64) -> LineCounts {
        LineCounts { open, done, rejected }
    }

    #[test]
    fn lines_have_one_currency_and_a_sum_that_can_be_booked() {
        let line = |minor, currency| PaymentOrder {
            product: PaymentProduct::InternalTransfers,
            end_to_end_id: None,
            debtor: AccountReference::iban(Iban::parse("GR1601101250000000012300695").unwrap(), None),
            amount: Money::new(minor, currency),
            creditor: Iban::parse("DE89370400440532013000").unwrap(),
            creditor_currency: None,
            creditor_agent: None,
            creditor_agent_name: None,
            creditor_name: "Anna".to_owned(),
            creditor_address: None,
            remittance: None,
            timing: PaymentTiming::Immediate,
        };
        let valid = |lines: &[PaymentOrder]| {
            let mut errors = FieldErrors::default();
            BulkOrder::check_lines(lines, lines.len(), &mut errors);
            errors.finish().is_ok()
        };
        let euro = |minor| line(minor, Currency::EUR);
        assert!(valid(&[euro(1), euro(i64::MAX - 1)]));
        assert!(!valid(&[euro(2), euro(i64::MAX - 1)]), "more than can be booked");
        assert!(!valid(&[euro(1), line(1, Currency::USD)]), "two currencies");
        assert!(!valid(&[]));
        assert!(valid(&vec![euro(1); MAX_BULK_LINES]) && !valid(&vec![euro(1); MAX_BULK_LINES + 1]));
    }

    #[test]
    fn status_of_a_bulk_follows_its_lines() {
        for (lines, status, is_final) in [
            (counts(3, 0, 0), "ACSP", false),
            (counts(2, 1, 0), "ACSP", false),
            (counts(0, 3, 0), "ACSC", true),
            (counts(0, 0, 3), "RJCT", true),
            (counts(1, 1, 1), "PART", false),
            (counts(2, 0, 1), "PART", false),
            (counts(0, 2, 1), "PART", true),
        ] {
            let (bulk, event) = in_state(PaymentState::Authorised).execute_lines(lines, NOW).unwrap();
            assert_eq!((bulk.state.status().name(), bulk.state.is_final()), (status, is_final), "{lines:?}");
            assert_eq!(event.action, "payment.lines_processed");
        }
        assert!(in_state(PaymentState::Received).execute_lines(counts(0, 1, 0), NOW).is_err());
    }

    #[test]
    fn follow_lines_moves_only_a_bulk_whose_lines_are_open() {
        let part = PaymentState::PartlyAccepted { has_open_lines: true };
        assert!(in_state(part).follow_lines(counts(1, 1, 1), NOW).is_none());
        let (ended, _) = in_state(part).follow_lines(counts(0, 2, 1), NOW).unwrap();
        assert_eq!(ended.state, PaymentState::PartlyAccepted { has_open_lines: false });
        let (rejected, _) = in_state(part).follow_lines(counts(0, 0, 3), NOW).unwrap();
        assert_eq!(rejected.state.status().name(), "RJCT");
        assert!(in_state(PaymentState::Settled).follow_lines(counts(0, 1, 1), NOW).is_none());
    }

    fn all_differ(digests: &[LinesDigest]) {
        for (index, one) in digests.iter().enumerate() {
            assert!(!digests[index + 1..].contains(one), "the digest at {index} occurs twice");
        }
    }

    #[test]
    fn digest_depends_on_every_line_and_their_order() {
        let line = |minor, name: &str| PaymentInstruction {
            amount: Money::new(minor, Currency::EUR),
            creditor_name: name.to_owned(),
            ..in_state(PaymentState::Received).instruction
        };
        let digest = |lines: &[PaymentInstruction]| LinesDigest::of(lines.iter());
        let all = [
            digest(&[line(1, "Anna"), line(2, "Maria")]),
            digest(&[line(2, "Maria"), line(1, "Anna")]),
            digest(&[line(1, "Anna"), line(3, "Maria")]),
            digest(&[line(1, "Anna"), line(2, "Mari")]),
            digest(&[line(1, "Anna")]),
            digest(&[PaymentInstruction { remittance: Some("Anna".to_owned()), ..line(1, "") }]),
        ];
        all_differ(&all);
        assert_eq!(all[0].fingerprint().len(), 9);
    }

    #[test]
    fn digest_depends_on_every_field_that_is_paid() {
        let line = || in_state(PaymentState::Received).instruction;
        let digest = |line: PaymentInstruction| LinesDigest::of([&line].into_iter());
        let (amount, fee) = (line().amount, line().fee);
        all_differ(&[
            digest(line()),
            digest(PaymentInstruction { product: PaymentProduct::InstantSepaCreditTransfers, ..line() }),
            digest(PaymentInstruction { amount: Money::new(amount.minor + 1, amount.currency), ..line() }),
            digest(PaymentInstruction { amount: Money::new(amount.minor, Currency::USD), ..line() }),
            digest(PaymentInstruction { fee: Money::new(fee.minor + 1, fee.currency), ..line() }),
            digest(PaymentInstruction {
                creditor: Iban::parse("FR1420041010050500013M02606").unwrap(),
                ..line()
            }),
            digest(PaymentInstruction { creditor_agent: Some(Bic::parse("BNPAFRPP").unwrap()), ..line() }),
            digest(PaymentInstruction { creditor_name: "Another Name".to_owned(), ..line() }),
            digest(PaymentInstruction { end_to_end_id: Some("E2E".to_owned()), ..line() }),
            digest(PaymentInstruction { remittance: Some("E2E".to_owned()), ..line() }),
        ]);
    }

    #[test]
    fn lines_are_counted_by_their_state() {
        let mut lines = LineCounts::default();
        let rejected =
            PaymentState::Rejected { accepted: true, reason: RejectionReason::AllLines, code: None };
        for (state, count) in [
            (PaymentState::Settled, 1),
            (PaymentState::Credited, 2),
            (rejected, 4),
            (PaymentState::Cancelled, 8),
            (PaymentState::Authorised, 16),
            (PaymentState::Submitted, 32),
        ] {
            lines.add(state, count);
        }
        assert_eq!(lines, counts(48, 3, 12));
    }

    #[test]
    fn line_is_an_authorised_payment_of_its_own() {
        let later = Timestamp(9);
        let bulk = Payment {
            notifies: true,
            signing_basket: Some(SigningBasketId::new(Uuid::nil())),
            routed_agent: Some(Bic::parse("TRPZGRAA").unwrap()),
            payee_verification: Some(VerifiedPayee::new(PayeeVerification::Match, None)),
            ..in_state(PaymentState::Settled)
        };
        let instruction = PaymentInstruction { creditor_name: "Anna".to_owned(), ..bulk.instruction.clone() };
        let id = PaymentId::new(Uuid::from_u128(5));
        let (line, event) = bulk.line(id, 3, instruction.clone(), later);
        let expected = Payment {
            id,
            instruction,
            bulk: Some(bulk.id),
            execution_number: 3,
            created_at: later,
            last_action: later,
            ..in_state(PaymentState::Authorised)
        };
        assert_eq!((line, event.action), (expected, "payment.initiated"));
    }
}
