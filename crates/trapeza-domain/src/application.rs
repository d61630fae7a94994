//! The programs that call the bank: third parties (area A) and merchants' tills (area B).

use crate::id::{ApplicationId, MerchantId};
use crate::refusal::{Refusal, RefusalReason};
use crate::time::Timestamp;

/// What a third party is licensed for, as its certificate says (ETSI TS 119 495).
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

/// Whose program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationOwner {
    ThirdParty,
    Merchant(MerchantId),
}

/// A registered program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    pub id: ApplicationId,
    pub owner: ApplicationOwner,
    pub name: String,
    /// May use the sandbox calls of Pay Later.
    pub sandbox: bool,
}

/// What the bank holds against a registered certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateStatus {
    Active,
    Blocked,
    Revoked,
}

/// The facts of a presented certificate that decide whether its holder may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCertificate {
    /// SHA-256 over the DER form.
    pub fingerprint: [u8; 32],
    /// organizationIdentifier, e.g. `PSDGR-BOG-123456`.
    pub organisation: String,
    /// What people are shown: organizationName, or the common name where there is none.
    pub name: String,
    pub roles: Vec<Role>,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
}

impl ParsedCertificate {
    /// Whether the certificate, registered with this status, admits its holder to a call that needs `role`.
    pub fn authorise(&self, status: CertificateStatus, now: Timestamp, role: Role) -> Result<(), Refusal> {
        let refuse = |reason, text: &str| Err(Refusal::at(reason, "Certificate", text));
        match status {
            CertificateStatus::Blocked => {
                return refuse(
                    RefusalReason::CertificateBlocked,
                    "the certificate is blocked; ask the bank why",
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
            let text = format!("the certificate lacks the role {} that this call needs", role.name());
            return refuse(RefusalReason::RoleMissing, &text);
        }
        Ok(())
    }
}
