//! The permissions that a customer sees in the app: with their last use, without closed accounts, ended ones for two years; and their
//! end, which has an effect once.

use super::loan_access::psu_id;
use super::page_forms::enrol;
use super::payment::{ELENI, iban, psu, text};
use crate::staff::{events, reason};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_app::permission::Permission;
use trapeza_app::sca::ApprovalRequest;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::consent::ConsentState;
use trapeza_domain::id::PsuId;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank};
use trapeza_texts::{Language, format};

/// A client with a valid consent of Eleni to everything.
async fn consented(bank: &TestBank) -> ApiClient {
    consented_to(bank, json!({ "allPsd2": "allAccounts" })).await
}

async fn consented_to(bank: &TestBank, access: Value) -> ApiClient {
    consented_by(bank, 0, access).await
}

/// The same for one of the third parties.
async fn consented_by(bank: &TestBank, tpp: usize, access: Value) -> ApiClient {
    let tpp = bank.tpp(tpp).with("PSU_ID", text(&psu(bank, ELENI)["psu_id"]));
    let order = json!({
        "access": access, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let id = tpp.post("/v1/consents", &order).await.text("/consentId").to_owned();
    bank.authorise(&tpp, &format!("/v1/consents/{id}"), psu(bank, ELENI)).await;
    tpp.with("consentID", &id)
}

async fn only(bank: &TestBank, psu: PsuId) -> Permission {
    let mut all = bank.app.permission_list(psu).await.unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn permission_has_its_last_use_and_no_closed_account(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (reader, eleni) = (consented(&bank).await, psu_id(&bank, ELENI).await);
    let before = only(&bank, eleni).await;
    assert_eq!(before.last_used, None);
    // The uses are flushed by the sweep, and for the customer who looks.
    let mut last = bank.app.now();
    for _ in 0..2 {
        assert_eq!(reader.get("/v1/accounts").await.status, 200);
        let used = only(&bank, eleni).await.last_used.expect("it was used");
        assert!(used >= last && used <= bank.app.now(), "{last:?} {used:?}");
        bank.pass(TimeDelta::hours(1)).await;
        last = bank.app.now();
    }
    let closed = Iban::parse(&iban(&bank, ELENI, 1)).unwrap();
    let listed = |permission: &Permission| match &permission.request {
        ApprovalRequest::Access { accounts, .. } => {
            assert!(!accounts.is_empty());
            accounts.iter().any(|account| account.number == closed.as_str())
        }
        other => panic!("{other:?}"),
    };
    assert!(listed(&before), "{before:?}");
    let change = bank.app.store().write(move |tx| {
        let account = tx.account_by_iban(&closed)?.remove(0);
        Ok(tx.account_status_update(account.id, AccountStatus::Deleted)?)
    });
    change.await.unwrap();
    let after = only(&bank, eleni).await;
    assert!(!listed(&after), "{after:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn permission_is_revoked_once_and_listed_for_two_years(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (reader, eleni) = (consented(&bank).await, psu_id(&bank, ELENI).await);
    let other = psu_id(&bank, super::payment::JONAS).await;
    let id = only(&bank, eleni).await.id.to_string();
    for (psu, id) in [(other, id.as_str()), (eleni, "00000000-0000-4000-8000-000000000001"), (eleni, "x")] {
        let refused = bank.app.permission_revoke(psu, id).await;
        assert_eq!(reason(refused), Some(RefusalReason::ConsentUnknown), "{id}");
    }
    assert_eq!(reader.get("/v1/accounts").await.status, 200);
    for _ in 0..2 {
        bank.app.permission_revoke(eleni, &id).await.unwrap();
        assert_eq!(only(&bank, eleni).await.state, ConsentState::RevokedByPsu);
        assert_eq!(events(&bank, "consent.revoked"), 1);
    }
    assert_eq!(reader.get("/v1/accounts").await.status, 401);
    bank.pass(TimeDelta::hours(730 * 24 - 1)).await;
    only(&bank, eleni).await;
    bank.pass(TimeDelta::hours(2)).await;
    assert_eq!(bank.app.permission_list(eleni).await.unwrap(), []);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn each_day_of_a_permission_is_under_its_label(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (reader, eleni) = (consented(&bank).await, psu_id(&bank, ELENI).await);
    let today = || format::day(Language::English, bank.app.clock().today());
    let shown = async || {
        let mut browser = bank.browser();
        enrol(&bank, &mut browser, ELENI).await;
        browser.get("/app/permissions").await
    };
    let approved = today();
    bank.pass(TimeDelta::days(1)).await;
    assert_eq!(reader.get("/v1/accounts").await.status, 200);
    let used = today();
    let page = shown().await;
    for (label, day) in [("Requested on", &approved), ("Approved on", &approved), ("Last used", &used)] {
        assert!(page.says(&format!("<dt>{label}</dt><dd>{day}</dd>")), "{label} {day}: {page:?}");
    }
    bank.pass(TimeDelta::days(1)).await;
    let id = only(&bank, eleni).await.id.to_string();
    bank.app.permission_revoke(eleni, &id).await.unwrap();
    let (ended, page) = (today(), shown().await);
    for (label, day) in [("Requested on", &approved), ("Last used", &used), ("Ended on", &ended)] {
        assert!(page.says(&format!("<dt>{label}</dt><dd>{day}</dd>")), "{label} {day}: {page:?}");
    }
    assert!(page.says(&format!("<small>Withdrawn by you · {ended}</small>")), "{page:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn permissions_are_listed_newest_first(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let eleni = psu_id(&bank, ELENI).await;
    let mut created = Vec::new();
    // A new recurring consent ends the older one of its third party, so the oldest one is of another third party.
    for (number, tpp) in [(0, 1), (1, 0), (2, 0)] {
        let reader = consented_by(&bank, tpp, json!({ "allPsd2": "allAccounts" })).await;
        created.insert(0, reader.header("consentID").unwrap().to_owned());
        if number == 1 {
            reader.delete(&format!("/v1/consents/{}", created[0])).await;
        }
        bank.pass(TimeDelta::minutes(5)).await;
    }
    let listed = bank.app.permission_list(eleni).await.unwrap();
    let ids: Vec<String> = listed.iter().map(|permission| permission.id.to_string()).collect();
    assert_eq!(ids, created, "valid and ended ones alike");
    let ended = listed.iter().map(|permission| permission.state.is_final()).collect::<Vec<_>>();
    assert_eq!(ended, [false, true, false]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn permission_shows_the_accounts_and_rights_of_its_consent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let eleni = psu_id(&bank, ELENI).await;
    let savings = iban(&bank, ELENI, 1);
    let listed = |number: &str| json!({ "balances": [{ "bban": &number[4..] }] });
    for (access, accounts, balances, transactions) in [
        (json!({ "availableAccounts": "allAccounts" }), 5, false, false),
        (json!({ "availableAccountsWithBalance": "allAccounts" }), 5, true, false),
        (json!({ "allPsd2": "allAccounts" }), 5, true, true),
        (listed(&savings), 1, true, false),
    ] {
        consented_to(&bank, access.clone()).await;
        let newest = bank.app.permission_list(eleni).await.unwrap().remove(0);
        let ApprovalRequest::Access { accounts: shown, .. } = newest.request else { panic!("{newest:?}") };
        assert_eq!(shown.len(), accounts, "{access}");
        for account in shown {
            assert_eq!((account.balances, account.transactions), (balances, transactions), "{access}");
            assert!(account.name.is_some(), "{access}: {account:?}");
        }
        bank.pass(TimeDelta::minutes(5)).await;
    }
}
