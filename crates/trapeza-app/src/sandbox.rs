//! What only the sandbox may do: move the clock, and let a program set its own addresses.

use crate::{App, Stop, audit};
use std::net::{Ipv4Addr, Ipv6Addr};
use trapeza_domain::event::{Actor, Event};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Faults, Refusal};
use trapeza_domain::time::{Instant, Span};
use trapeza_store::{MerchantUrls, StoreError};
use url::{Host, Url};

/// What a program may change about itself; what is `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct ApplicationChange {
    pub urls: MerchantUrls,
    pub redirect_uris: Option<Vec<String>>,
}

/// A program as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationView {
    pub id: ApplicationId,
    pub created_at: Instant,
    pub urls: MerchantUrls,
    pub redirect_uris: Vec<String>,
}

/// The farthest one step may go: a test that jumps further has a typing error in it.
const LONGEST_STEP: Span = Span::days(3660);

impl App {
    /// Moves the bank's clock forward, for all its processes, and does what is due by then. Answers the time it is.
    pub async fn clock_advance(&self, by: Span) -> Result<Instant, Stop> {
        if by.0 <= 0 || by > LONGEST_STEP {
            let text = "a duration above zero and at most ten years, such as P1D or PT20M";
            return Err(Refusal::malformed("advance", text).into());
        }
        let now = self.now();
        let ahead = self
            .store
            .write(move |tx| {
                let ahead = tx.clock_advance(by)?;
                let event = Event::new("clock.advanced", "clock", "bank").with("micros", by.0);
                audit::note(tx, now, Actor::Operator, &event)?;
                Ok(ahead)
            })
            .await?;
        self.clock.set_ahead(ahead);
        let now = self.now();
        self.sweep(now).await?;
        Ok(now)
    }

    /// Sets a program's addresses.
    pub async fn application_change(
        &self,
        id: ApplicationId,
        change: ApplicationChange,
    ) -> Result<ApplicationView, Stop> {
        check_addresses(&change)?;
        let now = self.now();
        self.store
            .write(move |tx| {
                let record = tx.application_find(id)?;
                let record = record.ok_or_else(|| StoreError::broken("an admitted application is gone"))?;
                let (old, new) = (record.urls, change.urls.clone());
                let urls = MerchantUrls {
                    success_callback: new.success_callback.or(old.success_callback),
                    fail_callback: new.fail_callback.or(old.fail_callback),
                    success_redirect: new.success_redirect.or(old.success_redirect),
                    failure_redirect: new.failure_redirect.or(old.failure_redirect),
                };
                tx.application_urls_set(id, &urls)?;
                if let Some(uris) = &change.redirect_uris {
                    tx.redirect_replace(id, uris)?;
                }
                let event = Event::new("application.changed", "application", id);
                audit::note(tx, now, Actor::Application(id), &event)?;
                let redirect_uris = tx.redirect_list(id)?;
                Ok(ApplicationView { id, created_at: record.created_at, urls, redirect_uris })
            })
            .await
    }
}

fn check_addresses(change: &ApplicationChange) -> Result<(), Refusal> {
    let urls = &change.urls;
    let mut faults = Faults::default();
    let named = [
        ("successCallbackUrl", &urls.success_callback),
        ("failCallbackUrl", &urls.fail_callback),
        ("successRedirectURI", &urls.success_redirect),
        ("failureRedirectURI", &urls.failure_redirect),
    ];
    for (field, url) in named {
        if let Some(url) = url {
            faults.take(field, check_address(url));
        }
    }
    for (index, uri) in change.redirect_uris.iter().flatten().enumerate() {
        faults.take(&format!("redirectURIs[{index}]"), check_address(uri));
    }
    faults.finish()
}

/// An address the sandbox may call or send a customer to: public, or the developer's own machine.
fn check_address(text: &str) -> Result<(), &'static str> {
    // The address is kept as it was sent; the reader of URLs passes over such characters, and a database may not.
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
    match url.host() {
        None => Err("the address names no host"),
        Some(Host::Domain(_)) => Ok(()),
        Some(Host::Ipv4(address)) if is_private_v4(address) => Err("private addresses are never called"),
        Some(Host::Ipv6(address)) if is_private_v6(address) => Err("private addresses are never called"),
        Some(_) => Ok(()),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let shared = address.octets()[0] == 100 && address.octets()[1] & 0xC0 == 64;
    address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.octets()[0] == 0
        || shared
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let nat64 = address.segments()[..2] == [0x64, 0xff9b];
    address.to_ipv4_mapped().is_some()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.is_multicast()
        || nat64
}

#[cfg(test)]
mod tests {
    use super::check_address;

    #[test]
    fn public_and_loopback_addresses_pass_and_private_ones_do_not() {
        for good in
            ["https://shop.example/hook", "http://127.0.0.1:9/x", "http://[::1]/", "http://localhost:1/"]
        {
            assert_eq!(check_address(good), Ok(()), "{good}");
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
            assert!(check_address(bad).is_err(), "{bad}");
        }
    }
}
