//! Statements as XML: camt.053 and camt.052.

use super::delta_list::transactions;
use super::{authorise, client, consent_order, consented_client, iban, path, refusal};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_http::CamtVersion;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};
use trapeza_xml::Element;
use trapeza_xml::structure::Structure;

const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:";
const V02: &str =
    include_str!("../../../../../crates/trapeza-berlin-group/src/wire/camt/structure-001.02.txt");
const V08: &str =
    include_str!("../../../../../crates/trapeza-berlin-group/src/wire/camt/structure-001.08.txt");

/// A message that was read again.
struct Message {
    /// `camt.053.001.08`
    kind: String,
    root: Element,
}

impl Message {
    /// Panics where the message does not have the structure of its schema.
    fn read(answer: &ApiResponse) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.headers["content-type"], "application/xml");
        assert!(answer.headers.contains_key("x-frequency-remaining"), "{answer:?}");
        let text = answer.body.as_str().expect("XML");
        let document = trapeza_xml::parse(text.as_bytes()).expect("well-formed");
        let kind = document.attribute("xmlns").and_then(|name| name.strip_prefix(NAMESPACE)).expect("a name");
        let sequences = if kind.ends_with(".02") { V02 } else { V08 };
        let problems = Structure { namespace: NAMESPACE, sequences }.problems(text);
        assert_eq!(problems, Vec::<String>::new(), "{text}");
        Self { kind: kind.to_owned(), root: document.children[0].clone() }
    }

    fn page(&self) -> (&str, &str) {
        let text = |name: &str| self.root.text(name).expect("a page");
        (text("GrpHdr/MsgPgntn/PgNb"), text("GrpHdr/MsgPgntn/LastPgInd"))
    }

    fn body(&self) -> &Element {
        &self.root.children[1]
    }

    /// The balances: type and amount with its sign.
    fn balances(&self) -> Vec<(String, i64)> {
        let code = |balance: &Element| balance.text("Tp/CdOrPrtry/Cd").expect("a type").to_owned();
        self.body().all("Bal").map(|balance| (code(balance), amount(balance))).collect()
    }

    fn entries(&self, status: &str) -> Vec<&Element> {
        let is = |entry: &&Element| entry.text("Sts/Cd").or(entry.text("Sts")) == Some(status);
        self.body().all("Ntry").filter(is).collect()
    }

    /// Opening and closing balance, between which the booked entries are.
    fn check_sum(&self) -> (i64, i64) {
        let balances = self.balances();
        let (opening, closing) = (balances[0].1, balances[1].1);
        let sum: i64 = self.entries("BOOK").into_iter().map(amount).sum();
        assert_eq!(opening + sum, closing, "{:?}", self.root);
        (opening, closing)
    }
}

/// The amount of an entry or balance in minor units, negative for a debit.
fn amount(element: &Element) -> i64 {
    let minor = minor(element.text("Amt").expect("an amount"));
    match element.text("CdtDbtInd") {
        Some("DBIT") => -minor,
        Some("CRDT") => minor,
        other => panic!("not a sign: {other:?}"),
    }
}

fn minor(text: &str) -> i64 {
    text.replace('.', "").parse().expect("an amount with two decimals")
}

/// What an entry of either form says: amount, references and dates.
fn of_json(entry: &Value) -> [Option<String>; 6] {
    let text = |name: &str| entry.pointer(name).and_then(Value::as_str).map(str::to_owned);
    [
        text("/transactionAmount/amount").map(|amount| minor(&amount).to_string()),
        text("/entryReference"),
        text("/bookingDate"),
        text("/valueDate"),
        text("/endToEndId"),
        text("/remittanceInformationUnstructured"),
    ]
}

fn of_xml(entry: &Element) -> [Option<String>; 6] {
    let text = |name: &str| entry.text(name).map(str::to_owned);
    [
        Some(amount(entry).to_string()),
        text("NtryRef"),
        text("BookgDt/Dt"),
        text("ValDt/Dt"),
        text("NtryDtls/TxDtls/Refs/EndToEndId"),
        text("NtryDtls/TxDtls/RmtInf/Ustrd"),
    ]
}

fn next(bank: &TestBank, answer: &ApiResponse) -> Option<String> {
    let link = answer.headers.get("link")?;
    let address = link.strip_prefix('<').and_then(|rest| rest.strip_suffix(">; rel=\"next\""));
    Some(address.and_then(|href| href.strip_prefix(bank.base_url.as_str())).expect("a link").to_owned())
}

fn lines(answer: &ApiResponse, list: &str) -> Vec<[Option<String>; 6]> {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["transactions"][list].as_array().expect("a list").iter().rev().map(of_json).collect()
}

fn balance(answer: &ApiResponse, kind: &str) -> i64 {
    let all = answer.body["balances"].as_array().expect("balances");
    let found = all.iter().find(|balance| balance["balanceType"] == *kind).expect("this balance");
    minor(found["balanceAmount"]["amount"].as_str().expect("an amount"))
}

async fn bank_with(engine: Engine, version: CamtVersion) -> (TestBank, ApiClient, String) {
    let options = TestBankOptions { camt: Some(version), ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let tpp = consented_client(&bank, 0).await;
    let list = transactions(&bank, &tpp).await;
    (bank, tpp, list)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn days_that_are_over_are_a_statement_whose_pages_add_up(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(CamtVersion::V02, CamtVersion::V08)] version: CamtVersion,
) {
    let (bank, tpp, list) = bank_with(engine, version).await;
    let xml = tpp.clone().with("Accept", "application/xml");
    let period =
        format!("{list}?bookingStatus=booked&dateFrom={}&dateTo={}", bank.days_ago(60), bank.days_ago(1));
    let expected = lines(&tpp.get(&period).await, "booked");
    assert!(expected.len() > 3, "the demo has entries");

    let whole = Message::read(&xml.get(&period).await);
    assert_eq!(whole.kind, format!("camt.053.{}", version.suffix()));
    assert_eq!(whole.page(), ("1", "true"));
    let (opening, closing) = whole.check_sum();
    let found: Vec<_> = whole.entries("BOOK").into_iter().map(of_xml).collect();
    assert_eq!(found, expected);
    let balances = tpp.get(&list.replace("/transactions", "/balances")).await;
    assert_eq!(closing, balance(&balances, "closingBooked"));
    let codes: Vec<String> = whole.balances().into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["OPBD", "CLBD"]);
    assert_eq!(whole.body().text("Acct/Id/IBAN"), Some(iban(&bank, 0)));

    let (mut found, mut closes_at, mut number) = (Vec::new(), closing, 1);
    let mut address = Some(format!("{period}&limit=2"));
    while let Some(page) = address {
        let answer = xml.get(&page).await;
        let message = Message::read(&answer);
        address = next(&bank, &answer);
        assert_eq!(message.page(), (&*number.to_string(), &*address.is_none().to_string()));
        let (opens_at, closes) = message.check_sum();
        assert_eq!(closes, closes_at, "a page ends where the one before it began");
        let codes = message.balances();
        assert_eq!(codes[0].0, if address.is_none() { "OPBD" } else { "ITBD" });
        assert_eq!(codes[1].0, if number == 1 { "CLBD" } else { "ITBD" });
        found.splice(0..0, message.entries("BOOK").into_iter().map(of_xml));
        (closes_at, number) = (opens_at, number + 1);
    }
    assert_eq!((found, closes_at), (expected, opening));
    assert!(number > 2, "there were several pages");

    let wrong = xml.get(&format!("{period}&limit=2&cursor=x&page=no")).await;
    assert_eq!(refusal(&wrong).0, 400, "{wrong:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn today_is_a_report_with_pending_entries(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(CamtVersion::V02, CamtVersion::V08)] version: CamtVersion,
) {
    let (bank, tpp, list) = bank_with(engine, version).await;
    let payer = client(&bank, 0)
        .with("PSU-IP-Address", "192.0.2.7")
        .with("TPP-Explicit-Authorisation-Preferred", "true");
    let order = json!({
        "endToEndIdentification": "INVOICE-7",
        "debtorAccount": { "iban": iban(&bank, 0) },
        "instructedAmount": { "currency": "EUR", "amount": "12.34" },
        "creditorAccount": { "iban": "DE89370400440532013000" },
        "creditorName": "Anna Muster",
        "remittanceInformationUnstructured": "Rent, water (May)",
    });
    let paid = payer.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
    authorise(&bank, &payer, &paid, 0).await;
    bank.book_opening(iban(&bank, 0), 500).await;

    let xml = tpp.clone().with("Accept", "application/xml;q=0.9, text/plain");
    let query = format!("{list}?bookingStatus=both&dateFrom={}&withBalance=true", bank.days_ago(10));
    let json = tpp.get(&query).await;
    let report = Message::read(&xml.get(&query).await);
    assert_eq!(report.kind, format!("camt.052.{}", version.suffix()));
    let (_, closing) = report.check_sum();
    let codes: Vec<String> = report.balances().into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["OPBD", "ITBD", "ITAV"]);
    assert_eq!(closing, balance(&json, "interimBooked"));
    assert_eq!(report.balances()[2].1, balance(&json, "interimAvailable"));
    let booked: Vec<_> = report.entries("BOOK").into_iter().map(of_xml).collect();
    assert_eq!(booked, lines(&json, "booked"));
    let pending: Vec<_> = report.entries("PDNG").into_iter().map(of_xml).collect();
    assert_eq!(pending, lines(&json, "pending"));
    let payment = report.entries("PDNG").into_iter().find(|entry| amount(entry) == -1_234).expect("the hold");
    let creditor = match version {
        CamtVersion::V02 => "NtryDtls/TxDtls/RltdPties/Cdtr/Nm",
        CamtVersion::V08 => "NtryDtls/TxDtls/RltdPties/Cdtr/Pty/Nm",
    };
    assert_eq!(payment.text(creditor), Some("Anna Muster"), "{payment:?}");
    assert_eq!(payment.text("NtryDtls/TxDtls/RltdPties/CdtrAcct/Id/IBAN"), Some("DE89370400440532013000"));
    assert_eq!(payment.text("NtryDtls/TxDtls/RmtInf/Ustrd"), Some("Rent, water (May)"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn delta_list_is_a_report_and_is_delivered_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (bank, tpp, list) = bank_with(engine, CamtVersion::V08).await;
    let xml = tpp.clone().with("Accept", "application/xml");
    let delta = format!("{list}?bookingStatus=booked&deltaList=true&limit=5");
    let (mut address, mut count, mut opens_at) = (Some(delta.clone()), 0, None);
    while let Some(page) = address {
        let answer = xml.get(&page).await;
        let message = Message::read(&answer);
        assert_eq!(message.kind, "camt.052.001.08");
        let (opening, closing) = message.check_sum();
        assert!(opens_at.is_none_or(|opens_at| opens_at == closing), "pages are contiguous");
        opens_at = Some(opening);
        count += message.entries("BOOK").len();
        address = next(&bank, &answer);
    }
    assert!(count > 5, "the demo has entries");
    let empty = Message::read(&xml.get(&delta).await);
    assert!(empty.entries("BOOK").is_empty());
    let (opening, closing) = empty.check_sum();
    assert_eq!(opening, closing, "a page without entries has one balance");
    bank.book_opening(iban(&bank, 0), 700).await;
    let one = Message::read(&xml.get(&delta).await);
    assert_eq!(one.check_sum(), (closing, closing + 700));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_without_balances_shows_none(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let account = json!([{ "iban": iban(&bank, 0) }]);
    let tpp = client(&bank, 0);
    let explicit = tpp.clone().with("TPP-Explicit-Authorisation-Preferred", "true");
    let order = consent_order(json!({ "accounts": account, "transactions": account }));
    let created = explicit.post(&path("/v1/consents"), &order).await;
    authorise(&bank, &tpp, &created, 0).await;
    let tpp = tpp.with("Consent-ID", created.text("/consentId")).with("PSU-IP-Address", "192.0.2.7");
    let list = transactions(&bank, &tpp).await;
    let period = format!(
        "{list}?bookingStatus=booked&withBalance=true&dateFrom={}&dateTo={}",
        bank.days_ago(60),
        bank.days_ago(1)
    );
    let message = Message::read(&tpp.with("Accept", "application/xml").get(&period).await);
    assert_eq!(message.kind, "camt.052.001.08", "a statement would need balances");
    assert_eq!(message.balances(), []);
    assert!(!message.entries("BOOK").is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn other_lists_have_no_form_but_json() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = consented_client(&bank, 0).await;
    let list = transactions(&bank, &tpp).await;
    let from = bank.days_ago(10);
    let dated = format!("{list}?bookingStatus=booked&dateFrom={from}");
    let xml = tpp.clone().with("Accept", "application/xml");
    for address in [
        format!("{list}?bookingStatus=information"),
        format!("{list}?bookingStatus=all&dateFrom={from}"),
        path("/v1/accounts"),
        list.replace("/transactions", "/balances"),
    ] {
        let answer = xml.get(&address).await;
        assert_eq!(refusal(&answer), (406, "REQUESTED_FORMATS_INVALID".to_owned()), "{address}: {answer:?}");
    }
    let text = tpp.clone().with("Accept", "text/plain").get(&dated).await;
    assert_eq!(refusal(&text), (406, "REQUESTED_FORMATS_INVALID".to_owned()), "{text:?}");
    for accept in ["application/xml, application/json", "application/xml, */*;q=0.1"] {
        let answer = tpp.clone().with("Accept", accept).get(&dated).await;
        assert_eq!((answer.status, &*answer.headers["content-type"]), (200, "application/json"), "{accept}");
    }
    let wrong = xml.get(&format!("{list}?bookingStatus=booked")).await;
    assert_eq!(refusal(&wrong), (400, "FORMAT_ERROR".to_owned()), "errors are JSON: {wrong:?}");
}
