//! Registered API clients: applications of third parties (area A) and of merchants (area B).

use crate::field::Field;
use crate::id::{ApplicationId, MerchantId};
use crate::money::Currency;
use crate::refusal::{Refusal, RefusalReason};
use crate::time::Timestamp;
use std::sync::Arc;

/// A PSD2 role of a third party's certificate (ETSI TS 119 495).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// PSP_AS
    AccountServicing,
    /// PSP_PI
    PaymentInitiation,
    /// PSP_AI
    AccountInformation,
    /// PSP_IC
    CardIssuing,
}

impl Role {
    pub const ALL: [Self; 4] =
        [Self::AccountServicing, Self::PaymentInitiation, Self::AccountInformation, Self::CardIssuing];

    pub const fn name(self) -> &'static str {
        match self {
            Self::AccountServicing => "PSP_AS",
            Self::PaymentInitiation => "PSP_PI",
            Self::AccountInformation => "PSP_AI",
            Self::CardIssuing => "PSP_IC",
        }
    }
}

/// The kind of party that an application belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationOwner {
    ThirdParty,
    /// A merchant has one currency for life.
    Merchant {
        id: MerchantId,
        currency: Currency,
    },
}

/// A registered API client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    pub id: ApplicationId,
    pub owner: ApplicationOwner,
    pub name: String,
    /// Whether it may call the sandbox operations of Pay Later.
    pub sandbox: bool,
}

/// Where a merchant's shoppers and callbacks are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MerchantUrls {
    pub success_callback: Option<String>,
    pub fail_callback: Option<String>,
    pub success_redirect: Option<String>,
    pub failure_redirect: Option<String>,
}

/// The bank's own status of a registered certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateStatus {
    Active,
    Blocked,
    Revoked,
}

/// The fields of a presented certificate that decide whether its owner may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCertificate {
    /// SHA-256 over the DER form.
    pub fingerprint: [u8; 32],
    /// organizationIdentifier, e.g. `PSDGR-BOG-123456`.
    pub organisation: String,
    /// The name shown to customers: organizationName, or the common name when there is none.
    pub name: String,
    /// The host names in the common name and the alternative names; a name may begin with `*.`.
    pub host_names: Arc<[String]>,
    pub roles: Vec<Role>,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
}

impl ParsedCertificate {
    /// Checks that the certificate, registered with this status, permits an operation that requires `role`.
    pub fn authorise(&self, status: CertificateStatus, now: Timestamp, role: Role) -> Result<(), Refusal> {
        let refuse = |reason, text: &str| Err(Refusal::at(reason, Field::Certificate, text));
        match status {
            CertificateStatus::Blocked => {
                return refuse(
                    RefusalReason::CertificateBlocked,
                    "the certificate is blocked; contact the bank",
                );
            }
            CertificateStatus::Revoked => {
                return refuse(RefusalReason::CertificateRevoked, "the certificate was revoked");
            }
            CertificateStatus::Active => {}
        }
        if now < self.not_before {
            return refuse(RefusalReason::CertificateInvalid, "the certificate is not valid yet");
        }
        if now > self.not_after {
            return refuse(RefusalReason::CertificateExpired, "the certificate has expired");
        }
        if !self.roles.contains(&role) {
            let text = format!("the certificate lacks the role {} that this operation requires", role.name());
            return refuse(RefusalReason::RoleMissing, &text);
        }
        Ok(())
    }
}
