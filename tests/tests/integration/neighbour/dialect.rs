//! The dialect of the Berlin Group with two customers and two third parties: payments that are executed together, at once or
//! later, signing baskets, funds consents, and notifications of a changed status.

use super::{Created, Side, Turns, take_turns};
use crate::http::berlin_group::bulk_payment::{INTERNAL, SEPA, extended, line, status};
use crate::http::berlin_group::instant_payment::{OTHER_BANK_IBAN, PRODUCT, rounds};
use crate::http::berlin_group::pain::{self, Version, message};
use crate::http::berlin_group::signing_basket::{basket, members};
use crate::http::berlin_group::{
    authorise, authorise_embedded, client, consent_order, consented_client, iban, link, path,
};
use crate::http::payment::{psu, text, unissued_iban};
use serde_json::{Value, json};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

const WITHIN: &str = "/v1/payments/internal-transfers";
const BEYOND: &str = "/v1/payments/sepa-credit-transfers";
const STANDING: &str = "/v1/periodic-payments/internal-transfers";

/// A customer, and the third party that acts for the customer.
struct Caller<'a> {
    bank: &'a TestBank,
    side: Side,
    customer: usize,
    tpp: ApiClient,
}

impl<'a> Caller<'a> {
    fn new(bank: &'a TestBank, side: Side) -> Self {
        let customer = side.of(0, 1);
        let certificate = text(&bank.sandbox_file["tpps"][side.of(0, 1)]["certificate"]);
        let tpp = client(bank, customer).with("PSU-IP-Address", "192.0.2.7");
        let tpp = tpp.with("TPP-Explicit-Authorisation-Preferred", "true");
        Self { bank, side, customer, tpp: tpp.with("TPP-QWAC-Certificate", certificate) }
    }

    /// An order to the other customer's account or to another bank, with more fields.
    fn order(&self, product: &str, fields: Value) -> Value {
        let payee =
            if product.contains("internal") { iban(self.bank, self.side.of(1, 0)) } else { OTHER_BANK_IBAN };
        let mut order = json!({
            "debtorAccount": { "iban": iban(self.bank, self.customer) },
            "instructedAmount": { "currency": "EUR", "amount": self.side.of("1.00", "2.00") },
            "creditorAccount": { "iban": payee },
            "creditorName": "Anna Muster",
        });
        for (name, value) in fields.as_object().unwrap() {
            order[name] = value.clone();
        }
        order
    }

    async fn initiated(&self, product: &str, order: &Value) -> ApiResponse {
        let created = self.tpp.post(&path(product), order).await;
        assert_eq!(created.status, 201, "{created:?}");
        created
    }

    async fn authorise(&self, created: &ApiResponse) {
        self.bank.pass(TimeDelta::seconds(31)).await;
        authorise(self.bank, &self.tpp, created, self.customer).await;
    }

    async fn authorised(&self, product: &str, order: &Value) -> ApiResponse {
        let created = self.initiated(product, order).await;
        self.authorise(&created).await;
        created
    }

    /// Cancels an accepted payment with the customer's authorisation.
    async fn cancel(&self, accepted: &ApiResponse) {
        self.bank.pass(TimeDelta::seconds(31)).await;
        let called = self.tpp.delete(&link(self.bank, accepted, "self")).await;
        assert_eq!(called.status, 202, "{called:?}");
        let started = self.tpp.post(&link(self.bank, &called, "startAuthorisation"), &json!({})).await;
        authorise_embedded(self.bank, &self.tpp, &started, self.customer).await;
    }

    async fn status(&self, created: &ApiResponse) -> String {
        status(self.bank, &self.tpp, created).await
    }

    fn path(&self, created: &ApiResponse) -> String {
        link(self.bank, created, "self")
    }

    /// Everything of the other caller is unknown to this one.
    async fn is_refused(&self, created: &Created) {
        let others = created.of_other(self.side);
        assert!(!others.is_empty());
        for path in others {
            for answer in [
                self.tpp.get(&path).await,
                self.tpp.get(&format!("{path}/status")).await,
                self.tpp.get(&format!("{path}/authorisations")).await,
                self.tpp.post(&format!("{path}/authorisations"), &json!({})).await,
                self.tpp.delete(&path).await,
            ] {
                assert!(matches!(answer.status, 403 | 404), "{path}: {answer:?}");
            }
        }
    }

    /// The amounts of the customer's standing orders.
    async fn standing_orders(&self) -> Vec<Value> {
        self.bank.pass(TimeDelta::seconds(31)).await;
        let reader = consented_client(self.bank, self.customer).await;
        let accounts = reader.get(&path("/v1/accounts")).await;
        let list = accounts.body["accounts"].as_array().unwrap().clone();
        let own = list.iter().find(|one| one["iban"] == *iban(self.bank, self.customer)).unwrap();
        let list =
            format!("/v1/accounts/{}/transactions?bookingStatus=information", text(&own["resourceId"]));
        let found = reader.get(&path(&list)).await;
        let orders = found.body["transactions"]["information"].as_array().cloned().unwrap_or_default();
        orders.iter().map(|order| order["transactionAmount"]["amount"].clone()).collect()
    }
}

async fn funded_bank() -> TestBank {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    for customer in [0, 1] {
        bank.book_opening(iban(&bank, customer), 500_000).await;
    }
    bank
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_payments_of_two_customers_are_apart() {
    let bank = funded_bank().await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let caller = Caller::new(bank, scenario.side);
        let other = iban(bank, scenario.side.of(1, 0));
        let within = line(1, other, "Anna Muster", scenario.side.of("1.00", "2.00"));
        let lines = [
            within.clone(),
            line(2, &unissued_iban(bank), "Niemand", "2.00"),
            line(3, OTHER_BANK_IBAN, "REJECT AC04", "3.00"),
            line(4, OTHER_BANK_IBAN, "Anna Muster", "4.00"),
        ];
        let debtor = json!({ "iban": iban(bank, caller.customer) });
        let today = json!({ "debtorAccount": debtor, "payments": lines });
        let mut later = json!({ "debtorAccount": debtor, "payments": [within] });
        later["requestedExecutionDate"] = json!(bank.days_ago(-7));
        let (first, second) = (caller.initiated(SEPA, &today).await, caller.initiated(SEPA, &today).await);
        created.push(scenario.side, caller.path(&first));
        scenario.step("two bulks").await;
        caller.authorise(&first).await;
        scenario.step("the first is authorised").await;
        assert_eq!(caller.tpp.delete(&caller.path(&second)).await.status, 204);
        scenario.step("the second is cancelled").await;
        let waiting = caller.authorised(INTERNAL, &later).await;
        scenario.step("bulk of a later day").await;
        let cancelled = caller.authorised(INTERNAL, &later).await;
        caller.cancel(&cancelled).await;
        scenario.step("another one, cancelled by the customer").await;
        later.as_object_mut().unwrap().remove("requestedExecutionDate");
        let held = caller.authorised(INTERNAL, &later).await;
        let single = caller.authorised(BEYOND, &caller.order(BEYOND, json!({}))).await;
        for one in [&held, &single] {
            assert_eq!(caller.tpp.delete(&caller.path(one)).await.status, 202);
        }
        scenario.step("a bulk and a payment whose cancellation is not authorised yet").await;
        caller.is_refused(created).await;
        scenario.step("asked for the neighbour's").await;
        if scenario.side == Side::First {
            // Once: what was executed is sent to clearing seconds later.
            bank.app.sweep(bank.app.now()).await.unwrap();
        }
        scenario.step("executed").await;
        bank.advance("PT5S").await;
        scenario.step("settled").await;
        let rejected = extended(bank, &caller.tpp, &first).await;
        let rejected = rejected["originalTransactionInformationAndStatus"].as_array().unwrap().clone();
        let ids: Vec<&str> = rejected.iter().map(|line| text(&line["originalEndToEndId"])).collect();
        assert_eq!(ids, ["LINE-2", "LINE-3"]);
        let read = caller.tpp.get(&caller.path(&first)).await;
        assert_eq!(read.body["payments"], today["payments"], "{read:?}");
        let all = [&first, &second, &waiting, &cancelled, &held, &single];
        for (one, expected) in all.iter().zip(["PART", "CANC", "ACTC", "CANC", "ACTC", "ACCP"]) {
            assert_eq!(caller.status(one).await, expected);
        }
        scenario.step("read").await;
        bank.advance("P12D").await;
        scenario.step("after the later day").await;
        assert_eq!(caller.status(&waiting).await, "ACSC");
    })
    .await;
    insta::assert_snapshot!("bulk", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn instant_payments_of_two_customers_are_apart() {
    let bank = funded_bank().await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let caller = Caller::new(bank, scenario.side);
        let mut payments = Vec::new();
        for name in ["Anna Muster", "REJECT AC04", "SILENT"] {
            let order = caller.order(PRODUCT, json!({ "creditorName": name }));
            payments.push(caller.authorised(PRODUCT, &order).await);
            created.push(scenario.side, caller.path(payments.last().unwrap()));
            // The deadline is ten seconds from now, and the scenario may take longer.
            let soon = bank.app.now().plus(TimeDelta::minutes(10)).0;
            bank.database.tamper(&format!(
                "UPDATE instant_submission SET deadline_at = deadline_at + 3600000000 WHERE deadline_at < {soon}"
            ));
            scenario.step(&format!("instant payment to {name}")).await;
        }
        caller.is_refused(created).await;
        scenario.step("asked for the neighbour's").await;
        rounds(bank).await;
        scenario.step("sent").await;
        bank.app.clock_advance(TimeDelta::hours(2)).await.unwrap();
        rounds(bank).await;
        scenario.step("past the deadline").await;
        for (payment, expected) in payments.iter().zip(["ACSC", "RJCT", "RJCT"]) {
            assert_eq!(caller.status(payment).await, expected);
        }
    })
    .await;
    insta::assert_snapshot!("instant", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_of_later_days_of_two_customers_are_apart() {
    let bank = funded_bank().await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let caller = Caller::new(bank, scenario.side);
        let dated = |days: i32| caller.order(WITHIN, json!({ "requestedExecutionDate": bank.days_ago(-days) }));
        let soon = caller.authorised(WITHIN, &dated(2)).await;
        scenario.step("payment of a day").await;
        let late = caller.authorised(WITHIN, &dated(20)).await;
        scenario.step("payment of a later day").await;
        let cancelled = caller.authorised(WITHIN, &dated(2)).await;
        caller.cancel(&cancelled).await;
        scenario.step("payment of a day, cancelled").await;
        let standing = |days: i32| {
            let terms = json!({ "startDate": bank.days_ago(-days), "frequency": "Monthly", "endDate": bank.days_ago(-90) });
            caller.order(STANDING, terms)
        };
        let order = caller.authorised(STANDING, &standing(3)).await;
        scenario.step("standing order").await;
        let next = caller.authorised(STANDING, &standing(25)).await;
        scenario.step("standing order that begins later").await;
        let over = caller.authorised(STANDING, &standing(3)).await;
        caller.cancel(&over).await;
        scenario.step("standing order, cancelled").await;
        for one in [&soon, &order] {
            created.push(scenario.side, caller.path(one));
        }
        assert_eq!(caller.standing_orders().await, vec![scenario.side.of("-1.00", "-2.00"); 2]);
        scenario.step("read").await;
        caller.is_refused(created).await;
        scenario.step("asked for the neighbour's").await;
        // The first caller alone moves the clock, and both read before its next move.
        if scenario.side == Side::First {
            bank.advance("P8D").await;
        }
        for (one, expected) in
            [(&soon, "ACCC"), (&late, "ACTC"), (&cancelled, "CANC"), (&order, "ACTC"), (&next, "ACTC")]
        {
            assert_eq!(caller.status(one).await, expected);
        }
        scenario.step("a week later").await;
        if scenario.side == Side::First {
            bank.advance("P33D").await;
        }
        assert_eq!(caller.status(&late).await, "ACCC");
        scenario.step("a month later").await;
    })
    .await;
    insta::assert_snapshot!("later_day", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_baskets_of_two_customers_are_apart() {
    let bank = funded_bank().await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let caller = Caller::new(bank, scenario.side);
        let order = caller.order(BEYOND, json!({}));
        let access = json!({ "balances": [{ "iban": iban(bank, caller.customer) }] });
        let consent = caller.initiated("/v1/consents", &consent_order(access)).await;
        let mut payments = Vec::new();
        for _ in 0..3 {
            payments.push(caller.initiated(BEYOND, &order).await);
        }
        scenario.step("a consent and three payments").await;
        let notified = caller.tpp.clone().with("TPP-Notification-URI", "http://127.0.0.1:9091/hook");
        let body = members(&[&payments[0]], &[&consent]);
        let signed = basket(&notified, &body).await;
        created.push(scenario.side, caller.path(&signed));
        scenario.step("basket of a payment and the consent").await;
        let deleted = basket(&caller.tpp, &members(&[&payments[1], &payments[2]], &[])).await;
        scenario.step("basket of two payments").await;
        let read = caller.tpp.get(&caller.path(&signed)).await;
        let expected =
            json!({ "payments": body["paymentIds"], "consents": body["consentIds"], "transactionStatus": "RCVD" });
        assert_eq!(read.body, expected);
        caller.is_refused(created).await;
        scenario.step("asked for the neighbour's").await;
        caller.authorise(&signed).await;
        scenario.step("signed").await;
        assert_eq!(caller.tpp.delete(&caller.path(&deleted)).await.status, 204);
        scenario.step("deleted").await;
        let left = basket(&caller.tpp, &members(&[&payments[1]], &[])).await;
        scenario.step("basket of one of its payments").await;
        caller.authorise(&payments[1]).await;
        scenario.step("the payment is authorised alone").await;
        let expired = basket(&caller.tpp, &members(&[&payments[2]], &[])).await;
        scenario.step("basket that is not signed").await;
        let login = text(&psu(bank, caller.customer)["psu_id"]);
        let exported = bank.app.psu_export(login).await.unwrap().signing_baskets;
        assert_eq!(exported.len(), 4, "{exported:?}");
        bank.advance("P1DT1M").await;
        scenario.step("a day later").await;
        for (one, expected) in [(&signed, "ACTC"), (&deleted, "CANC"), (&left, "RJCT"), (&expired, "RJCT")] {
            assert_eq!(caller.status(one).await, expected);
        }
    })
    .await;
    insta::assert_snapshot!("signing_basket", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn funds_consents_and_messages_of_two_customers_are_apart() {
    let bank = funded_bank().await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let caller = Caller::new(bank, scenario.side);
        let (own, other) = (iban(bank, caller.customer), iban(bank, scenario.side.of(1, 0)));
        let order = json!({ "account": { "iban": own }, "cardExpiryDate": "2040-12-31" });
        let kind = "/v2/consents/confirmation-of-funds";
        let (valid, open) = (caller.initiated(kind, &order).await, caller.initiated(kind, &order).await);
        created.push(scenario.side, caller.path(&valid));
        scenario.step("two funds consents").await;
        caller.authorise(&valid).await;
        scenario.step("one of them is authorised").await;
        let named = caller.tpp.clone().with("Consent-ID", valid.text("/consentId"));
        let ask = async |client: &ApiClient, iban: &str| {
            let question = json!({
                "account": { "iban": iban }, "instructedAmount": { "currency": "EUR", "amount": "1.00" },
            });
            client.post(&path("/v1/funds-confirmations"), &question).await.status
        };
        let answers = [
            ask(&caller.tpp, own).await,
            ask(&named, own).await,
            ask(&caller.tpp, other).await,
            ask(&named, other).await,
        ];
        assert_eq!(
            (&answers[..2], answers[2..].iter().all(|status| *status >= 400)),
            (&[200, 200][..], true)
        );
        caller.is_refused(created).await;
        scenario.step("funds confirmed").await;
        assert_eq!(caller.tpp.delete(&caller.path(&valid)).await.status, 204);
        assert!(ask(&caller.tpp, own).await >= 400, "the other consent is not authorised");
        scenario.step("revoked").await;
        let notified = caller.tpp.clone().with("TPP-Notification-URI", "http://127.0.0.1:9091/hook");
        let mut subscribed = Vec::new();
        for _ in 0..2 {
            let access = json!({ "balances": [{ "iban": own }] });
            subscribed.push(notified.post(&path("/v1/consents"), &consent_order(access)).await);
            subscribed.push(notified.post(&path(BEYOND), &caller.order(BEYOND, json!({}))).await);
        }
        scenario.step("consents and payments with a subscription").await;
        caller.authorise(&subscribed[0]).await;
        scenario.step("notified of a consent").await;
        caller.authorise(&subscribed[1]).await;
        scenario.step("notified of a payment").await;
        let mut messages = Vec::new();
        for amount in scenario.side.of(["1.00", "2.00"], ["3.00", "4.00"]) {
            let sent = message(bank, Version::V09, &[(OTHER_BANK_IBAN, "Anna Muster", amount)]);
            let sent = sent.replace(iban(bank, 0), own);
            let initiated = pain::send(&caller.tpp, pain::SINGLE, &sent).await;
            created.push(scenario.side, caller.path(&initiated));
            messages.push((caller.path(&initiated), sent));
        }
        scenario.step("messages").await;
        let xml = caller.tpp.clone().with("Accept", "application/xml");
        for (path, sent) in messages {
            assert_eq!(xml.get(&path).await.body, Value::String(sent));
        }
        caller.is_refused(created).await;
        scenario.step("messages read").await;
        bank.advance("P1DT1M").await;
        scenario.step("a day later").await;
        assert_eq!(caller.tpp.get(&link(bank, &open, "status")).await.text("/consentStatus"), "rejected");
    })
    .await;
    insta::assert_snapshot!("funds_consent", changes);
}
