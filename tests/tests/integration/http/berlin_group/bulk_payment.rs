//! Bulk payments: one authorisation over all lines, each of which is executed or rejected on its own.

use super::payment::{OTHER_BANK_IBAN, payer};
use super::{authorise, authorise_embedded, iban, link, login, path, psu, refusal};
use crate::http::payment::{balance, check_ledger, unissued_iban};
use crate::http::scheduled_payment::{available, move_to};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::time::Date;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

pub(crate) const SEPA: &str = "/v1/bulk-payments/sepa-credit-transfers";
pub const INTERNAL: &str = "/v1/bulk-payments/internal-transfers";

pub fn line(number: usize, creditor: &str, name: &str, amount: &str) -> Value {
    json!({
        "endToEndIdentification": format!("LINE-{number}"),
        "instructedAmount": { "currency": "EUR", "amount": amount },
        "creditorAccount": { "iban": creditor },
        "creditorName": name,
        "remittanceInformationUnstructured": format!("Invoice {number}"),
    })
}

pub(super) fn bulk(bank: &TestBank, lines: Vec<Value>) -> Value {
    json!({ "debtorAccount": { "iban": iban(bank, 0) }, "payments": lines })
}

pub(crate) async fn status(bank: &TestBank, tpp: &ApiClient, initiated: &ApiResponse) -> String {
    tpp.get(&link(bank, initiated, "status")).await.text("/transactionStatus").to_owned()
}

pub(crate) async fn extended(bank: &TestBank, tpp: &ApiClient, initiated: &ApiResponse) -> Value {
    let answer = tpp.get(&format!("{}/extended-status", link(bank, initiated, "self"))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

/// Initiates and authorises a bulk; it is executed by the next sweep.
pub async fn authorised(bank: &TestBank, tpp: &ApiClient, product: &str, lines: Vec<Value>) -> ApiResponse {
    authorised_order(bank, tpp, product, &bulk(bank, lines)).await
}

pub(super) async fn authorised_order(
    bank: &TestBank,
    tpp: &ApiClient,
    product: &str,
    order: &Value,
) -> ApiResponse {
    let initiated = tpp.post(&path(product), order).await;
    assert_eq!((initiated.status, initiated.text("/transactionStatus")), (201, "RCVD"), "{initiated:?}");
    authorise(bank, tpp, &initiated, 0).await;
    assert_eq!(status(bank, tpp, &initiated).await, "ACTC");
    initiated
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_within_and_beyond_the_bank_is_executed_and_settled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from, to) = (payer(&bank), iban(&bank, 0), iban(&bank, 1));
    let (payer_before, payee_before) = (balance(&bank, from).await, balance(&bank, to).await);
    let lines = vec![line(1, to, "Any Name", "10.01"), line(2, OTHER_BANK_IBAN, "Anna Muster", "20.02")];
    let initiated = authorised(&bank, &tpp, SEPA, lines.clone()).await;
    assert!(link(&bank, &initiated, "self").starts_with(&path(SEPA)));
    let message = bank.app.messages().await.unwrap().remove(0).text;
    assert!(message.contains("make 2 payments of €30.03 in total, list "), "{message}");
    assert_eq!(balance(&bank, from).await, payer_before, "no money moves before the execution");
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &initiated).await, "ACSP");
    assert_eq!(balance(&bank, from).await, (payer_before.0 - 1001, payer_before.1 + 2002));
    assert_eq!(balance(&bank, to).await, (payee_before.0 + 1001, payee_before.1));
    let mut expected = bulk(&bank, lines);
    expected["batchBookingPreferred"] = json!(false);
    expected["transactionStatus"] = json!("ACSP");
    assert_eq!(tpp.get(&link(&bank, &initiated, "self")).await.body, expected);
    bank.advance("PT5S").await;
    assert_eq!(status(&bank, &tpp, &initiated).await, "ACSC");
    assert_eq!(extended(&bank, &tpp, &initiated).await, json!({ "groupStatus": "ACSC" }));
    assert_eq!(balance(&bank, from).await, (payer_before.0 - 3003, payer_before.1));
    bank.advance("P1D").await;
    assert_eq!(balance(&bank, from).await, (payer_before.0 - 3003, payer_before.1), "once");
    check_ledger(&bank).await;
    let late = tpp.delete(&link(&bank, &initiated, "self")).await;
    assert_eq!(refusal(&late), (405, "CANCELLATION_INVALID".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn lines_that_cannot_be_paid_are_rejected_and_the_others_are_made(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from) = (payer(&bank), iban(&bank, 0));
    let before = balance(&bank, from).await;
    let lines = vec![
        line(1, &unissued_iban(&bank), "Niemand", "1.00"),
        line(2, iban(&bank, 1), "Any Name", "2.00"),
        line(3, OTHER_BANK_IBAN, "REJECT AC04", "4.00"),
        line(4, OTHER_BANK_IBAN, "Anna Muster", "8.00"),
    ];
    let initiated = authorised(&bank, &tpp, SEPA, lines).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &initiated).await, "PART");
    let rejected = |number: usize, code: &str| {
        json!({ "originalEndToEndId": format!("LINE-{number}"), "transactionStatus": "RJCT",
            "statusReasonInformationCode": code })
    };
    let first = json!({ "groupStatus": "PART",
        "originalTransactionInformationAndStatus": [rejected(1, "AC03")] });
    assert_eq!(extended(&bank, &tpp, &initiated).await, first);
    bank.advance("PT5S").await;
    let both = json!({ "groupStatus": "PART",
        "originalTransactionInformationAndStatus": [rejected(1, "AC03"), rejected(3, "AC04")] });
    assert_eq!(extended(&bank, &tpp, &initiated).await, both);
    assert_eq!(balance(&bank, from).await, (before.0 - 1000, before.1));
    check_ledger(&bank).await;
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'payment.lines_processed'";
    let count = bank.app.store().read(move |tx| Ok(tx.query_one(events, &[], |row| row.read::<i64>())?));
    assert_eq!(count.await.unwrap(), 2, "when it was executed, and when the last line had ended");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_without_funds_for_the_sum_or_without_a_payable_line_is_rejected(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from, to) = (payer(&bank), iban(&bank, 0), iban(&bank, 1));
    let before = balance(&bank, from).await;
    let amount = format!("{}.00", before.0 / 100);
    let lines = vec![line(1, to, "Any Name", &amount), line(2, to, "Any Name", &amount)];
    let short = authorised(&bank, &tpp, INTERNAL, lines).await;
    let unknown = unissued_iban(&bank);
    let unpayable = authorised(&bank, &tpp, INTERNAL, vec![line(1, &unknown, "Niemand", "1.00")]).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(balance(&bank, from).await, before, "not even the first line");
    let answer = tpp.get(&link(&bank, &short, "status")).await;
    assert_eq!((answer.text("/transactionStatus"), &answer.body["fundsAvailable"]), ("RJCT", &json!(false)));
    assert_eq!(answer.text("/tppMessage/code"), "FUNDS_NOT_AVAILABLE");
    let all = extended(&bank, &tpp, &short).await;
    let lines = all["originalTransactionInformationAndStatus"].as_array().expect("lines");
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line["statusReasonInformationCode"] == "AM04"), "{all}");
    assert_eq!(status(&bank, &tpp, &unpayable).await, "RJCT");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_is_cancelled_at_once_or_with_the_customer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let lines =
        || vec![line(1, iban(&bank, 1), "Any Name", "1.00"), line(2, OTHER_BANK_IBAN, "Anna", "2.00")];
    let waiting = tpp.post(&path(SEPA), &bulk(&bank, lines())).await;
    assert_eq!(tpp.delete(&link(&bank, &waiting, "self")).await.status, 204);
    assert_eq!(status(&bank, &tpp, &waiting).await, "CANC");

    let mut dated = bulk(&bank, lines());
    dated["requestedExecutionDate"] = json!(bank.days_ago(-7));
    let accepted = tpp.post(&path(SEPA), &dated).await;
    authorise(&bank, &tpp, &accepted, 0).await;
    let called = tpp.delete(&link(&bank, &accepted, "self")).await;
    assert_eq!((called.status, called.text("/transactionStatus")), (202, "ACTC"), "{called:?}");
    let started = tpp.post(&link(&bank, &called, "startAuthorisation"), &json!({})).await;
    authorise_embedded(&bank, &tpp, &started, 0).await;
    assert_eq!(status(&bank, &tpp, &accepted).await, "CANC");
    bank.advance("P10D").await;
    assert_eq!(status(&bank, &tpp, &accepted).await, "CANC");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn errors_of_lines_have_the_path_of_their_line() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let good = || line(1, OTHER_BANK_IBAN, "Anna", "1.00");
    let changed = |pointer: &str, value: Value| {
        let mut lines = bulk(&bank, vec![good(), good(), good()]);
        *lines.pointer_mut(pointer).expect(pointer) = value;
        lines
    };
    let mut foreign = bulk(&bank, vec![good(), good()]);
    foreign["payments"][1]["debtorAccount"] = json!({ "iban": iban(&bank, 1) });
    for (body, code, at) in [
        (
            changed("/payments/2/creditorAccount/iban", json!("DE00")),
            "FORMAT_ERROR",
            "payments[2].creditorAccount.iban",
        ),
        (
            changed("/payments/1/instructedAmount/amount", json!("0.00")),
            "FORMAT_ERROR",
            "payments[1].instructedAmount.amount",
        ),
        (changed("/payments/0/creditorName", json!("")), "FORMAT_ERROR", "payments[0].creditorName"),
        (
            changed("/payments/1/instructedAmount/currency", json!("USD")),
            "FORMAT_ERROR",
            "payments[1].instructedAmount.currency",
        ),
        (changed("/payments", json!([])), "FORMAT_ERROR", "payments"),
        (bulk(&bank, vec![good(); 501]), "FORMAT_ERROR", "payments"),
        (foreign, "PARAMETER_NOT_SUPPORTED", "payments[1].debtorAccount"),
    ] {
        let answer = tpp.post(&path(SEPA), &body).await;
        assert_eq!(refusal(&answer), (400, code.to_owned()), "{answer:?}");
        assert_eq!(answer.text("/tppMessages/0/path"), at, "{answer:?}");
    }
    let inside = tpp.post(&path(INTERNAL), &bulk(&bank, vec![good()])).await;
    assert_eq!(inside.text("/tppMessages/0/path"), "payments[0].creditorAccount.iban");
    let instant = path("/v1/bulk-payments/instant-sepa-credit-transfers");
    assert_eq!(
        refusal(&tpp.post(&instant, &bulk(&bank, vec![good()])).await),
        (404, "PRODUCT_UNKNOWN".to_owned())
    );
    assert_eq!(tpp.post(&path(SEPA), &bulk(&bank, vec![good(); 500])).await.status, 201);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_is_found_under_its_own_path_by_its_third_party_only() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank).with("X-Request-ID", "5f7c1d7a-4a5a-4a0e-9d0f-4f2b9ad0c001");
    let order = bulk(&bank, vec![line(1, OTHER_BANK_IBAN, "Anna", "1.00")]);
    let first = tpp.post(&path(SEPA), &order).await;
    let again = tpp.post(&path(SEPA), &order).await;
    assert_eq!(first.text("/paymentId"), again.text("/paymentId"), "a replay");
    let (tpp, own) = (payer(&bank), link(&bank, &first, "self"));
    for elsewhere in ["payments", "periodic-payments"] {
        let answer = tpp.get(&own.replace("bulk-payments", elsewhere)).await;
        assert_eq!(refusal(&answer), (403, "RESOURCE_UNKNOWN".to_owned()), "{answer:?}");
    }
    let product = tpp.get(&own.replace("sepa-credit-transfers", "internal-transfers")).await;
    assert_eq!(refusal(&product), (403, "PRODUCT_INVALID".to_owned()), "{product:?}");
    let (native, own_tpp) = (
        format!("/v1/payments/sepa-credit-transfers/{}", first.text("/paymentId")),
        bank.tpp(0).with("PSU_ID", psu(&bank, 0)["psu_id"].as_str().unwrap()),
    );
    let authorisations = format!("{native}/authorisations");
    for (name, answer) in [
        ("read", own_tpp.get(&native).await),
        ("status", own_tpp.get(&format!("{native}/status")).await),
        ("start", own_tpp.post(&authorisations, &json!({})).await),
        ("list", own_tpp.get(&authorisations).await),
        ("cancellation", own_tpp.delete(&native).await),
    ] {
        assert_eq!(answer.status, 404, "{name}: {answer:?}");
    }
    assert_eq!(status(&bank, &tpp, &first).await, "RCVD", "it was not cancelled");
    let certificate = bank.sandbox_file["tpps"][1]["certificate"].as_str().expect("a certificate");
    let other = payer(&bank).with("TPP-QWAC-Certificate", certificate);
    assert_eq!(refusal(&other.get(&own).await), (403, "RESOURCE_UNKNOWN".to_owned()));
    let single = tpp
        .post(&path("/v1/payments/sepa-credit-transfers"), &super::payment::order(&bank, OTHER_BANK_IBAN))
        .await;
    let plain = tpp.get(&format!("{}/extended-status", link(&bank, &single, "self"))).await;
    assert_eq!(refusal(&plain), (405, "SERVICE_INVALID".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_whose_lines_were_changed_is_neither_authorised_nor_executed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from) = (payer(&bank), iban(&bank, 0));
    let before = balance(&bank, from).await;
    let lines =
        || vec![line(1, iban(&bank, 1), "Any Name", "1.00"), line(2, OTHER_BANK_IBAN, "Anna Muster", "2.00")];
    let waiting = tpp.post(&path(SEPA), &bulk(&bank, lines())).await;
    let approved = authorised(&bank, &tpp, SEPA, lines()).await;
    bank.database.tamper("UPDATE bulk_line SET creditor_name = 'Another Person'");
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &approved).await, "ACTC", "it waits for the operator");

    // The document of the dialect has no answer for what the bank itself has lost.
    let raw = bank.anonymous().with_request_id().with("PSU-ID", login(&bank, 0));
    let own = format!("{}/authorisations", link(&bank, &waiting, "self"));
    let started = raw.post(&own, &json!({})).await;
    let own = link(&bank, &started, "updatePsuAuthentication");
    let mut answer = raw.put(&own, &json!({ "psuData": { "password": psu(&bank, 0)["password"] } })).await;
    if let Some(methods) = answer.body["scaMethods"].as_array().cloned() {
        let typed = methods.iter().find(|method| method["authenticationType"] != "PUSH_OTP").unwrap();
        answer = raw.put(&own, &json!({ "authenticationMethodId": typed["authenticationMethodId"] })).await;
    }
    let last = link(&bank, &answer, "authoriseTransaction");
    let refused = raw.put(&last, &json!({ "scaAuthenticationData": bank.sandbox_file["otp"] })).await;
    assert_eq!(refused.status, 500, "{refused:?}");
    assert_eq!(status(&bank, &tpp, &waiting).await, "RCVD");
    assert_eq!(balance(&bank, from).await, before);
    check_ledger(&bank).await;
}

/// Sets the status of the payer's account.
fn set_account(bank: &TestBank, status: &str) {
    let iban = iban(bank, 0);
    bank.database.tamper(&format!("UPDATE account SET status = '{status}' WHERE iban = '{iban}'"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_of_an_account_that_cannot_pay_is_rejected_at_its_approval(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, before) = (payer(&bank), balance(&bank, iban(&bank, 0)).await);
    for days in [0, 7] {
        let mut order = bulk(&bank, vec![line(1, iban(&bank, 1), "Any Name", "1.00")]);
        if days > 0 {
            order["requestedExecutionDate"] = json!(bank.days_ago(-days));
        }
        let initiated = tpp.post(&path(SEPA), &order).await;
        set_account(&bank, "blocked");
        authorise(&bank, &tpp, &initiated, 0).await;
        assert_eq!(status(&bank, &tpp, &initiated).await, "RJCT", "in {days} days");
        set_account(&bank, "enabled");
    }
    bank.advance("P10D").await;
    assert_eq!(balance(&bank, iban(&bank, 0)).await, before);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_of_a_later_day_waits_for_funds_until_the_end_of_that_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from) = (payer(&bank), iban(&bank, 0));
    let missing = available(&bank, from).await + 1;
    let amount = format!("{}.{:02}", missing / 100, missing % 100);
    let mut order = bulk(&bank, vec![line(1, iban(&bank, 1), "Any Name", &amount)]);
    let day = next_target_day(Date(bank.app.clock().today().0 + 1));
    order["requestedExecutionDate"] = json!(day.to_civil().to_string());
    let (funded, unfunded) = (
        authorised_order(&bank, &tpp, INTERNAL, &order).await,
        authorised_order(&bank, &tpp, INTERNAL, &order).await,
    );
    move_to(&bank, day, 62).await;
    for waiting in [&funded, &unfunded] {
        assert_eq!(status(&bank, &tpp, waiting).await, "ACTC", "it is tried again");
    }
    bank.book_opening(from, 1).await;
    move_to(&bank, day, 23 * 60 + 54).await;
    let mut statuses = [status(&bank, &tpp, &funded).await, status(&bank, &tpp, &unfunded).await];
    statuses.sort();
    assert_eq!(statuses, ["ACSC", "ACTC"], "the money of one has come in time");
    move_to(&bank, day, 23 * 60 + 55).await;
    let mut statuses = [status(&bank, &tpp, &funded).await, status(&bank, &tpp, &unfunded).await];
    statuses.sort();
    assert_eq!(statuses, ["ACSC", "RJCT"]);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_bulk_lists_its_first_lines(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank)
        .without("TPP-Explicit-Authorisation-Preferred")
        .with("TPP-Redirect-Preferred", "true")
        .with("TPP-Redirect-URI", "http://127.0.0.1:9090/back");
    let lines =
        vec![line(1, iban(&bank, 1), "Jonas Weber", "1.01"), line(2, OTHER_BANK_IBAN, "Anna", "2.02")];
    let initiated = tpp.post(&path(SEPA), &bulk(&bank, lines)).await;
    assert_eq!(initiated.status, 201, "{initiated:?}");
    let mut browser = bank.browser();
    let page = browser.get(&link(&bank, &initiated, "scaRedirect")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let password = psu(&bank, 0)["password"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    for text in ["3.03", "1.01", "2.02", "Jonas Weber", "Anna", "DE89 3704 0044 0532 0130 00"] {
        assert!(page.says(text), "{text}: {}", page.html);
    }
}
