//! Callers that present a certificate and nothing else, as the Berlin Group's dialect has them.

use super::{AuthenticationLimits, CachedCaller, PresentedCertificate, Tpp};
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::application::{
    Application, ApplicationOwner, CertificateStatus, ParsedCertificate, Role,
};
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::RegisteredCertificate;

/// The value for callers that present no key, in place of the hash of one. No key has this hash.
const NO_KEY: [u8; 32] = [0; 32];

impl App {
    /// Authenticates a third party by its certificate alone: by the registered certificate, also where its application is disabled;
    /// otherwise by its organizationIdentifier, where one application only has it, which is enabled and has an active certificate.
    pub async fn authenticate_certificate(
        &self,
        presented: Option<PresentedCertificate<'_>>,
        role: Role,
        limits: &dyn AuthenticationLimits,
    ) -> Result<Tpp, UseCaseError> {
        let failed = |error| match error {
            UseCaseError::Refused(refusal) => UseCaseError::Refused(limits.record_failure(refusal)),
            error => error,
        };
        let Some(presented) = presented else {
            let text = "a certificate is required";
            let refusal = Refusal::at(RefusalReason::CertificateMissing, Field::Certificate, text);
            return Err(limits.record_failure(refusal).into());
        };
        let parsed = self.caches.certificates.parse(presented).map_err(Refusal::from);
        let certificate = parsed.map_err(|refusal| failed(refusal.into()))?;
        let caller = self.certificate_owner(&certificate).await.map_err(failed)?;
        limits.check_request(caller.application.id)?;
        // A certificate that is not registered is one of a known organisation; authorities vouch for it.
        let status = caller.status.unwrap_or(CertificateStatus::Active);
        certificate.authorise(status, self.now(), role).map_err(|refusal| failed(refusal.into()))?;
        Ok(Tpp { application: caller.application.id, certificate })
    }

    /// The application of a certificate, from the cache or the database.
    async fn certificate_owner(&self, certificate: &ParsedCertificate) -> Result<CachedCaller, UseCaseError> {
        let (generation, key) = (self.store.auth_generation(), (NO_KEY, Some(certificate.fingerprint)));
        if let Some(caller) = self.caches.callers.get(generation, key) {
            return Ok(caller);
        }
        let (fingerprint, organisation) = (certificate.fingerprint, certificate.organisation.clone());
        let found = self.store.read(move |tx| {
            let registered = tx.application_by_certificate(&fingerprint)?;
            if !registered.is_empty() {
                return Ok(only_third_party(identified(registered))?);
            }
            Ok((only_usable(tx.application_by_certificate_organisation(&organisation)?)?, None))
        });
        let (application, status) = found.await?;
        let caller = CachedCaller { application: Arc::new(application), status };
        if status.is_some() {
            self.caches.callers.insert(generation, key, caller.clone());
        }
        Ok(caller)
    }

    /// The third party that a sandbox takes for the sender of requests without a certificate, by the id of its application or its
    /// organizationIdentifier. It has every role.
    pub async fn sandbox_tpp(
        &self,
        name: &str,
        limits: &dyn AuthenticationLimits,
    ) -> Result<Tpp, UseCaseError> {
        let name = name.to_owned();
        let found = self.store.read(move |tx| {
            let applications = match ApplicationId::parse(&name) {
                Some(id) => {
                    let found = tx.application_find(id)?.into_iter();
                    found.map(|record| (record.application, record.disabled_at.is_none())).collect()
                }
                None => tx.application_by_certificate_organisation(&name)?,
            };
            let application = only_usable(applications)?;
            let certificate = tx.certificate_list(application.id)?.into_iter().next();
            Ok((application, certificate.ok_or_else(unknown)?))
        });
        let (application, certificate) = found.await?;
        limits.check_request(application.id)?;
        let certificate = ParsedCertificate {
            fingerprint: certificate.fingerprint,
            organisation: certificate.organisation,
            name: application.name,
            host_names: [].into(),
            roles: Role::ALL.to_vec(),
            not_before: Timestamp(i64::MIN),
            not_after: Timestamp(i64::MAX),
        };
        Ok(Tpp { application: application.id, certificate: Arc::new(certificate) })
    }
}

/// The applications that a registered certificate identifies: the enabled ones. Where all are disabled, they are identified by a blocked or
/// revoked certificate only, which is refused as such.
fn identified(registered: Vec<RegisteredCertificate>) -> Vec<(Application, Option<CertificateStatus>)> {
    let (disabled, enabled): (Vec<_>, Vec<_>) = registered.into_iter().partition(|one| one.is_disabled);
    let is_refused = |one: &RegisteredCertificate| {
        one.application.owner == ApplicationOwner::ThirdParty
            && matches!(one.status, Some(CertificateStatus::Blocked | CertificateStatus::Revoked))
    };
    let found: Vec<_> = match enabled.is_empty() {
        true => disabled.into_iter().find(is_refused).into_iter().collect(),
        false => enabled,
    };
    found.into_iter().map(|one| (one.application, one.status)).collect()
}

/// The one third party of an organisation, if it can be used. One that cannot be counts as well: otherwise its end would widen what the
/// organisation's other certificates open.
fn only_usable(found: Vec<(Application, bool)>) -> Result<Application, Refusal> {
    match only_third_party(found)? {
        (application, true) => Ok(application),
        (_, false) => Err(unknown()),
    }
}

/// The one third party among the applications that a certificate may identify, with what is known of it.
fn only_third_party<T>(found: Vec<(Application, T)>) -> Result<(Application, T), Refusal> {
    let mut found =
        found.into_iter().filter(|(application, _)| application.owner == ApplicationOwner::ThirdParty);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(unknown()),
        (Some(_), Some(_)) => {
            let text =
                "several applications have this certificate's organisation; register the certificate for one";
            Err(Refusal::at(RefusalReason::CertificateInvalid, Field::Certificate, text))
        }
    }
}

fn unknown() -> Refusal {
    let text = "the certificate identifies no registered third party";
    Refusal::at(RefusalReason::CertificateInvalid, Field::Certificate, text)
}
