//! URLs that callers give: redirect URIs and callback endpoints. Their form is validated when they are set and before
//! each use; the address behind a host name is checked by the courier when it connects.

use std::net::IpAddr;
use trapeza_domain::egress::EgressPolicy;
use url::{Host, Url};

/// A URL to which a customer may be redirected.
pub fn parse(text: &str, egress_policy: EgressPolicy) -> Result<Url, &'static str> {
    // The URL is stored as it was sent. The parser ignores such characters, but a database may not.
    if text.trim() != text || text.chars().any(char::is_control) {
        return Err("an address has no control characters and no space around it");
    }
    let url = Url::parse(text).map_err(|_| "not an absolute URL")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https addresses are called");
    }
    if text.len() > 2048 || !url.username().is_empty() || url.password().is_some() {
        return Err("an address has at most 2048 characters and no user or password");
    }
    let literal = match url.host() {
        None => return Err("the address names no host"),
        Some(Host::Domain(_)) => return Ok(url),
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
    };
    if egress_policy.allows(literal) { Ok(url) } else { Err("private addresses are never called") }
}

/// A callback endpoint. The bank connects to it, so the rules are stricter: TLS outside of the sandbox, and no port
/// of another service.
pub fn parse_callback(text: &str, egress_policy: EgressPolicy) -> Result<Url, &'static str> {
    let url = parse(text, egress_policy)?;
    if egress_policy == EgressPolicy::Public && url.scheme() != "https" {
        return Err("callbacks go to https addresses only");
    }
    match url.port_or_known_default() {
        Some(443 | 1024..) => Ok(url),
        Some(80) if url.scheme() == "http" => Ok(url),
        _ => Err("callbacks go to port 443 (80 for http) or one from 1024 on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Option<&'static str> {
        parse(text, EgressPolicy::PublicOrLoopback).err()
    }

    #[test]
    fn public_and_loopback_urls_are_accepted_private_ones_rejected() {
        for good in
            ["https://shop.example/hook", "http://127.0.0.1:9/x", "http://[::1]/", "http://localhost:1/"]
        {
            assert_eq!(error(good), None, "{good}");
        }
        for bad in [
            "ftp://shop.example/",
            "shop.example/hook",
            "https://shop.example/a\0b",
            "https://shop.example/a\nb",
            " https://shop.example/",
            "",
            "javascript:alert(1)",
            "http://10.0.0.1/",
            "http://0xA000001/",
            "http://192.168.1.1/",
            "http://169.254.169.254/latest",
            "http://0.0.0.0/",
            "http://[::ffff:10.0.0.1]/",
            "http://[fd00::1]/",
            "http://[64:ff9b::a00:1]/",
            "http://user:pw@shop.example/",
        ] {
            assert!(error(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn callback_urls_need_tls_in_production_and_an_allowed_port() {
        let error = |text, egress_policy| parse_callback(text, egress_policy).err();
        for good in ["https://shop.example/", "https://shop.example:8443/", "https://shop.example:443/"] {
            assert_eq!(error(good, EgressPolicy::Public), None, "{good}");
        }
        for bad in [
            "http://shop.example/",
            "https://shop.example:25/",
            "https://shop.example:22/",
            "https://shop.example:80/",
            "https://shop.example:0/",
            "https://127.0.0.1/",
            "https://[::1]:8443/",
        ] {
            assert!(error(bad, EgressPolicy::Public).is_some(), "{bad}");
        }
        for good in ["http://shop.example/", "http://127.0.0.1:9090/paid", "https://[::1]:8443/"] {
            assert_eq!(error(good, EgressPolicy::PublicOrLoopback), None, "{good}");
        }
        assert!(error("http://127.0.0.1:25/", EgressPolicy::PublicOrLoopback).is_some());
    }
}
