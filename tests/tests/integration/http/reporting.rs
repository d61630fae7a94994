//! The views for analysts: their figures are those of the API, and docs/reporting.md lists their columns.

use crate::http::loan_servicing::bought_at_checkout;
use crate::http::merchant_payout::settle_to;
use crate::http::payment::{
    ELENI, INTERNAL, JONAS, OTHER_BANK_IBAN, code, iban, initiate, order, psu, text, tpp,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use trapeza_domain::loan::LoanState;
use trapeza_domain::money::Currency;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const VIEWS: [&str; 9] = [
    "customers",
    "accounts",
    "bookings",
    "payments",
    "consents",
    "loans",
    "loan_installments",
    "merchant_settlement",
    "callbacks",
];

type Row = BTreeMap<String, String>;

struct Report<'a> {
    database: &'a Database,
    engine: Engine,
}

impl Report<'_> {
    fn view(&self, name: &str) -> String {
        match self.engine {
            Engine::Sqlite => format!("report_{name}"),
            Engine::Postgres => format!("report.{name}"),
        }
    }

    /// The columns of a view in their order.
    fn columns(&self, name: &str) -> Vec<String> {
        self.database.column(&match self.engine {
            Engine::Sqlite => format!("SELECT name FROM pragma_table_info('report_{name}') ORDER BY cid"),
            Engine::Postgres => format!(
                "SELECT column_name FROM information_schema.columns
                 WHERE table_schema = 'report' AND table_name = '{name}' ORDER BY ordinal_position"
            ),
        })
    }

    /// The rows of a view, by the names of the columns.
    fn rows(&self, name: &str, rest: &str) -> Vec<Row> {
        let columns = self.columns(name);
        let rows = self.database.rows(&format!("SELECT * FROM {} {rest}", self.view(name)));
        rows.into_iter().map(|row| columns.iter().cloned().zip(row).collect()).collect()
    }

    fn row(&self, name: &str, rest: &str) -> Row {
        let mut rows = self.rows(name, rest);
        assert_eq!(rows.len(), 1, "{name} {rest}");
        rows.remove(0)
    }
}

/// An amount of a view in cents. SQLite prints 450 as 450.0.
fn cents(amount: &str) -> i64 {
    let amount: f64 = amount.parse().unwrap_or_else(|_| panic!("{amount:?} is not an amount"));
    (amount * 100.0).round() as i64
}

/// An amount of the API in cents.
fn api_cents(amount: &Value) -> i64 {
    cents(&amount.as_str().map_or_else(|| amount.to_string(), str::to_owned))
}

async fn consent(bank: &TestBank) -> String {
    let accounts = json!([{ "iban": iban(bank, JONAS, 0) }]);
    let request = json!({
        "access": { "accounts": accounts, "balances": accounts },
        "recurringIndicator": true, "validUntil": "2035-05-31", "frequencyPerDay": 4,
    });
    let client = tpp(bank, JONAS);
    let id = client.post("/v1/consents", &request).await.text("/consentId").to_owned();
    bank.authorise(&client, &format!("/v1/consents/{id}"), psu(bank, JONAS)).await;
    id
}

async fn pay(bank: &TestBank, amount: &str) -> String {
    let client = tpp(bank, JONAS);
    let path = initiate(&client, INTERNAL, &order(bank, amount)).await;
    let started = client.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    client.put(&own, &json!({ "psuData": { "password": psu(bank, JONAS)["password"] } })).await;
    assert_eq!(code(bank, &client, &own).await.text("/scaStatus"), "finalised");
    path
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reports_of_open_banking_have_the_figures_of_the_api(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.app.clock().zone_store(bank.app.store()).await.unwrap();
    bank.book_opening(&iban(&bank, JONAS, 0), 1_000_000).await;
    let (consent, path) = (consent(&bank).await, pay(&bank, "12.34").await);
    let unpaid = initiate(&tpp(&bank, JONAS), INTERNAL, &order(&bank, "5.00")).await;
    let report = Report { database: &bank.database, engine };

    let customers = report.rows("customers", "");
    assert_eq!(customers.len(), bank.sandbox_file["psus"].as_array().unwrap().len());
    let jonas = report.row("customers", &format!("WHERE login = '{}'", text(&psu(&bank, JONAS)["psu_id"])));
    assert_eq!(
        (jonas["name"].as_str(), jonas["status"].as_str()),
        (text(&psu(&bank, JONAS)["name"]), "active")
    );

    let reader = tpp(&bank, JONAS).with("consentID", &consent);
    let listed = reader.get("/v1/accounts?withBalance=true").await;
    let account = report.row("accounts", &format!("WHERE iban = '{}'", iban(&bank, JONAS, 0)));
    let booked = &listed.body["accounts"][0]["balances"][0]["balanceAmount"];
    assert_eq!(cents(&account["booked_balance"]), api_cents(amount_of(booked)), "{listed:?}");
    assert_eq!(
        cents(&account["available_balance"]),
        cents(&account["booked_balance"]) - cents(&account["held_amount"]) + cents(&account["credit_limit"])
    );
    assert_eq!((account["status"].as_str(), account["owners"].as_str()), ("open", jonas["name"].as_str()));

    let booking = report.row("bookings", &format!("WHERE reference = '{}' AND amount < 0", id_of(&path)));
    assert_eq!((cents(&booking["amount"]), booking["account"].as_str()), (-1234, account["iban"].as_str()));
    assert_eq!(booking["balance_after"], account["booked_balance"]);
    assert_eq!(
        (booking["event"].as_str(), booking["booked_on"].as_str()),
        ("internal transfer", "2035-03-15")
    );
    assert_eq!(
        (booking["account_type"].as_str(), booking["remittance"].as_str()),
        ("account", "Rent of November")
    );
    let total: i64 = report
        .rows("bookings", &format!("WHERE account = '{}'", iban(&bank, ELENI, 0)))
        .iter()
        .map(|row| cents(&row["amount"]))
        .sum();
    let eleni = report.row("accounts", &format!("WHERE iban = '{}'", iban(&bank, ELENI, 0)));
    assert_eq!(total, cents(&eleni["booked_balance"]), "the bookings of an account are its balance");

    let shown = tpp(&bank, JONAS).get(&path).await;
    let payment = report.row("payments", &format!("WHERE payment_id = '{}'", id_of(&path)));
    assert_eq!(cents(&payment["amount"]), api_cents(&shown.body["instructedAmount"]["Amount"]), "{shown:?}");
    assert_eq!((payment["status"].as_str(), payment["status_code"].as_str()), ("credited", "ACCC"));
    assert_eq!(payment["payee_name"], "Papadaki Eleni");
    // The bank starts at 08:00 UTC, before the clocks of Athens are put forward.
    assert!(payment["created_at"].starts_with("2035-03-15 10:0"), "{payment:?}");
    let open = report.row("payments", &format!("WHERE payment_id = '{}'", id_of(&unpaid)));
    assert_eq!(open["status"], "received");

    let row = report.row("consents", &format!("WHERE consent_id = '{consent}'"));
    let status = tpp(&bank, JONAS).get(&format!("/v1/consents/{consent}/status")).await;
    // The API's number of a valid consent.
    assert_eq!((row["status"].as_str(), &status.body["consentStatus"]), ("valid", &json!(2)));
    assert_eq!((row["kind"].as_str(), row["recurring"].as_str()), ("account information", "yes"));
    assert_eq!((row["valid_until"].as_str(), row["reads_per_day"].as_str()), ("2035-05-31", "4"));

    // A day later in spring the local time is three hours ahead of UTC.
    bank.advance("P30DT14H").await;
    let late = initiate(&tpp(&bank, JONAS), INTERNAL, &order(&bank, "1.00")).await;
    let late = report.row("payments", &format!("WHERE payment_id = '{}'", id_of(&late)));
    assert_eq!(late["created_on"], "2035-04-15", "22:00 UTC on the 14th: {late:?}");
    let expired = report.row("payments", &format!("WHERE payment_id = '{}'", id_of(&unpaid)));
    assert_eq!((expired["status"].as_str(), expired["rejection_reason"].as_str()), ("rejected", "overdue"));
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// The amount of a balance, whichever way its field is written.
fn amount_of(amount: &Value) -> &Value {
    amount.get("Amount").or(amount.get("amount")).unwrap_or_else(|| panic!("no amount: {amount}"))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reports_of_pay_later_have_the_figures_of_the_bank(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.app.clock().zone_store(bank.app.store()).await.unwrap();
    bank.book_opening(&iban(&bank, JONAS, 0), 1_000_000).await;
    let (_, id) = bought_at_checkout(&bank, 12).await;
    bank.advance("P32D").await;
    let report = Report { database: &bank.database, engine };

    let detail = bank.app.loan_detail(id).await.unwrap();
    let LoanState::Granted { open_minor, .. } = detail.loan.state else { panic!("not granted") };
    let loan = report.row("loans", &format!("WHERE loan_id = '{}'", id.uuid()));
    assert_eq!((cents(&loan["amount"]), cents(&loan["open_principal"])), (45_000, open_minor));
    assert_eq!((loan["status"].as_str(), loan["installments"].as_str()), ("active", "12"));
    assert_eq!(loan["customer_name"], text(&psu(&bank, JONAS)["name"]));
    let installments = report
        .rows("loan_installments", &format!("WHERE loan_id = '{}' ORDER BY installment_number", id.uuid()));
    assert_eq!(installments.len(), detail.installments.len());
    for (row, one) in installments.iter().zip(&detail.installments) {
        assert_eq!(cents(&row["principal"]), one.installment.principal_minor);
        assert_eq!(cents(&row["interest"]), one.installment.interest_minor);
        let open = if one.settled.is_some() { 0 } else { one.installment.amount_minor() };
        assert_eq!(cents(&row["open_amount"]), open, "{row:?}");
        assert_eq!(row["paid_on"].is_empty(), one.settled.is_none());
    }

    let merchants = report.rows("merchant_settlement", "ORDER BY merchant_number");
    assert_eq!(merchants.len(), bank.sandbox_file["merchants"].as_array().unwrap().len());
    let merchant = report.row("merchant_settlement", &format!("WHERE name = '{}'", loan["merchant"]));
    let payable = 45_000 - cents(&loan["merchant_discount"]);
    assert_eq!((cents(&merchant["financed"]), cents(&merchant["balance_due"])), (payable, payable));
    settle_to(&bank, &merchant["code"], OTHER_BANK_IBAN, "Papyrus Books").await;
    let paid = bank.app.merchant_payout(&merchant["code"], None).await.unwrap();
    bank.advance("PT5S").await;
    let merchant = report.row("merchant_settlement", &format!("WHERE name = '{}'", loan["merchant"]));
    assert_eq!((cents(&merchant["paid_out"]), cents(&merchant["balance_due"])), (paid.amount.minor, 0));

    let stored: i64 = bank.app.callback_count().await.unwrap().iter().map(|(_, count)| count).sum();
    let callbacks = report.rows("callbacks", "");
    assert_eq!(i64::try_from(callbacks.len()).unwrap(), stored);
    for callback in &callbacks {
        assert_eq!((callback["outcome"].as_str(), &callback["merchant"]), ("approved", &loan["merchant"]));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn currencies_have_the_digits_of_iso_4217(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    database.open().close();
    let rows = database.rows("SELECT currency, digits, units FROM currency_scale");
    let scale: BTreeMap<String, (u32, i64)> = rows
        .into_iter()
        .map(|row| (row[0].clone(), (row[1].parse().unwrap(), row[2].parse().unwrap())))
        .collect();
    let letters = || 'A'..='Z';
    let codes =
        letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| format!("{a}{b}{c}"))));
    let mut known = 0;
    for code in codes {
        let Ok(currency) = Currency::parse(&code) else {
            assert!(!scale.contains_key(&code), "{code} is no currency");
            continue;
        };
        known += 1;
        let (digits, units) = scale.get(&code).copied().unwrap_or((2, 100));
        assert_eq!((digits, units), (currency.exponent(), 10_i64.pow(currency.exponent())), "{code}");
    }
    assert!(known > 100, "only {known} currencies");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reporting_page_lists_every_column(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    database.open().close();
    let report = Report { database: &database, engine };
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/reporting.md");
    let page = std::fs::read_to_string(page).unwrap();
    for view in VIEWS {
        let (_, section) = page.split_once(&format!("\n## {view}\n")).unwrap_or_else(|| panic!("no {view}"));
        let section = section.split("\n## ").next().unwrap();
        let listed: Vec<&str> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
            .map(|(column, _)| column)
            .collect();
        assert_eq!(report.columns(view), listed, "{view}");
        report.rows(view, "");
    }
}
