//! Who calls: a subscription key opens an application, and a third party's certificate says what it may do.
//!
//! Nothing is cached but the reading of a certificate, which cannot change: a key that was retired or a certificate
//! that was blocked is refused by the very next call, on every process.

use crate::keyring::Purpose;
use crate::{App, Stop};
use std::sync::Arc;
use trapeza_domain::application::{Application, CertificateFacts, Holder, Role};
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::refusal::{Reason, Refusal};

/// A third party that was let in.
#[derive(Clone, Debug)]
pub struct Tpp {
    pub application: ApplicationId,
    /// As people are shown it, out of the certificate.
    pub name: String,
    pub certificate: Arc<CertificateFacts>,
}

/// What a third party shows besides its key.
pub struct TppCredentials<'a> {
    pub client: Option<&'a str>,
    pub certificate: Option<Presented<'a>>,
}

/// A certificate as it arrives: in a header, or proven by the connection.
#[derive(Clone, Copy)]
pub enum Presented<'a> {
    Header(&'a str),
    Der(&'a [u8]),
}

/// A merchant's program that was let in.
#[derive(Clone, Debug)]
pub struct Merchant {
    pub application: ApplicationId,
    pub merchant: MerchantId,
    /// May use the sandbox calls.
    pub sandbox: bool,
}

impl App {
    /// The application that a key opens.
    pub async fn key_admit(&self, key: Option<&str>) -> Result<Application, Stop> {
        const HEADER: &str = "Ocp-Apim-Subscription-Key";
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            return Err(Refusal::at(Reason::KeyUnknown, HEADER, "the subscription key is missing").into());
        };
        let hash = self.keyring.hash(Purpose::SubscriptionKey, &[key.as_bytes()]);
        let found = self.store.read(move |tx| Ok(tx.application_by_key(&hash)?)).await?;
        match found {
            Some(record) => Ok(record.application),
            None => Err(Refusal::at(Reason::KeyUnknown, HEADER, "the subscription key is not known").into()),
        }
    }

    /// A third party whose key, client id and certificate belong together and allow `role`.
    pub async fn tpp_admit(
        &self,
        application: &Application,
        credentials: TppCredentials<'_>,
        role: Role,
    ) -> Result<Tpp, Stop> {
        let unreadable = |text: String| Refusal::at(Reason::CertificateInvalid, "Certificate", text);
        let client = credentials.client.and_then(ApplicationId::parse);
        if client != Some(application.id) || application.holder != Holder::ThirdParty {
            let text = "ClientId is missing, or not the application that the subscription key belongs to";
            return Err(Refusal::at(Reason::ClientUnknown, "ClientId", text).into());
        }
        let facts = match credentials.certificate {
            None => {
                let text = "the certificate is missing";
                return Err(Refusal::at(Reason::CertificateMissing, "Certificate", text).into());
            }
            Some(Presented::Header(text)) => self.certificates.read_header(text),
            Some(Presented::Der(der)) => self.certificates.read_der(der),
        };
        let facts = facts.map_err(|error| unreadable(error.to_string()))?;
        let (id, fingerprint) = (application.id, facts.fingerprint);
        let registered = self.store.read(move |tx| Ok(tx.certificate_find(id, &fingerprint)?)).await?;
        let Some(registered) = registered else {
            let text = "the certificate is not registered for this application";
            return Err(unreadable(text.to_owned()).into());
        };
        facts.admit(registered.standing, self.now(), role)?;
        Ok(Tpp { application: id, name: facts.name.clone(), certificate: facts })
    }

    /// Whether two presentations are of one certificate.
    pub fn certificate_same(&self, one: Presented<'_>, other: Presented<'_>) -> bool {
        let read = |presented| match presented {
            Presented::Header(text) => self.certificates.read_header(text),
            Presented::Der(der) => self.certificates.read_der(der),
        };
        matches!((read(one), read(other)), (Ok(one), Ok(other)) if one.fingerprint == other.fingerprint)
    }

    /// A merchant's program, by the id it gives. A key of another application does not open it.
    pub fn merchant_admit(application: &Application, id: Option<&str>) -> Result<Merchant, Refusal> {
        match (id.and_then(ApplicationId::parse), application.holder) {
            (Some(id), Holder::Merchant(merchant)) if id == application.id => {
                Ok(Merchant { application: id, merchant, sandbox: application.sandbox })
            }
            (None, _) if id.is_none_or(str::is_empty) => {
                let text = "the application's id is missing";
                Err(Refusal::at(Reason::ApplicationUnknown, "X-Application-ID", text))
            }
            _ => {
                let text = "no application with this id belongs to the subscription key";
                Err(Refusal::at(Reason::ApplicationUnknown, "X-Application-ID", text))
            }
        }
    }
}
