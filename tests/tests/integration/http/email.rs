//! E-mail with the link to the documents of a loan: enqueued with the approval, sent by SMTP, retried and wiped.

use super::checkout::{agree, basket, proven};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use trapeza_courier::{EmailGateway, EmailSettings};
use trapeza_domain::secret::Secret;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Page, TestBank};
use uuid::Uuid;

const PHONE: &str = "+306900000042";
const ADDRESS: &str = "maria@shop.example";

/// An SMTP server on this machine that takes one message and returns what the client sent. `recipient` is its answer to RCPT.
async fn server(listener: &TcpListener, recipient: &str) -> String {
    let (stream, _) = listener.accept().await.unwrap();
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut received, mut is_data) = (String::new(), false);
    write.write_all(b"220 test\r\n").await.unwrap();
    while let Ok(Some(line)) = lines.next_line().await {
        received.push_str(&line);
        received.push('\n');
        let answer = match line.split(' ').next().unwrap() {
            "." if is_data => {
                is_data = false;
                "250 accepted".to_owned()
            }
            _ if is_data => continue,
            "EHLO" => "250-test\r\n250-AUTH PLAIN\r\n250 8BITMIME".to_owned(),
            "AUTH" => "235 welcome".to_owned(),
            "RCPT" => recipient.to_owned(),
            "DATA" => {
                is_data = true;
                "354 go on".to_owned()
            }
            "QUIT" => "221 bye".to_owned(),
            _ => "250 ok".to_owned(),
        };
        write.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
        if line == "QUIT" {
            break;
        }
    }
    received
}

fn gateway(listener: &TcpListener) -> EmailGateway {
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    let credentials = Some(("bank".to_owned(), Secret::new("s3cret".to_owned())));
    let settings =
        EmailSettings { url: &url, from: "Trapeza <documents@bank.example>", credentials, ca: b"" };
    EmailGateway::parse(&settings).unwrap()
}

async fn messages(bank: &TestBank) -> Vec<Value> {
    bank.anonymous().get("/sandbox/messages").await.body["messages"].as_array().unwrap().clone()
}

/// The page of terms of a basket whose merchant sent an e-mail address, and the answer to the form with `email`.
async fn agreed_with(bank: &TestBank, email: &str) -> (Page, Page) {
    let order = json!({
        "basketValue": 120.3, "requestId": Uuid::from_u128(1).to_string(), "orderIdentifier": "order-1", "email": ADDRESS,
    });
    let created = bank.merchant(0).post("/createbasket", &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let public = created.text("/publicBasketId").to_owned();
    let bought = super::checkout::Bought { checkout: format!("/checkout/{public}"), public };
    let mut browser = bank.browser();
    proven(bank, &mut browser, &bought, PHONE).await;
    let terms = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    let day = terms.attribute("name=\"day\" value=\"");
    let fields = [("step", "agree"), ("plan", "3"), ("day", &day), ("agreed", "yes"), ("email", email)];
    let sent = browser.send(&terms, &fields).await;
    (terms, sent)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn email_with_the_link_is_sent_once_and_wiped(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (terms, end) = agreed_with(&bank, ADDRESS).await;
    assert_eq!(terms.attribute("name=\"email\" value=\""), ADDRESS, "the merchant sent it");
    assert_eq!(end.title(), "Bought", "{end:?}");
    let shown = messages(&bank).await;
    let email = shown.iter().find(|message| message["channel"] == "EMAIL").unwrap();
    assert_eq!(email["to"], ADDRESS);
    let text = email["text"].as_str().unwrap();
    assert!(text.starts_with("Trapeza: your credit agreement for Papyrus Books\n"), "{text}");
    let page = text.lines().find(|line| line.contains("/loan/RF")).unwrap().to_owned();
    assert!(
        shown
            .iter()
            .any(|message| message["channel"] == "SMS" && message["text"].as_str().unwrap().contains(&page))
    );
    // A sandbox counts its messages as sent; a courier finds this one as if it waited.
    let waiting = "UPDATE notification SET status = 'waiting', sent_at = NULL WHERE channel = 'EMAIL'";
    bank.app.store().write(move |tx| Ok(tx.execute(waiting, &[])?)).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gateway = gateway(&listener);
    let (sent, _) = tokio::join!(gateway.round(&bank.app), server(&listener, "451 later"));
    assert_eq!(sent.unwrap(), 0, "refused for now");
    assert_eq!(gateway.round(&bank.app).await.unwrap(), 0, "claimed, and retried only later");
    bank.app
        .store()
        .write(|tx| Ok(tx.execute("UPDATE notification SET claimed_until = NULL", &[])?))
        .await
        .unwrap();
    let (sent, received) = tokio::join!(gateway.round(&bank.app), server(&listener, "250 ok"));
    assert_eq!(sent.unwrap(), 1, "{received}");
    for expected in [
        "MAIL FROM:<documents@bank.example>",
        "RCPT TO:<maria@shop.example>",
        "From: Trapeza <documents@bank.example>",
        "Subject: Trapeza: your credit agreement for Papyrus Books",
    ] {
        assert!(received.contains(expected), "{expected} is not in {received}");
    }
    // Quoted-printable breaks long lines.
    assert!(received.replace("=\n", "").contains(&page), "{page} is not in {received}");
    assert_eq!(gateway.round(&bank.app).await.unwrap(), 0, "sent once");
    let wiped = "SELECT COUNT(*) FROM notification WHERE channel = 'EMAIL' AND ciphertext IS NULL AND status = 'sent'";
    let wiped = bank.app.store().read(move |tx| Ok(tx.query_one(wiped, &[], |row| row.read::<i64>())?)).await;
    assert_eq!(wiped.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_address_is_an_error_at_its_field_and_an_empty_one_is_not() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (_, wrong) = agreed_with(&bank, "maria@").await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
    assert!(wrong.says("id=\"email-error\"") && !wrong.says("id=\"agreed-error\""), "{wrong:?}");
    assert_eq!(wrong.attribute("name=\"email\" value=\""), "maria@");
    let (bought, mut browser) = (basket(&bank, 2, "50").await, bank.browser());
    proven(&bank, &mut browser, &bought, PHONE).await;
    assert_eq!(agree(&mut browser, &bought, 3).await.title(), "Bought");
    assert!(messages(&bank).await.iter().all(|message| message["channel"] != "EMAIL"));
}
