//! The order of a message: its header and one payment information with its transfers.

use super::content::{self, MAX_ID_CHARS};
use super::document::{PainDocument, PainVersion};
use super::element_path::spell;
use super::node::{Errors, Node};
use super::transfer::{self, account};
use trapeza_app::{parse_date, parse_date_time};
use trapeza_domain::money::Money;
use trapeza_domain::payment::{BulkOrder, MAX_BULK_LINES, PaymentOrder, PaymentProduct, PaymentTiming};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::Date;
use trapeza_http::extract::fields::missing_field;
use trapeza_xml::plain_decimal;

const MAX_NUMBER_CHARS: usize = 18;
const MAX_TIME_CHARS: usize = 40;

/// Reads the order of a single payment, or reports all its errors.
pub fn order(product: PaymentProduct, document: &PainDocument, today: Date) -> Result<PaymentOrder, Refusal> {
    let BulkOrder { mut lines, timing, .. } = read(product, document, today, 1)?;
    let line = lines.pop().ok_or_else(missing_field)?;
    Ok(PaymentOrder { timing, ..line })
}

/// The same for a bulk payment.
pub fn bulk_order(
    product: PaymentProduct,
    document: &PainDocument,
    today: Date,
) -> Result<BulkOrder, Refusal> {
    read(product, document, today, MAX_BULK_LINES)
}

fn read(
    product: PaymentProduct,
    document: &PainDocument,
    today: Date,
    max: usize,
) -> Result<BulkOrder, Refusal> {
    let errors = Errors::default();
    let order = message(product, &Node::of(document, content::MESSAGE, &errors), today, max);
    errors.finish()?;
    order.ok_or_else(missing_field)
}

fn message(product: PaymentProduct, message: &Node<'_>, today: Date, max: usize) -> Option<BulkOrder> {
    let header = message.open("GrpHdr", content::HEADER);
    if let Some(header) = &header {
        header.text("MsgId", MAX_ID_CHARS);
        header.parsed("CreDtTm", MAX_TIME_CHARS, |text| match is_time(text) {
            true => Ok(()),
            false => Err("must be a time, for example 2026-12-31T12:00:00"),
        });
    }
    if message.all("PmtInf").len() > 1 {
        let text = "must not be repeated: an order is paid from one account on one day";
        message.child("PmtInf")?.unsupported(text);
        return None;
    }
    let payment = message.open("PmtInf", content::PAYMENT)?;
    let transfers = payment.all("CdtTrfTxInf");
    for totals in header.iter().chain([&payment]) {
        check_count(totals, transfers.len());
    }
    if transfers.len() > max {
        let text = match max {
            1 => "must not be repeated: use bulk-payments for several transfers".to_owned(),
            max => format!("must be 1 to {max} transfers"),
        };
        payment.child("CdtTrfTxInf")?.error(text);
        return None;
    }
    if transfers.is_empty() {
        return None;
    }
    let debtor = account(&payment, "DbtrAcct");
    let terms = terms(product, &payment, today);
    let lines: Vec<Option<PaymentOrder>> =
        transfers.iter().map(|node| transfer::order(product, node, debtor.as_ref())).collect();
    let lines: Vec<PaymentOrder> = lines.into_iter().collect::<Option<_>>()?;
    let path = payment.path_of("CdtTrfTxInf");
    payment
        .validate(|field| spell(field, &path), |errors| BulkOrder::check_lines(&lines, lines.len(), errors));
    let currency = debtor.as_ref().and_then(|debtor| debtor.currency);
    if currency.is_some_and(|currency| lines.iter().any(|line| line.amount.currency != currency)) {
        payment.child("DbtrAcct")?.error("must have the currency of the transfers");
    }
    for totals in header.iter().chain([&payment]) {
        check_sum(totals, &lines);
    }
    let (timing, batch_booking) = terms?;
    Some(BulkOrder { product, lines, batch_booking, timing })
}

/// What holds for all transfers: when they are executed, and whether they are booked together.
fn terms(product: PaymentProduct, payment: &Node<'_>, today: Date) -> Option<(PaymentTiming, bool)> {
    payment.text("PmtInfId", MAX_ID_CHARS);
    payment.one_of("PmtMtd", &["TRF"]);
    payment.open("Dbtr", content::DEBTOR);
    transfer::check_conditions(product, payment);
    let batch_booking = payment.parsed("BtchBookg", 5, |text| match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("must be true or false"),
    });
    let day = execution_day(payment)?;
    let is_instant = product == PaymentProduct::InstantSepaCreditTransfers;
    if is_instant && day > today {
        payment.child("ReqdExctnDt")?.unsupported("must be today: an instant payment is executed at once");
    }
    // A day that is over is refused when the payment is created, unless the request is a replay.
    let timing = if day == today { PaymentTiming::Immediate } else { PaymentTiming::OnDate(day) };
    Some((timing, batch_booking.unwrap_or(false)))
}

/// The day of execution; of a time its date counts.
fn execution_day(payment: &Node<'_>) -> Option<Date> {
    const DATE: &str = "must be a date, for example 2026-12-31";
    let date = |text: &str| parse_date(text).ok_or(DATE);
    if payment.version == PainVersion::V03 {
        return payment.parsed("ReqdExctnDt", MAX_TIME_CHARS, date);
    }
    let choice = payment.open("ReqdExctnDt", content::EXECUTION_DAY)?;
    match (choice.has("Dt"), choice.has("DtTm")) {
        (true, false) => choice.parsed("Dt", MAX_TIME_CHARS, date),
        (false, true) => choice.parsed("DtTm", MAX_TIME_CHARS, |text| {
            let day = text.get(..10).filter(|_| is_time(text)).and_then(parse_date);
            day.ok_or("must be a time, for example 2026-12-31T12:00:00")
        }),
        _ => {
            choice.error("must contain either Dt or DtTm");
            None
        }
    }
}

/// The standard does not require an offset.
fn is_time(text: &str) -> bool {
    text.contains('T') && parse_date_time(text).is_some()
}

/// A wrong count shows that something is missing.
fn check_count(totals: &Node<'_>, found: usize) {
    totals.parsed("NbOfTxs", MAX_NUMBER_CHARS, |text| match text.parse::<usize>() {
        Ok(count) if count == found => Ok(()),
        _ => Err("must be the number of transfers"),
    });
}

/// A wrong sum shows that an amount was changed.
fn check_sum(totals: &Node<'_>, lines: &[PaymentOrder]) {
    let mut amounts = lines.iter().map(|line| line.amount);
    let Some(first) = amounts.next() else { return };
    let sum = amounts.try_fold(first, Money::checked_add).ok();
    totals.parsed("CtrlSum", MAX_NUMBER_CHARS + 1, |text| {
        let given = plain_decimal(text).and_then(|text| Money::parse(&text, first.currency).ok());
        if given.is_some() && given == sum { Ok(()) } else { Err("must be the sum of the amounts") }
    });
}
