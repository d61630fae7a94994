//! When a payment is executed: at once, on a date, or repeatedly by the terms of a standing order; and the terms of a bulk payment.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::payment::{
    BulkTerms, ExecutionRule, Frequency, LinesDigest, Months, Payment, PaymentTiming, StandingOrder,
};
use trapeza_domain::time::Date;

impl Tx<'_> {
    /// Stores the terms of a standing order or a bulk, or the one that a payment executes. Other payments have none of them.
    pub(crate) fn payment_terms_set(&mut self, payment: &Payment) -> Result<(), StoreError> {
        let order = payment.instruction.timing.standing_order();
        let bulk = payment.instruction.bulk;
        let executes = payment.standing_order.or(payment.bulk);
        if order.is_none() && bulk.is_none() && executes.is_none() {
            return Ok(());
        }
        let number = Some(i64::from(payment.execution_number)).filter(|number| *number > 0);
        self.update_one(
            "payment",
            "UPDATE payment SET frequency = $3, start_date = $4, end_date = $5, execution_rule = $6,
                day_of_execution = $7, months_of_execution = $8, standing_order = $9, execution_number = $10,
                bulk = $11, bulk_line_count = $12, batch_booking = $13, lines_digest = $14,
                batch_account = $15
             WHERE id = $1 AND application = $2",
            params![
                payment.id,
                payment.application,
                order.map(|order| order.frequency.name()),
                order.map(|order| order.start),
                order.and_then(|order| order.end),
                order.map(|order| order.rule.name()),
                order.and_then(|order| order.day).map(i64::from),
                order.map(|order| order.months.bits()),
                payment.standing_order,
                number,
                payment.bulk,
                bulk.map(|bulk| i64::from(bulk.count)),
                bulk.map(|bulk| bulk.batch_booking),
                bulk.as_ref().map(|bulk| &bulk.digest.0[..]),
                payment.batch_account
            ],
        )
    }
}

/// When a payment is executed, from the columns of its date and of its terms.
pub(crate) fn timing(row: &mut RowReader<'_>) -> Result<PaymentTiming, StoreError> {
    let date: Option<Date> = row.read()?;
    let frequency = row.parse_opt(Frequency::parse)?;
    let (start, end): (Option<Date>, Option<Date>) = (row.read()?, row.read()?);
    let rule = row.parse_opt(ExecutionRule::parse)?;
    let (day, months): (Option<i64>, Option<i64>) = (row.read()?, row.read()?);
    let Some(frequency) = frequency else {
        return Ok(date.map_or(PaymentTiming::Immediate, PaymentTiming::OnDate));
    };
    let invalid = || StoreError::internal("columns of a standing order are invalid");
    let day = day.map(u8::try_from).transpose().map_err(|_| invalid())?;
    let months = months.and_then(Months::from_bits).ok_or_else(invalid)?;
    let (start, rule) = start.zip(rule).ok_or_else(invalid)?;
    Ok(PaymentTiming::Standing(StandingOrder { frequency, start, end, rule, day, months }))
}

/// The terms of a bulk, from its columns in the payment.
pub(crate) fn bulk_terms(row: &mut RowReader<'_>) -> Result<Option<BulkTerms>, StoreError> {
    let (count, batch_booking): (Option<i64>, Option<bool>) = (row.read()?, row.read()?);
    let digest: Option<Vec<u8>> = row.read()?;
    let Some(count) = count else { return Ok(None) };
    let invalid = || StoreError::internal("columns of a bulk payment are invalid");
    let digest = digest.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()).ok_or_else(invalid)?;
    Ok(Some(BulkTerms {
        count: u32::try_from(count).map_err(|_| invalid())?,
        batch_booking: batch_booking.ok_or_else(invalid)?,
        digest: LinesDigest(digest),
    }))
}
