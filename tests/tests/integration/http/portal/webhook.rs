//! The webhook log: a failed callback is seen with its attempts and sent again.

use super::application::merchant;
use crate::staff::object_view::kill;
use rstest::rstest;
use std::time::Duration;
use tokio::sync::oneshot;
use trapeza_courier::callback::CallbackSettings;
use trapeza_courier::{CallbackCourier, Roots};
use trapeza_domain::egress::EgressPolicy;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Page, PortalUser, Reply, TestBank, WebhookReceiver};

/// How long anything may take before the test gives up. Not a measurement.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Reloads a page until it says something.
async fn says(user: &mut PortalUser, path: &str, text: &str) -> Page {
    let waiting = async {
        loop {
            let page = user.browser.get(path).await;
            if page.says(text) {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, waiting).await.unwrap_or_else(|_| panic!("{path} never says {text}"))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn resend_makes_a_dead_callback_wait_again(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let (id, _) = merchant(&mut user).await;
    let path = format!("/portal/applications/{id}");
    user.post(&format!("{path}/addresses"), &[("success_callback", "http://127.0.0.1:9090/paid")]).await;
    let sent = user.post(&format!("{path}/webhooks/test"), &[("event", "approved")]).await;
    let callback = sent.headers["location"].clone();
    kill(&bank, callback.rsplit('/').next().unwrap()).await;
    let status = || bank.database.column("SELECT status FROM callback");
    assert_eq!(status(), ["dead"]);
    assert_eq!(user.post(&format!("{callback}/resend"), &[]).await.status, 303);
    assert_eq!(status(), ["waiting"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failed_callback_is_seen_and_sent_again(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let settings = CallbackSettings::new(EgressPolicy::PublicOrLoopback, Roots::default());
    let (courier, app) = (CallbackCourier::parse(settings).unwrap(), bank.app.clone());
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(async move {
        courier
            .run(app, async {
                let _ = stopped.await;
            })
            .await;
    });
    let receiver =
        WebhookReceiver::start(|_, count| if count == 0 { Reply::Status(500) } else { Reply::Status(200) })
            .await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let (id, _) = merchant(&mut user).await;
    let path = format!("/portal/applications/{id}");
    let address = receiver.url();
    user.post(&format!("{path}/addresses"), &[("success_callback", address.as_str())]).await;
    let sent = user.post(&format!("{path}/webhooks/test"), &[("event", "approved")]).await;
    assert_eq!(sent.status, 303, "{sent:?}");
    let callback = sent.headers["location"].clone();
    let failed = says(&mut user, &callback, "<td>500</td>").await;
    assert!(failed.says("waiting for its next attempt") && failed.says("test-event"), "{failed:?}");
    assert!(user.browser.get(&format!("{path}/webhooks")).await.says("<td>basket.approved</td>"));
    assert_eq!(user.post(&format!("{callback}/resend"), &[]).await.status, 303);
    let delivered = says(&mut user, &callback, "<dd>delivered</dd>").await;
    assert!(delivered.says("<td>200</td>"), "{delivered:?}");
    for sent in receiver.seen() {
        let signature = sent.header("webhook-signature").replace('=', "&#61;").replace('+', "&#43;");
        let shown = delivered.html.replace('=', "&#61;").replace('+', "&#43;");
        assert!(
            signature.starts_with("v1,") && shown.contains(&format!("<td>{signature}</td>")),
            "{delivered:?}"
        );
        assert!(delivered.says(&format!("<td>{}</td>", sent.header("webhook-timestamp"))), "{delivered:?}");
    }
    assert_eq!(user.post(&format!("{callback}/resend"), &[]).await.status, 409, "a delivered one is final");
    assert_eq!(receiver.seen().len(), 2);
    let member = bank.app.portal_session(user.session()).await.unwrap().unwrap().member.id;
    let id = callback.rsplit('/').next().unwrap();
    assert_eq!(bank.database.events("callback.resent"), [format!("callback:{id} by member:{member}")]);
    drop(stop);
    running.await.unwrap();
}
