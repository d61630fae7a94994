//! Round trips of messages, and their conformance to the standard.

use super::*;
use trapeza_domain::clearing::*;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::Address;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::{Date, Timestamp};

fn header() -> GroupHeader {
    GroupHeader { id: "6f9619ff8b864011b42d00cf4fc964ff".into(), sent_at: Timestamp(1_794_732_600_000_000) }
}

fn eur(minor: i64) -> Money {
    Money::new(minor, Currency::EUR)
}

fn transfer(number: usize) -> InterbankTransfer {
    InterbankTransfer {
        id: format!("{number:032}"),
        end_to_end_id: Some("invoice-114".into()),
        amount: eur(123_456),
        debtor_name: "Jonas Weber".into(),
        debtor: Some(Iban::parse("DE89370400440532013000").unwrap()),
        debtor_agent: Some(Bic::parse("TRPZDEFF").unwrap()),
        creditor_name: "Eleni + Co.".into(),
        creditor: "GR1601101250000000012300695".into(),
        creditor_agent: Some(Bic::parse("ETHNGRAA").unwrap()),
        creditor_address: None,
        ultimate_debtor: None,
        ultimate_creditor: None,
        purpose: None,
        remittance: Some("Rent of November".into()),
        creditor_reference: None,
    }
}

fn full_transfer(number: usize) -> InterbankTransfer {
    InterbankTransfer {
        ultimate_debtor: Some("Weber Sons".into()),
        ultimate_creditor: Some("Papadaki Heirs".into()),
        purpose: Some("SALA".into()),
        remittance: None,
        creditor_reference: Some("RF18539007547034".into()),
        ..transfer(number)
    }
}

fn original() -> Option<Box<OriginalTransfer>> {
    Some(Box::new(OriginalTransfer { settlement_day: Date(20_770), transfer: full_transfer(3) }))
}

fn status(number: usize, status: ReportedStatus) -> TransferStatus {
    TransferStatus {
        id: format!("{number:032}"),
        end_to_end_id: Some("invoice-114".into()),
        status,
        originator: None,
        original: None,
    }
}

fn transfers() -> ClearingMessage {
    let transfers = vec![transfer(1), full_transfer(2)];
    ClearingMessage::CreditTransfers(CreditTransfers {
        header: header(),
        settlement_day: Date(20_772),
        transfers,
    })
}

fn report(group: Option<ReportedStatus>) -> ClearingMessage {
    ClearingMessage::StatusReport(StatusReport {
        header: header(),
        original_message_id: "a".repeat(32),
        group,
        transfers: vec![
            status(1, ReportedStatus::Settled),
            TransferStatus {
                originator: Some(Originator::Bank(Bic::parse("ETHNGRAA").unwrap())),
                original: original(),
                ..status(3, ReportedStatus::Rejected(ReasonCode::ACCOUNT_CLOSED))
            },
            status(2, ReportedStatus::Pending),
        ],
    })
}

fn returns() -> ClearingMessage {
    let returned = InterbankReturn {
        id: "r1".into(),
        message: Some("m1".into()),
        transfer: format!("{:032}", 3),
        end_to_end_id: Some("invoice-114".into()),
        original_amount: Some(eur(123_456)),
        amount: eur(5),
        reason: ReasonCode::ACCOUNT_UNKNOWN,
        originator: Some(Originator::Name("Eleni".into())),
        original: original(),
    };
    ClearingMessage::PaymentReturns(PaymentReturns {
        header: header(),
        settlement_day: Date(20_772),
        returns: vec![returned],
    })
}

#[test]
fn serialised_message_parses_to_itself() {
    for message in [transfers(), report(None), report(Some(ReportedStatus::Settled)), returns()] {
        let text = serialize(&message);
        assert_eq!(parse(text.as_bytes()).as_ref(), Ok(&message), "{text}");
        assert_eq!(serialize(&message), text, "always the same");
    }
}

#[test]
fn serialised_messages_match_the_snapshots() {
    let address = Address {
        street: Some("Stadiou".into()),
        building_number: Some("7".into()),
        postal_code: Some("10562".into()),
        city: Some("Athens".into()),
        country: Some("GR".into()),
    };
    let addressed = InterbankTransfer { creditor_address: Some(address), ..transfer(1) };
    let message = CreditTransfers {
        header: header(),
        settlement_day: Date(20_772),
        transfers: vec![addressed, transfer(2)],
    };
    insta::assert_snapshot!("transfers", serialize(&ClearingMessage::CreditTransfers(message)));
    insta::assert_snapshot!("report", serialize(&report(None)));
    insta::assert_snapshot!("returns", serialize(&returns()));
}

#[test]
fn equivalent_forms_are_parsed() {
    let text = serialize(&transfers());
    let same = |other: String| assert_eq!(parse(other.as_bytes()), Ok(transfers()), "{other}");
    same(text.replace("1234.56<", "001234.5600<"));
    same(text.replace("<ChrgBr>SLEV</ChrgBr>", "<Extra><Deep>1</Deep></Extra>"));
    let prefixed = text.replace("</", "\0").replace('<', "<a:").replace('\0', "</a:").replace("<a:?", "<?");
    same(prefixed.replace("xmlns=", "xmlns:a=").replace('\n', "\r\n"));
    same(text.replace("T08:50:00Z", "T08:50:00"));
    same(text.replace("<NbOfTxs>2</NbOfTxs>", "<NbOfTxs>2</NbOfTxs><CtrlSum>2469.12</CtrlSum>"));
    same(text.replace("T08:50:00Z", "T10:50:00.000+02:00"));
}

#[test]
fn incomplete_message_is_refused() {
    let text = serialize(&transfers());
    for (from, to) in [
        ("pacs.008.001.08", "pacs.008.001.02"),
        ("urn:iso", "urn:osi"),
        ("<NbOfTxs>2", "<NbOfTxs>3"),
        ("<NbOfTxs>2", "<NbOfTxs>x"),
        (" Ccy=\"EUR\"", ""),
        ("Ccy=\"EUR\"", "Ccy=\"XXX\""),
        ("1234.56", "-1234.56"),
        ("1234.56", "0.00"),
        ("1234.56", "1234.567"),
        ("1234.56", "1e3"),
        ("1234.56", "99999999999999999999"),
        ("1234.56", "1000000000.00"),
        ("2469.12", "2469.13"),
        ("<NbOfTxs>2</NbOfTxs>", "<NbOfTxs>2</NbOfTxs><CtrlSum>2469.11</CtrlSum>"),
        ("<TxId>", "<TxIdentification>"),
        ("invoice-114", "invoice-114-and-some-more-than-thirty-five"),
        ("Rent of November", &"x".repeat(141)),
        ("FIToFICstmrCdtTrf", "FIToFIPmtStsRpt"),
    ] {
        assert!(text.contains(from), "{from}");
        let other = text.replace(from, to).replace("</TxId>", "</TxIdentification>");
        let other = if to == "<TxIdentification>" { other } else { text.replace(from, to) };
        assert!(parse(other.as_bytes()).is_err(), "{from} to {to}");
    }
    let report = serialize(&report(None));
    assert!(parse(report.replace("RJCT", "EVIL").as_bytes()).is_err());
    let doubled =
        report.replace("<OrgnlGrpInfAndSts>", "<OrgnlGrpInfAndSts></OrgnlGrpInfAndSts><OrgnlGrpInfAndSts>");
    assert!(parse(doubled.as_bytes()).is_err());
}

/// A status on the way to settlement must not settle a payment.
#[test]
fn only_final_statuses_settle_or_reject() {
    let text = serialize(&report(None));
    let status = |word: &str| {
        let other = text.replace("<TxSts>ACSC</TxSts>", &format!("<TxSts>{word}</TxSts>"));
        match parse(other.as_bytes()) {
            Ok(ClearingMessage::StatusReport(report)) => Some(report.transfers[0].status),
            _ => None,
        }
    };
    for word in ["ACSC", "ACCC"] {
        assert_eq!(status(word), Some(ReportedStatus::Settled), "{word}");
    }
    for word in ["RCVD", "ACTC", "ACCP", "ACSP", "ACWC", "ACFC", "ACWP", "PDNG"] {
        assert_eq!(status(word), Some(ReportedStatus::Pending), "{word}");
    }
    assert_eq!(status("RJCT"), Some(ReportedStatus::Rejected(ReasonCode::NARRATIVE)));
    for word in ["PART", "CANC", "acsc"] {
        assert_eq!(status(word), None, "{word}");
    }
}

#[test]
fn returns_with_a_wrong_count_or_total_are_refused() {
    let text = serialize(&returns());
    for (from, to) in [
        ("<NbOfTxs>1</NbOfTxs>", "<NbOfTxs>2</NbOfTxs>"),
        ("<NbOfTxs>1</NbOfTxs>", "<NbOfTxs>1</NbOfTxs><CtrlSum>0.04</CtrlSum>"),
        ("<TtlRtrdIntrBkSttlmAmt Ccy=\"EUR\">0.05", "<TtlRtrdIntrBkSttlmAmt Ccy=\"EUR\">0.06"),
        ("<TtlRtrdIntrBkSttlmAmt Ccy=\"EUR\">0.05", "<TtlRtrdIntrBkSttlmAmt Ccy=\"USD\">0.05"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(parse(text.replace(from, to).as_bytes()).is_err(), "{from} to {to}");
    }
    let same = text.replace("<NbOfTxs>1</NbOfTxs>", "<NbOfTxs>1</NbOfTxs><CtrlSum>0.05</CtrlSum>");
    assert_eq!(parse(same.as_bytes()), Ok(returns()));
}

#[test]
fn report_about_several_messages_is_refused() {
    let text = serialize(&report(None));
    let about = |id: &str| {
        let own = format!("<TxInfAndSts><OrgnlGrpInf><OrgnlMsgId>{id}</OrgnlMsgId></OrgnlGrpInf>");
        parse(text.replacen("<TxInfAndSts>", &own, 1).as_bytes())
    };
    assert_eq!(about(&"a".repeat(32)), Ok(report(None)));
    assert_eq!(about(&"b".repeat(32)), Err("it refers to more than one message"));
}

#[test]
fn largest_amount_of_the_scheme_is_accepted() {
    let message = |minor| {
        let transfers = vec![InterbankTransfer { amount: eur(minor), ..transfer(1) }];
        let settlement_day = Date(20_772);
        ClearingMessage::CreditTransfers(CreditTransfers { header: header(), settlement_day, transfers })
    };
    let largest = message(99_999_999_999);
    assert_eq!(parse(serialize(&largest).as_bytes()), Ok(largest));
    assert!(parse(serialize(&message(100_000_000_000)).as_bytes()).is_err());
}

#[test]
fn transfer_has_bics_and_no_uetr() {
    let text = serialize(&transfers());
    assert!(!text.contains("UETR") && !text.contains("NOTPROVIDED"), "{text}");
    assert_eq!(text.matches("<BICFI>").count(), 4);
}

#[test]
fn messages_conform_to_the_standard() {
    for message in
        [transfers(), report(None), report(Some(ReportedStatus::Rejected(ReasonCode::NARRATIVE))), returns()]
    {
        let text = serialize(&message);
        assert_eq!(conformance::problems(&text), Vec::<String>::new(), "{text}");
    }
    let text = serialize(&transfers());
    for (from, to, error) in [
        ("<ChrgBr>SLEV</ChrgBr>", "", "CdtTrfTxInf/ChrgBr: missing"),
        ("SLEV", "MINE", "CdtTrfTxInf/ChrgBr: not a bearer"),
        ("ETHNGRAA", "ETHNGR", "FinInstnId/BICFI: not a bic"),
        ("<RmtInf>", "<Dbtr></Dbtr><RmtInf>", "CdtTrfTxInf/Dbtr: out of place or unknown"),
        ("Jonas Weber", "", "Dbtr/Nm: not a 140"),
        ("invoice-114", "invoice-114-and-some-more-than-thirty-five", "PmtId/EndToEndId: not a 35"),
    ] {
        let problems = conformance::problems(&text.replace(from, to));
        assert!(problems.iter().any(|found| found == error), "{error}: {problems:?}");
    }
}
