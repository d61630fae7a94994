//! The settlement report: its rows and totals are those of the ledger.

use super::is_marked;
use super::object::Created;
use crate::http::checkout::{Bought, buy};
use crate::http::customer_app::entries_repeat;
use crate::http::merchant_payout::settle_to;
use crate::http::payment::OTHER_BANK_IBAN;
use crate::staff::reason;
use rstest::rstest;
use serde_json::json;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{PortalUser, TestBank};

const PHONE: &str = "+306900000042";

/// Cents of an amount with two decimals.
fn cents(text: &str) -> i64 {
    text.replace('.', "").parse().unwrap_or_else(|_| panic!("{text} is no amount"))
}

/// The numbers of a column of the file.
fn column(csv: &str, name: &str) -> Vec<i64> {
    let place = csv.lines().next().unwrap().split(',').position(|known| known == name).unwrap();
    csv.lines().skip(1).map(|line| cents(line.split(',').nth(place).unwrap())).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn totals_are_those_of_the_ledger(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let created = Created::new(&bank, &mut user).await;
    let path = format!("/portal/applications/{}", created.merchant);
    let empty = user.browser.get(&format!("{path}/settlement")).await;
    assert!(empty.says("There are no entries in this period."), "{empty:?}");
    let order = json!({ "basketValue": 120.3, "requestId": "00000000-0000-4000-8000-000000000002",
        "orderIdentifier": "=order <2>" });
    let public = created.shop.post("/createbasket", &order).await.text("/publicBasketId").to_owned();
    buy(&bank, &Bought { checkout: format!("/checkout/{public}"), public: public.clone() }, PHONE).await;
    let list = user.browser.get(&format!("{path}/baskets")).await;
    let basket = list.attribute(&format!("<a href=\"{path}/baskets/"));
    let refund = format!("{path}/baskets/{basket}/refund");
    let key = "00000000-0000-4000-8000-000000000078";
    assert_eq!(user.post(&refund, &[("idempotency_key", key), ("amount", "20.30")]).await.status, 303);
    let code = user.browser.get(&path).await.text("<dt>Merchant code</dt><dd>").to_owned();
    settle_to(&bank, &code, OTHER_BANK_IBAN, "Papyrus Books").await;
    bank.app.merchant_payout(&code, Some(Money::new(5_000, Currency::EUR))).await.unwrap();
    bank.advance("PT5S").await;

    let page = user.browser.get(&format!("{path}/settlement")).await;
    assert!(page.status == 200 && page.says("<td>payout</td>") && !page.says("=order <2>"), "{page:?}");
    for (label, sum) in [
        ("Balance before", "0.00"),
        ("Purchases", "120.30"),
        ("Refunds", "-20.30"),
        ("Fees", "-2.50"),
        ("Paid out", "-50.00"),
        ("Returned payouts", "0.00"),
        ("Balance after", "47.50"),
    ] {
        assert!(page.says(&format!("<dt>{label}</dt><dd>{sum} EUR</dd>")), "{label}: {page:?}");
    }
    let file = page.attribute(&format!("<a href=\"{path}/settlement.csv")).replace("&#38;", "&");
    let file = user.browser.get(&format!("{path}/settlement.csv{file}")).await;
    assert!(
        file.headers["content-disposition"].starts_with("attachment; filename=\"settlement-"),
        "{file:?}"
    );
    let csv = file.html;
    assert!(csv.contains(&format!("purchase,\"'=order <2>\",{public},")), "{csv}");
    let (gross, fee, net, balance) =
        (column(&csv, "gross"), column(&csv, "fee"), column(&csv, "net"), column(&csv, "balance"));
    assert_eq!(gross, [12_030, -2_030, 0], "{csv}");
    // 2.5% of the purchase, of which the bank returns the part of the refund.
    assert_eq!(fee, [-300, 50, 0], "{csv}");
    assert_eq!(net.iter().sum::<i64>(), balance[2], "{csv}");
    let ledger =
        "SELECT CAST(booked_minor AS BIGINT) FROM ledger_account WHERE kind = 2100 ORDER BY id DESC LIMIT 1";
    assert_eq!(bank.database.number(ledger), balance[2], "the balance of the ledger");
    let discount =
        "SELECT CAST(SUM(CASE WHEN c.kind = 4110 THEN t.amount_minor ELSE -t.amount_minor END) AS BIGINT)
        FROM transfer t JOIN ledger_account c ON c.id = t.credit_account
        JOIN ledger_account d ON d.id = t.debit_account WHERE c.kind = 4110 OR d.kind = 4110";
    assert_eq!(bank.database.number(discount), -fee.iter().sum::<i64>(), "the fees of the ledger");
    let later = user.browser.get(&format!("{path}/settlement?from=2999-01-01&to=2999-01-31")).await;
    assert!(later.says(&format!(
        "<dt>Balance before</dt><dd>{}.{:02} EUR</dd>",
        balance[2] / 100,
        balance[2] % 100
    )));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn report_has_at_most_10000_entries(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let created = Created::new(&bank, &mut user).await;
    let order = json!({ "basketValue": 120, "requestId": "00000000-0000-4000-8000-000000000002",
        "orderIdentifier": "order" });
    let public = created.shop.post("/createbasket", &order).await.text("/publicBasketId").to_owned();
    buy(&bank, &Bought { checkout: format!("/checkout/{public}"), public }, PHONE).await;
    let ledger = bank.database.number("SELECT MAX(id) FROM ledger_account WHERE kind = 2100");
    let member = bank.app.portal_session(user.session()).await.unwrap().unwrap();
    let (application, today) = (ApplicationId::parse(&created.merchant).unwrap(), bank.app.clock().today());
    let report = async || bank.app.portal_settlement(&member, application, (today, today)).await;
    assert_eq!(report().await.unwrap().rows.len(), 1);
    entries_repeat(&bank.database, ledger, 9_999);
    assert_eq!(report().await.unwrap().rows.len(), 10_000);
    entries_repeat(&bank.database, ledger, 1);
    assert_eq!(reason(report().await), Some(RefusalReason::Malformed));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_period_is_marked(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let created = Created::new(&bank, &mut user).await;
    let path = format!("/portal/applications/{}/settlement", created.merchant);
    for (query, field) in [
        ("from=%3Cb%3E", "from"),
        ("from=2026-13-01", "from"),
        ("to=tomorrow", "to"),
        ("from=2026-02-01&to=2026-01-01", "from"),
    ] {
        let page = user.browser.get(&format!("{path}?{query}")).await;
        assert!(page.status == 400 && is_marked(&page, field) && !page.says("<b>"), "{query}: {page:?}");
        assert_eq!(user.browser.get(&format!("{path}.csv?{query}")).await.status, 400, "{query}");
    }
    let tpp = format!("/portal/applications/{}/settlement", created.tpp);
    assert_eq!(user.browser.get(&tpp).await.status, 404);
}
