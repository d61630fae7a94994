//! The applications of an organisation as its members see and change them. Changes that operators make as well are the use cases of
//! `application`, run with the member as actor ([`App::portal_application`] authorises them).

use super::PortalMember;
use crate::application::{IssuedKey, NewMerchant, NewTpp};
use crate::{App, Entropy, UseCaseError, audit};
use std::sync::Arc;
use trapeza_domain::application::{
    ApplicationOwner, CertificateStatus, MerchantUrls, ParsedCertificate, Role,
};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::installment::{Plan, PlanOffer};
use trapeza_domain::login::check_name;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_store::{ApplicationRecord, CertificateRecord, KeyRecord, MerchantRecord};

/// The terms of merchants that members create in the sandbox.
const BASKET_MINIMUM_MINOR: i64 = 3_000;
const MAX_BASKET_MINOR: i64 = 150_000;
const DISCOUNT_BASIS_POINTS: u32 = 250;
/// Installments and yearly rates in basis points.
const PLANS: [(u32, u32); 4] = [(3, 0), (4, 0), (6, 0), (12, 990)];

/// Issues certificates to developers in the sandbox.
pub trait TestCertificateIssuer: Send + Sync {
    /// A certificate for a company with this name and organizationIdentifier.
    fn issue(&self, name: &str, organisation: &str, roles: &[Role]) -> Result<TestCertificate, String>;
}

/// A certificate and its key in PEM. The key is shown once and not stored.
pub struct TestCertificate {
    pub certificate_pem: String,
    pub key_pem: Secret<String>,
}

/// An application with everything that its members manage.
#[derive(Clone, Debug)]
pub struct PortalApplication {
    pub record: ApplicationRecord,
    pub keys: Vec<KeyRecord>,
    pub redirect_uris: Vec<String>,
    pub certificates: Vec<CertificateRecord>,
    /// How many webhook secrets sign: two during a rotation.
    pub webhook_secrets: usize,
    /// The merchant that it belongs to; `None` for a third party.
    pub merchant: Option<MerchantRecord>,
}

impl App {
    /// Sets who issues test certificates. Production does not call this.
    pub fn with_test_certificates(mut self, issuer: Arc<dyn TestCertificateIssuer>) -> Self {
        self.ports.test_certificates = Some(issuer);
        self
    }

    /// The applications of the caller's organisation, oldest first.
    pub async fn portal_application_list(
        &self,
        caller: &PortalMember,
    ) -> Result<Vec<ApplicationRecord>, UseCaseError> {
        let organisation = caller.organisation.id;
        self.store.read(move |tx| Ok(tx.application_list_by_organisation(organisation)?)).await
    }

    /// Refuses an application that is not the caller's organisation's, or a caller without the role.
    pub async fn portal_application(
        &self,
        caller: &PortalMember,
        id: ApplicationId,
        role: MemberRole,
    ) -> Result<ApplicationRecord, UseCaseError> {
        caller.require(role)?;
        let organisation = caller.organisation.id;
        self.store
            .read(move |tx| {
                let own = tx.application_organisation(id)? == Some(organisation);
                let found = if own { tx.application_find(id)? } else { None };
                Ok(found.ok_or_else(unknown)?)
            })
            .await
    }

    pub async fn portal_application_view(
        &self,
        caller: &PortalMember,
        id: ApplicationId,
    ) -> Result<PortalApplication, UseCaseError> {
        let record = self.portal_application(caller, id, MemberRole::Viewer).await?;
        let keys = self.key_list(id).await?;
        self.store
            .read(move |tx| {
                Ok(PortalApplication {
                    keys: keys.clone(),
                    redirect_uris: tx.redirect_uri_list(id)?,
                    certificates: tx.certificate_list(id)?,
                    webhook_secrets: tx.webhook_secret_list(id)?.len(),
                    merchant: match record.application.owner {
                        ApplicationOwner::Merchant { id, .. } => tx.merchant_find(id)?,
                        ApplicationOwner::ThirdParty => None,
                    },
                    record: record.clone(),
                })
            })
            .await
    }

    /// Creates a third party's application, in the sandbox.
    pub async fn portal_tpp_create(
        &self,
        caller: &PortalMember,
        name: &str,
        redirect_uris: Vec<String>,
    ) -> Result<IssuedKey, UseCaseError> {
        self.check_create(caller, name)?;
        let order = NewTpp { name: name.to_owned(), certificates: Vec::new(), redirect_uris };
        let register = self.tpp_register_for(order, Some(caller.organisation.id));
        audit::run_as_member(caller.member.id, register).await
    }

    /// Creates a merchant with its application, in the sandbox. Returns its key and its webhook secret.
    pub async fn portal_merchant_create(
        &self,
        caller: &PortalMember,
        name: &str,
    ) -> Result<(IssuedKey, Secret<String>), UseCaseError> {
        self.check_create(caller, name)?;
        let number = u32::from_be_bytes(Entropy::os().bytes());
        let currency = Currency::parse("EUR").map_err(|text| Refusal::malformed(Field::Currency, text))?;
        let money = |minor| Money { minor, currency };
        let plans = PLANS.iter().map(|(installments, yearly_rate_bp)| PlanOffer {
            plan: Plan { installments: *installments, yearly_rate_bp: *yearly_rate_bp },
            is_default: *installments == PLANS[0].0,
        });
        let order = NewMerchant {
            name: name.to_owned(),
            code: format!("SANDBOX-{number:08X}"),
            // Above the numbers of the demo's merchants.
            number: i64::from(number) + 1_000_000,
            limits: AmountLimits { minimum: money(BASKET_MINIMUM_MINOR), maximum: money(MAX_BASKET_MINOR) },
            plans: plans.collect(),
            discount_basis_points: DISCOUNT_BASIS_POINTS,
            sandbox: true,
            urls: MerchantUrls::default(),
        };
        let register = self.merchant_register_for(order, Some(caller.organisation.id));
        audit::run_as_member(caller.member.id, register).await
    }

    fn check_create(&self, caller: &PortalMember, name: &str) -> Result<(), Refusal> {
        caller.require(MemberRole::Developer)?;
        if !self.is_sandbox() {
            let text = "the bank registers applications of production; ask your contact";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text));
        }
        let mut errors = FieldErrors::default();
        check_name(&mut errors, Field::Name, name);
        errors.finish()
    }

    /// Registers a certificate of the organisation's own. In production it must name the company of a certificate that the bank has
    /// registered for the application.
    pub async fn portal_certificate_register(
        &self,
        caller: &PortalMember,
        id: ApplicationId,
        pem: &str,
    ) -> Result<ParsedCertificate, UseCaseError> {
        let record = self.portal_application(caller, id, MemberRole::Developer).await?;
        if record.application.owner != ApplicationOwner::ThirdParty {
            return Err(unknown().into());
        }
        let text = pem.trim().replace(['\r', '\n'], " ");
        let at_field = |error: crate::certificate::CertificateParseError| {
            Refusal::malformed(Field::Certificate, error.text())
        };
        let der = crate::certificate::decode_header(&text).map_err(at_field)?;
        let certificate = crate::certificate::parse(&der).map_err(at_field)?;
        if certificate.not_after <= self.now() {
            return Err(Refusal::malformed(Field::Certificate, "the certificate has expired").into());
        }
        let registered = self.store.read(move |tx| Ok(tx.certificate_list(id)?)).await?;
        if registered.iter().any(|known| known.fingerprint == certificate.fingerprint) {
            return Err(Refusal::malformed(Field::Certificate, "is registered already").into());
        }
        let is_same_company = registered.iter().any(|known| known.organisation == certificate.organisation);
        if !self.is_sandbox() && !is_same_company {
            let text = "must be of the company whose certificate the bank has registered";
            return Err(Refusal::malformed(Field::Certificate, text).into());
        }
        let register = self.certificate_register(id, certificate.clone(), CertificateStatus::Active);
        audit::run_as_member(caller.member.id, register).await?;
        Ok(certificate)
    }

    /// Issues and registers a test certificate, in the sandbox.
    pub async fn portal_certificate_issue(
        &self,
        caller: &PortalMember,
        id: ApplicationId,
        name: &str,
        roles: Vec<Role>,
    ) -> Result<TestCertificate, UseCaseError> {
        self.portal_application(caller, id, MemberRole::Developer).await?;
        let Some(issuer) = self.ports.test_certificates.clone() else {
            let text = "only a sandbox issues test certificates";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
        };
        let mut errors = FieldErrors::default();
        check_name(&mut errors, Field::Name, name);
        if roles.is_empty() {
            errors.add(Field::CertificateRoles, "select at least one role");
        }
        errors.finish()?;
        let number: String =
            caller.organisation.id.as_bytes()[..4].iter().map(|byte| format!("{byte:02X}")).collect();
        let issued = issuer.issue(name, &format!("PSDGR-BOG-{number}"), &roles);
        let issued = issued.map_err(trapeza_store::StoreError::internal)?;
        self.portal_certificate_register(caller, id, &issued.certificate_pem).await?;
        Ok(issued)
    }
}

fn unknown() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown application")
}
