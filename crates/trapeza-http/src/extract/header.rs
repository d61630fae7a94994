//! Headers that many requests have, by their names in the specification and their aliases. The names are constants, since
//! `HeaderMap` would otherwise lower-case them at every lookup.

use super::malformed;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use trapeza_domain::refusal::Refusal;

pub struct Name {
    /// As the specification spells it; used in error responses.
    spec: &'static str,
    own: HeaderName,
    alias: Option<HeaderName>,
}

pub static SUBSCRIPTION_KEY: Name = Name::new("Ocp-Apim-Subscription-Key", "ocp-apim-subscription-key");
pub static CERTIFICATE: Name = Name::new("Certificate", "certificate");
pub static QWAC: Name = Name::new("TPP-QWAC-Certificate", "tpp-qwac-certificate");
pub static CLIENT: Name = Name::new("ClientId", "clientid");
pub static APPLICATION: Name = Name::new("X-Application-ID", "x-application-id");
pub static REQUEST: Name = Name::new("x-Request-ID", "x-request-id");
pub static PSU: Name = Name::aliased("PSU_ID", "psu_id", "psu-id");
pub static CONSENT: Name = Name::aliased("consentID", "consentid", "consent-id");
pub static PSU_ADDRESS: Name = Name::aliased("pSUIPAddress", "psuipaddress", "psu-ip-address");

impl Name {
    const fn new(spec: &'static str, lower: &'static str) -> Self {
        Self { spec, own: HeaderName::from_static(lower), alias: None }
    }

    const fn aliased(spec: &'static str, lower: &'static str, alias: &'static str) -> Self {
        let alias = Some(HeaderName::from_static(alias));
        Self { spec, own: HeaderName::from_static(lower), alias }
    }

    /// The value of the header, under any of its names.
    pub fn of<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a str>, Refusal> {
        let alias = self.alias.iter().flat_map(|alias| headers.get_all(alias));
        single(self.spec, headers.get_all(&self.own).iter().chain(alias))
    }

    /// A refusal that names this header.
    pub fn malformed(&self, text: &str) -> Refusal {
        malformed(self.spec, text)
    }
}

/// The only value of a header. A repeated header is refused: two programs might read different values.
pub fn single<'a>(
    name: &str,
    mut values: impl Iterator<Item = &'a HeaderValue>,
) -> Result<Option<&'a str>, Refusal> {
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(malformed(name, "must be sent only once"));
    }
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => Ok(Some(text.trim())),
        Err(_) => Err(malformed(name, "must be UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_found_by_any_name_and_refused_when_repeated() {
        for name in [
            &SUBSCRIPTION_KEY,
            &CERTIFICATE,
            &QWAC,
            &CLIENT,
            &APPLICATION,
            &REQUEST,
            &PSU,
            &CONSENT,
            &PSU_ADDRESS,
        ] {
            let own = HeaderName::from_bytes(name.spec.as_bytes()).unwrap();
            assert_eq!(own, name.own, "the specification's name in lower case");
            let mut headers = HeaderMap::new();
            assert_eq!(name.of(&headers).unwrap(), None);
            headers.insert(own, HeaderValue::from_static(" one "));
            assert_eq!(name.of(&headers).unwrap(), Some("one"));
            headers.append(name.alias.clone().unwrap_or(name.own.clone()), HeaderValue::from_static("two"));
            assert_eq!(name.of(&headers).unwrap_err(), name.malformed("must be sent only once"));
            headers.remove(&name.own);
            assert_eq!(name.of(&headers).unwrap(), name.alias.as_ref().map(|_| "two"));
        }
    }

    #[test]
    fn header_that_is_not_utf8_is_refused() {
        let headers = HeaderMap::from_iter([(CLIENT.own.clone(), HeaderValue::from_bytes(&[0xff]).unwrap())]);
        assert_eq!(CLIENT.of(&headers).unwrap_err(), CLIENT.malformed("must be UTF-8"));
    }
}
