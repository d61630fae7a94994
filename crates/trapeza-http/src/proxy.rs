//! Requests through a proxy that ends TLS: the proxy has verified the client's certificate and sends it in `Client-Cert`
//! (RFC 9440), and the client's address in `X-Forwarded-For`.
//!
//! Both are used from the addresses of trusted proxies only. A connection from any other address has no certificate,
//! whatever its headers say.

use crate::server::Peer;
use axum::http::{HeaderMap, HeaderName};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

const CLIENT_CERT: HeaderName = HeaderName::from_static("client-cert");
const CLIENT_CERT_CHAIN: HeaderName = HeaderName::from_static("client-cert-chain");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The addresses of trusted proxies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

/// An address with the number of its leading bits that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    prefix: u32,
}

impl TrustedProxies {
    /// Parses addresses and networks that are separated by commas: `10.0.0.7, 10.1.0.0/16, fd00::/8`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(str::parse).collect::<Result<_, _>>().map(Self)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(address))
    }

    /// The client of a request, and removes what a proxy says about it from the headers.
    pub(crate) fn client(&self, peer: &Peer, headers: &mut HeaderMap) -> Peer {
        let certificate = single(headers, &CLIENT_CERT);
        let forwarded = match self.contains(peer.address.ip()) {
            true => Some((certificate.and_then(decode), self.forwarded_for(headers))),
            false => None,
        };
        for name in [CLIENT_CERT, CLIENT_CERT_CHAIN, FORWARDED_FOR] {
            headers.remove(name);
        }
        let Some((certificate, address)) = forwarded else {
            return Peer { address: peer.address, certificate: None };
        };
        let address = address.map_or(peer.address, |address| SocketAddr::new(address, 0));
        Peer { address, certificate }
    }

    /// The last address that is not a proxy's: a client may have sent the header too, and the proxies append to it.
    fn forwarded_for(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let values: Vec<&str> =
            headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).collect();
        for part in values.iter().rev().flat_map(|value| value.rsplit(',')) {
            let address = address(part.trim())?;
            if !self.contains(address) {
                return Some(address);
            }
        }
        None
    }
}

/// An address, in brackets or with a port, as some proxies write it.
fn address(text: &str) -> Option<IpAddr> {
    let alone = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    alone.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

impl Network {
    fn contains(self, other: IpAddr) -> bool {
        match (self.address, other) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let mask = u32::MAX.checked_shl(32 - self.prefix).unwrap_or(0);
                u32::from(own) & mask == u32::from(other) & mask
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let mask = u128::MAX.checked_shl(128 - self.prefix).unwrap_or(0);
                u128::from(own) & mask == u128::from(other) & mask
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected addresses or networks such as 10.0.0.7, 10.1.0.0/16";
        let (address, prefix) =
            text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| EXPECTED)?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(bits), str::parse).map_err(|_| EXPECTED)?;
        if prefix > bits { Err(EXPECTED) } else { Ok(Self { address, prefix }) }
    }
}

/// The only value of a header. A repeated one was not written by a proxy alone.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.as_bytes();
    values.next().is_none().then_some(value)
}

/// A byte sequence of RFC 8941: base64 between colons.
fn decode(value: &[u8]) -> Option<Arc<[u8]>> {
    let decoded = value.trim_ascii().strip_prefix(b":").and_then(|rest| rest.strip_suffix(b":"));
    let decoded = decoded.and_then(|base64| STANDARD.decode(base64).ok());
    if decoded.is_none() {
        tracing::warn!("proxy: the header Client-Cert of a trusted proxy is not valid and is ignored");
    }
    decoded.map(Arc::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn client(
        proxies: &str,
        peer: &str,
        headers: &[(&'static str, &'static str)],
    ) -> (String, Option<Vec<u8>>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let peer =
            Peer { address: SocketAddr::new(peer.parse().unwrap(), 7), certificate: Some(Arc::from([9])) };
        let client = TrustedProxies::parse(proxies).unwrap().client(&peer, &mut map);
        assert!(map.is_empty(), "the headers are removed");
        (client.address.ip().to_string(), client.certificate.map(|der| der.to_vec()))
    }

    #[test]
    fn certificate_and_address_are_those_of_a_trusted_proxy_only() {
        let headers = [("client-cert", ":AQID:"), ("x-forwarded-for", "203.0.113.9, 198.51.100.4, 10.0.0.8")];
        let found = client("10.0.0.0/8", "10.0.0.7", &headers);
        assert_eq!(found, ("198.51.100.4".to_owned(), Some(vec![1, 2, 3])));
        assert_eq!(client("10.0.0.0/8", "11.0.0.7", &headers), ("11.0.0.7".to_owned(), None));
        assert_eq!(client("", "10.0.0.7", &headers), ("10.0.0.7".to_owned(), None));
        assert_eq!(client("10.0.0.7", "10.0.0.7", &[]), ("10.0.0.7".to_owned(), None));
        assert_eq!(client("10.0.0.7", "::ffff:10.0.0.7", &headers).1, Some(vec![1, 2, 3]));
    }

    #[test]
    fn forwarded_addresses_may_have_ports_and_brackets() {
        for (forwarded, expected) in [
            ("203.0.113.9:50123", "203.0.113.9"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("203.0.113.9:1, 10.0.0.8:2", "203.0.113.9"),
            // What is no address could be anyone's.
            ("203.0.113.9, unknown", "10.0.0.7"),
            ("", "10.0.0.7"),
        ] {
            let found = client("10.0.0.0/8", "10.0.0.7", &[("x-forwarded-for", forwarded)]);
            assert_eq!(found.0, expected, "{forwarded}");
        }
    }

    #[test]
    fn malformed_or_repeated_certificate_is_none() {
        for value in ["AQID", ":AQID", ":AQI:", ":AQID:;a=1", ""] {
            assert_eq!(client("10.0.0.7", "10.0.0.7", &[("client-cert", value)]).1, None, "{value}");
        }
        let twice = [("client-cert", ":AQID:"), ("client-cert", ":BAUG:")];
        assert_eq!(client("10.0.0.7", "10.0.0.7", &twice).1, None);
    }

    #[test]
    fn networks_are_parsed_strictly() {
        let contains = |networks: &str, address: &str| {
            TrustedProxies::parse(networks).unwrap().contains(address.parse().unwrap())
        };
        assert!(
            contains("10.1.0.0/16, fd00::/8", "10.1.255.1") && contains("10.1.0.0/16,fd00::/8", "fd12::1")
        );
        assert!(!contains("10.1.0.0/16", "10.2.0.1") && !contains("10.1.0.0/16", "fd00::1"));
        assert!(contains("0.0.0.0/0", "203.0.113.9") && !contains("0.0.0.0/0", "2001:db8::1"));
        for wrong in ["10.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "proxy.example", "10.0.0.1 10.0.0.2"]
        {
            assert!(TrustedProxies::parse(wrong).is_err(), "{wrong}");
        }
    }
}
