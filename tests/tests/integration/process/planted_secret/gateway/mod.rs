//! A bank in production that sends codes by SMS, verifies payees and exchanges clearing files, with services that accept, that fail and that
//! repeat the request in their answer. Messages, codes, telephone numbers and the token of the gateway are in no log line, metric or span.

mod bank;

use super::{CREDENTIAL, PLANTED, metrics};
use crate::http::payment::{OTHER_BANK_IBAN, SEPA, text};
use crate::process::production::fresh;
use bank::{Bank, IBAN, LOGIN, NAME, PASSWORD, PHONE, TIMEOUT, TOKEN};
use rstest::rstest;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trapeza_testkit::{ApiClient, Browser, Reply};

impl Bank {
    /// Authorises an object by the code of a message, after a wrong one.
    async fn authorise(&mut self, tpp: &ApiClient, path: &str) {
        let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
        let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
        let chosen = tpp.put(&own, &json!({ "psuData": { "password": PASSWORD } })).await;
        assert_eq!(chosen.text("/scaStatus"), "scaMethodSelected", "{chosen:?}");
        let code = self.next_code().await;
        let wrong = tpp.put(&own, &json!({ "scaAuthenticationData": CREDENTIAL })).await;
        assert!(wrong.status >= 400 && !format!("{wrong:?}").contains(CREDENTIAL), "{wrong:?}");
        let last = tpp.put(&own, &json!({ "scaAuthenticationData": code })).await;
        assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    }

    /// A consent, and a payment to another bank, each with a code.
    async fn third_party_flows(&mut self) {
        let tpp = self.tpp();
        let order = json!({
            "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
            "validUntil": "2099-12-31", "frequencyPerDay": 4,
        });
        let consent = tpp.post("/v1/consents", &order).await;
        self.authorise(&tpp, &format!("/v1/consents/{}", consent.text("/consentId"))).await;
        let accounts = tpp.clone().with("consentID", consent.text("/consentId")).get("/v1/accounts").await;
        assert_eq!(accounts.text("/accounts/0/iban"), IBAN, "{accounts:?}");
        let order = json!({
            "debtorAccount": { "iban": IBAN },
            "instructedAmount": { "currency": "EUR", "Amount": "1.00" },
            "creditorAccount": { "iban": OTHER_BANK_IBAN },
            "creditorName": PLANTED,
            "remittanceInformationUnstructured": PLANTED,
        });
        let payment = tpp.post(SEPA, &order).await;
        self.authorise(&tpp, &format!("{SEPA}/{}", payment.text("/paymentId"))).await;
    }

    /// The bank's app and a checkout, each with a code.
    async fn page_flows(&mut self) {
        let merchant = self.merchant();
        let mut browser = Browser::new(&self.base_url());
        let asked = browser.app_sign_in(LOGIN, PASSWORD).await;
        let code = self.next_code().await;
        let wrong = browser.send_only(&asked, &[("step", "code"), ("code", CREDENTIAL)]).await;
        assert!(wrong.status == 401 && !wrong.says(CREDENTIAL), "{wrong:?}");
        let open = browser.send(&asked, &[("step", "code"), ("code", &code)]).await;
        assert_eq!((open.status, open.title().as_str()), (200, "The bank's app"), "{open:?}");
        let order = json!({
            "basketValue": 90, "requestId": fresh().to_string(), "orderIdentifier": PLANTED,
        });
        let basket = merchant.post("/createbasket", &order).await;
        let start = browser.get(&format!("/checkout/{}", basket.text("/publicBasketId"))).await;
        let number = browser.send(&start, &[("step", "open")]).await;
        let sent = browser.send(&number, &[("step", "phone"), ("phone", PHONE)]).await;
        let code = self.next_code().await;
        let plans = browser.send(&sent, &[("step", "code"), ("code", &code)]).await;
        assert!(plans.status == 200 && !plans.says("role=\"alert\""), "{plans:?}");
    }

    /// Links to enrol in console and portal, and wrong credentials there.
    async fn sign_in_flows(&mut self) {
        let console = format!("http://localhost:{}", self.program.console_port);
        let staff = ["staff", "add", "--role", "support", "--name", "Anna", "--email", "anna@bank.example"];
        let link = self.run(&staff);
        let token = token(&link);
        let mut browser = Browser::new(&console);
        let page = browser.get(&format!("/console/enrol?token={token}")).await;
        let (key, sealed) = (page.text("<dt>Key</dt><dd><code>"), page.attribute("name=\"sealed\" value=\""));
        [token, key, &sealed].iter().for_each(|secret| self.secrets.add(secret));
        let fields = [("token", token), ("sealed", &sealed), ("password", CREDENTIAL), ("code", "000000")];
        let refused = browser.send_only(&page, &fields).await;
        assert!(refused.status == 400 && !refused.says(CREDENTIAL), "{refused:?}");
        browser.headers = vec![("authorization", format!("Bearer {CREDENTIAL}"))];
        let refused = browser.get(&format!("/admin/v1/search?q={PLANTED}")).await;
        assert!(refused.status == 401 && !refused.says(CREDENTIAL), "{refused:?}");

        let link = self.run(&["portal", "invite", "owner@shop.example"]);
        let token = link.split("invitation=").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
        let mut browser = Browser::new(&self.base_url());
        let page = browser.get(&format!("/portal/sign-up?invitation={token}")).await;
        let fields = [
            ("invitation", token),
            ("organisation", PLANTED),
            ("name", PLANTED),
            ("email", "owner@shop.example"),
            ("password", CREDENTIAL),
        ];
        let enrolment = browser.send(&page, &fields).await;
        assert!(enrolment.status == 200 && !enrolment.says(CREDENTIAL), "{enrolment:?}");
        [token, enrolment.text("<dt>Key</dt><dd><code>")].iter().for_each(|secret| self.secrets.add(secret));
        for (site, page) in [(console.as_str(), "/console/sign-in"), (&self.base_url(), "/portal/sign-in")] {
            let mut browser = Browser::new(site);
            let shown = browser.get(page).await;
            let fields = [("email", "anna@bank.example"), ("password", CREDENTIAL), ("code", "000000")];
            let refused = browser.send_only(&shown, &fields).await;
            assert!(refused.status < 500 && !refused.says(CREDENTIAL), "{page}: {refused:?}");
        }
    }

    /// The payment's file goes out; it comes in as it is, damaged and cut.
    async fn clearing_flows(&self) {
        let began = Instant::now();
        let message = loop {
            if let Some(file) = messages(&self.file("outgoing")).first() {
                break std::fs::read_to_string(file).unwrap();
            }
            assert!(began.elapsed() < TIMEOUT, "no file went out: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        assert!(message.contains(OTHER_BANK_IBAN) && message.contains(PLANTED), "{message}");
        let incoming = self.file("incoming");
        for (name, content) in [
            ("whole", message.clone()),
            ("cut", message[..message.len() / 2].to_owned()),
            ("element", message.replace("<CdtTrfTxInf>", &format!("<CdtTrfTxInf><{PLANTED}/>"))),
            ("amount", message.replace(">1.00<", &format!(">{PLANTED}<"))),
            ("account", message.replace(OTHER_BANK_IBAN, &format!("{PLANTED}{IBAN}"))),
            ("text", format!("{NAME} {IBAN} {PLANTED}")),
        ] {
            std::fs::write(incoming.join(format!("{name}.new")), content).unwrap();
            std::fs::rename(incoming.join(format!("{name}.new")), incoming.join(format!("{name}.xml")))
                .unwrap();
        }
        while !messages(&incoming).is_empty() {
            assert!(began.elapsed() < TIMEOUT, "files are not read: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The token of a link in the output of a command.
fn token(printed: &str) -> &str {
    printed.split("token=").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap()
}

/// The files of a directory of clearing.
fn messages(directory: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|ending| ending == "xml")).collect()
}

#[rstest]
#[case::accepts(Reply::Status(202))]
#[case::fails(Reply::Status(500))]
#[case::repeats(Reply::Repeat(400))]
#[case::sends_garbage(Reply::Garbage)]
#[tokio::test(flavor = "multi_thread")]
async fn message_code_and_token_of_a_gateway_are_in_no_log_metric_or_trace(#[case] reply: Reply) {
    let mut bank = Bank::open(reply).await;
    bank.third_party_flows().await;
    bank.page_flows().await;
    bank.sign_in_flows().await;
    bank.clearing_flows().await;

    let monitoring = format!("http://127.0.0.1:{}", bank.program.monitoring_port);
    let page = metrics(&monitoring).await;
    let process = bank.program.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &process]).status().unwrap().success());
    bank.program.child.wait().unwrap();
    let (messages, payees) = (bank.sms.seen(), bank.payees.seen());
    assert!(bank.used.len() >= 4 && !payees.is_empty(), "a code for each flow, and a verified payee");
    for request in messages.iter().chain(&payees) {
        assert_eq!(request.header("authorization"), format!("Bearer {TOKEN}"));
    }
    for request in &messages {
        let message: Value = serde_json::from_str(&request.body).unwrap();
        bank.secrets.add(text(&message["to"]));
        bank.secrets.add_message(text(&message["text"]));
    }
    let (log, spans) = (bank.log(), bank.collector.spans());
    let is_refused = reply != Reply::Status(202);
    for words in ["sms: the gateway did not accept a message", "payee verification: request failed"] {
        // An answer without a result is no verification either.
        let expected = is_refused || words.starts_with("payee");
        assert_eq!(log.contains(words), expected, "{words}: {log}");
    }
    assert!(log.contains("clearing: invalid file, set aside"), "{log}");
    for name in ["POST sms", "POST payee-verification"] {
        assert!(spans.iter().any(|span| span.contains(name)), "no span {name}");
    }
    bank.secrets.check("log", &log);
    bank.secrets.check("traces", &spans.join("\n"));
    bank.secrets.check_metrics(&page);
}
