//! Consents and their authorisation.

use super::{authorise, authorise_embedded, client, consent_order, iban, link, links, login, path, psu};
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Page, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_is_created_authorised_read_and_terminated(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let order = consent_order(
        json!({ "accounts": [{ "iban": iban(&bank, 0) }], "balances": [{ "iban": iban(&bank, 0) }] }),
    );
    let created = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!((created.status, created.text("/consentStatus")), (201, "received"), "{created:?}");
    assert_eq!(links(&created), ["self", "startAuthorisationWithPsuAuthentication", "status"]);
    assert_eq!(created.headers["location"], created.text("/_links/self/href"));
    let own = link(&bank, &created, "self");
    let status = link(&bank, &created, "status");
    assert_eq!(tpp.get(&status).await.body, json!({ "consentStatus": "received" }));
    authorise(&bank, &tpp, &created, 0).await;
    assert_eq!(tpp.get(&status).await.body, json!({ "consentStatus": "valid" }));
    let read = tpp.get(&own).await;
    assert_eq!(read.status, 200);
    let last_day = read.text("/validUntil").to_owned();
    assert_eq!(last_day.len(), 10, "a date and the longest validity: {last_day}");
    assert_eq!(
        read.body,
        json!({
            "access": { "accounts": [{ "iban": iban(&bank, 0) }], "balances": [{ "iban": iban(&bank, 0) }] },
            "recurringIndicator": true,
            "validUntil": last_day,
            "frequencyPerDay": 4,
            "lastActionDate": bank.days_ago(0),
            "consentStatus": "valid",
            "_links": { "account": { "href": format!("{}/berlin-group/v1/accounts", bank.base_url) } },
        })
    );
    let list = tpp.get(&format!("{own}/authorisations")).await;
    assert_eq!(list.body["authorisationIds"].as_array().map(Vec::len), Some(1));
    let again = tpp.post(&format!("{own}/authorisations"), &json!({})).await;
    assert_eq!(super::refusal(&again), (409, "STATUS_INVALID".to_owned()));
    assert_eq!(tpp.delete(&own).await.status, 204);
    assert_eq!(tpp.get(&status).await.text("/consentStatus"), "terminatedByTpp");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn step_in_the_body_of_the_start_is_executed_at_once() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let created = tpp.post(&path("/v1/consents"), &consent_order(json!({ "allPsd2": "allAccounts" }))).await;
    let start = link(&bank, &created, "startAuthorisationWithPsuAuthentication");
    let password = json!({ "psuData": { "password": psu(&bank, 0)["password"] } });
    let started = tpp.post(&start, &password).await;
    assert_eq!(started.status, 201, "{started:?}");
    assert_eq!(started.headers["aspsp-sca-approach"], "EMBEDDED");
    assert_ne!(started.text("/scaStatus"), "psuIdentified");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn methods_have_the_types_of_the_standard() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut seen = Vec::new();
    for number in 0..5 {
        let tpp = client(&bank, number).with("TPP-Explicit-Authorisation-Preferred", "true");
        let order = consent_order(json!({ "allPsd2": "allAccounts" }));
        let created = tpp.post(&path("/v1/consents"), &order).await;
        let start = link(&bank, &created, "startAuthorisationWithPsuAuthentication");
        let password = json!({ "psuData": { "password": psu(&bank, number)["password"] } });
        let started = tpp.post(&start, &password).await;
        let offered = started.body["scaMethods"].as_array().cloned().unwrap_or_default();
        for method in offered.iter().chain(started.body.get("chosenScaMethod")) {
            let id = method["authenticationMethodId"].as_str().expect("an id");
            let own = psu(&bank, number)["methods"].as_array().expect("methods");
            let own = own.iter().find(|own| own["id"].as_str().is_some_and(|own| own.replace('-', "") == id));
            let kind = own.and_then(|own| own["type"].as_str()).expect("a method of the customer");
            assert_eq!(method["authenticationType"], kind.replace("OTP", "_OTP"), "{started:?}");
            seen.push(kind.to_owned());
        }
    }
    assert!(["SMSOTP", "CHIPOTP"].iter().all(|kind| seen.iter().any(|one| one == kind)), "{seen:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_shows_the_page_and_no_other_way() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0)
        .with("TPP-Redirect-URI", "http://127.0.0.1:9090/back")
        .with("TPP-Explicit-Authorisation-Preferred", "true");
    let created = tpp.post(&path("/v1/consents"), &consent_order(json!({ "allPsd2": "allAccounts" }))).await;
    assert_eq!(links(&created), ["self", "startAuthorisation", "status"], "{created:?}");
    let started = tpp.post(&link(&bank, &created, "startAuthorisation"), &json!({})).await;
    assert_eq!(started.status, 201, "{started:?}");
    assert_eq!(started.headers["aspsp-sca-approach"], "REDIRECT");
    assert_eq!(links(&started), ["scaRedirect", "scaStatus"]);
    assert!(started.body.get("scaMethods").is_none(), "{started:?}");
    let page = bank.anonymous().get(&link(&bank, &started, "scaRedirect")).await;
    assert_eq!(page.status, 200);
    let status = tpp.get(&link(&bank, &started, "scaStatus")).await;
    assert_eq!(
        (status.text("/scaStatus"), links(&status)),
        ("psuIdentified", vec!["scaRedirect".to_owned()])
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_is_the_same_object_in_both_dialects(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (here, native) = (client(&bank, 0), bank.tpp(0).with("PSU_ID", login(&bank, 0)));
    let order = consent_order(json!({ "balances": [{ "iban": iban(&bank, 0) }] }));
    let created = here.post(&path("/v1/consents"), &order).await;
    let id = created.text("/consentId");
    let read = native.get(&format!("/v1/consents/{id}")).await;
    assert_eq!((read.status, &read.body["consentStatus"]), (200, &json!(0)), "{read:?}");
    bank.authorise(&native, &format!("/v1/consents/{id}"), psu(&bank, 0)).await;
    assert_eq!(here.get(&path(&format!("/v1/consents/{id}/status"))).await.text("/consentStatus"), "valid");

    let created = native.post("/v1/consents", &order).await;
    let own = path(&format!("/v1/consents/{}", created.text("/consentId")));
    let read = here.get(&own).await;
    assert_eq!((read.status, read.text("/consentStatus")), (200, "received"), "{read:?}");
    assert_eq!(here.delete(&own).await.status, 204);
    let read = native.get(&format!("/v1/consents/{}", created.text("/consentId"))).await;
    assert_eq!(read.body["consentStatus"], 5);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_starts_its_authorisation_itself(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0);
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let created = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.headers["aspsp-sca-approach"], "EMBEDDED");
    assert_eq!(links(&created), ["scaStatus", "self", "status", "updatePsuAuthentication"]);
    authorise_embedded(&bank, &tpp, &created, 0).await;
    assert_eq!(tpp.get(&link(&bank, &created, "status")).await.text("/consentStatus"), "valid");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_who_is_not_named_is_asked_on_the_page_or_identified(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0).without("PSU-ID");
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let created = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.headers["aspsp-sca-approach"], "REDIRECT");
    assert_eq!(links(&created), ["scaRedirect", "scaStatus", "self", "status"]);
    let status = tpp.get(&link(&bank, &created, "scaStatus")).await;
    assert_eq!(status.text("/scaStatus"), "received");

    let embedded = tpp.clone().with("TPP-Redirect-Preferred", "false");
    let created = embedded.post(&path("/v1/consents"), &order).await;
    assert_eq!(links(&created), ["scaStatus", "self", "status", "updatePsuIdentification"], "{created:?}");
    let own = link(&bank, &created, "updatePsuIdentification");
    let unnamed = tpp.put(&own, &json!({})).await;
    assert_eq!(super::refusal(&unnamed), (400, "FORMAT_ERROR".to_owned()));
    let identified = client(&bank, 0).put(&own, &json!({})).await;
    assert_eq!((identified.status, identified.text("/scaStatus")), (200, "psuIdentified"), "{identified:?}");
    assert_eq!(links(&identified), ["scaStatus", "updatePsuAuthentication"]);
    authorise_embedded(&bank, &tpp, &identified, 0).await;
    assert_eq!(tpp.get(&link(&bank, &created, "status")).await.text("/consentStatus"), "valid");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn decoupled_consent_shows_what_to_compare_in_the_app() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let with_app = (0..5).find(|number| {
        let methods = psu(&bank, *number)["methods"].as_array().cloned().unwrap_or_default();
        methods.iter().any(|method| method.to_string().to_lowercase().contains("push"))
    });
    let Some(number) = with_app else {
        panic!("no customer of the demo has the app: {}", bank.sandbox_file["psus"])
    };
    let tpp = client(&bank, number).with("TPP-Decoupled-Preferred", "true");
    let created = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!(created.headers["aspsp-sca-approach"], "DECOUPLED", "{created:?}");
    assert_eq!(links(&created), ["scaStatus", "self", "status"]);
    assert_eq!(created.text("/chosenScaMethod/authenticationType"), "PUSH_OTP");
    assert!(created.body["challengeData"]["data"][0].is_string() && created.body["psuMessage"].is_string());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_uri_is_registered_or_of_the_certificate() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let certificate = bank.sandbox_file["tpps"][0]["certificate"].as_str().expect("PEM");
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let send = async |tpp: trapeza_testkit::ApiClient, uri: &str| {
        tpp.with("TPP-Redirect-URI", uri).post(&path("/v1/consents"), &order).await
    };
    let certified = client(&bank, 0).with("TPP-QWAC-Certificate", certificate);
    assert_eq!(send(certified.clone(), "http://127.0.0.1:9090/back").await.status, 201);
    let refused = send(certified, "https://elsewhere.example/back").await;
    assert_eq!(super::refusal(&refused), (400, "FORMAT_ERROR".to_owned()), "{refused:?}");
    assert_eq!(refused.text("/tppMessages/0/path"), "TPP-Redirect-URI");
    let anonymous = send(client(&bank, 0), "https://elsewhere.example/back").await;
    assert_eq!(anonymous.status, 201, "the sandbox trusts callers without a certificate: {anonymous:?}");
    let of_length = |length: usize| {
        let start = "https://elsewhere.example/";
        format!("{start}{}", "a".repeat(length - start.len()))
    };
    assert_eq!(send(client(&bank, 0), &of_length(2048)).await.status, 201);
    let long = send(client(&bank, 0), &of_length(2049)).await;
    assert_eq!(long.text("/tppMessages/0/path"), "TPP-Redirect-URI", "{long:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_without_accounts_leads_to_the_page_where_they_are_chosen() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0);
    for access in [json!({}), json!({ "accounts": [], "balances": [] })] {
        let created = tpp.post(&path("/v1/consents"), &consent_order(access.clone())).await;
        assert_eq!(links(&created), ["scaRedirect", "scaStatus", "self", "status"], "{created:?}");
        let read = tpp.get(&link(&bank, &created, "self")).await;
        let expected = match access.get("balances") {
            Some(_) => json!({ "accounts": [], "balances": [] }),
            None => json!({ "accounts": [] }),
        };
        assert_eq!(read.body["access"], expected);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn only_the_accounts_and_rights_that_are_ticked_are_given(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, mut browser) = (client(&bank, 0), bank.browser());
    let offered = json!({ "accounts": [], "balances": [], "transactions": [] });
    let created = tpp.post(&path("/v1/consents"), &consent_order(offered)).await;
    let start = browser.get(&link(&bank, &created, "scaRedirect")).await;
    let opened = browser.send(&start, &[("step", "open")]).await;
    let password = psu(&bank, 0)["password"].as_str().expect("a password");
    let choose = browser.send(&opened, &[("step", "password"), ("password", password)]).await;
    assert_eq!((choose.status, choose.title().as_str()), (200, "Choose what Kyklos Finance may see"));

    let offers: Vec<(String, String)> = choose
        .html
        .split("<fieldset>")
        .skip(1)
        .map(|part| {
            let part = Page { html: part.to_owned(), ..choose.clone() };
            (part.attribute("name=\"account-"), part.text("<p class=\"soft\">").to_owned())
        })
        .collect();
    let account = |index: usize| {
        let (number, currency) = offers[index].1.split_once(" · ").expect("an IBAN and a currency");
        json!({ "iban": number.replace(' ', ""), "currency": currency })
    };
    let none = browser.send(&choose, &[("step", "accounts")]).await;
    assert!(none.status == 400 && none.says("Choose at least one account."), "{none:?}");
    let (first, second) = (format!("account-{}", offers[0].0), format!("balances-{}", offers[1].0));
    let third = format!("transactions-{}", offers[2].0);
    let ticked = [("step", "accounts"), (&*first, "yes"), (&*second, "yes"), (&*third, "yes")];
    let chosen = browser.send(&none, &ticked).await;
    let methods = psu(&bank, 0)["methods"].as_array().expect("methods");
    let method = methods.iter().find(|method| method["type"] == "SMSOTP").expect("text messages");
    let method = method["id"].as_str().expect("an id");
    let asked = browser.send(&chosen, &[("step", "method"), ("method", method)]).await;
    let end = browser.send(&asked, &[("step", "code"), ("code", "123456")]).await;
    assert_eq!((end.status, end.title().as_str()), (200, "Approved"));
    assert_eq!(
        tpp.get(&link(&bank, &created, "self")).await.body["access"],
        json!({
            "accounts": [account(0), account(1), account(2)],
            "balances": [account(1)],
            "transactions": [account(2)],
        })
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_for_cards_links_to_the_card_accounts(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0);
    let card = json!({ "pan": psu(&bank, 0)["cards"][0]["pan"] });
    let account = json!({ "iban": iban(&bank, 0) });
    for (balances, name) in [(json!([card]), "card-account"), (json!([card, account]), "account")] {
        let created = tpp.post(&path("/v1/consents"), &consent_order(json!({ "balances": balances }))).await;
        assert_eq!(created.status, 201, "{created:?}");
        authorise_embedded(&bank, &tpp, &created, 0).await;
        let read = tpp.get(&link(&bank, &created, "self")).await;
        assert_eq!(links(&read), [name], "{read:?}");
        bank.advance("PT1M").await;
    }
}
