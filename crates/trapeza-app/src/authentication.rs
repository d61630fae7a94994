//! Who calls: a subscription key opens an application, and a third party's certificate says what it may do.
//!
//! A key that was retired or a certificate that was blocked is refused by the very next call, on every process: what is
//! kept is the reading of certificates, which cannot change, and who was let in as long as nothing there has changed.

use crate::cache::GenerationCache;
use crate::keyring::KeyPurpose;
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::application::{
    Application, ApplicationOwner, CertificateStatus, ParsedCertificate, Role,
};
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// A third party that was let in.
#[derive(Clone, Debug)]
pub struct Tpp {
    pub application: ApplicationId,
    /// Its name there is what people are shown.
    pub certificate: Arc<ParsedCertificate>,
}

/// What a third party shows besides its key.
pub struct TppCredentials<'a> {
    pub client: Option<&'a str>,
    pub certificate: Option<PresentedCertificate<'a>>,
}

/// A certificate as it arrives: in a header, or proven by the connection.
#[derive(Clone, Copy)]
pub enum PresentedCertificate<'a> {
    Header(&'a str),
    Der(&'a [u8]),
}

impl PresentedCertificate<'_> {
    /// Whether two are one and the same, and not only alike.
    fn is(self, other: PresentedCertificate<'_>) -> bool {
        match (self, other) {
            (Self::Header(one), PresentedCertificate::Header(other)) => std::ptr::eq(one, other),
            (Self::Der(one), PresentedCertificate::Der(other)) => std::ptr::eq(one, other),
            _ => false,
        }
    }
}

/// What a third party's key opened.
pub struct Opened<'a> {
    pub application: Arc<Application>,
    /// A certificate that was looked up together with the key.
    seen: Option<Seen<'a>>,
}

struct Seen<'a> {
    shown: PresentedCertificate<'a>,
    facts: Arc<ParsedCertificate>,
    /// Of this application; `None` when it is not registered.
    standing: Option<CertificateStatus>,
}

const KEY_HEADER: &str = "Ocp-Apim-Subscription-Key";

fn key_unknown() -> Refusal {
    Refusal::at(RefusalReason::KeyUnknown, KEY_HEADER, "the subscription key is not known")
}

/// A merchant's program that was let in.
#[derive(Clone, Debug)]
pub struct Merchant {
    pub application: ApplicationId,
    pub merchant: MerchantId,
    /// May use the sandbox calls.
    pub sandbox: bool,
}

/// A key's hash, and the fingerprint of the certificate that came with it, if one did.
type Shown = ([u8; 32], Option<[u8; 32]>);

/// What they opened.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    application: Arc<Application>,
    /// Of the certificate.
    standing: Option<CertificateStatus>,
}

/// Callers that were let in lately.
pub(crate) type CallerCache = GenerationCache<Shown, Found>;

impl App {
    /// The application that a key opens.
    pub async fn authenticate_key(&self, key: Option<&str>) -> Result<Arc<Application>, UseCaseError> {
        let hash = self.key_hash(key)?;
        let (edition, shown) = (self.store.auth_generation(), (hash, None));
        if let Some(found) = self.known_callers.find(edition, &shown) {
            return Ok(found.application);
        }
        let found = self.store.read(move |tx| Ok(tx.application_by_key(&hash)?)).await?;
        let application = Arc::new(found.ok_or_else(key_unknown)?.application);
        let found = Found { application: application.clone(), standing: None };
        self.known_callers.keep(edition, shown, &found);
        Ok(application)
    }

    /// The same for a third party. A certificate that was read before is looked up in the same transaction; one that
    /// was not is not even parsed until the key is found to be good.
    pub async fn authenticate_tpp_key<'a>(
        &self,
        key: Option<&str>,
        shown: Option<PresentedCertificate<'a>>,
    ) -> Result<Opened<'a>, UseCaseError> {
        let hash = self.key_hash(key)?;
        let known = shown.and_then(|shown| {
            let facts = match shown {
                PresentedCertificate::Header(text) => self.certificates.get_header(text),
                PresentedCertificate::Der(der) => self.certificates.get_der(der),
            };
            Some((shown, facts?))
        });
        let Some((shown, facts)) = known else {
            return Ok(Opened { application: self.authenticate_key(key).await?, seen: None });
        };
        let Found { application, standing } = self.pair_find(hash, facts.fingerprint).await?;
        Ok(Opened { application, seen: Some(Seen { shown, facts, standing }) })
    }

    /// What a key and a certificate open together.
    async fn pair_find(&self, hash: [u8; 32], fingerprint: [u8; 32]) -> Result<Found, UseCaseError> {
        let (edition, shown) = (self.store.auth_generation(), (hash, Some(fingerprint)));
        if let Some(found) = self.known_callers.find(edition, &shown) {
            return Ok(found);
        }
        let found = self
            .store
            .read(move |tx| Ok(tx.application_by_key_and_certificate(&hash, &fingerprint)?))
            .await?;
        let (application, standing) = found.ok_or_else(key_unknown)?;
        let found = Found { application: Arc::new(application), standing };
        if standing.is_some() {
            self.known_callers.keep(edition, shown, &found);
        }
        Ok(found)
    }

    fn key_hash(&self, key: Option<&str>) -> Result<[u8; 32], Refusal> {
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            return Err(Refusal::at(
                RefusalReason::KeyUnknown,
                KEY_HEADER,
                "the subscription key is missing",
            ));
        };
        Ok(self.keyring.hash(KeyPurpose::SubscriptionKey, &[key.as_bytes()]))
    }

    /// A third party whose key, client id and certificate belong together and allow `role`.
    pub async fn authenticate_tpp(
        &self,
        opened: Opened<'_>,
        credentials: TppCredentials<'_>,
        role: Role,
    ) -> Result<Tpp, UseCaseError> {
        let application = &opened.application;
        let unreadable = |text: String| Refusal::at(RefusalReason::CertificateInvalid, "Certificate", text);
        let client = credentials.client.and_then(ApplicationId::parse);
        if client != Some(application.id) || application.owner != ApplicationOwner::ThirdParty {
            let text = "ClientId is missing, or not the application that the subscription key belongs to";
            return Err(Refusal::at(RefusalReason::ClientUnknown, "ClientId", text).into());
        }
        let Some(shown) = credentials.certificate else {
            let text = "the certificate is missing";
            return Err(Refusal::at(RefusalReason::CertificateMissing, "Certificate", text).into());
        };
        let id = application.id;
        let (facts, standing) = match opened.seen {
            Some(seen) if seen.shown.is(shown) => (seen.facts, seen.standing),
            _ => {
                let facts = match shown {
                    PresentedCertificate::Header(text) => self.certificates.read_header(text),
                    PresentedCertificate::Der(der) => self.certificates.read_der(der),
                };
                let facts = facts.map_err(|error| unreadable(error.to_string()))?;
                let fingerprint = facts.fingerprint;
                let registered =
                    self.store.read(move |tx| Ok(tx.certificate_find(id, &fingerprint)?)).await?;
                (facts, registered.map(|registered| registered.standing))
            }
        };
        let Some(standing) = standing else {
            let text = "the certificate is not registered for this application";
            return Err(unreadable(text.to_owned()).into());
        };
        facts.authorise(standing, self.now(), role)?;
        Ok(Tpp { application: id, certificate: facts })
    }

    /// Whether two presentations are of one certificate.
    pub fn is_same_certificate(
        &self,
        one: PresentedCertificate<'_>,
        other: PresentedCertificate<'_>,
    ) -> bool {
        let read = |presented| match presented {
            PresentedCertificate::Header(text) => self.certificates.read_header(text),
            PresentedCertificate::Der(der) => self.certificates.read_der(der),
        };
        matches!((read(one), read(other)), (Ok(one), Ok(other)) if one.fingerprint == other.fingerprint)
    }

    /// A merchant's program, by the id it gives. A key of another application does not open it.
    pub fn authenticate_merchant(application: &Application, id: Option<&str>) -> Result<Merchant, Refusal> {
        match (id.and_then(ApplicationId::parse), application.owner) {
            (Some(id), ApplicationOwner::Merchant(merchant)) if id == application.id => {
                Ok(Merchant { application: id, merchant, sandbox: application.sandbox })
            }
            (None, _) if id.is_none_or(str::is_empty) => {
                let text = "the application's id is missing";
                Err(Refusal::at(RefusalReason::ApplicationUnknown, "X-Application-ID", text))
            }
            _ => {
                let text = "no application with this id belongs to the subscription key";
                Err(Refusal::at(RefusalReason::ApplicationUnknown, "X-Application-ID", text))
            }
        }
    }
}
