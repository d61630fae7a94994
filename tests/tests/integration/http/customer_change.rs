//! Changes of a customer by the operator: the customer is informed, and neither an old password nor a code that was sent before can
//! still be used.

use super::checkout::{basket, proven, sign_in};
use super::credential_limits::block_app;
use super::payment::{INTERNAL, JONAS, challenged, code, initiate, order, psu, standing, text, tpp};
use crate::staff::{events, reason};
use rstest::rstest;
use serde_json::json;
use trapeza_app::psu::PsuChange;
use trapeza_domain::contact::Phone;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank, Transcript};

const NEW_PHONE: &str = "+306900000077";
const NEW_PASSWORD: &str = "another-olive-tree";

/// A payment of Jonas that waits for the code which was sent to him: its path and that of its authorisation.
async fn waiting_for_code(bank: &TestBank, tpp: &ApiClient) -> (String, String) {
    let path = initiate(tpp, INTERNAL, &order(bank, "1.00")).await;
    let own = challenged(bank, tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    (path, own)
}

/// Recipients and texts of the messages since the first `before`, oldest first.
async fn messages_since(bank: &TestBank, before: usize) -> Vec<(String, String)> {
    let mut sent = bank.app.messages().await.unwrap();
    sent.truncate(sent.len() - before);
    sent.reverse();
    sent.into_iter().map(|message| (message.to, message.text)).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn phone_change_informs_both_numbers_and_invalidates_codes(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, jonas) = (tpp(&bank, JONAS), psu(&bank, JONAS).clone());
    let (login, old) = (text(&jonas["psu_id"]), text(&jonas["phone"]).to_owned());
    let (path, own) = waiting_for_code(&bank, &tpp).await;
    let before = bank.app.messages().await.unwrap().len();
    let change = PsuChange { phone: Some(Phone::parse(NEW_PHONE).unwrap()), ..PsuChange::default() };
    bank.app.psu_update(login, change).await.unwrap();
    let mut sent = messages_since(&bank, before).await;
    sent.sort();
    let mut numbers = [old, NEW_PHONE.to_owned()];
    numbers.sort();
    assert_eq!(sent.iter().map(|(to, _)| to.clone()).collect::<Vec<_>>(), numbers);
    assert!(
        sent.iter().all(|(_, text)| text.contains("ends in 77") && text.contains("call the bank")),
        "{sent:?}"
    );
    // The code that the old telephone has is worth nothing.
    assert_ne!(code(&bank, &tpp, &own).await.status, 200);
    assert_eq!(tpp.get(&own).await.body["scaStatus"], 6, "failed");
    assert_eq!(standing(&tpp, &path).await.0, 1, "the payment can be authorised again");
    let again = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    let newest = bank.app.messages().await.unwrap().remove(0);
    assert_eq!(newest.to, NEW_PHONE);
    assert_eq!(code(&bank, &tpp, &again).await.status, 200);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn change_of_the_name_or_to_the_same_phone_informs_no_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, jonas) = (tpp(&bank, JONAS), psu(&bank, JONAS).clone());
    let (_, own) = waiting_for_code(&bank, &tpp).await;
    let before = bank.app.messages().await.unwrap().len();
    let phone = Some(Phone::parse(text(&jonas["phone"])).unwrap());
    let change = PsuChange { name: Some("Jonas Maria Weber".to_owned()), phone };
    bank.app.psu_update(text(&jonas["psu_id"]), change).await.unwrap();
    assert_eq!(bank.app.messages().await.unwrap().len(), before);
    assert_eq!(code(&bank, &tpp, &own).await.status, 200);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_reset_informs_the_customer_and_ends_what_was_begun(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, jonas) = (tpp(&bank, JONAS), psu(&bank, JONAS).clone());
    let login = text(&jonas["psu_id"]);
    let (_, own) = waiting_for_code(&bank, &tpp).await;
    // A browser with the old password that waits for the code of its enrolment.
    let mut browser = bank.browser();
    let code_page = browser.app_sign_in(login, text(&jonas["password"])).await;
    assert_eq!(code_page.title(), "A code for this device");
    let before = bank.app.messages().await.unwrap().len();
    bank.app.psu_password_reset(login, &Secret::new(NEW_PASSWORD.to_owned())).await.unwrap();
    let sent = messages_since(&bank, before).await;
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].0, text(&jonas["phone"]));
    assert!(sent[0].1.contains("set a new password") && sent[0].1.contains("call the bank"), "{sent:?}");
    assert_ne!(code(&bank, &tpp, &own).await.status, 200);
    assert_eq!(tpp.get(&own).await.body["scaStatus"], 6, "failed");
    let enrolled = browser.send(&code_page, &[("step", "code"), ("code", "123456")]).await;
    assert!(enrolled.says("name=\"password\""), "{enrolled:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_reset_replaces_the_old_password_and_lifts_its_block(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let jonas = psu(&bank, JONAS).clone();
    let login = text(&jonas["psu_id"]);
    let sign_in = async |password: &str| bank.browser().app_sign_in(login, password).await.status;
    block_app(&bank, login).await;
    assert_eq!(sign_in(text(&jonas["password"])).await, 401, "blocked");
    let short = bank.app.psu_password_reset(login, &Secret::new("short".to_owned())).await;
    assert_eq!(reason(short), Some(RefusalReason::Malformed));
    assert_eq!((events(&bank, "psu.password_reset"), sign_in("short").await), (0, 401));
    bank.app.psu_password_reset(login, &Secret::new(NEW_PASSWORD.to_owned())).await.unwrap();
    assert_eq!(sign_in(NEW_PASSWORD).await, 200, "the block is lifted");
    assert_eq!(sign_in(text(&jonas["password"])).await, 401, "the old password");
    // The sandbox shows the password that works.
    let shown = bank.app.sandbox_customers().await.unwrap().into_iter().map(|one| one.customer);
    let shown = shown.filter(|one| one.login == login).find_map(|one| one.password);
    assert_eq!(shown.map(|password| password.expose().clone()).as_deref(), Some(NEW_PASSWORD));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_reset_signs_out_at_checkouts(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let jonas = psu(&bank, JONAS);
    let (own, other) = (basket(&bank, 1, "60").await, basket(&bank, 2, "60").await);
    let (mut shop, mut other_shopper) = (bank.browser(), bank.browser());
    proven(&bank, &mut shop, &own, text(&jonas["phone"])).await;
    sign_in(&bank, &mut shop, &own, text(&jonas["password"])).await;
    proven(&bank, &mut other_shopper, &other, "+306900000044").await;
    let count = |what: &str| bank.database.number(&format!("SELECT COUNT({what}) FROM checkout"));
    assert_eq!((count("psu"), count("shopper")), (1, 2));
    let login = text(&jonas["psu_id"]);
    bank.app.psu_password_reset(login, &Secret::new(NEW_PASSWORD.to_owned())).await.unwrap();
    assert_eq!((count("psu"), count("shopper")), (0, 1), "another shopper goes on");
    let page = shop.get(&own.checkout).await;
    assert!(page.html.contains("name=\"phone\""), "it begins with the telephone number: {}", page.html);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn messages_caused_by_others_are_in_the_language_of_the_last_sign_in(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, jonas) = (tpp(&bank, JONAS), psu(&bank, JONAS).clone());
    let newest = async || bank.app.messages().await.unwrap().remove(0).text;
    waiting_for_code(&bank, &tpp).await;
    assert!(newest().await.contains(" asks to pay "), "English until the customer has signed in");
    for (language, asks, blocked) in [("el", " ζητά να ", "λανθασμένα"), ("en", " asks to ", "wrongly")]
    {
        let mut browser = bank.browser();
        browser.headers = vec![("accept-language", language.to_owned())];
        browser.app_sign_in(text(&jonas["psu_id"]), text(&jonas["password"])).await;
        bank.advance("PT1M").await;
        waiting_for_code(&bank, &tpp).await;
        assert!(newest().await.contains(asks), "{}", newest().await);
        block_app(&bank, text(&jonas["psu_id"])).await;
        assert!(newest().await.contains(blocked), "{}", newest().await);
        bank.app.psu_unblock(text(&jonas["psu_id"])).await.unwrap();
    }
    // A sign-in on the page of an authorisation is one as well.
    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    let redirect = tpp.clone().with("TPP-Redirect-Preferred", "true");
    let started = redirect.post(&format!("{path}/authorisations"), &json!({})).await;
    let mut browser = bank.browser();
    browser.headers = vec![("accept-language", "el".to_owned())];
    let page = browser.get(started.text("/_links/scaRedirect/href")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    browser.send(&page, &[("step", "password"), ("password", text(&jonas["password"]))]).await;
    bank.advance("PT1M").await;
    waiting_for_code(&bank, &tpp).await;
    assert!(newest().await.contains(" ζητά να "), "{}", newest().await);
}
