//! Batch booking: the lines of a bulk are debited in one entry when it is executed. Each goes on from clearing in transit: to its payee at
//! this bank at once, to clearing when it is settled, or back to the payer when clearing rejects it.

use crate::ledger::{Posting, PostingDetail};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::transaction::{BatchEntry, Party, TransactionDetail, TransactionFields};
use trapeza_texts::statement::BookingText;

/// The postings of the lines of a bulk with one debit for all of them, and one for their fees.
pub(super) fn debited_together(bulk: &Payment, lines: Vec<Posting>) -> Vec<Posting> {
    let Some(first) = lines.first() else { return lines };
    let parties = Parties { payer: first.parties.payer, ..Parties::default() };
    let (currency, booking_day, value_day) = (first.amounts.currency, first.booking_day, first.value_day);
    // The sums are not more than those of the bulk, which were computed when it was ordered.
    let amount = Money::new(lines.iter().map(|line| line.amounts.amount_minor).sum(), currency);
    let fee = lines.iter().map(|line| line.amounts.fee_minor).sum();
    let debit = |event, amounts, detail: TransactionDetail| Posting {
        event,
        parties,
        amounts,
        reference: bulk.id.to_string(),
        booking_day,
        value_day,
        detail: PostingDetail::Account(Box::new(detail)),
    };
    let detail = batch_detail(&lines);
    let fee_detail = TransactionDetail { batch: Vec::new(), ..detail.clone() };
    let mut postings = vec![debit(LedgerEvent::BatchDebited, Amounts::of(amount), detail)];
    if fee > 0 {
        let amounts = Amounts::of(Money::new(0, currency)).fee(fee);
        postings.push(debit(LedgerEvent::BatchFeeDebited, amounts, fee_detail));
    }
    postings.extend(lines.into_iter().filter_map(from_transit));
    postings
}

/// What is posted for a line at once. A line to another bank stays in transit until clearing has answered.
fn from_transit(line: Posting) -> Option<Posting> {
    let event = match line.event {
        LedgerEvent::InternalTransfer => LedgerEvent::BatchLineCredited,
        LedgerEvent::LoanTransferInternal => LedgerEvent::BatchLineLoanTransfer,
        _ => return None,
    };
    Some(Posting { event, ..line })
}

/// The details of the debit: the payer, and what each line pays.
fn batch_detail(lines: &[Posting]) -> TransactionDetail {
    let (mut batch, mut payer) = (Vec::with_capacity(lines.len()), Party::default());
    for line in lines {
        let PostingDetail::Account(detail) = &line.detail else { continue };
        payer = detail.particulars.debtor.clone();
        batch.push(BatchEntry {
            amount: Money::new(line.amounts.amount_minor, line.amounts.currency),
            particulars: TransactionFields { debtor: Party::default(), ..detail.particulars.clone() },
        });
    }
    let is_within_the_bank = lines.iter().all(|line| line.event != LedgerEvent::SepaOutAccepted);
    TransactionDetail {
        particulars: TransactionFields { debtor: payer, ..TransactionFields::default() },
        additional_information: Some(BookingText::Bulk { count: batch.len() }.to_stored()),
        bank_transaction_code: Some(
            if is_within_the_bank { "PMNT-ICDT-BOOK" } else { "PMNT-ICDT-ESCT" }.to_owned(),
        ),
        batch,
        ..TransactionDetail::default()
    }
}
