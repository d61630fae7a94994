//! Messages pain.001 that are refused, each with the path of what is wrong.

use super::pain::{BULK, INSTANT, SINGLE, Transfer, Version, message, send};
use super::payment::{OTHER_BANK_IBAN, order, payer};
use super::{path, refusal};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const TRANSFER: Transfer<'_> = (OTHER_BANK_IBAN, "Anna Muster", "12.34");
const FORMAT: &str = "FORMAT_ERROR";
const UNSUPPORTED: &str = "PARAMETER_NOT_SUPPORTED";

/// What is replaced in a good message by what, the code and the path of the refusal.
type Case = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // The document.
    ("<Document ", "<!DOCTYPE a [<!ENTITY x \"y\">]><Document ", FORMAT, ""),
    ("MSG-7", "&x;", FORMAT, ""),
    ("<Document ", "<?php x ?><Document ", FORMAT, ""),
    ("</Document>", "", FORMAT, ""),
    ("pain.001.001.03", "pain.001.001.08", FORMAT, ""),
    ("pain.001.001.03", "pain.008.001.02", FORMAT, ""),
    ("urn:iso:std:iso:20022:tech:xsd:", "urn:other:", FORMAT, ""),
    // Counts and sums.
    ("<NbOfTxs>1</NbOfTxs><CtrlSum>12.34</CtrlSum><InitgPty>", "<NbOfTxs>2</NbOfTxs><CtrlSum>12.34</CtrlSum><InitgPty>", FORMAT, "GrpHdr/NbOfTxs"),
    ("<NbOfTxs>1</NbOfTxs><CtrlSum>12.34</CtrlSum><PmtTpInf>", "<NbOfTxs>1</NbOfTxs><CtrlSum>12.35</CtrlSum><PmtTpInf>", FORMAT, "PmtInf/CtrlSum"),
    // Missing, empty, too long, wrong.
    ("<MsgId>MSG-7</MsgId>", "", FORMAT, "GrpHdr/MsgId"),
    ("<MsgId>MSG-7</MsgId>", "<MsgId>0123456789012345678901234567890123456</MsgId>", FORMAT, "GrpHdr/MsgId"),
    ("<PmtInfId>PMT-7</PmtInfId>", "<PmtInfId/>", FORMAT, "PmtInf/PmtInfId"),
    ("<InstrId>INSTR-1</InstrId>", "<InstrId>0123456789012345678901234567890123456</InstrId>", FORMAT, "PmtInf/CdtTrfTxInf[0]/PmtId/InstrId"),
    ("<EndToEndId>LINE-1</EndToEndId>", "", FORMAT, "PmtInf/CdtTrfTxInf[0]/PmtId/EndToEndId"),
    ("<Cdtr><Nm>Anna Muster</Nm></Cdtr>", "", FORMAT, "PmtInf/CdtTrfTxInf[0]/Cdtr"),
    ("<IBAN>DE89370400440532013000</IBAN>", "<IBAN>DE00370400440532013000</IBAN>", FORMAT, "PmtInf/CdtTrfTxInf[0]/CdtrAcct/Id/IBAN"),
    ("<IBAN>DE89370400440532013000</IBAN>", "<IBAN>BR1800360305000010009795493C1</IBAN>", FORMAT, "PmtInf/CdtTrfTxInf[0]/CdtrAcct/Id/IBAN"),
    ("Ccy=\"EUR\"", "Ccy=\"USD\"", FORMAT, "PmtInf/CdtTrfTxInf[0]/Amt/InstdAmt/@Ccy"),
    (" Ccy=\"EUR\"", "", FORMAT, "PmtInf/CdtTrfTxInf[0]/Amt/InstdAmt"),
    (">12.34</InstdAmt>", ">-12.34</InstdAmt>", FORMAT, "PmtInf/CdtTrfTxInf[0]/Amt/InstdAmt"),
    (">12.34</InstdAmt>", ">12.345</InstdAmt>", FORMAT, "PmtInf/CdtTrfTxInf[0]/Amt/InstdAmt"),
    (">12.34</InstdAmt>", ">12.<!-- -->34<x/></InstdAmt>", FORMAT, "PmtInf/CdtTrfTxInf[0]/Amt/InstdAmt"),
    ("<Ustrd>Invoice 1</Ustrd>", "<Ustrd>Invoice\u{202e}</Ustrd>", FORMAT, "PmtInf/CdtTrfTxInf[0]/RmtInf/Ustrd"),
    ("<BtchBookg>false", "<BtchBookg>no", FORMAT, "PmtInf/BtchBookg"),
    ("<ChrgBr>SLEV</ChrgBr>", "<Colour>red</Colour>", FORMAT, "PmtInf/Colour"),
    ("<PmtInf>", "<PmtInf x=\"1\">", FORMAT, "PmtInf"),
    // What the bank does not execute.
    ("<PmtMtd>TRF", "<PmtMtd>CHK", UNSUPPORTED, "PmtInf/PmtMtd"),
    ("<ChrgBr>SLEV", "<ChrgBr>DEBT", UNSUPPORTED, "PmtInf/ChrgBr"),
    ("<Cd>SEPA</Cd>", "<Cd>URGP</Cd>", UNSUPPORTED, "PmtInf/PmtTpInf/SvcLvl[0]/Cd"),
    ("</SvcLvl>", "</SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm>", UNSUPPORTED, "PmtInf/PmtTpInf/LclInstrm"),
    ("</SvcLvl>", "</SvcLvl><CtgyPurp><Cd>SALA</Cd></CtgyPurp>", UNSUPPORTED, "PmtInf/PmtTpInf/CtgyPurp"),
    ("<ChrgBr>SLEV", "<UltmtDbtr><Nm>Other</Nm></UltmtDbtr><ChrgBr>SLEV", UNSUPPORTED, "PmtInf/UltmtDbtr"),
    ("<RmtInf>", "<UltmtCdtr><Nm>Other</Nm></UltmtCdtr><RmtInf>", UNSUPPORTED, "PmtInf/CdtTrfTxInf[0]/UltmtCdtr"),
    ("<RmtInf>", "<Purp><Cd>SALA</Cd></Purp><RmtInf>", UNSUPPORTED, "PmtInf/CdtTrfTxInf[0]/Purp"),
    ("<RmtInf>", "<RgltryRptg/><RmtInf>", UNSUPPORTED, "PmtInf/CdtTrfTxInf[0]/RgltryRptg"),
    ("</RmtInf>", "<Strd/></RmtInf>", UNSUPPORTED, "PmtInf/CdtTrfTxInf[0]/RmtInf/Strd"),
    ("</RmtInf>", "<Ustrd>more</Ustrd></RmtInf>", UNSUPPORTED, "PmtInf/CdtTrfTxInf[0]/RmtInf/Ustrd[0]"),
    ("<IBAN>DE89370400440532013000</IBAN>", "<Othr><Id>7</Id></Othr>", UNSUPPORTED, "PmtInf/CdtTrfTxInf[0]/CdtrAcct/Id/Othr"),
    ("</PmtInf>", "</PmtInf><PmtInf><PmtInfId>PMT-8</PmtInfId></PmtInf>", UNSUPPORTED, "PmtInf"),
];

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn message_is_refused_with_the_path_of_what_is_wrong(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let good = message(&bank, Version::V03, &[TRANSFER]);
    for (from, to, code, place) in CASES {
        assert!(good.contains(from), "{from}");
        for product in [SINGLE, BULK] {
            let refused = send(&tpp, product, &good.replacen(from, to, 1)).await;
            assert_eq!(refusal(&refused), (400, (*code).to_owned()), "{to}: {refused:?}");
            let path = refused.body["tppMessages"][0]["path"].as_str().unwrap_or_default();
            let expected = if place.is_empty() { String::new() } else { format!("CstmrCdtTrfInitn/{place}") };
            assert_eq!(path, expected, "{to}: {refused:?}");
        }
    }
    let names = send(&tpp, SINGLE, &good.replace("001.001.03", "001.001.04")).await;
    for version in ["pain.001.001.03", "pain.001.001.09"] {
        assert!(names.text("/tppMessages/0/text").contains(version), "{names:?}");
    }
    let other = good.replace("<BIC>", "<BICFI>").replace("001.001.03", "001.001.09");
    let old_day = send(&tpp, SINGLE, &other).await;
    assert_eq!(refusal(&old_day), (400, FORMAT.to_owned()), "a date of the old version: {old_day:?}");
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM payment"), 0, "nothing was created");
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM payment_message"), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn number_of_transfers_and_size_are_limited() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let two = message(&bank, Version::V03, &[TRANSFER; 2]);
    for product in [SINGLE, INSTANT] {
        let refused = send(&tpp, product, &two).await;
        assert_eq!(refusal(&refused), (400, FORMAT.to_owned()), "{refused:?}");
        assert_eq!(refused.text("/tppMessages/0/path"), "CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf");
    }
    assert_eq!(send(&tpp, BULK, &two).await.status, 201);
    let full = message(&bank, Version::V09, &[TRANSFER; 500]);
    assert_eq!(send(&tpp, BULK, &full).await.status, 201);
    let more = send(&tpp, BULK, &message(&bank, Version::V09, &[TRANSFER; 501])).await;
    assert_eq!(refusal(&more), (400, FORMAT.to_owned()), "{more:?}");
    let large = send(&tpp, BULK, &format!("{two}{}", " ".repeat(1 << 20))).await;
    assert_eq!(refusal(&large), (413, FORMAT.to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn media_type_is_that_of_the_product() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let sent = message(&bank, Version::V03, &[TRANSFER]);
    let json = tpp.post(&path(SINGLE), &order(&bank, OTHER_BANK_IBAN)).await;
    assert_eq!((json.status, &json.body), (415, &Value::Null), "{json:?}");
    let xml = send(&tpp, "/v1/payments/sepa-credit-transfers", &sent).await;
    assert_eq!((xml.status, &xml.body), (415, &Value::Null), "{xml:?}");
    for media in ["text/xml", "application/xml;charset=UTF-8", "Application/XML"] {
        let tpp = tpp.clone().with("Content-Type", media);
        assert_eq!(
            tpp.send(Method::POST, &path(SINGLE), Some(sent.clone().into())).await.status,
            201,
            "{media}"
        );
    }
    for product in [
        "/v1/payments/pain.001-internal-transfers",
        "/v1/payments/pain.001-target-2-payments",
        "/v1/periodic-payments/pain.001-sepa-credit-transfers",
        "/v1/bulk-payments/pain.001-instant-sepa-credit-transfers",
    ] {
        let unknown = send(&tpp, product, &sent).await;
        assert_eq!(refusal(&unknown), (404, "PRODUCT_UNKNOWN".to_owned()), "{product}: {unknown:?}");
    }
    let unauthorised = send(&tpp.without("PSU-IP-Address"), SINGLE, &json!({}).to_string()).await;
    assert_eq!(unauthorised.text("/tppMessages/0/path"), "PSU-IP-Address");
}
