//! Which URIs a customer may be redirected to.

use crate::{UseCaseError, external_url};
use std::sync::Arc;
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_store::{RedirectUris, Tx};
use url::{Host, Url};

/// The URIs that a third party may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RedirectRule {
    /// Those that it registered, compared as strings.
    #[default]
    Registered,
    /// Those, and https addresses whose host is one of these names of its certificate or lies below one. A wildcard `*.` counts for
    /// every name below.
    RegisteredOrBelow(Arc<[String]>),
    /// Every http and https address. Only for callers of the sandbox without a certificate.
    Any,
}

impl RedirectRule {
    pub(super) fn check(
        &self,
        tx: &mut Tx<'_>,
        application: ApplicationId,
        uris: &RedirectUris,
    ) -> Result<(), UseCaseError> {
        let given = [(Field::RedirectUri, &uris.success), (Field::NokRedirectUri, &uris.failure)];
        if given.iter().all(|(_, uri)| uri.is_none()) {
            return Ok(());
        }
        let registered = tx.redirect_uri_list(application)?;
        let mut errors = FieldErrors::default();
        for (field, uri) in given {
            if uri.as_ref().is_some_and(|uri| !registered.contains(uri) && !self.covers(uri)) {
                errors.add(field, "is not registered for the application");
            }
        }
        errors.finish().map_err(|refusal: Refusal| refusal.into())
    }

    /// Checks where the third party wants to be notified. The bank connects to it: the host must be one of a registered URI or covered,
    /// and what holds for webhooks of merchants holds as well.
    pub(super) fn check_notification(
        &self,
        tx: &mut Tx<'_>,
        application: ApplicationId,
        uri: &str,
        egress_policy: EgressPolicy,
    ) -> Result<(), UseCaseError> {
        let refused = |text| Refusal::malformed(Field::NotificationUri, text);
        let parsed = external_url::parse_callback(uri, egress_policy).map_err(refused)?;
        if self.covers(uri) {
            return Ok(());
        }
        let registered = tx.redirect_uri_list(application)?;
        let hosts = registered.iter().filter_map(|uri| Url::parse(uri).ok());
        if hosts.into_iter().any(|registered| registered.host() == parsed.host()) {
            return Ok(());
        }
        Err(refused("its host is neither in the certificate nor in a registered redirect URI").into())
    }

    /// Whether a URI that is not registered is allowed.
    fn covers(&self, uri: &str) -> bool {
        let Ok(parsed) = Url::parse(uri) else { return false };
        if uri.len() > 2048 || uri.chars().any(char::is_control) || !parsed.username().is_empty() {
            return false;
        }
        match self {
            Self::Registered => false,
            Self::RegisteredOrBelow(names) => {
                let Some(Host::Domain(host)) = parsed.host() else { return false };
                parsed.scheme() == "https" && names.iter().any(|name| is_at_or_below(host, name))
            }
            Self::Any => matches!(parsed.scheme(), "http" | "https"),
        }
    }
}

fn is_at_or_below(host: &str, name: &str) -> bool {
    let name = name.trim_start_matches("*.").to_ascii_lowercase();
    // A name without a dot is no domain of a third party.
    name.contains('.') && (host == name || host.strip_suffix(&name).is_some_and(|rest| rest.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_hosts_of_the_certificate_and_below() {
        let rule = RedirectRule::RegisteredOrBelow(["tpp.example".into(), "*.Pay.example".into()].into());
        for uri in ["https://tpp.example/back", "https://app.tpp.example", "https://eu.pay.example/x?y=1"] {
            assert!(rule.covers(uri), "{uri}");
        }
        for uri in [
            "http://tpp.example/back",
            "https://eviltpp.example",
            "https://tpp.example.evil.example",
            "https://user@tpp.example",
            "https://127.0.0.1",
            "javascript:alert(1)",
            "not a URL",
        ] {
            assert!(!rule.covers(uri), "{uri}");
        }
        let common_word = RedirectRule::RegisteredOrBelow(["example".into()].into());
        assert!(!common_word.covers("https://tpp.example"));
        assert!(!RedirectRule::Registered.covers("https://tpp.example"));
        assert!(RedirectRule::Any.covers("http://localhost:8080/back"));
        assert!(!RedirectRule::Any.covers("javascript:alert(1)"));
    }
}
