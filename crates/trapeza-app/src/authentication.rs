//! Authentication of callers: a subscription key identifies an application, and a certificate gives a third party its
//! PSD2 roles.
//!
//! Two results are cached: parsed certificates, which cannot change, and lookups of credentials, which are valid for one
//! generation of the credential tables (`Store::auth_generation`). A retired key or a blocked certificate is therefore
//! refused on the next request.

use crate::cache::GenerationCache;
use crate::certificate::CertificateParseError;
use crate::keyring::KeyPurpose;
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::application::{
    Application, ApplicationOwner, CertificateStatus, ParsedCertificate, Role,
};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::money::Currency;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;

/// An authenticated third party.
#[derive(Clone, Debug)]
pub struct Tpp {
    pub application: ApplicationId,
    /// The name in the certificate is shown to customers.
    pub certificate: Arc<ParsedCertificate>,
}

/// An authenticated application of a merchant.
#[derive(Clone, Debug)]
pub struct Merchant {
    pub application: ApplicationId,
    pub merchant: MerchantId,
    pub currency: Currency,
    /// Whether the application may use the sandbox operations.
    pub sandbox: bool,
}

/// What a third party presents. A header that could not be read is reported in its turn in the order of checks.
pub struct TppCredentials<'a> {
    pub subscription_key: Option<&'a str>,
    pub client: Result<Option<&'a str>, Refusal>,
    pub certificate: Result<Option<PresentedCertificate<'a>>, Refusal>,
    /// With mutual TLS, the certificate of the connection, which then counts. A certificate in the header must be the
    /// same.
    pub connection: Option<Option<PresentedCertificate<'a>>>,
}

/// A certificate in the form in which it arrives.
#[derive(Clone, Copy)]
pub enum PresentedCertificate<'a> {
    /// The text of the `Certificate` header.
    Header(&'a str),
    /// DER, from the TLS connection.
    Der(&'a [u8]),
}

/// Limits of the edge on requests and on failed authentications.
pub trait AuthenticationLimits: Sync {
    /// Refuses a request over the rate limit of the application.
    fn check_request(&self, application: ApplicationId) -> Result<(), Refusal>;
    /// Counts a failed authentication and returns the refusal to answer with.
    fn record_failure(&self, refusal: Refusal) -> Refusal;
}

/// The hash of a subscription key, and the fingerprint of the certificate that was presented with it, if there was one.
type CredentialKey = ([u8; 32], Option<[u8; 32]>);

/// What the credentials identify.
#[derive(Clone, Debug)]
pub(crate) struct CachedCaller {
    application: Arc<Application>,
    /// The status of the certificate; `None` when it is not registered for the application, or none was presented.
    status: Option<CertificateStatus>,
}

pub(crate) type CallerCache = GenerationCache<CredentialKey, CachedCaller>;

mod certificate_alone;

impl App {
    /// The application that a subscription key identifies.
    pub async fn authenticate_key(&self, key: Option<&str>) -> Result<Arc<Application>, UseCaseError> {
        Ok(self.credential_lookup(self.key_hash(key)?, None, self.now()).await?.application)
    }

    /// Authenticates a third party: key, then rate limit, then client id and certificate, which must allow `role`.
    pub async fn authenticate_tpp(
        &self,
        credentials: TppCredentials<'_>,
        role: Role,
        limits: &dyn AuthenticationLimits,
    ) -> Result<Tpp, UseCaseError> {
        let failed = |error| match error {
            UseCaseError::Refused(refusal) => UseCaseError::Refused(limits.record_failure(refusal)),
            error => error,
        };
        let now = self.now();
        let presented = match credentials.connection {
            Some(connection) => connection,
            None => credentials.certificate.as_ref().ok().copied().flatten(),
        };
        // A certificate that was parsed before is looked up together with the key. Any other is parsed only after the key
        // was accepted.
        let parsed = presented.and_then(|certificate| self.caches.certificates.get(certificate));
        let fingerprint = parsed.as_ref().map(|certificate| certificate.fingerprint);
        let found = match self.key_hash(credentials.subscription_key) {
            Ok(key) => self.credential_lookup(key, fingerprint, now).await,
            Err(refusal) => Err(refusal.into()),
        };
        let caller = found.map_err(failed)?;
        limits.check_request(caller.application.id)?;
        let header = credentials.certificate?;
        if let (Some(Some(connection)), Some(header)) = (credentials.connection, header) {
            self.check_same_certificate(connection, header)?;
        }
        let client = credentials.client?;
        self.authorise_tpp(caller, client, presented, parsed, (role, now)).await.map_err(failed)
    }

    async fn authorise_tpp(
        &self,
        caller: CachedCaller,
        client: Option<&str>,
        presented: Option<PresentedCertificate<'_>>,
        parsed: Option<Arc<ParsedCertificate>>,
        (role, now): (Role, Timestamp),
    ) -> Result<Tpp, UseCaseError> {
        let application = caller.application;
        if client.and_then(ApplicationId::parse) != Some(application.id)
            || application.owner != ApplicationOwner::ThirdParty
        {
            let text = "ClientId must be the application that the subscription key belongs to";
            return Err(Refusal::at(RefusalReason::ClientUnknown, Field::ClientId, text).into());
        }
        let Some(presented) = presented else {
            return Err(Refusal::at(
                RefusalReason::CertificateMissing,
                Field::Certificate,
                "a certificate is required",
            )
            .into());
        };
        let id = application.id;
        let (certificate, status) = match parsed {
            Some(parsed) => (parsed, caller.status),
            None => {
                let parsed = self.caches.certificates.parse(presented).map_err(Refusal::from)?;
                let fingerprint = parsed.fingerprint;
                let registered =
                    self.store.read(move |tx| Ok(tx.certificate_find(id, &fingerprint)?)).await?;
                (parsed, registered.map(|registered| registered.status))
            }
        };
        let Some(status) = status else {
            let text = "the certificate is not registered for this application";
            return Err(Refusal::at(RefusalReason::CertificateInvalid, Field::Certificate, text).into());
        };
        certificate.authorise(status, now, role)?;
        Ok(Tpp { application: id, certificate })
    }

    /// What a key and a certificate identify together, from the cache or the database.
    async fn credential_lookup(
        &self,
        key: [u8; 32],
        fingerprint: Option<[u8; 32]>,
        now: Timestamp,
    ) -> Result<CachedCaller, UseCaseError> {
        let (generation, credentials) = (self.store.auth_generation(), (key, fingerprint));
        if let Some(caller) = self.caches.callers.get(generation, credentials) {
            self.caches.key_last_used.note(key, now);
            return Ok(caller);
        }
        let unknown_key =
            || Refusal::at(RefusalReason::KeyUnknown, Field::SubscriptionKey, "unknown subscription key");
        let read = self.store.read(move |tx| match fingerprint {
            Some(fingerprint) => Ok(tx.application_by_key_and_certificate(&key, &fingerprint)?),
            None => Ok(tx.application_by_key(&key)?.map(|record| (record.application, None))),
        });
        let (application, status) = read.await?.ok_or_else(unknown_key)?;
        self.caches.key_last_used.note(key, now);
        let caller = CachedCaller { application: Arc::new(application), status };
        // An unregistered certificate is not cached, so that made-up ones displace nothing.
        if fingerprint.is_none() || status.is_some() {
            self.caches.callers.insert(generation, credentials, caller.clone());
        }
        Ok(caller)
    }

    fn key_hash(&self, key: Option<&str>) -> Result<[u8; 32], Refusal> {
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            return Err(Refusal::at(
                RefusalReason::KeyUnknown,
                Field::SubscriptionKey,
                "the subscription key is required",
            ));
        };
        Ok(self.keyring.hash(KeyPurpose::SubscriptionKey, &[key.as_bytes()]))
    }

    fn check_same_certificate(
        &self,
        connection: PresentedCertificate<'_>,
        header: PresentedCertificate<'_>,
    ) -> Result<(), Refusal> {
        let fingerprint = |certificate| -> Result<[u8; 32], CertificateParseError> {
            Ok(self.caches.certificates.parse(certificate)?.fingerprint)
        };
        match (fingerprint(connection), fingerprint(header)) {
            (Ok(connection), Ok(header)) if connection == header => Ok(()),
            _ => {
                let text = "the certificate must be that of the TLS connection";
                Err(Refusal::at(RefusalReason::CertificateInvalid, Field::Certificate, text))
            }
        }
    }

    /// A merchant's application, by the id in the request. It must be the application of the subscription key.
    pub fn authenticate_merchant(application: &Application, id: Option<&str>) -> Result<Merchant, Refusal> {
        let refusal = |text| Refusal::at(RefusalReason::ApplicationUnknown, Field::ApplicationId, text);
        match (id.and_then(ApplicationId::parse), application.owner) {
            (Some(id), ApplicationOwner::Merchant { id: merchant, currency }) if id == application.id => {
                Ok(Merchant { application: id, merchant, currency, sandbox: application.sandbox })
            }
            (None, _) if id.is_none_or(str::is_empty) => Err(refusal("the application's id is required")),
            _ => Err(refusal("the application's id must be that of the subscription key's application")),
        }
    }
}
