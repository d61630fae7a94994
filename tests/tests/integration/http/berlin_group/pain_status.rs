//! The status of orders as messages pain.002.

use super::pain::{BULK, SINGLE, Version, message, send};
use super::payment::{OTHER_BANK_IBAN, payer};
use super::{authorise, iban, link, psu};
use crate::http::payment::unissued_iban;
use rstest::rstest;
use serde_json::Value;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};
use trapeza_xml::Element;
use trapeza_xml::structure::Structure;

const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:";
/// Written from the schemas, independently of the code that writes messages. What is used is the same in both versions.
const STRUCTURE: &str =
    include_str!("../../../../../crates/trapeza-berlin-group/src/wire/pain/structure-002.txt");

/// The statuses of an order: of the group, of the payment information and of the reported transfers.
#[derive(Debug, PartialEq, Eq)]
struct Report {
    group: String,
    payment: String,
    /// InstrId, EndToEndId, status and reason.
    transfers: Vec<[String; 4]>,
}

fn text(element: &Element, path: &str) -> String {
    element.text(path).unwrap_or("-").to_owned()
}

/// Reads the status, and panics where the message does not have the structure and the references that it must have.
async fn report(bank: &TestBank, tpp: &ApiClient, initiated: &ApiResponse, version: Version) -> Report {
    let xml = tpp.clone().with("Accept", "application/xml");
    let answer = xml.get(&link(bank, initiated, "status")).await;
    assert_eq!((answer.status, &*answer.headers["content-type"]), (200, "application/xml"), "{answer:?}");
    let message = answer.body.as_str().expect("XML");
    let problems = Structure { namespace: NAMESPACE, sequences: STRUCTURE }.problems(message);
    assert_eq!(problems, Vec::<String>::new(), "{message}");
    let document = trapeza_xml::parse(message.as_bytes()).expect("well-formed");
    let (kind, about) = match version {
        Version::V03 => ("pain.002.001.03", "pain.001.001.03"),
        Version::V09 => ("pain.002.001.10", "pain.001.001.09"),
    };
    assert_eq!(document.attribute("xmlns"), Some(format!("{NAMESPACE}{kind}").as_str()));
    let root = &document.children[0];
    let (group, payment) = (root.find("OrgnlGrpInfAndSts").unwrap(), root.find("OrgnlPmtInfAndSts").unwrap());
    assert_eq!(
        (text(group, "OrgnlMsgId"), text(group, "OrgnlMsgNmId")),
        ("MSG-7".to_owned(), about.to_owned())
    );
    assert_eq!(text(payment, "OrgnlPmtInfId"), "PMT-7");
    let transfers = payment.all("TxInfAndSts").map(|transfer| {
        ["OrgnlInstrId", "OrgnlEndToEndId", "TxSts", "StsRsnInf/Rsn/Cd"].map(|name| text(transfer, name))
    });
    Report {
        group: text(group, "GrpSts"),
        payment: text(payment, "PmtInfSts"),
        transfers: transfers.collect(),
    }
}

fn expected(group: &str, transfers: &[[&str; 4]]) -> Report {
    let transfers = transfers.iter().map(|transfer| transfer.map(str::to_owned)).collect();
    Report { group: group.to_owned(), payment: group.to_owned(), transfers }
}

fn single(group: &str, status: &str, reason: &str) -> Report {
    expected(group, &[["INSTR-1", "LINE-1", status, reason]])
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn status_of_a_single_payment_follows_its_execution(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(Version::V03, Version::V09)] version: Version,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let sent = message(&bank, version, &[(OTHER_BANK_IBAN, "Anna Muster", "12.34")]);
    let initiated = send(&tpp, SINGLE, &sent).await;
    let received = if version == Version::V03 { "-" } else { "RCVD" };
    assert_eq!(report(&bank, &tpp, &initiated, version).await, single("RCVD", received, "-"));
    authorise(&bank, &tpp, &initiated, 0).await;
    assert_eq!(report(&bank, &tpp, &initiated, version).await, single("ACCP", "ACCP", "-"));
    bank.advance("P1D").await;
    assert_eq!(report(&bank, &tpp, &initiated, version).await, single("ACSC", "ACSC", "-"));

    let sent = message(&bank, version, &[(OTHER_BANK_IBAN, "Anna Muster", "12.34")]);
    let cancelled = send(&tpp, SINGLE, &sent.replace("LINE-1", "NOTPROVIDED")).await;
    assert_eq!(tpp.delete(&link(&bank, &cancelled, "self")).await.status, 204);
    let rejected = expected("RJCT", &[["INSTR-1", "NOTPROVIDED", "RJCT", "DS02"]]);
    assert_eq!(report(&bank, &tpp, &cancelled, version).await, rejected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn status_of_other_ends_has_the_codes_of_the_message(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(Version::V03, Version::V09)] version: Version,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let name = psu(&bank, 1)["name"].as_str().unwrap();
    let credited = send(&tpp, SINGLE, &message(&bank, version, &[(iban(&bank, 1), name, "5.00")])).await;
    authorise(&bank, &tpp, &credited, 0).await;
    let code = if version == Version::V03 { "ACSC" } else { "ACCC" };
    assert_eq!(report(&bank, &tpp, &credited, version).await, single(code, code, "-"));
    let unknown = unissued_iban(&bank);
    let rejected = send(&tpp, SINGLE, &message(&bank, version, &[(&unknown, "Niemand", "5.00")])).await;
    authorise(&bank, &tpp, &rejected, 0).await;
    assert_eq!(report(&bank, &tpp, &rejected, version).await, single("RJCT", "RJCT", "AC03"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn status_of_a_bulk_has_its_rejected_lines(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(Version::V03, Version::V09)] version: Version,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let lines = [
        (iban(&bank, 1), "Any Name", "1.00"),
        (OTHER_BANK_IBAN, "REJECT AC04", "2.00"),
        (OTHER_BANK_IBAN, "Anna Muster", "4.00"),
    ];
    let initiated = send(&tpp, BULK, &message(&bank, version, &lines)).await;
    assert_eq!(report(&bank, &tpp, &initiated, version).await, expected("RCVD", &[]));
    authorise(&bank, &tpp, &initiated, 0).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    bank.advance("PT5S").await;
    let part = expected("PART", &[["INSTR-2", "LINE-2", "RJCT", "AC04"]]);
    assert_eq!(report(&bank, &tpp, &initiated, version).await, part);

    let unknown = unissued_iban(&bank);
    let none = send(&tpp, BULK, &message(&bank, version, &[(&*unknown, "Niemand", "1.00"); 2])).await;
    authorise(&bank, &tpp, &none, 0).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    let all =
        expected("RJCT", &[["INSTR-1", "LINE-1", "RJCT", "AC03"], ["INSTR-2", "LINE-2", "RJCT", "AC03"]]);
    assert_eq!(report(&bank, &tpp, &none, version).await, all);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_that_was_ordered_as_json_has_no_status_as_xml() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let initiated = tpp
        .post(
            &super::path("/v1/payments/sepa-credit-transfers"),
            &super::payment::order(&bank, OTHER_BANK_IBAN),
        )
        .await;
    let xml = tpp.clone().with("Accept", "application/xml");
    let answer = xml.get(&link(&bank, &initiated, "status")).await;
    assert_eq!((answer.status, &answer.body), (406, &Value::Null), "{answer:?}");
    let sent = message(&bank, Version::V09, &[(OTHER_BANK_IBAN, "Anna Muster", "12.34")]);
    let initiated = send(&tpp, SINGLE, &sent).await;
    let json = link(&bank, &initiated, "status").replace("pain.001-", "");
    assert_eq!(xml.get(&json).await.status, 406, "below the product of JSON orders");
    assert_eq!(tpp.get(&json).await.text("/transactionStatus"), "RCVD");
}
