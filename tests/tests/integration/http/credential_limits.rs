//! Limits on credentials and messages: they stop guessing, and no channel can use up or block another one.

use crate::http::loan_transfer::bought_by_guest;
use crate::staff::{events, reason};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_app::Language;
use trapeza_app::loan::GuestLoanView;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, TestBank};

const WRONG: &str = "not-the-password";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A consent of the first customer at a third party; returns the client and the path.
async fn consent(bank: &TestBank, tpp: usize, psu: &str) -> (ApiClient, String) {
    let tpp = bank.tpp(tpp).with("PSU_ID", psu);
    let order = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let created = tpp.post("/v1/consents", &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let path = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
    (tpp, path)
}

/// Enters a wrong password until the app's channel is blocked.
pub async fn block_app(bank: &TestBank, user: &str) {
    let mut browser = bank.browser();
    for _ in 0..10 {
        // Longer than any back-off, shorter than a block.
        bank.advance("PT5M").await;
        assert_eq!(browser.app_sign_in(user, WRONG).await.status, 401);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn decoupled_starts_of_one_tpp_do_not_stop_other_channels(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { limit_messages: true, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let user = text(&psu["psu_id"]);
    let (attacker, path) = consent(&bank, 0, user).await;
    let attacker = attacker.with("TPP-Decoupled-Preferred", "true");
    let mut statuses = Vec::new();
    for _ in 0..12 {
        statuses.push(attacker.post(&path, &json!({})).await.status);
    }
    assert_eq!(statuses, [[200; 10].as_slice(), &[429; 2]].concat());

    let (other, path) = consent(&bank, 1, user).await;
    let decoupled = other.clone().with("TPP-Decoupled-Preferred", "true").post(&path, &json!({})).await;
    assert_eq!(decoupled.status, 200, "{decoupled:?}");
    let consent_path = path.trim_end_matches("/authorisations").to_owned();
    bank.authorise(&other, &consent_path, &psu).await;
    let page = bank.browser().app_sign_in(user, text(&psu["password"])).await;
    assert_eq!(page.title(), "A code for this device");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn changing_the_method_is_no_resend(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = &bank.sandbox_file["psus"][0];
    let method = |kind: &str| {
        let methods = psu["methods"].as_array().unwrap();
        methods.iter().find(|method| method["type"] == kind).unwrap()["id"].clone()
    };
    let (tpp, path) = consent(&bank, 0, text(&psu["psu_id"])).await;
    let started = tpp.post(&path, &json!({})).await;
    let own = format!("{path}/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let mut statuses = Vec::new();
    for kind in ["CHIPOTP", "SMSOTP", "PHOTOOTP", "CHIPOTP", "PUSHOTP", "PUSHOTP"] {
        let id = method(kind);
        statuses.push(tpp.put(&own, &json!({ "authenticationMethodId": id })).await.status);
    }
    assert_eq!(
        statuses,
        [200, 200, 200, 200, 200, 429],
        "only the second push is a resend within 30 seconds"
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_elsewhere_do_not_block_an_enrolled_device(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = &bank.sandbox_file["psus"][0];
    let (user, password) = (text(&psu["psu_id"]), text(&psu["password"]));
    let mut device = bank.browser();
    let code = device.app_sign_in(user, password).await;
    let signed_in = device.send(&code, &[("step", "code"), ("code", "123456")]).await;
    device.send(&signed_in, &[("step", "sign-out")]).await;

    block_app(&bank, user).await;
    assert_eq!(bank.browser().app_sign_in(user, password).await.status, 401, "the channel is blocked");
    assert_eq!(device.app_sign_in(user, password).await.status, 200, "the device is not");
    let (tpp, path) = consent(&bank, 0, user).await;
    bank.authorise(&tpp, path.trim_end_matches("/authorisations"), psu).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn blocks_of_wrong_passwords_escalate_and_the_customer_is_informed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = &bank.sandbox_file["psus"][0];
    let (user, password) = (text(&psu["psu_id"]), text(&psu["password"]));
    block_app(&bank, user).await;
    bank.advance("PT16M").await;
    block_app(&bank, user).await;
    bank.advance("PT30M").await;
    assert_eq!(bank.browser().app_sign_in(user, password).await.status, 401, "blocked for an hour");
    bank.advance("PT31M").await;
    assert_eq!(bank.browser().app_sign_in(user, password).await.title(), "A code for this device");

    let messages = bank.anonymous().get("/sandbox/messages").await;
    let informed = messages.body.to_string().matches("your password was entered wrongly").count();
    assert_eq!(informed, 2, "{messages:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unblock_lifts_the_blocks_of_a_customer(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = &bank.sandbox_file["psus"][0];
    let (user, password) = (text(&psu["psu_id"]), text(&psu["password"]));
    block_app(&bank, user).await;
    assert_eq!(bank.app.psu_unblock(user).await, Ok(1));
    assert_eq!(bank.browser().app_sign_in(user, password).await.title(), "A code for this device");
    assert!(bank.app.psu_unblock("unknown").await.is_err());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn address_over_its_budget_is_refused_with_the_right_password(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::with_options(Database::new(engine), TestBankOptions::limited()).await;
    let psu = &bank.sandbox_file["psus"][0];
    let mut browser = bank.browser();
    for number in 0..10 {
        assert_eq!(browser.app_sign_in(&format!("guess{number}"), WRONG).await.status, 401);
    }
    let right = browser.app_sign_in(text(&psu["psu_id"]), text(&psu["password"])).await;
    assert_eq!(right.status, 429, "a right password is refused like a wrong one");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn successful_sign_ins_do_not_use_up_the_budget_of_an_address(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::with_options(Database::new(engine), TestBankOptions::limited()).await;
    let psu = &bank.sandbox_file["psus"][0];
    for _ in 0..12 {
        let page = bank.browser().app_sign_in(text(&psu["psu_id"]), text(&psu["password"])).await;
        assert_eq!(page.title(), "A code for this device");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unknown_caller_is_refused_before_its_body_arrives(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let bank = TestBank::start(Database::new(engine)).await;
    let address = bank.base_url.trim_start_matches("http://");
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    // The body is announced and begun, and then never continued by a caller without a key.
    let head = "POST /v1/consents HTTP/1.1\r\nHost: bank\r\nContent-Length: 2\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

/// The outcome of a right password cannot be stored: the caller repeats the request, as it should, until the database works again.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_request_whose_outcome_was_not_stored_counts_as_one_attempt(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = bank.sandbox_file["psus"][1].clone();
    let (tpp, path) = consent(&bank, 0, text(&psu["psu_id"])).await;
    let started = tpp.post(&path, &json!({})).await;
    let own = format!("{path}/{}", started.text("/authorisationId"));
    bank.database.tamper(match engine {
        Engine::Sqlite => {
            "CREATE TRIGGER failing BEFORE INSERT ON audit_event BEGIN SELECT RAISE(ABORT, 'planted'); END"
        }
        Engine::Postgres => {
            "CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
             CREATE TRIGGER failing BEFORE INSERT ON audit_event EXECUTE FUNCTION failing()"
        }
    });
    let again = tpp.clone().with("x-Request-ID", "5f0b6a1e-3a53-4a0e-9d5b-0f6f4f0a7b11");
    let body = json!({ "psuData": { "password": psu["password"] } });
    for _ in 0..12 {
        assert_eq!(again.put(&own, &body).await.status, 500);
    }
    bank.database.tamper(match engine {
        Engine::Sqlite => "DROP TRIGGER failing",
        Engine::Postgres => "DROP TRIGGER failing ON audit_event",
    });
    let answer = again.put(&own, &body).await;
    assert_eq!((answer.status, answer.text("/scaStatus")), (200, "scaMethodSelected"), "{answer:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_codes_of_several_enrolments_block_the_next_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = &bank.sandbox_file["psus"][0];
    let (user, password) = (text(&psu["psu_id"]), text(&psu["password"]));
    // Each enrolment has fewer wrong codes than end it; together they are as many as block.
    for wrong in [2, 2, 1] {
        let mut browser = bank.browser();
        let code = browser.app_sign_in(user, password).await;
        for _ in 0..wrong {
            assert_eq!(browser.send(&code, &[("step", "code"), ("code", "999999")]).await.status, 401);
        }
        bank.pass(TimeDelta::seconds(31)).await;
    }
    let mut browser = bank.browser();
    let code = browser.app_sign_in(user, password).await;
    let blocked = browser.send(&code, &[("step", "code"), ("code", "123456")]).await;
    assert_eq!(blocked.status, 401, "the right code: {blocked:?}");
    bank.pass(TimeDelta::minutes(16)).await;
    let code = browser.app_sign_in(user, password).await;
    assert_eq!(browser.send(&code, &[("step", "code"), ("code", "123456")]).await.title(), "The bank's app");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_through_a_third_party_block_and_inform_the_customer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = &bank.sandbox_file["psus"][0];
    let (tpp, path) = consent(&bank, 0, text(&psu["psu_id"])).await;
    let before = bank.app.messages().await.unwrap().len();
    for _ in 0..10 {
        let started = tpp.post(&path, &json!({})).await;
        let own = format!("{path}/{}", started.text("/authorisationId"));
        bank.pass(TimeDelta::minutes(5)).await;
        assert_eq!(tpp.put(&own, &json!({ "psuData": { "password": WRONG } })).await.status, 401);
    }
    assert_eq!(bank.app.messages().await.unwrap().len(), before + 1, "one message about the block");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_is_offered_another_code_three_times(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let session = bank.app.session_token_new();
    let send = || bank.app.guest_loan_send_code(&loan.reference, &session, Language::English);
    for is_offered in [true, true, true, false] {
        bank.pass(TimeDelta::seconds(31)).await;
        send().await.unwrap();
        match bank.app.guest_loan_view(&loan.reference, &session).await.unwrap() {
            GuestLoanView::CodeSent { open, again, .. } => assert_eq!((open, again), (true, is_offered)),
            other => panic!("no code was sent: {other:?}"),
        }
    }
    bank.pass(TimeDelta::seconds(31)).await;
    assert_eq!(reason(send().await), Some(RefusalReason::RateExceeded));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_code_expires_and_wrong_ones_block_the_telephone_number(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let session = bank.app.session_token_new();
    let send = async || {
        bank.pass(TimeDelta::seconds(31)).await;
        bank.app.guest_loan_send_code(&loan.reference, &session, Language::English).await.unwrap();
    };
    let verify = async |code: &str| {
        let code = Secret::new(code.to_owned());
        reason(bank.app.guest_loan_verify_code(&loan.reference, &session, code).await)
    };
    let (right, refused) = (text(&bank.sandbox_file["otp"]), Some(RefusalReason::CredentialsInvalid));
    send().await;
    bank.pass(TimeDelta::minutes(5)).await;
    assert_eq!(verify(right).await, refused, "too late");
    send().await;
    for _ in 0..3 {
        assert_eq!(verify("000000").await, refused);
    }
    assert_eq!(verify(right).await, refused, "three wrong ones use up a code");
    send().await;
    for _ in 0..2 {
        assert_eq!(verify("000000").await, refused);
    }
    assert_eq!(verify(right).await, refused, "five wrong ones block the number");
    assert_eq!(events(&bank, "loan.otp_wrong"), 5, "one that is not verified is not counted");
    bank.pass(TimeDelta::minutes(16)).await;
    send().await;
    assert_eq!(verify(right).await, None);
}
