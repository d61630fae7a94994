//! A minimal client of the API: one request per connection, and the steps to a valid consent.

use crate::process::Outcome;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};

/// Sends requests with the same headers and a new `x-Request-ID` each.
pub struct Client {
    address: String,
    pub headers: Vec<(String, String)>,
    calls: Cell<u64>,
    /// The first part of its request ids.
    series: u32,
}

/// Lower numbers are left for ids that are generated elsewhere.
static SERIES: AtomicU32 = AtomicU32::new(0x1000_0000);

/// A response. Header names are in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Client {
    /// The first third party of `sandbox.json`, on behalf of a customer.
    pub fn new(address: &str, credentials: &Value, psu: &Value) -> Self {
        let tpp = &credentials["tpps"][0];
        let headers = [
            ("Ocp-Apim-Subscription-Key", &tpp["subscription_key"]),
            ("ClientId", &tpp["client_id"]),
            ("Certificate", &tpp["certificate"]),
            ("PSU_ID", &psu["psu_id"]),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), text(value).to_owned()));
        Self { address: address.to_owned(), headers: headers.to_vec(), calls: Cell::new(0), series: 0 }
    }

    /// The first merchant of `sandbox.json`.
    pub fn merchant(address: &str, credentials: &Value) -> Self {
        let merchant = &credentials["merchants"][0];
        let headers = [
            ("Ocp-Apim-Subscription-Key", &merchant["subscription_key"]),
            ("X-Application-ID", &merchant["application_id"]),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), text(value).to_owned()));
        Self { address: address.to_owned(), headers: headers.to_vec(), calls: Cell::new(0), series: 0 }
    }

    /// The same third party in the other dialect, for a customer who is there.
    pub fn in_berlin_group(&self) -> Self {
        let certificate = self.headers.iter().filter(|(name, _)| name == "Certificate").cloned();
        let added = [("PSU-IP-Address", "192.0.2.1"), ("Accept", "application/json")];
        let added = added.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut client = self.another();
        client.headers = certificate.chain(added).collect();
        client
    }

    /// The same client for another server.
    pub fn at(&self, address: &str) -> Self {
        let (headers, calls, series) = (self.headers.clone(), self.calls.clone(), self.series);
        Self { address: address.to_owned(), headers, calls, series }
    }

    /// The same client with request ids of its own.
    pub fn another(&self) -> Self {
        let series = SERIES.fetch_add(1, Ordering::Relaxed);
        Self { address: self.address.clone(), headers: self.headers.clone(), calls: Cell::new(0), series }
    }

    /// Adds a header to all later requests.
    pub fn add(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    pub fn get(&self, path: &str) -> Outcome<Response> {
        self.call("GET", path, None)
    }

    /// Sends a request, which must succeed.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Outcome<Response> {
        self.calls.set(self.calls.get() + 1);
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        let (series, number) = (self.series, self.calls.get());
        request += &format!("x-Request-ID: {series:08x}-0000-4000-8000-{number:012}\r\n");
        for (name, value) in &self.headers {
            request += &format!("{name}: {value}\r\n");
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        request += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let text = exchange(&self.address, &request).map_err(|e| format!("{method} {path}: {e}"))?;
        let response =
            Response::parse(&text).ok_or(format!("{method} {path}: not an HTTP response: {text:?}"))?;
        match response.status {
            200..=299 => Ok(response),
            status => Err(format!("{method} {path}: {status} {}", response.body)),
        }
    }

    /// Creates a consent to all accounts and authorises it by the embedded approach: password, method, OTP.
    pub fn consent(&self, psu: &Value, otp: &Value) -> Outcome<String> {
        let body = json!({
            "access": { "allPsd2": "allAccounts" },
            "recurringIndicator": true,
            "validUntil": "2099-12-31",
            "frequencyPerDay": 4,
        });
        let consent = self.call("POST", "/v1/consents", Some(&body))?.json()?;
        let path = format!("/v1/consents/{}", text(&consent["consentId"]));
        let started = self.call("POST", &format!("{path}/authorisations"), Some(&json!({})))?.json()?;
        let authorisation = format!("{path}/authorisations/{}", text(&started["authorisationId"]));
        let step = |body: Value| self.call("PUT", &authorisation, Some(&body))?.json();
        let mut response = step(json!({ "psuData": { "password": psu["password"] } }))?;
        // A customer with one method need not choose.
        if response["scaStatus"] == "psuAuthenticated" {
            let method = &response["scaMethods"][0]["authenticationMethodId"];
            response = step(json!({ "authenticationMethodId": method }))?;
        }
        if response["scaStatus"] == "scaMethodSelected" {
            response = step(json!({ "scaAuthenticationData": otp }))?;
        }
        match text(&response["scaStatus"]) {
            "finalised" => Ok(text(&consent["consentId"]).to_owned()),
            _ => Err(format!("the consent was not authorised: {response}")),
        }
    }
}

impl Response {
    pub fn parse(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Some(Self { status, headers, body: body.to_owned() })
    }

    pub fn json(&self) -> Outcome<Value> {
        serde_json::from_str(&self.body).map_err(|e| format!("{:?}: {e}", self.body))
    }
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn exchange(address: &str, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(request.as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_is_parsed() {
        let response =
            Response::parse("HTTP/1.1 201 Created\r\nX-A: b: c\r\ndate: now\r\n\r\n{\"a\":1}").unwrap();
        assert_eq!(response.status, 201);
        assert_eq!(response.headers[0], ("x-a".to_owned(), "b: c".to_owned()));
        assert_eq!(response.json().unwrap()["a"], 1);
        assert_eq!(Response::parse("no HTTP"), None);
    }
}
