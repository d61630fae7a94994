//! A caller that was let in a moment ago, and may not call any more: the very next call is refused, however well the bank
//! knows who called.

use serde_json::Value;
use trapeza_app::certificate::{facts, read_header};
use trapeza_domain::application::CertificateStanding;
use trapeza_domain::id::ApplicationId;
use trapeza_testkit::{Caller, TestBank, on_both_engines, rounds};

const ROUNDS: usize = 25;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn application(bank: &TestBank) -> ApplicationId {
    ApplicationId::parse(text(&bank.sheet["tpps"][0]["client_id"])).unwrap()
}

/// Who is let in is told that there is no such consent; who is not, that they are not let in.
async fn is_let_in(caller: &Caller) -> bool {
    let answer = caller.get("/v1/consents/00000000-0000-4000-8000-000000000000/status").await;
    match (answer.status, answer.text("/tppMessages/0/text")) {
        (401, text) if text.contains("key") || text.contains("certificate") => false,
        (401 | 403 | 404, text) => {
            assert!(text.contains("consent"), "{answer:?}");
            true
        }
        _ => panic!("{answer:?}"),
    }
}

on_both_engines! {
    async fn a_key_that_was_replaced_opens_nothing_any_more(database) {
        let bank = TestBank::start(database).await;
        let mut caller = bank.tpp(0);
        for _ in 0..rounds(ROUNDS) {
            assert!(is_let_in(&caller).await && is_let_in(&caller).await);
            let (issued, _) = tokio::join!(bank.app.key_replace(application(&bank)), is_let_in(&caller));
            assert!(!is_let_in(&caller).await);
            let key = issued.unwrap().subscription_key;
            caller = caller.with("Ocp-Apim-Subscription-Key", key.expose());
        }
        assert!(is_let_in(&caller).await);
    }

    async fn a_certificate_that_was_blocked_opens_nothing_until_it_is_good_again(database) {
        let bank = TestBank::start(database).await;
        let caller = bank.tpp(0);
        let shown = text(&bank.sheet["tpps"][0]["certificate"]);
        let facts = facts(&read_header(shown).unwrap()).unwrap();
        let put = |standing| bank.app.certificate_register(application(&bank), facts.clone(), standing);
        for _ in 0..rounds(ROUNDS) {
            assert!(is_let_in(&caller).await && is_let_in(&caller).await);
            let (blocked, _) = tokio::join!(put(CertificateStanding::Blocked), is_let_in(&caller));
            blocked.unwrap();
            assert!(!is_let_in(&caller).await && !is_let_in(&caller).await);
            put(CertificateStanding::Active).await.unwrap();
        }
        assert!(is_let_in(&caller).await);
    }
}
