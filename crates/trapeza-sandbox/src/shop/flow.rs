//! The calls of the sample shop, in the order in which the documentation describes them.

use super::{CALLBACK_PATH, PRODUCTS, RETURN_PATH, Shop, Walkthrough};
use crate::bank_client::{Call, Exchange, request_id};
use serde_json::{Value, json};

/// Maximum number of pieces of one product.
const MAX_QUANTITY: u32 = 9;

impl Shop {
    /// Sets the shop's addresses and creates the basket.
    pub(super) async fn begin(&self, walkthrough: &mut Walkthrough, public_url: &str) {
        if walkthrough.quantities.iter().any(|quantity| *quantity > MAX_QUANTITY)
            || walkthrough.total_cents() == 0
        {
            let text = format!("Choose at least one product, and at most {MAX_QUANTITY} of each.");
            walkthrough.errors = vec![(String::new(), text)];
            return;
        }
        let back = format!("{}{RETURN_PATH}", public_url.trim_end_matches('/'));
        let mut addresses = json!({ "successRedirectURI": back, "failureRedirectURI": back });
        if self.client.address().ip().is_loopback() {
            let callback = format!("http://{}{CALLBACK_PATH}", self.client.address());
            addresses["successCallbackUrl"] = json!(callback);
            addresses["failCallbackUrl"] = json!(callback);
        }
        let path = format!("/sandbox/applications/{}", self.credentials.application_id);
        let changed = self.send(walkthrough, Call::patch(&path, addresses)).await;
        if !changed.is_success() {
            walkthrough.errors = changed.errors();
            return;
        }
        self.send(walkthrough, Call::get("/configuration")).await;
        let order = order(walkthrough, &format!("{back}?state={}", walkthrough.id));
        let created = self.send(walkthrough, Call::post("/createbasket", order)).await;
        if !created.is_success() {
            walkthrough.errors = created.errors();
            return;
        }
        walkthrough.basket = created.text("/publicBasketId").to_owned();
        walkthrough.checkout_url = created.text("/redirectUrl").to_owned();
    }

    /// Asks the bank what has become of the basket.
    pub(super) async fn check(&self, walkthrough: &mut Walkthrough) {
        if walkthrough.basket.is_empty() {
            return;
        }
        let loan =
            self.send(walkthrough, Call::get(&format!("/loans/bnpl?basketId={}", walkthrough.basket))).await;
        let found = |name: &str| printed(&loan.value["data"]["payLaterInformation"][name]);
        // Before the shopper has opened the checkout there is no loan: 404.
        walkthrough.loan_status = found("status");
        (walkthrough.approved_amount, walkthrough.refunded_amount) =
            (found("approvedLoanAmount"), found("refundedAmount"));
        if walkthrough.loan_status == "approved" {
            let basket = self
                .send(walkthrough, Call::get(&format!("/basket/id?basketId={}", walkthrough.basket)))
                .await;
            walkthrough.installments = installments(&basket.value);
        }
    }

    /// Refunds an amount of the loan.
    pub(super) async fn refund(&self, walkthrough: &mut Walkthrough, amount: &str) {
        let Some(number) = number(amount) else {
            walkthrough.errors = vec![("amount".to_owned(), "must be an amount such as 20.30".to_owned())];
            return;
        };
        let body = json!({
            "basketId": walkthrough.basket,
            "requestId": request_id(),
            "amount": number,
            "reason": "sample refund",
        });
        let refunded = self.send(walkthrough, Call::post("/loans/bnpl/refund", body)).await;
        if !refunded.is_success() {
            walkthrough.errors = refunded.errors();
            return;
        }
        self.check(walkthrough).await;
    }

    /// Refunds the rest of the loan, or ends a basket that is not decided yet.
    pub(super) async fn void(&self, walkthrough: &mut Walkthrough) {
        let body = json!({ "basketId": walkthrough.basket, "requestId": request_id() });
        let voided = self.send(walkthrough, Call::post("/basket/void", body)).await;
        if !voided.is_success() {
            walkthrough.errors = voided.errors();
            return;
        }
        self.check(walkthrough).await;
    }

    /// Sends a call with the headers of the application, and records it.
    async fn send(&self, walkthrough: &mut Walkthrough, call: Call) -> Exchange {
        let call = call
            .header("Ocp-Apim-Subscription-Key", &self.credentials.subscription_key)
            .header("X-Application-ID", &self.credentials.application_id);
        let exchange = self.client.send(call).await;
        walkthrough.record(&exchange);
        exchange
    }
}

fn order(walkthrough: &Walkthrough, back: &str) -> Value {
    let chosen = walkthrough.quantities.iter().zip(PRODUCTS).filter(|(quantity, _)| **quantity > 0);
    let products = chosen.map(|(quantity, (_, name, price))| {
        json!({
            "name": name,
            "quantity": quantity,
            "Unit Price": cents(price),
            "Total Amount": cents(price * quantity),
        })
    });
    json!({
        "basketValue": cents(walkthrough.total_cents()),
        "requestId": request_id(),
        "orderIdentifier": order_identifier(walkthrough),
        "basketProducts": products.collect::<Value>(),
        "successRedirectURI": back,
        "failureRedirectURI": back,
    })
}

/// The shop's own name of the order.
pub(super) fn order_identifier(walkthrough: &Walkthrough) -> String {
    format!("sample-{}", walkthrough.id.get(..8).unwrap_or_default())
}

/// An amount in cents as text: `45.00`.
pub(super) fn format_cents(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// An amount in cents as a JSON number.
fn cents(amount: u32) -> Value {
    number(&format_cents(amount)).unwrap_or(Value::Null)
}

/// A JSON number of digits with an optional fraction.
fn number(text: &str) -> Option<Value> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits =
        |part: &str| !part.is_empty() && part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// A number or text of a response; empty when it is absent.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Due date and amount of each installment.
fn installments(response: &Value) -> Vec<Vec<String>> {
    let day = |value: &Value| printed(value).chars().take("2026-11-15".len()).collect();
    let row = |entry: &Value| vec![day(&entry["originalDueDate"]), printed(&entry["paymentAmount"])];
    response["monthlyInstallments"].as_array().into_iter().flatten().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_takes_decimals_only() {
        for good in ["20", "20.3", "0.50", "450.00"] {
            assert!(number(good).is_some(), "{good}");
        }
        for bad in ["", "-1", "1e3", "1,5", ".5", "5.", "007", "<b>", "12345678901"] {
            assert!(number(bad).is_none(), "{bad}");
        }
        assert_eq!(cents(4_505).to_string(), "45.05");
    }
}
