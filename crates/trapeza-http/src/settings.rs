//! Settings of the HTTP server, from the configuration.

use crate::proxy::TrustedProxies;
use crate::signature::SignatureSettings;
use std::num::NonZeroU32;
use std::time::Duration;
use trapeza_domain::basket::PublicBasketId;
use trapeza_domain::time::TimeDelta;

/// How a third party proves possession of its certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateMode {
    /// It does not: the certificate in the header is trusted. Certificates are public, so this is for the sandbox only.
    Header,
    /// By mutual TLS.
    Mtls,
    /// By mutual TLS with a trusted proxy, which sends the certificate in `Client-Cert`.
    Proxy,
}

#[derive(Clone, Debug)]
pub struct Settings {
    /// The base of absolute links: `https://api.bank.example`.
    pub public_url: String,
    pub certificates: CertificateMode,
    /// Used with [`CertificateMode::Proxy`].
    pub trusted_proxies: TrustedProxies,
    /// Signed requests of third parties, and signed responses.
    pub signature: SignatureSettings,
    /// Enables the routes of the sandbox.
    pub sandbox: bool,
    pub body_bytes: usize,
    pub basket_body_bytes: usize,
    pub json_depth: usize,
    /// From the header of a request to its response.
    pub request_timeout: Duration,
    /// `None` disables rate limits, for benchmarks.
    pub rate_limits: Option<RateLimitSettings>,
    /// The dialect of the Berlin Group; `None` where it is not offered.
    pub berlin_group: Option<BerlinGroupSettings>,
    /// How long the requests of applications are stored for their developers; `None` when they are not.
    pub request_log: Option<TimeDelta>,
}

/// The dialect of the Berlin Group.
#[derive(Clone, Debug)]
pub struct BerlinGroupSettings {
    /// The path before `/v1` and `/v2`, such as `/berlin-group`.
    pub base: String,
    pub links: LinkForm,
    /// Of statements as XML.
    pub camt: CamtVersion,
    /// The third party of requests without a certificate, in a sandbox: the id of its application or its organizationIdentifier.
    pub sandbox_application: Option<String>,
}

/// The version of camt messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CamtVersion {
    /// 001.02, of 2009.
    V02,
    /// 001.08, of 2019.
    V08,
}

impl CamtVersion {
    /// What follows the name of a message.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::V02 => "001.02",
            Self::V08 => "001.08",
        }
    }
}

/// How the links of the Berlin Group's dialect are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkForm {
    /// With the public URL.
    Absolute,
    /// The path alone.
    Relative,
}

impl BerlinGroupSettings {
    /// The start of every link to an operation.
    pub fn link_base(&self, public_url: &str) -> String {
        match self.links {
            LinkForm::Absolute => [public_url.trim_end_matches('/'), &self.base].concat(),
            LinkForm::Relative => self.base.clone(),
        }
    }

    /// The path of an operation, where the request has it with slashes that are too many: a client may add one to the base or to the
    /// path.
    pub fn without_extra_slashes(&self, path: &str) -> Option<String> {
        if !self.covers(path) || !(path.ends_with('/') || path.contains("//")) {
            return None;
        }
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        Some(["/", &segments.join("/")].concat())
    }

    /// Whether a path belongs to the dialect.
    pub fn covers(&self, path: &str) -> bool {
        path.strip_prefix(self.base.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
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

/// Limits on requests of one application and on failed authentications from one address.
#[derive(Clone, Copy, Debug)]
pub struct RateLimitSettings {
    pub per_second: NonZeroU32,
    pub burst: NonZeroU32,
    pub failures_per_minute: NonZeroU32,
}
