//! Time that passes without the sweep. `TestBank::advance` runs the sweep, so a rule that only the sweep applies would look like one
//! that holds. Here the same day passes twice, once with a sweep after each step and once without any, and the answers are equal.

use crate::http::checkout::{Bought, basket, proven};
use crate::http::loan_transfer::{GUEST, bought_by_guest};
use crate::http::page_forms::enrol;
use crate::http::payment::{
    INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, balance, challenged, changed, check_ledger, code, iban, initiate,
    order, psu, text, tpp,
};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, Browser, Page, TestBank, Transcript};

/// Whether the sweep runs after each step of the clock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweep {
    InTime,
    Late,
}

async fn pass(bank: &TestBank, sweep: Sweep, span: TimeDelta) {
    bank.pass(span).await;
    if sweep == Sweep::InTime {
        bank.app.sweep(bank.app.now()).await.unwrap();
    }
}

/// The status of a response and what it says: the state of an object, or the name of an error.
fn summary(answer: &ApiResponse) -> String {
    let keys = ["/consentStatus", "/transactionStatus", "/scaStatus", "/data/payLaterInformation/status"];
    let state = keys.iter().find_map(|key| answer.body.pointer(key));
    let error = answer.body.pointer("/tppMessages/0/text").and_then(Value::as_str);
    let error = error.and_then(|text| text.split(':').next()).map(|name| json!(name));
    format!("{} {}", answer.status, state.cloned().or(error).unwrap_or_default())
}

fn shown(page: &Page) -> String {
    let title = page.headers.get("location").cloned().unwrap_or_else(|| page.title());
    format!("{} {title}", page.status)
}

/// One object of each kind that time ends, and those who look at it.
struct Objects {
    tpp: ApiClient,
    /// Not authorised; its authorisation waits for the password.
    waiting: String,
    waiting_authorisation: String,
    /// A one-off consent that is valid.
    once: String,
    /// A recurring consent that is valid until the next day.
    recurring: String,
    funds: String,
    /// A payment whose code is not sent.
    payment: String,
    challenge: String,
    bought: Bought,
    shopper: Browser,
    redirect: Browser,
    redirect_link: String,
    redirect_page: Page,
    app: Browser,
    guest: Browser,
    guest_link: String,
}

impl Objects {
    async fn create(bank: &TestBank) -> Self {
        let customer = psu(bank, JONAS).clone();
        let tpp = tpp(bank, JONAS);
        let consent = |recurring: bool| {
            json!({
                "access": { "balances": [{ "iban": iban(bank, JONAS, 0) }] },
                "recurringIndicator": recurring,
                "validUntil": "2035-03-16",
                "frequencyPerDay": if recurring { 4 } else { 1 },
            })
        };
        let path = |answer: &ApiResponse| format!("/v1/consents/{}", answer.text("/consentId"));
        let guest_loan = bought_by_guest(bank, "120", 3).await;
        let once = path(&tpp.post("/v1/consents", &consent(false)).await);
        bank.authorise(&tpp, &once, &customer).await;
        let recurring = path(&tpp.post("/v1/consents", &consent(true)).await);
        bank.pass(TimeDelta::seconds(31)).await;
        bank.authorise(&tpp, &recurring, &customer).await;
        let funds = json!({ "account": { "iban": iban(bank, JONAS, 0), "currency": "EUR" } });
        let funds = tpp.post("/v2/consents/confirmation-of-funds", &funds).await;
        let waiting = path(&tpp.post("/v1/consents", &consent(true)).await);
        let started = tpp.post(&format!("{waiting}/authorisations"), &json!({})).await;
        let payment = initiate(&tpp, INTERNAL, &order(bank, "1.00")).await;
        bank.pass(TimeDelta::seconds(31)).await;
        let steps = format!("{payment}/authorisations");
        let challenge = challenged(bank, &tpp, &steps, &mut Transcript::default()).await;
        let (bought, mut shopper) = (basket(bank, 2, "120.3").await, bank.browser());
        proven(bank, &mut shopper, &bought, GUEST).await;
        let linked = path(&tpp.post("/v1/consents", &consent(true)).await);
        let redirected = tpp.clone().with("TPP-Redirect-Preferred", "true");
        let link = redirected.post(&format!("{linked}/authorisations"), &json!({})).await;
        let redirect_link = link.text("/_links/scaRedirect/href").to_owned();
        let mut redirect = bank.browser();
        let first = redirect.get(&redirect_link).await;
        let redirect_page = redirect.send(&first, &[("step", "open")]).await;
        let mut app = bank.browser();
        enrol(bank, &mut app, 0).await;
        let guest_link = format!("/loan/{}", guest_loan.reference.replace(' ', ""));
        let mut guest = bank.browser();
        let locked = guest.get(&guest_link).await;
        let sent = guest.send(&locked, &[("step", "send-code")]).await;
        guest.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
        Self {
            waiting_authorisation: format!("{waiting}/authorisations/{}", started.text("/authorisationId")),
            funds: format!("/v2/consents/confirmation-of-funds/{}", funds.text("/consentId")),
            tpp,
            waiting,
            once,
            recurring,
            payment,
            challenge,
            bought,
            shopper,
            redirect,
            redirect_link,
            redirect_page,
            app,
            guest,
            guest_link,
        }
    }

    /// What everybody sees without changing anything.
    async fn reads(&mut self, bank: &TestBank) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, path) in [
            ("waiting consent", self.waiting.clone()),
            ("waiting consent's status", format!("{}/status", self.waiting)),
            ("waiting authorisation", self.waiting_authorisation.clone()),
            ("one-off consent", format!("{}/status", self.once)),
            ("recurring consent", format!("{}/status", self.recurring)),
            ("funds consent", format!("{}/status", self.funds)),
            ("payment", self.payment.clone()),
            ("payment's status", format!("{}/status", self.payment)),
            ("payment's authorisation", self.challenge.clone()),
        ] {
            lines.push(format!("{name}: {}", summary(&self.tpp.get(&path).await)));
        }
        for (name, consent) in
            [("one-off", &self.once), ("recurring", &self.recurring), ("waiting", &self.waiting)]
        {
            let reader = bank.tpp(0).with("consentID", consent.rsplit('/').next().unwrap());
            let read = reader.with("pSUIPAddress", "192.0.2.1").get("/v1/accounts?withBalance=true").await;
            lines.push(format!("read by the {name} consent: {}", summary(&read)));
        }
        let loan = format!("/loans/bnpl?basketId={}", self.bought.public);
        lines.push(format!("loan: {}", summary(&bank.merchant(0).get(&loan).await)));
        lines.push(format!("checkout: {}", shown(&self.shopper.get(&self.bought.checkout).await)));
        lines.push(format!("redirect link: {}", shown(&self.redirect.get(&self.redirect_link).await)));
        lines.push(format!("app: {}", shown(&self.app.get("/app/accounts").await)));
        let loan = self.guest.get(&self.guest_link).await;
        lines.push(format!("guest's loan: {}, asks for a code: {}", shown(&loan), loan.says("ending in 42")));
        lines
    }

    /// What is refused at the end.
    async fn writes(&mut self, bank: &TestBank) -> Vec<String> {
        let (tpp, customer) = (&self.tpp, psu(bank, JONAS));
        let password = json!({ "psuData": { "password": customer["password"] } });
        let answers = [
            ("password", tpp.put(&self.waiting_authorisation, &password).await),
            ("new authorisation", tpp.post(&format!("{}/authorisations", self.waiting), &json!({})).await),
            ("code of the payment", code(bank, tpp, &self.challenge).await),
            (
                "new authorisation of the payment",
                tpp.post(&format!("{}/authorisations", self.payment), &json!({})).await,
            ),
            ("authorisation of the funds consent", {
                tpp.post(&format!("{}/authorisations", self.funds), &json!({})).await
            }),
            ("cancellation of the payment", tpp.delete(&self.payment).await),
        ];
        let mut lines: Vec<String> =
            answers.iter().map(|(name, answer)| format!("{name}: {}", summary(answer))).collect();
        let fields = [("step", "password"), ("password", text(&customer["password"]))];
        lines.push(format!(
            "redirect page: {}",
            shown(&self.redirect.send(&self.redirect_page, &fields).await)
        ));
        lines
    }
}

const fn minutes(count: i64) -> TimeDelta {
    TimeDelta::minutes(count)
}

/// Until authorisations and sessions have ended, and what they are for has not.
const A_QUARTER_OF_AN_HOUR: [(&str, TimeDelta); 3] =
    [("4 minutes", minutes(4)), ("11 minutes", minutes(7)), ("16 minutes", minutes(5))];

/// Until everything has ended.
const TWO_DAYS: [(&str, TimeDelta); 5] = [
    ("21 minutes", minutes(21)),
    ("31 minutes", minutes(10)),
    ("23 hours", minutes(22 * 60 + 29)),
    ("24 hours and a minute", minutes(61)),
    ("49 hours", minutes(25 * 60)),
];

/// What was answered at each time, and to attempts at the end.
async fn run_scenario(engine: Engine, sweep: Sweep, times: &[(&str, TimeDelta)]) -> Vec<String> {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut objects = Objects::create(&bank).await;
    let payer = balance(&bank, &iban(&bank, JONAS, 0)).await;
    let mut lines = Vec::new();
    for (name, span) in times {
        pass(&bank, sweep, *span).await;
        lines.extend(objects.reads(&bank).await.into_iter().map(|line| format!("{name}: {line}")));
    }
    lines.extend(objects.writes(&bank).await);
    assert_eq!(balance(&bank, &iban(&bank, JONAS, 0)).await, payer, "no money moved and none is held");
    check_ledger(&bank).await;
    lines
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn expiry_of_every_object_is_seen_before_the_sweep(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    for (name, times) in [("expiry_minutes", &A_QUARTER_OF_AN_HOUR[..]), ("expiry_days", &TWO_DAYS[..])] {
        let late = run_scenario(engine, Sweep::Late, times).await;
        insta::assert_snapshot!(name, late.join("\n"));
        let swept = run_scenario(engine, Sweep::InTime, times).await;
        assert_eq!(late, swept, "the sweep changes no response");
    }
}

/// A transfer to another bank that waits for submission; returns its path.
async fn held_payment(bank: &TestBank, tpp: &ApiClient) -> String {
    let away = changed(order(bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let path = initiate(tpp, SEPA, &away).await;
    let steps = format!("{path}/authorisations");
    let own = challenged(bank, tpp, &steps, &mut Transcript::default()).await;
    assert_eq!(code(bank, tpp, &own).await.text("/scaStatus"), "finalised");
    path
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn cancellation_after_its_window_is_refused_before_the_sweep(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    let path = held_payment(&bank, &tpp).await;
    assert_eq!(balance(&bank, &payer).await, (before.0, before.1 + 100));
    assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
    let steps = format!("{path}/cancellation-authorisations");
    let own = challenged(&bank, &tpp, &steps, &mut Transcript::default()).await;
    bank.pass(TimeDelta::minutes(15)).await;
    let late = code(&bank, &tpp, &own).await;
    assert!((400..500).contains(&late.status), "{late:?}");
    assert_eq!(balance(&bank, &payer).await, (before.0, before.1 + 100), "the hold stays");
    bank.app.sweep(bank.app.now()).await.unwrap();
    bank.advance("PT5S").await;
    assert_eq!(balance(&bank, &payer).await, (before.0 - 100, before.1), "it was sent");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn step_of_the_sweep_that_fails_does_not_stop_the_others(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let consent = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    assert_eq!(tpp.post("/v1/consents", &consent).await.status, 201);
    let path = initiate(&tpp, SEPA, &order(&bank, "20.00")).await;
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    // A row that no program has written.
    bank.database.tamper("UPDATE consent SET status = 'unheard of'");
    bank.pass(TimeDelta::days(2)).await;
    assert!(bank.app.sweep(bank.app.now()).await.is_err(), "the operator learns of it");
    let submitted = "SELECT COUNT(*) FROM clearing_transaction";
    assert_eq!(bank.database.number(submitted), 1);
}
