//! Parsers of the domain and of boundaries, called directly.

use super::{mutated, mutated_text, seed};
use crate::model::history::Random;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use trapeza_app::{certificate, external_url, format_date, parse_date, parse_timestamp};
use trapeza_courier::clearing::pacs;
use trapeza_domain::account::AccountUsage;
use trapeza_domain::basket::PublicBasketId;
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankTransfer, ReportedStatus, StatusReport,
};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::decimal::parse_decimal;
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::id::PaymentId;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payee_verification::verify_payee_name;
use trapeza_domain::reference::{Bic, CreditorReference, Iban, Pan};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{TestBank, iterations};

/// Inputs of each parser.
const INPUTS: usize = 3000;
/// Names take a hundred times as long as the others, because all their words are compared.
const NAMES: usize = 200;

fn inputs(run: &str, good: &[&str], parse: impl FnMut(&str)) {
    parse_many(iterations(INPUTS), run, good, parse);
}

fn parse_many(count: usize, run: &str, good: &[&str], mut parse: impl FnMut(&str)) {
    let mut random = Random::new(seed(run));
    for _ in 0..count {
        let start = good[random.below(good.len())];
        parse(&mutated_text(&mut random, start));
    }
    println!("trust: {run} count={count}");
}

#[test]
fn references_and_names_never_panic() {
    inputs("iban", &["GR1601101250000000012300695", "DE89 3704 0044 0532 0130 00"], |text| {
        if let Ok(iban) = Iban::parse(text) {
            assert_eq!(Iban::parse(&iban.printed().replace(' ', "")), Ok(iban), "{text:?}");
        }
    });
    inputs("creditor reference", &["RF18 5390 0754 7034", "Rent RF18539007547034 March"], |text| {
        if let Some(reference) = CreditorReference::find_in(text) {
            let again = CreditorReference::find_in(&reference.printed());
            assert_eq!(again.map(|again| again.printed()), Some(reference.printed()), "{text:?}");
        }
    });
    inputs("BIC and PAN", &["TRPZGRAA", "5555555555554444"], |text| {
        let (_, _) = (Bic::parse(text), Pan::parse(text));
    });
    let names = ["Ελένη Παπαδάκη", "Müller & Söhne GmbH", "Papadaki Eleni"];
    parse_many(iterations(NAMES), "payee", &names, |text| {
        // Names have at most 140 characters on the wire.
        let text: String = text.chars().take(140).collect();
        let text = text.as_str();
        let owners = ["Eleni Papadaki".to_owned(), text.to_owned()];
        let _ = verify_payee_name(text, &owners, AccountUsage::Private);
        let _ = verify_payee_name("Eleni", &owners, AccountUsage::Organisation);
    });
    inputs("contact", &["+306912345678", "eleni@example.org"], |text| {
        let (_, _) = (Phone::parse(text), Email::parse(text));
    });
    inputs("ids", &["6f9619ff-8b86-4011-b42d-00cf4fc964ff", "0123456789abcdef0123456789abcdef"], |text| {
        if let Some(id) = PaymentId::parse(text) {
            assert_eq!(PaymentId::parse(&id.to_string()), Some(id), "{text:?}");
        }
        if let Some(id) = PublicBasketId::parse(text) {
            assert_eq!(id.to_string(), text);
        }
    });
}

#[test]
fn amounts_and_times_never_panic() {
    inputs("amount", &["12.34", "-0.01", "99999999999.99"], |text| {
        let _ = parse_decimal(text);
        for code in ["EUR", "JPY", "KWD"] {
            let currency = Currency::parse(code).unwrap();
            if let Ok(money) = Money::parse(text, currency) {
                let again = Money::parse(&money.to_decimal_string(), currency);
                assert_eq!(again.map(|again| again.minor), Ok(money.minor), "{text:?}");
            }
        }
    });
    inputs("time", &["2035-03-15", "2035-03-15T08:00:00.123456Z", "2035-03-15T08:00:00+02:00"], |text| {
        if let Some(day) = parse_date(text) {
            assert_eq!(format_date(day), text);
        }
        let _ = parse_timestamp(text);
    });
}

#[test]
fn addresses_of_webhooks_never_panic_and_stay_outside() {
    let good = ["https://shop.example/paid?x=1", "https://user@shop.example:8443/", "http://127.0.0.1:9090/"];
    inputs("webhook address", &good, |text| {
        if let Ok(url) = external_url::parse_callback(text, EgressPolicy::Public) {
            let host = url.host_str().unwrap_or_default();
            assert!(url.scheme() == "https" && !host.is_empty(), "{text:?} became {url}");
            let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
            let is_public = address.map_or(true, |address| EgressPolicy::Public.allows(address));
            assert!(is_public, "{text:?} became {url}");
            assert_ne!(host, "localhost", "{text:?}");
        }
    });
}

fn messages() -> Vec<String> {
    let header = |id: &str| GroupHeader { id: id.to_owned(), sent_at: Timestamp(2_057_000_000_000_000) };
    let transfer = InterbankTransfer {
        id: "T-1".to_owned(),
        end_to_end_id: Some("salary".to_owned()),
        amount: Money::new(120_000, Currency::EUR),
        debtor_name: "Maison Exemple".to_owned(),
        debtor: Some(Iban::parse("FR1420041010050500013M02606").unwrap()),
        debtor_agent: None,
        creditor_name: "Eleni <Papadaki> & Söhne".to_owned(),
        creditor: "GR1601101250000000012300695".to_owned(),
        creditor_agent: None,
        creditor_address: None,
        ultimate_debtor: None,
        ultimate_creditor: None,
        purpose: None,
        remittance: Some("March".to_owned()),
        creditor_reference: Some("RF18539007547034".to_owned()),
    };
    let settlement_day = Date(23_800);
    let transfers = CreditTransfers { header: header("M-1"), settlement_day, transfers: vec![transfer] };
    let report = StatusReport {
        header: header("M-2"),
        original_message_id: "M-1".to_owned(),
        group: Some(ReportedStatus::Settled),
        transfers: Vec::new(),
    };
    [ClearingMessage::CreditTransfers(transfers), ClearingMessage::StatusReport(report)]
        .iter()
        .map(pacs::serialize)
        .collect()
}

#[test]
fn clearing_messages_never_panic_and_are_written_as_they_were_read() {
    let good = messages();
    let mut random = Random::new(seed("pacs"));
    let (count, mut accepted) = (iterations(INPUTS), 0);
    for _ in 0..count {
        let start = &good[random.below(good.len())];
        let bytes = mutated(&mut random, start.as_bytes());
        if let Ok(message) = pacs::parse(&bytes) {
            accepted += 1;
            let written = pacs::serialize(&message);
            assert_eq!(pacs::parse(written.as_bytes()).as_ref(), Ok(&message), "{written}");
        }
    }
    println!("trust: pacs count={count} accepted={accepted}");
    assert!(accepted > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_never_panic() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let text = bank.sandbox_file["tpps"][0]["certificate"].as_str().unwrap();
    let der = STANDARD.decode(text.replace(['\n', ' '], "")).unwrap();
    let mut random = Random::new(seed("certificate"));
    let (count, mut accepted) = (iterations(INPUTS), 0);
    for _ in 0..count {
        let bytes = mutated(&mut random, &der);
        accepted += usize::from(certificate::parse(&bytes).is_ok());
        let _ = certificate::parse_seal(&bytes);
    }
    println!("trust: certificate count={count} accepted={accepted}");
}
