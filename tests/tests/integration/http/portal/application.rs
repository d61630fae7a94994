//! Applications in the portal: created with their keys, certified, called with, changed; secrets are shown once.

use super::is_marked;
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Page, PortalUser, TestBank};

const LIST: &str = "/portal/applications";

/// The value of a secret that a page shows.
pub fn secret(page: &Page, label: &str) -> String {
    page.text(&format!("<dt>{label}</dt><dd><code>")).to_owned()
}

/// Creates a third party: its id and its key.
pub async fn third_party(user: &mut PortalUser) -> (String, String) {
    let fields = [("name", "Kyklos"), ("redirect_uris", "http://127.0.0.1:9090/back")];
    let page = user.post("/portal/applications/third-party", &fields).await;
    assert_eq!(page.status, 200, "{page:?}");
    (secret(&page, "ClientId"), secret(&page, "Key, shown only now"))
}

/// Creates a merchant: its id and its key.
pub async fn merchant(user: &mut PortalUser) -> (String, String) {
    let page = user.post("/portal/applications/merchant", &[("merchant_name", "Papyrus")]).await;
    assert_eq!(page.status, 200, "{page:?}");
    (secret(&page, "X-Application-ID"), secret(&page, "Key, shown only now"))
}

/// The text of a block of code.
pub fn code(page: &Page, name: &str) -> String {
    let text = page.text(&format!("aria-label=\"{name}\"><code>"));
    text.replace("&#43;", "+").replace("&#61;", "=")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn third_party_calls_with_its_test_certificate(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let (id, key) = third_party(&mut user).await;
    let application = format!("{LIST}/{id}");
    assert!(!user.browser.get(&application).await.says(&key), "a key is shown once");
    let issue = format!("{application}/certificates/issue");
    let issued =
        user.post(&issue, &[("certificate_name", "Kyklos <Finance>"), ("account_information", "on")]).await;
    assert_eq!(issued.status, 200, "{issued:?}");
    assert!(code(&issued, "Private key").contains("PRIVATE KEY"));
    let shown = user.browser.get(&application).await;
    assert!(!shown.says("PRIVATE KEY") && shown.says("PSDGR-BOG-"), "the private key is shown once");

    let download = format!("{application}/certificates/download");
    let (private, public) = (code(&issued, "Private key"), code(&issued, "Certificate"));
    let both = format!("{private}\r\n{public}");
    for (sent, name) in [(&private, "key"), (&public, "certificate"), (&both, "key-and-certificate")] {
        let file = user.post(&download, &[("file", sent)]).await;
        let expected = format!("attachment; filename=\"{id}-{name}.pem\"");
        assert_eq!((file.status, &file.headers["content-disposition"]), (200, &expected), "{file:?}");
        assert_eq!(file.headers["cache-control"], "no-store");
        assert_eq!(file.html, sent.replace('\r', ""));
    }
    for wrong in ["", "<script>", "-----BEGIN CERTIFICATE-----\n<b>\n-----END CERTIFICATE-----"] {
        assert_eq!(user.post(&download, &[("file", wrong)]).await.status, 400, "{wrong}");
    }

    let caller = json!({ "subscription_key": key, "client_id": id, "certificate": code(&issued, "Header") });
    let tpp = bank
        .anonymous()
        .as_tpp(&caller)
        .with("PSU_ID", bank.sandbox_file["psus"][0]["psu_id"].as_str().unwrap());
    let order = json!({ "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4 });
    let consent = tpp.post("/v1/consents", &order).await;
    assert_eq!(consent.status, 201, "{consent:?}");
    let payment = tpp.post("/v1/payments/internal-transfers", &json!({})).await;
    assert!((400..=403).contains(&payment.status), "the certificate has one role: {payment:?}");
    let page = user.browser.get(&application).await;
    assert!(page.says("<td>active</td>"), "{page:?}");
    // Registered again, and by another organisation's member.
    let register = format!("{application}/certificates/register");
    let again = user.post(&register, &[("certificate", &code(&issued, "Certificate"))]).await;
    assert!(again.status == 400 && is_marked(&again, "certificate"), "{again:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn test_certificate_has_the_role_that_was_ticked(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let (id, key) = third_party(&mut user).await;
    let issue = format!("{LIST}/{id}/certificates/issue");
    let operations = [
        ("account_information", "/v1/consents"),
        ("payment_initiation", "/v1/payments/internal-transfers"),
        ("card_issuing", "/v2/consents/confirmation-of-funds"),
    ];
    for (role, _) in operations {
        let issued = user.post(&issue, &[("certificate_name", role), (role, "on")]).await;
        let header = code(&issued, "Header");
        let caller = json!({ "subscription_key": key, "client_id": id, "certificate": header });
        let tpp = bank.anonymous().as_tpp(&caller);
        for (needed, path) in operations {
            let answer = tpp.post(path, &json!({})).await;
            let is_lacking = answer.status == 401 && answer.body.to_string().contains("lacks the role");
            assert_eq!(is_lacking, role != needed, "{role} {path}: {answer:?}");
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn addresses_of_a_merchant_are_stored_each_at_its_place(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let (id, key) = merchant(&mut user).await;
    let caller = json!({ "subscription_key": key, "application_id": id });
    let stored = async || {
        let own = format!("/sandbox/applications/{id}");
        let read = bank.anonymous().as_merchant(&caller).patch(&own, &json!({})).await;
        assert_eq!(read.status, 200, "{read:?}");
        ["successCallbackUrl", "failCallbackUrl", "successRedirectURI", "failureRedirectURI"]
            .map(|name| read.body[name].as_str().unwrap_or_default().to_owned())
    };
    let names = ["success_callback", "fail_callback", "success_redirect", "failure_redirect"];
    let urls = ["paid", "unpaid", "bought", "back"].map(|end| format!("http://127.0.0.1:9090/{end}"));
    let mut fields: Vec<(&str, &str)> = names.into_iter().zip(urls.iter().map(String::as_str)).collect();
    let path = format!("{LIST}/{id}");
    assert_eq!(user.post(&format!("{path}/addresses"), &fields).await.status, 303);
    assert_eq!(stored().await, urls);
    let page = user.browser.get(&path).await;
    for (name, url) in &fields {
        assert_eq!(page.attribute(&format!("name=\"{name}\" value=\"")), *url);
    }
    fields[1].1 = "";
    fields[3].1 = "";
    assert_eq!(user.post(&format!("{path}/addresses"), &fields).await.status, 303);
    assert_eq!(stored().await, [urls[0].as_str(), "", urls[2].as_str(), ""]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn viewer_sees_applications_without_their_forms(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut owner = PortalUser::sign_up(&bank, "Kyklos", "owner@example.org").await;
    let ((tpp, _), (shop, _)) = (third_party(&mut owner).await, merchant(&mut owner).await);
    let urls = [("success_callback", "http://127.0.0.1:9090/paid")];
    assert_eq!(owner.post(&format!("{LIST}/{shop}/addresses"), &urls).await.status, 303);
    let link = owner.invite("viewer@example.org", "viewer").await;
    let mut viewer = PortalUser::accept(&bank, &link, "viewer@example.org").await;
    for (id, shown) in [
        (tpp, "<code>http://127.0.0.1:9090/back</code>"),
        (shop, "Callback after an approval: http://127.0.0.1:9090/paid\n"),
    ] {
        let path = format!("{LIST}/{id}");
        let page = viewer.browser.get(&path).await;
        assert!(page.status == 200 && page.says(shown), "{page:?}");
        assert!(!page.says(&format!("action=\"{path}/")), "{page:?}");
    }
    let list = viewer.browser.get(LIST).await;
    assert!(list.says("Papyrus") && !list.says("Create a merchant"), "{list:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn keys_and_secrets_are_rotated_and_retired(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let (id, first) = merchant(&mut user).await;
    let application = format!("{LIST}/{id}");
    let status = async |key: &str| {
        let caller = json!({ "subscription_key": key, "application_id": id });
        bank.anonymous().as_merchant(&caller).get("/configuration").await.status
    };
    assert_eq!(status(&first).await, 200);
    let created = user.post(&format!("{application}/keys/create"), &[]).await;
    let second = secret(&created, "Key, shown only now");
    assert_eq!((status(&first).await, status(&second).await), (200, 200));
    assert_eq!(user.post(&format!("{application}/keys/create"), &[]).await.status, 409, "two keys at most");
    let page = user.browser.get(&application).await;
    assert!(!page.says(&second));
    let retire = page.attributes(&format!("action=\"{application}/keys/"));
    assert_eq!(retire.len(), 2, "{page:?}");
    assert_eq!(user.post(&format!("{application}/keys/{}", retire[0]), &[]).await.status, 303);
    assert_eq!((status(&first).await, status(&second).await), (401, 200));
    let last = page.attributes(&format!("action=\"{application}/keys/"))[1].clone();
    let refused = user.post(&format!("{application}/keys/{last}"), &[]).await;
    assert!(refused.status == 400 && refused.says("the last active key"), "{refused:?}");
    assert_eq!(status(&second).await, 200);

    let rotated = user.post(&format!("{application}/webhook-secret/create"), &[]).await;
    let value = secret(&rotated, "Webhook secret, shown only now");
    assert!(value.starts_with("whsec_") && !user.browser.get(&application).await.says(&value));
    assert_eq!(user.post(&format!("{application}/webhook-secret/create"), &[]).await.status, 409);
    assert_eq!(user.post(&format!("{application}/webhook-secret/retire"), &[]).await.status, 303);
    let member = bank.app.portal_session(user.session()).await.unwrap().unwrap().member.id;
    let sql = format!(
        "SELECT COUNT(*) FROM audit_event WHERE actor = 'member:{member}' AND object = 'application:{id}'"
    );
    assert_eq!(bank.database.number(&sql), 5, "the member is the actor of every change");
    assert_eq!(user.post(&format!("{application}/keys/{last}"), &[("sure", "on")]).await.status, 303);
    assert_eq!(status(&second).await, 401, "the last key may be retired");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bad_input_of_applications_is_marked_and_changes_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let long = "x".repeat(200);
    for name in ["", "a\u{202e}", long.as_str()] {
        let page = user.post("/portal/applications/third-party", &[("name", name)]).await;
        assert!(page.status == 400 && is_marked(&page, "name"), "{page:?}");
        let page = user.post("/portal/applications/merchant", &[("merchant_name", name)]).await;
        assert!(page.status == 400 && is_marked(&page, "merchant_name"), "{page:?}");
    }
    assert!(user.browser.get(LIST).await.says("Your organisation has no applications yet."));
    let ((tpp, _), (shop, _)) = (third_party(&mut user).await, merchant(&mut user).await);
    let tpp_path = format!("{LIST}/{tpp}");
    let before = user.browser.get(&tpp_path).await.text("<textarea id=\"redirect_uris\"").to_owned();
    for (path, fields, field) in [
        ("/redirects", vec![("redirect_uris", "javascript:alert(1)")], "redirect_uris"),
        ("/certificates/register", vec![("certificate", "")], "certificate"),
        (
            "/certificates/register",
            vec![("certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")],
            "certificate",
        ),
        ("/certificates/register", vec![("certificate", "<script>")], "certificate"),
        (
            "/certificates/issue",
            vec![("certificate_name", ""), ("payment_initiation", "on")],
            "certificate_name",
        ),
        ("/certificates/issue", vec![("certificate_name", "Kyklos")], "account_information"),
    ] {
        let page = user.post(&format!("{tpp_path}{path}"), &fields).await;
        assert!(page.status == 400 && is_marked(&page, field), "{path} {fields:?}: {page:?}");
    }
    let after = user.browser.get(&tpp_path).await;
    assert_eq!(after.text("<textarea id=\"redirect_uris\""), before);
    assert!(after.says("No certificate is registered"));
    let shop_path = format!("{LIST}/{shop}");
    for (field, value) in [
        ("success_callback", "ftp://shop.example/"),
        ("fail_callback", "http://10.0.0.1/"),
        ("success_redirect", "javascript:alert(1)"),
        ("failure_redirect", "shop"),
    ] {
        let page = user.post(&format!("{shop_path}/addresses"), &[(field, value)]).await;
        assert!(page.status == 400 && is_marked(&page, field), "{field}: {page:?}");
    }
    let page = user.post(&format!("{shop_path}/webhooks/test"), &[("event", "paid")]).await;
    assert!(page.status == 400 && is_marked(&page, "event"), "{page:?}");
    let page = user.post(&format!("{shop_path}/webhooks/test"), &[("event", "approved")]).await;
    assert!(page.status == 400 && is_marked(&page, "event"), "without an address: {page:?}");
    assert!(user.browser.get(&format!("{shop_path}/webhooks")).await.says("No webhook was sent yet."));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn operator_connects_an_application_with_an_organisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let id = bank.sandbox_file["tpps"][0]["client_id"].as_str().unwrap();
    let path = format!("{LIST}/{id}");
    assert_eq!(user.browser.get(&path).await.status, 404);
    let organisation = bank.app.organisation_list().await.unwrap()[0].id;
    let application = trapeza_domain::id::ApplicationId::parse(id).unwrap();
    bank.app.application_organisation_set(application, Some(organisation)).await.unwrap();
    assert!(user.browser.get(&path).await.says("Kyklos Finance"));
    bank.app.application_organisation_set(application, None).await.unwrap();
    assert_eq!(user.browser.get(&path).await.status, 404);
    let expected = format!("application:{id} by operator");
    assert_eq!(bank.database.events("application.organisation_set"), [expected.clone(), expected]);
}
