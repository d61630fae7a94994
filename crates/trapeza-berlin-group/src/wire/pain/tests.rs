//! Messages of both versions, and what is wrong with others. Whole requests are checked by the integration tests.

use super::*;
use proptest::prelude::*;
use trapeza_app::{format_date, parse_date};
use trapeza_domain::payment::{BulkOrder, PaymentProduct, PaymentTiming};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Date;

const SEPA: PaymentProduct = PaymentProduct::SepaCreditTransfers;
const INSTANT: PaymentProduct = PaymentProduct::InstantSepaCreditTransfers;
const DAY: &str = "2026-11-18";

/// One transfer in 001.03.
const OLD: &str = include_str!("tests/pain.001.001.03.xml");
/// Two transfers in 001.09, with everything that is read.
const NEW: &str = include_str!("tests/pain.001.001.09.xml");

fn today() -> Date {
    parse_date(DAY).unwrap()
}

fn bulk(product: PaymentProduct, text: &str) -> Result<BulkOrder, Refusal> {
    bulk_order(product, &PainDocument::parse(text.as_bytes())?, today())
}

/// The reason and the paths of a refused message.
fn refused(product: PaymentProduct, text: &str) -> (RefusalReason, Vec<String>) {
    let refusal = bulk(product, text).unwrap_err();
    let path = |error: &trapeza_domain::refusal::FieldError| crate::wire::field_name::spell(&error.path);
    (refusal.reason, refusal.errors.iter().map(path).collect())
}

#[test]
fn message_of_the_old_version_becomes_an_order() {
    let document = PainDocument::parse(OLD.as_bytes()).unwrap();
    let order = order(SEPA, &document, today()).unwrap();
    assert_eq!(order.amount.to_decimal_string(), "12.34");
    assert_eq!(order.end_to_end_id.as_deref(), Some("ORDER-7"));
    assert_eq!(order.creditor_name, "Anna & Muster");
    assert_eq!(order.creditor_agent.map(|bic| bic.as_str().to_owned()).as_deref(), Some("COBADEFFXXX"));
    assert_eq!(order.remittance.as_deref(), Some("Invoice 7"));
    assert_eq!(order.timing, PaymentTiming::Immediate);
    assert!(order.creditor_address.is_none(), "lines of an address are not used");
}

#[test]
fn message_of_the_new_version_becomes_a_bulk() {
    let order = bulk(SEPA, NEW).unwrap();
    assert!(order.batch_booking);
    let day = |timing| match timing {
        PaymentTiming::OnDate(day) => format_date(day),
        other => panic!("{other:?}"),
    };
    assert_eq!(day(order.timing), "2026-12-01", "the date of a time");
    let [first, second] = order.lines.as_slice() else { panic!("two transfers") };
    assert_eq!(first.end_to_end_id, None, "NOTPROVIDED");
    let address = first.creditor_address.clone().unwrap();
    assert_eq!((address.city.as_deref(), address.country.as_deref()), (Some("Berlin"), Some("DE")));
    assert_eq!(second.amount.to_decimal_string(), "0.50");
    let document = PainDocument::parse(NEW.as_bytes()).unwrap();
    let single = super::order(SEPA, &document, today()).unwrap_err();
    assert_eq!(single.reason, RefusalReason::Malformed, "a single payment has one transfer");
}

#[test]
fn day_that_is_over_is_left_to_the_use_case_and_an_instant_payment_has_no_later_one() {
    let on = |day: &str| OLD.replace(DAY, day);
    assert!(matches!(bulk(SEPA, &on("2026-11-17")).unwrap().timing, PaymentTiming::OnDate(_)));
    let instant =
        OLD.replace("<Cd>SEPA</Cd></SvcLvl>", "<Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm>");
    assert_eq!(bulk(INSTANT, &instant).unwrap().timing, PaymentTiming::Immediate);
    assert!(bulk(INSTANT, &instant.replace(DAY, "2026-11-17")).is_ok());
    let path = |rest: &str| vec![format!("CstmrCdtTrfInitn/PmtInf/{rest}")];
    assert_eq!(
        refused(INSTANT, &instant.replace(DAY, "2026-11-19")),
        (RefusalReason::Unsupported, path("ReqdExctnDt"))
    );
    assert_eq!(refused(SEPA, &instant), (RefusalReason::Unsupported, path("PmtTpInf/LclInstrm")));
}

#[test]
fn elements_out_of_place_unknown_repeated_or_missing_are_reported_together() {
    let text = OLD
        .replace("<MsgId>MSG-7</MsgId>", "")
        .replace("<PmtMtd>TRF</PmtMtd>", "<Colour>red</Colour><PmtMtd>TRF</PmtMtd><PmtMtd>TRF</PmtMtd>")
        .replace(
            "<EndToEndId>ORDER-7</EndToEndId>",
            "<EndToEndId>ORDER-7</EndToEndId><InstrId>LATE</InstrId>",
        );
    let (reason, paths) = refused(SEPA, &text);
    assert_eq!(reason, RefusalReason::Malformed);
    assert_eq!(
        paths,
        [
            "CstmrCdtTrfInitn/GrpHdr/MsgId",
            "CstmrCdtTrfInitn/PmtInf/Colour",
            "CstmrCdtTrfInitn/PmtInf/PmtMtd",
            "CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf[0]/PmtId/InstrId",
        ]
    );
}

#[test]
fn service_level_is_repeated_in_the_new_version_only() {
    let twice = |text: &str, level: &str| text.replace(level, &level.repeat(2));
    let (reason, paths) = refused(SEPA, &twice(OLD, "<SvcLvl><Cd>SEPA</Cd></SvcLvl>"));
    assert_eq!(reason, RefusalReason::Malformed);
    assert_eq!(paths, ["CstmrCdtTrfInitn/PmtInf/PmtTpInf/SvcLvl"]);
    assert!(bulk(SEPA, &twice(NEW, "<p:SvcLvl><p:Cd>SEPA</p:Cd></p:SvcLvl>")).is_ok());
}

#[test]
fn errors_are_bounded() {
    let unknown = "<x/>".repeat(5000);
    let (_, paths) = refused(SEPA, &OLD.replace("<PmtMtd>", &format!("{unknown}<PmtMtd>")));
    assert_eq!(paths.len(), 100);
}

#[test]
fn other_namespaces_are_refused() {
    for text in [
        OLD.replace("pain.001.001.03", "pain.001.001.08"),
        OLD.replace("pain.001.001.03", "pain.008.001.02"),
        OLD.replace("urn:iso:std:iso:20022:tech:xsd:", ""),
        OLD.replace("<Document ", "<Document xmlns:x=\"urn:other\" "),
        OLD.replace("Document", "Message"),
        OLD.replace("CstmrCdtTrfInitn", "CstmrDrctDbtInitn"),
    ] {
        assert_eq!(refused(SEPA, &text), (RefusalReason::Malformed, vec![String::new()]), "{text}");
    }
}

proptest! {
    /// A message from which a piece was cut, in which one was doubled or replaced.
    #[test]
    fn changed_message_is_an_order_or_a_refusal(
        old: bool,
        start in 0_usize..3000,
        length in 0_usize..200,
        piece in "[<>/&;A-Za-z0-9 .=\"\u{0}-\u{7f}]{0,20}",
    ) {
        let text = if old { OLD } else { NEW };
        let start = start % text.len();
        let end = (start + length).min(text.len());
        let (Some(before), Some(cut), Some(after)) = (text.get(..start), text.get(start..end), text.get(end..))
        else { return Ok(()) };
        for changed in [
            format!("{before}{after}"),
            format!("{before}{cut}{cut}{after}"),
            format!("{before}{piece}{after}"),
        ] {
            for product in [SEPA, INSTANT] {
                if let Ok(order) = bulk(product, &changed) {
                    prop_assert!(order.lines.iter().all(|line| line.amount.is_positive()));
                }
            }
        }
    }
}
