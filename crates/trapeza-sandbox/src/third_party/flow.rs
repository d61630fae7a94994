//! The calls of the sample third party, in the order in which the documentation describes them.

use super::walkthrough::{Account, Customer, Purpose, Stage, Walkthrough};
use super::{RETURN_PATH, ThirdParty};
use crate::bank_client::{Call, Exchange, request_id};
use serde_json::{Value, json};

/// An address of the documentation's range: the sample does not pass on the visitor's.
const CUSTOMER_ADDRESS: &str = "192.0.2.1";
/// The status names of a consent by their numbers.
const CONSENT_STATUSES: [&str; 6] =
    ["received", "rejected", "valid", "revokedByPsu", "expired", "terminatedByTpp"];
/// The number of the status `failed` of an authorisation.
const SCA_FAILED: u64 = 6;
/// The accounts whose balances are read.
const ACCOUNTS_SHOWN: usize = 5;

impl ThirdParty {
    /// The customers of the sandbox. A real third party asks the customer for the user name.
    pub async fn customers(&self) -> Vec<Customer> {
        Customer::list(&self.client.send(Call::get("/sandbox/customers")).await.value)
    }

    /// Creates the consent or payment and starts its authorisation.
    pub async fn begin(&self, walkthrough: &mut Walkthrough, public_url: &str) {
        let customers = self.customers().await;
        let found = |psu_id: &str| customers.iter().find(|customer| customer.psu_id == psu_id).cloned();
        let (Some(customer), Some(payee)) =
            (found(&walkthrough.customer.psu_id), found(&walkthrough.payee.psu_id))
        else {
            walkthrough.error = Some("Choose a customer and a payee from the lists.".to_owned());
            return;
        };
        (walkthrough.customer, walkthrough.payee) = (customer, payee);
        let created = if walkthrough.is_consent() {
            self.consent(walkthrough).await
        } else {
            self.payment(walkthrough).await
        };
        if !created.is_success() {
            return self.refused(walkthrough, &created);
        }
        walkthrough.object = match walkthrough.is_consent() {
            true => format!("/v1/consents/{}", created.text("/consentId")),
            false => format!("/v1/payments/internal-transfers/{}", created.text("/paymentId")),
        };
        let started = self.authorise(walkthrough, public_url).await;
        if !started.is_success() {
            return self.refused(walkthrough, &started);
        }
        walkthrough.authorisation =
            format!("{}/authorisations/{}", walkthrough.object, started.text("/authorisationId"));
        self.proceed(walkthrough, &started).await;
    }

    async fn consent(&self, walkthrough: &mut Walkthrough) -> Exchange {
        let order = json!({
            "access": { "allPsd2": "allAccounts" },
            "recurringIndicator": true,
            "validUntil": "2099-12-31",
            "frequencyPerDay": 4,
        });
        let call = Call::post("/v1/consents", order).header("PSU_ID", &walkthrough.customer.psu_id);
        self.send(walkthrough, call).await
    }

    async fn payment(&self, walkthrough: &mut Walkthrough) -> Exchange {
        let order = json!({
            "debtorAccount": { "iban": walkthrough.customer.iban },
            "instructedAmount": { "currency": "EUR", "Amount": walkthrough.amount },
            "creditorAccount": { "iban": walkthrough.payee.iban },
            "creditorName": walkthrough.payee.name,
            "remittanceInformationUnstructured": "Sample payment",
        });
        let call = Call::post("/v1/payments/internal-transfers", order);
        let call =
            call.header("PSU_ID", &walkthrough.customer.psu_id).header("pSUIPAddress", CUSTOMER_ADDRESS);
        self.send(walkthrough, call).await
    }

    /// Starts the authorisation by the approach of the walkthrough.
    async fn authorise(&self, walkthrough: &mut Walkthrough, public_url: &str) -> Exchange {
        let path = format!("{}/authorisations", walkthrough.object);
        let start = Call::post(&path, json!({})).header("PSU_ID", &walkthrough.customer.psu_id);
        match walkthrough.purpose {
            Purpose::EmbeddedPayment => self.send(walkthrough, start).await,
            Purpose::DecoupledPayment => {
                self.send(walkthrough, start.header("TPP-Decoupled-Preferred", "true")).await
            }
            Purpose::Consent | Purpose::RedirectPayment => {
                let uri =
                    format!("{}{RETURN_PATH}?state={}", public_url.trim_end_matches('/'), walkthrough.id);
                let _registration = self.registration.lock().await;
                let registered = self.register(walkthrough, &uri).await;
                if !registered.is_success() {
                    return registered;
                }
                let start = start.header("TPP-Redirect-Preferred", "true").header("TPP-Redirect-URI", &uri);
                self.send(walkthrough, start.header("TPP-Nok-Redirect-URI", &uri)).await
            }
        }
    }

    /// Registers the redirect URI, which the bank compares as a string.
    async fn register(&self, walkthrough: &mut Walkthrough, uri: &str) -> Exchange {
        let path = format!("/sandbox/applications/{}", self.credentials.client_id);
        self.send(walkthrough, Call::patch(&path, json!({ "redirectURIs": [uri] }))).await
    }

    pub async fn password(&self, walkthrough: &mut Walkthrough, password: &str) {
        self.step(walkthrough, json!({ "psuData": { "password": password } })).await;
    }

    pub async fn method(&self, walkthrough: &mut Walkthrough, method: &str) {
        self.step(walkthrough, json!({ "authenticationMethodId": method })).await;
    }

    pub async fn code(&self, walkthrough: &mut Walkthrough, code: &str) {
        self.step(walkthrough, json!({ "scaAuthenticationData": code })).await;
    }

    /// A step of the embedded approach. After a refusal the status says whether the authorisation has ended.
    async fn step(&self, walkthrough: &mut Walkthrough, body: Value) {
        let call = Call::put(&walkthrough.authorisation, body);
        let stepped = self.send(walkthrough, call).await;
        if stepped.is_success() {
            self.proceed(walkthrough, &stepped).await;
        } else {
            self.refused(walkthrough, &stepped);
            self.check(walkthrough).await;
        }
    }

    /// The next stage, as the response to a start or step of the authorisation says.
    async fn proceed(&self, walkthrough: &mut Walkthrough, response: &Exchange) {
        let link = response.text("/_links/scaRedirect/href");
        let has_link = |name: &str| response.value["_links"].get(name).is_some();
        let number = response.text("/challengeData/data/0");
        walkthrough.stage = match response.text("/scaStatus") {
            "finalised" | "exempted" | "failed" => return self.check(walkthrough).await,
            _ if matches!(walkthrough.purpose, Purpose::Consent | Purpose::RedirectPayment) => {
                Stage::BankPage { link: link.to_owned() }
            }
            _ if has_link("authoriseTransaction") => {
                let message = response.text("/psuMessage");
                let message =
                    if number.is_empty() { message.to_owned() } else { format!("{message} ({number})") };
                Stage::Code { message }
            }
            "psuAuthenticated" => Stage::Method { methods: methods(&response.value) },
            _ if !number.is_empty() => Stage::BankApp { number: number.to_owned() },
            _ => Stage::Password,
        };
    }

    /// Asks the bank how far the authorisation is, and what has become of the consent or payment.
    pub async fn check(&self, walkthrough: &mut Walkthrough) {
        if walkthrough.object.is_empty() {
            return;
        }
        let authorisation = self.send(walkthrough, Call::get(&walkthrough.authorisation.clone())).await;
        let has_failed = authorisation.value["scaStatus"].as_u64() == Some(SCA_FAILED);
        let path = if walkthrough.is_consent() {
            format!("{}/status", walkthrough.object)
        } else {
            walkthrough.object.clone()
        };
        let object = self.send(walkthrough, Call::get(&path)).await;
        if !object.is_success() {
            return self.refused(walkthrough, &object);
        }
        if walkthrough.is_consent() {
            let number =
                object.value["consentStatus"].as_u64().and_then(|number| usize::try_from(number).ok());
            walkthrough.status =
                number.and_then(|number| CONSENT_STATUSES.get(number)).unwrap_or(&"").to_string();
        } else {
            walkthrough.status = object.text("/transactionStatus").to_owned();
            walkthrough.reason = object.text("/tppMessages/0/text").to_owned();
        }
        if has_failed || !matches!(walkthrough.status.as_str(), "received" | "RCVD") {
            walkthrough.stage = Stage::Done;
        }
    }

    /// Reads the accounts of the consent with their balances, and the transactions of the first one.
    pub async fn read_accounts(&self, walkthrough: &mut Walkthrough) {
        let list = self.read(walkthrough, "/v1/accounts").await;
        if !list.is_success() {
            return self.refused(walkthrough, &list);
        }
        walkthrough.accounts = accounts(&list.value);
        for number in 0..walkthrough.accounts.len().min(ACCOUNTS_SHOWN) {
            let path = format!("{}/balances", walkthrough.accounts[number].path);
            let balances = self.read(walkthrough, &path).await;
            walkthrough.accounts[number].balance = amount(&balances.value["balances"][0]["balanceAmount"]);
        }
        let Some(first) = walkthrough.accounts.first().map(|account| account.path.clone()) else { return };
        let now = self.client.send(Call::get("/sandbox/clock")).await;
        let from = month_before(now.text("/now"));
        let path = format!("{first}/transactions?dateFrom={from}&limit=10");
        let transactions = self.read(walkthrough, &path).await;
        if !transactions.is_success() {
            return self.refused(walkthrough, &transactions);
        }
        walkthrough.transactions = booked(&transactions.value);
    }

    pub async fn delete_consent(&self, walkthrough: &mut Walkthrough) {
        let deleted = self.send(walkthrough, Call::delete(&walkthrough.object.clone())).await;
        if !deleted.is_success() {
            self.refused(walkthrough, &deleted);
        }
        (walkthrough.accounts, walkthrough.transactions) = (Vec::new(), Vec::new());
        self.check(walkthrough).await;
    }

    /// A read under the consent, in the customer's presence.
    async fn read(&self, walkthrough: &mut Walkthrough, path: &str) -> Exchange {
        let consent = walkthrough.object.rsplit('/').next().unwrap_or_default().to_owned();
        let call = Call::get(path).header("consentID", &consent).header("pSUIPAddress", CUSTOMER_ADDRESS);
        self.send(walkthrough, call).await
    }

    /// Sends a call with the headers of the application, and records it.
    async fn send(&self, walkthrough: &mut Walkthrough, call: Call) -> Exchange {
        let call = call
            .header("Ocp-Apim-Subscription-Key", &self.credentials.subscription_key)
            .header("ClientId", &self.credentials.client_id)
            .header("x-Request-ID", &request_id())
            .header("Certificate", &self.credentials.certificate);
        let exchange = self.client.send(call).await;
        walkthrough.record(&exchange);
        exchange
    }

    fn refused(&self, walkthrough: &mut Walkthrough, exchange: &Exchange) {
        walkthrough.error = Some(exchange.problem());
    }
}

fn methods(response: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let method = |entry: &Value| (text(&entry["authenticationMethodId"]), text(&entry["name"]));
    response["scaMethods"].as_array().into_iter().flatten().map(method).collect()
}

fn accounts(response: &Value) -> Vec<Account> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let account = |entry: &Value| Account {
        path: text(&entry["_links"]["account"]["href"]),
        name: text(&entry["name"]),
        iban: text(&entry["iban"]),
        balance: String::new(),
    };
    response["accounts"].as_array().into_iter().flatten().map(account).collect()
}

/// Date, other party and amount of each booked transaction.
fn booked(response: &Value) -> Vec<Vec<String>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |entry: &Value| {
        let sum = amount(&entry["transactionAmount"]);
        let party = if sum.starts_with('-') { &entry["creditorName"] } else { &entry["debtorName"] };
        vec![text(&entry["bookingDate"]), text(party), sum]
    };
    response["transactions"]["booked"].as_array().into_iter().flatten().map(row).collect()
}

fn amount(value: &Value) -> String {
    let text = |field: &str| value[field].as_str().unwrap_or_default();
    format!("{} {}", text("Amount"), text("currency")).trim().to_owned()
}

/// The first day of the month before a time: `2026-10-01` for `2026-11-15T09:30:00Z`.
fn month_before(now: &str) -> String {
    let mut parts = now.split('-').map(|part| part.parse().unwrap_or(1_u32));
    let (year, month) = (parts.next().unwrap_or(2026), parts.next().unwrap_or(1));
    if month > 1 { format!("{year:04}-{:02}-01", month - 1) } else { format!("{:04}-12-01", year - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_before_january_is_december() {
        assert_eq!(month_before("2026-11-15T09:30:00Z"), "2026-10-01");
        assert_eq!(month_before("2026-01-15T09:30:00Z"), "2025-12-01");
    }
}
