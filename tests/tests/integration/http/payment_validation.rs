//! Three hundred ways to order a payment wrongly: each is refused with the path of its fault, and leaves nothing behind.

use crate::http::payment::{INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, iban, order, rows, text, tpp};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

/// A field, what is put there, and where the fault is reported.
struct Row {
    pointer: &'static str,
    value: Value,
    path: &'static str,
}

const AMOUNT: (&str, &str) = ("/instructedAmount/Amount", "instructedAmount.Amount");
const CURRENCY: (&str, &str) = ("/instructedAmount/currency", "instructedAmount.currency");
const PAYER: (&str, &str) = ("/debtorAccount/iban", "debtorAccount.iban");
const PAYEE: (&str, &str) = ("/creditorAccount/iban", "creditorAccount.iban");

fn row((pointer, path): (&'static str, &'static str), value: Value) -> Row {
    Row { pointer, value, path }
}

fn amounts() -> Vec<Value> {
    let texts = [
        "",
        " ",
        "0",
        "0.0",
        "0.00",
        "00",
        "-0",
        "-1",
        "-1.00",
        "+1",
        "+1.00",
        "01",
        "01.00",
        "001",
        ".5",
        ".50",
        "1.",
        "1..0",
        "1.0.0",
        "1,00",
        "1.000,00",
        "1 000",
        "1'000",
        "1_000",
        "1\u{a0}000",
        "1.001",
        "1.999",
        "1.0000",
        "0.001",
        "0.005",
        "1e3",
        "1E3",
        "1e-2",
        "0x10",
        "0b1",
        "1f",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "inf",
        "null",
        "true",
        "one",
        "1.00 EUR",
        "EUR 1.00",
        "€1",
        "1€",
        "1.00\n",
        "\t1.00",
        " 1.00",
        "1.00 ",
        "1.0 0",
        "--1",
        "1-",
        "(1.00)",
        "1/2",
        "½",
        "٣",
        "１",
        "१",
        "1\u{200b}",
        "\u{202e}1",
        "1\0",
        "100000000000000",
        "999999999999999.99",
        "99999999999999999999",
        "9223372036854775807",
        "9223372036854775808",
        "92233720368547758.08",
        "-9223372036854775808",
        "1e400",
        "0.000000000000000000001",
        "1;DROP TABLE payment",
        "<1>",
        "1&2",
        "%31",
        "\\u0031",
    ];
    let mut all: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
    all.extend([
        json!(1),
        json!(1.5),
        json!(0),
        json!(-1),
        json!(true),
        json!(null),
        json!([]),
        json!({}),
        json!(["1.00"]),
    ]);
    all.push(json!("1".repeat(1000)));
    all
}

fn currencies() -> Vec<Value> {
    let texts = [
        "", " ", "eur", "Eur", "EU", "EURO", "EUR ", " EUR", "€", "978", "XXX", "XAU", "XTS", "HRK", "DEM",
        "ZZZ", "ЕUR",
    ];
    let mut all: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
    all.extend([json!(978), json!(null), json!([]), json!({})]);
    all
}

/// A good number with one digit changed, at each of its places, and other things that are none.
fn ibans(good: &str) -> Vec<Value> {
    let changed = (0..good.len()).map(|at| {
        let mut bytes = good.as_bytes().to_vec();
        bytes[at] = match bytes[at] {
            b'9' => b'8',
            digit if digit.is_ascii_digit() => digit + 1,
            letter => {
                if letter == b'Q' {
                    b'X'
                } else {
                    b'Q'
                }
            }
        };
        json!(String::from_utf8(bytes).unwrap())
    });
    let spaced = format!("{} {}", &good[..4], &good[4..]);
    let others = [
        String::new(),
        " ".into(),
        "GR".into(),
        "GR16".into(),
        good[..good.len() - 1].into(),
        format!("{good}0"),
        spaced,
        format!(" {good}"),
        format!("{good}\n"),
        good.replace('1', "I"),
        format!("{good}{good}"),
        "1".repeat(34),
        "ΓR1601101250000000012300695".into(),
        "DE89 3704 0044 0532 0130 00".into(),
        "x".repeat(5000),
    ];
    let mut all: Vec<Value> = changed.collect();
    all.extend(others.iter().map(|text| json!(text)));
    all.extend([json!(16), json!(null), json!(true), json!([good]), json!({ "iban": good })]);
    all
}

/// Texts that are too long for a field, empty, or with letters that are not to be seen.
fn texts(max: usize) -> Vec<Value> {
    let mut all =
        vec![json!(""), json!(" "), json!("\t"), json!("x".repeat(max + 1)), json!("ß".repeat(max + 1))];
    all.push(json!("😀".repeat(max + 1)));
    all.push(json!("x".repeat(10_000)));
    let unseen = [
        "\0", "\u{1}", "\n", "\r", "\u{7f}", "\u{85}", "\u{202e}", "\u{2066}", "\u{200f}", "\u{61c}",
        "\u{2028}",
    ];
    all.extend(unseen.iter().map(|letter| json!(format!("a{letter}b"))));
    all.extend([json!(7), json!(true), json!([]), json!({})]);
    all
}

fn table(bank: &TestBank) -> Vec<Row> {
    let own = iban(bank, JONAS, 0);
    let mut all: Vec<Row> = amounts().into_iter().map(|value| row(AMOUNT, value)).collect();
    all.extend(currencies().into_iter().map(|value| row(CURRENCY, value)));
    all.extend(ibans(&own).into_iter().map(|value| row(PAYER, value)));
    all.extend(ibans(OTHER_BANK_IBAN).into_iter().map(|value| row(PAYEE, value)));
    for (pointer, path, max) in [
        ("/creditorName", "creditorName", 70),
        ("/endToEndIdentification", "endToEndIdentification", 35),
        ("/remittanceInformationUnstructured", "remittanceInformationUnstructured", 140),
        ("/creditorAgentName", "creditorAgentName", 70),
        ("/creditorAddress/city", "creditorAddress.city", 70),
        ("/creditorAddress/street", "creditorAddress.street", 70),
    ] {
        all.extend(texts(max).into_iter().map(|value| row((pointer, path), value)));
    }
    for bic in
        ["", "ETHN", "ETHNGRA", "ETHNGRAAX", "ETHNGRAAXXXX", "ETHN1RAA", "ETHNGRA ", "ETHNΓRAA", "........"]
    {
        all.push(row(("/creditorAgent", "creditorAgent"), json!(bic)));
    }
    all
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_invalid_order_reports_its_path_and_stores_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let table = table(&bank);
    assert!(table.len() >= 300, "{}", table.len());
    let mut full = order(&bank, "1.00");
    full["creditorAgent"] = json!("ETHNGRAA");
    full["creditorAgentName"] = json!("Bank");
    full["creditorAddress"] = json!({ "city": "Athens", "street": "Stadiou" });
    assert_eq!(tpp.post(INTERNAL, &full).await.status, 200, "what is changed below is right");
    let before = rows(&bank).await;
    for (number, Row { pointer, value, path }) in table.iter().enumerate() {
        let product = if number % 2 == 0 { INTERNAL } else { SEPA };
        let mut body = full.clone();
        *body.pointer_mut(pointer).unwrap() = value.clone();
        let answer = tpp.post(product, &body).await;
        let case = format!("{pointer} {}", value.to_string().chars().take(60).collect::<String>());
        assert_eq!(answer.status, 400, "{case}: {answer:?}");
        let paths: Vec<&str> = answer.body["tppMessages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| text(&message["path"]))
            .collect();
        // An account that cannot be read at all is reported as the whole.
        let whole = path.split('.').next().unwrap();
        assert!(paths.iter().any(|reported| reported == path || *reported == whole), "{case}: {paths:?}");
    }
    assert_eq!(rows(&bank).await, before, "nothing is written");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn fields_that_would_not_be_executed_are_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let before = rows(&bank).await;
    for (name, value) in [
        ("requestedExecutionDate", json!("2099-12-31")),
        ("requestedExecutionTime", json!("2099-12-31T10:00:00Z")),
        ("chargeBearer", json!("DEBT")),
        ("ultimateCreditor", json!("Another Payee")),
        ("purposeCode", json!("SALA")),
        ("remittanceInformationStructured", json!({ "reference": "RF18539007547034" })),
        ("frequency", json!("Monthly")),
    ] {
        let mut body = order(&bank, "1.00");
        body[name] = value;
        let answer = tpp.post(INTERNAL, &body).await;
        assert_eq!((answer.status, answer.text("/tppMessages/0/path")), (400, name), "{answer:?}");
        assert!(answer.text("/tppMessages/0/text").starts_with("PARAMETER_NOT_SUPPORTED"), "{answer:?}");
    }
    let mut both = order(&bank, "1.00");
    (both["chargeBearer"], both["frequency"]) = (json!("DEBT"), json!("Monthly"));
    let answer = tpp.post(INTERNAL, &both).await;
    assert_eq!(
        (answer.text("/tppMessages/0/path"), answer.text("/tppMessages/1/path")),
        ("chargeBearer", "frequency"),
        "every one is reported: {answer:?}"
    );
    assert_eq!(rows(&bank).await, before, "nothing is written");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn both_spellings_of_an_address_are_read(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let mut body = order(&bank, "1.00");
    body["creditorAddress"] =
        json!({ "streetName": "Stadiou", "buildingNumber": "1", "townName": "Athens", "postCode": "10562" });
    let created = tpp.post(INTERNAL, &body).await;
    let fetched = tpp.get(&format!("{INTERNAL}/{}", created.text("/paymentId"))).await;
    let expected =
        json!({ "street": "Stadiou", "buildingNumber": "1", "city": "Athens", "postalCode": "10562" });
    assert_eq!(fetched.body["creditorAddress"], expected, "{fetched:?}");
    body["creditorAddress"]["city"] = json!("Piraeus");
    let both = tpp.post(INTERNAL, &body).await;
    assert_eq!(
        (both.status, both.text("/tppMessages/0/path")),
        (400, "creditorAddress.townName"),
        "{both:?}"
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn authorisation_requests_are_checked_in_the_documented_order(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let never = format!("{INTERNAL}/00000000-0000-4000-8000-000000000000/authorisations");
    let odd = tpp.clone().with("TPP-Redirect-Preferred", "perhaps");
    let headers = odd.post(&never, &json!({})).await;
    assert_eq!((headers.status, headers.text("/tppMessages/0/path")), (400, "TPP-Redirect-Preferred"));
    let service = odd.post(&never.replace("/payments/", "/bulk-payments/"), &json!({})).await;
    assert_eq!(service.text("/tppMessages/0/path"), "TPP-Redirect-Preferred", "headers before the path");
    let body = tpp.put(&format!("{never}/00000000-0000-4000-8000-000000000000"), &json!({})).await;
    assert_eq!(body.status, 400, "the body before the owner");
    // A used id under another path is another request, whichever payment it names.
    let created = tpp.post(INTERNAL, &order(&bank, "1.00")).await;
    let own = format!("{INTERNAL}/{}/authorisations", created.text("/paymentId"));
    let same = tpp.clone().with("x-Request-ID", "7d1f1b0e-6d5f-4a36-9d0c-0f5a1c3e7a11");
    assert_eq!(same.post(&own, &json!({})).await.status, 200);
    let other = same.post(&never, &json!({})).await;
    assert!(other.text("/tppMessages/0/text").starts_with("PARAMETER_NOT_CONSISTENT"), "{other:?}");
    assert_eq!(tpp.post(&never, &json!({})).await.status, 404);
    let product = tpp.post(&own.replace(INTERNAL, SEPA), &json!({})).await;
    assert_eq!((product.status, product.text("/tppMessages/0/path")), (403, "payment-product"));
}
