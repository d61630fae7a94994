//! Entries with everything that a transaction can have, and with texts that are long or contain what XML must escape. Whole messages are
//! checked by the integration tests.

use super::*;
use trapeza_app::parse_date;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{HoldId, TransferId};
use trapeza_domain::money::Currency;
use trapeza_domain::statement::{PendingTransaction, Transaction};
use trapeza_domain::transaction::TransactionDetail;
use trapeza_xml::structure::Structure;

/// Written from the schemas, independently of the code that writes messages.
fn structure(version: CamtVersion) -> Structure<'static> {
    let sequences = match version {
        CamtVersion::V02 => include_str!("structure-001.02.txt"),
        CamtVersion::V08 => include_str!("structure-001.08.txt"),
    };
    Structure { namespace: NAMESPACE, sequences }
}

/// A report of these entries.
fn document(version: CamtVersion, entries: Vec<Element>) -> String {
    let zone = Zone::parse("Europe/Athens").unwrap();
    let created_at = Timestamp(1_794_732_600_000_000);
    let header = MessageHeader { version, id: Uuid::nil(), created_at, zone: &zone, page: 1 };
    let account = Element::new("Acct").with(Element::nested("Id/IBAN", "GR1601101250000000012300695"));
    let body = Element::new("Rpt")
        .with(Element::leaf("Id", "1"))
        .with(Element::leaf("CreDtTm", format_timestamp(created_at)))
        .with(account)
        .with_all(entries);
    let root = Element::new("BkToCstmrAcctRpt").with(group_header(&header, true)).with(body);
    let namespace = format!("{NAMESPACE}camt.052.{}", version.suffix());
    Element::new("Document").with_attribute("xmlns", &namespace).with(root).serialize()
}

fn booked(amount: Money, detail: Option<TransactionDetail>) -> Transaction {
    Transaction {
        transfer: TransferId(1),
        seq: 1,
        amount,
        balance_minor: 0,
        booking_day: parse_date("2026-11-13").unwrap(),
        value_day: parse_date("2026-11-14").unwrap(),
        event: LedgerEvent::InternalTransfer,
        reference: String::new(),
        detail,
    }
}

#[test]
fn entries_have_the_structure_of_the_standard() {
    let long = "Ελλάδα <\"ß\"> & 漢\n\u{1}".repeat(60);
    let zone = Zone::parse("Europe/Athens").unwrap();
    for version in [CamtVersion::V02, CamtVersion::V08] {
        let writer = EntryWriter { version, zone: &zone };
        let texts = ["", " \u{1} ", "plain", "x < y & \"z\"", &long];
        let details = texts.iter().map(|text| Some(crate::wire::transaction::full_detail(text)));
        let entries = details.chain([None]).flat_map(|detail| {
            let amount = Money::new(-5, Currency::EUR);
            let line = booked(amount, detail.clone());
            let hold = PendingTransaction {
                hold: HoldId(1),
                amount,
                day: line.booking_day,
                event: line.event,
                reference: String::new(),
                detail,
            };
            [
                writer.entry(&TransactionView::booked(Uuid::max(), &line)),
                writer.entry(&TransactionView::pending(Uuid::max(), &hold)),
            ]
        });
        let text = document(version, entries.collect());
        assert_eq!(structure(version).problems(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn sign_is_beside_the_amount_and_parts_add_up_to_their_batch() {
    let zone = Zone::parse("Europe/Athens").unwrap();
    let writer = EntryWriter { version: CamtVersion::V08, zone: &zone };
    let mut detail = crate::wire::transaction::full_detail("text");
    let part = detail.batch[0].clone();
    let part = |minor| trapeza_domain::transaction::BatchEntry {
        amount: Money::new(minor, Currency::EUR),
        ..part.clone()
    };
    detail.batch = vec![part(-1_000), part(-234)];
    let entry = writer.entry(&TransactionView::booked(
        Uuid::max(),
        &booked(Money::new(-1_234, Currency::EUR), Some(detail)),
    ));
    assert_eq!((entry.text("Amt"), entry.text("CdtDbtInd")), (Some("12.34"), Some("DBIT")));
    let details = entry.find("NtryDtls").expect("details");
    assert_eq!((details.text("Btch/NbOfTxs"), details.text("Btch/TtlAmt")), (Some("2"), Some("12.34")));
    let parts: Vec<Option<&str>> = details.all("TxDtls").map(|part| part.text("Amt")).collect();
    assert_eq!(parts, [Some("10.00"), Some("2.34")]);
    assert_eq!(entry.text("BkTxCd/Domn/Fmly/SubFmlyCd"), Some("ESCT"));
    assert_eq!(details.text("TxDtls/RltdPties/Cdtr/Pty/Id/PrvtId/Othr/Id"), Some("text"));
}

#[test]
fn every_fact_stands_in_its_own_element() {
    let zone = Zone::parse("Europe/Athens").unwrap();
    let writer = EntryWriter { version: CamtVersion::V08, zone: &zone };
    let detail = crate::wire::transaction::distinct_detail();
    let line = booked(Money::new(1_234, Currency::EUR), Some(detail));
    let entry = writer.entry(&TransactionView::booked(Uuid::max(), &line));
    let details = entry.find("NtryDtls/TxDtls").expect("details");
    for (part, path, text) in [
        (&entry, "CdtDbtInd", "CRDT"),
        (&entry, "BookgDt/Dt", "2026-11-13"),
        (&entry, "ValDt/Dt", "2026-11-14"),
        (&entry, "BkTxCd/Domn/Cd", "PMNT"),
        (&entry, "BkTxCd/Domn/Fmly/Cd", "ICDT"),
        (&entry, "BkTxCd/Prtry/Cd", "proprietary"),
        (&entry, "AddtlNtryInf", "information"),
        (details, "Refs/EndToEndId", "end to end"),
        (details, "Refs/MndtId", "mandate"),
        (details, "Refs/ChqNb", "check"),
        (details, "RltdPties/Dbtr/Pty/Nm", "Debtor"),
        (details, "RltdPties/DbtrAcct/Id/IBAN", "GR1601101250000000012300695"),
        (details, "RltdPties/UltmtDbtr/Pty/Nm", "Ultimate debtor"),
        (details, "RltdPties/Cdtr/Pty/Nm", "Creditor"),
        (details, "RltdPties/Cdtr/Pty/Id/PrvtId/Othr/Id", "creditor id"),
        (details, "RltdPties/CdtrAcct/Id/IBAN", "DE89370400440532013000"),
        (details, "RltdPties/UltmtCdtr/Pty/Nm", "Ultimate creditor"),
        (details, "RmtInf/Ustrd", "unstructured"),
        (details, "RmtInf/Strd/CdtrRefInf/Ref", "structured"),
        (details, "AmtDtls/TxAmt/CcyXchg/SrcCcy", "USD"),
        (details, "AmtDtls/TxAmt/CcyXchg/TrgtCcy", "EUR"),
        (details, "AmtDtls/TxAmt/CcyXchg/UnitCcy", "GBP"),
    ] {
        assert_eq!(part.text(path), Some(text), "{path}");
    }
}
