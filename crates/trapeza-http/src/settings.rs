//! What the edge is told by the configuration.

use std::num::NonZeroU32;
use std::time::Duration;
use trapeza_domain::basket::PublicBasketId;

/// How a third party proves that a certificate is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateMode {
    /// It does not: the header is believed. A certificate is public, so this is for the sandbox.
    Header,
    /// By the TLS connection.
    Mtls,
}

#[derive(Clone, Debug)]
pub struct Settings {
    /// How links that leave the bank begin: `https://api.bank.example`.
    pub public_url: String,
    pub certificates: CertificateMode,
    /// The sandbox's routes exist.
    pub sandbox: bool,
    pub body_bytes: usize,
    pub basket_body_bytes: usize,
    pub json_depth: usize,
    /// From the head of a request to its answer.
    pub request_timeout: Duration,
    /// None: no limits, for measurements.
    pub rates: Option<Rates>,
}

impl Settings {
    /// The page on which a shopper decides on a basket.
    pub fn checkout_url(&self, basket: PublicBasketId) -> String {
        checkout_url(&self.public_url, basket)
    }
}

/// The same under a given public URL.
pub fn checkout_url(public_url: &str, basket: PublicBasketId) -> String {
    [public_url.trim_end_matches('/'), "/checkout/", &basket.to_string()].concat()
}

/// How often one may call.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    pub per_second: NonZeroU32,
    pub burst: NonZeroU32,
    pub failures_per_minute: NonZeroU32,
}
