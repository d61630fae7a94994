//! What the program passes to the pages of the sandbox: where it listens, and the keys of the sample applications.

use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The names of the sample applications in `sandbox.json`.
const TPP_NAME: &str = "Sample Third Party";
const SHOP_NAME: &str = "Sample Shop";

#[derive(Clone)]
pub struct SandboxSetup {
    /// Where the pages reach the program's own listener.
    pub listener: SocketAddr,
    pub tpp: TppCredentials,
    pub shop: ShopCredentials,
}

/// The sample third party's application.
#[derive(Clone)]
pub struct TppCredentials {
    pub client_id: String,
    pub subscription_key: String,
    pub certificate: String,
}

/// The sample shop's application.
#[derive(Clone)]
pub struct ShopCredentials {
    pub application_id: String,
    pub subscription_key: String,
    pub webhook_secret: String,
}

impl SandboxSetup {
    /// Reads the sample applications from the content of `sandbox.json`. `None` for a sandbox that was created without them.
    pub fn of_sandbox_file(bound: SocketAddr, file: &Value) -> Option<Self> {
        let tpp = named(&file["tpps"], TPP_NAME)?;
        let shop = named(&file["merchants"], SHOP_NAME)?;
        Some(Self {
            listener: reachable(bound),
            tpp: TppCredentials {
                client_id: text(tpp, "client_id")?,
                subscription_key: text(tpp, "subscription_key")?,
                certificate: text(tpp, "certificate")?,
            },
            shop: ShopCredentials {
                application_id: text(shop, "application_id")?,
                subscription_key: text(shop, "subscription_key")?,
                webhook_secret: text(shop, "webhook_secret")?,
            },
        })
    }
}

fn named<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    list.as_array()?.iter().find(|entry| entry["name"] == name)
}

fn text(entry: &Value, field: &str) -> Option<String> {
    entry[field].as_str().map(str::to_owned)
}

/// An address of all interfaces is reached over loopback.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let address = match bound.ip() {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    };
    SocketAddr::new(address, bound.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unspecified_address_is_reached_over_loopback() {
        for (bound, expected) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("192.0.2.7:8080", "192.0.2.7:8080"),
        ] {
            assert_eq!(reachable(bound.parse().unwrap()), expected.parse().unwrap());
        }
    }

    #[test]
    fn sandbox_file_without_samples_has_no_setup() {
        let file = json!({ "tpps": [{ "name": "Kyklos Finance" }], "merchants": [] });
        assert!(SandboxSetup::of_sandbox_file("127.0.0.1:1".parse().unwrap(), &file).is_none());
    }
}
