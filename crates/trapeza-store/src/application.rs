//! Applications, their keys and certificates, and the merchants behind some of them.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::application::{Application, ApplicationOwner, CertificateStatus};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::time::{TimeDelta, Timestamp};

/// An application and what it has set for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationRecord {
    pub application: Application,
    pub created_at: Timestamp,
    pub urls: MerchantUrls,
}

/// Where a merchant's customers and callbacks go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MerchantUrls {
    pub success_callback: Option<String>,
    pub fail_callback: Option<String>,
    pub success_redirect: Option<String>,
    pub failure_redirect: Option<String>,
}

/// A certificate as it was registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateRecord {
    pub fingerprint: [u8; 32],
    pub organisation: String,
    pub standing: CertificateStatus,
}

/// A merchant with its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantRecord {
    pub id: MerchantId,
    /// The integer that Pay Later answers show.
    pub number: i64,
    pub code: String,
    pub name: String,
    pub limits: AmountLimits,
    /// How long a basket may be decided.
    pub basket_ttl: TimeDelta,
    /// What the merchant leaves the bank of each loan, in hundredths of a percent.
    pub discount_basis_points: u32,
}

impl Tx<'_> {
    /// The application that a key opens, if the key is known and not retired.
    pub fn application_by_key(&mut self, hash: &[u8; 32]) -> Result<Option<ApplicationRecord>, StoreError> {
        self.query_opt(
            "SELECT a.id, a.merchant, a.name, a.sandbox, a.created_at,
                    a.success_callback_url, a.fail_callback_url, a.success_redirect_uri, a.failure_redirect_uri
             FROM application_key k JOIN application a ON a.id = k.application
             WHERE k.hash = $1 AND k.retired_at IS NULL",
            params![hash],
            application,
        )
    }

    /// The same for a third party's call, with what the bank holds against one certificate of it: `None` there when it
    /// is not registered.
    pub fn application_by_key_and_certificate(
        &mut self,
        hash: &[u8; 32],
        fingerprint: &[u8; 32],
    ) -> Result<Option<(Application, Option<CertificateStatus>)>, StoreError> {
        self.query_opt(
            "SELECT a.id, a.merchant, a.name, a.sandbox, c.standing
             FROM application_key k JOIN application a ON a.id = k.application
             LEFT JOIN application_certificate c ON c.application = a.id AND c.fingerprint = $2
             WHERE k.hash = $1 AND k.retired_at IS NULL",
            params![hash, fingerprint],
            |row| Ok((caller(row)?, row.opt_str(4)?.map(standing).transpose()?)),
        )
    }

    pub fn application_find(&mut self, id: ApplicationId) -> Result<Option<ApplicationRecord>, StoreError> {
        self.query_opt(
            "SELECT id, merchant, name, sandbox, created_at,
                    success_callback_url, fail_callback_url, success_redirect_uri, failure_redirect_uri
             FROM application WHERE id = $1",
            params![id.as_bytes()],
            application,
        )
    }

    pub fn application_list(&mut self) -> Result<Vec<ApplicationRecord>, StoreError> {
        self.query(
            "SELECT id, merchant, name, sandbox, created_at,
                    success_callback_url, fail_callback_url, success_redirect_uri, failure_redirect_uri
             FROM application WHERE id <> $1 ORDER BY created_at, id",
            params![ApplicationId::BANK.as_bytes()],
            application,
        )
    }

    pub fn application_insert(&mut self, record: &ApplicationRecord) -> Result<(), StoreError> {
        let ApplicationRecord { application, created_at, urls } = record;
        let merchant = match &application.owner {
            ApplicationOwner::ThirdParty => None,
            ApplicationOwner::Merchant(id) => Some(id.as_bytes()),
        };
        self.execute(
            "INSERT INTO application (id, merchant, name, sandbox, created_at,
                success_callback_url, fail_callback_url, success_redirect_uri, failure_redirect_uri)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                application.id.as_bytes(),
                merchant,
                &application.name,
                application.sandbox,
                created_at.0,
                urls.success_callback.as_deref(),
                urls.fail_callback.as_deref(),
                urls.success_redirect.as_deref(),
                urls.failure_redirect.as_deref()
            ],
        )?;
        Ok(())
    }

    pub fn application_urls_set(&mut self, id: ApplicationId, urls: &MerchantUrls) -> Result<(), StoreError> {
        self.execute(
            "UPDATE application SET success_callback_url = $2, fail_callback_url = $3,
                success_redirect_uri = $4, failure_redirect_uri = $5 WHERE id = $1",
            params![
                id.as_bytes(),
                urls.success_callback.as_deref(),
                urls.fail_callback.as_deref(),
                urls.success_redirect.as_deref(),
                urls.failure_redirect.as_deref()
            ],
        )?;
        Ok(())
    }

    pub fn application_key_insert(
        &mut self,
        id: ApplicationId,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_key (hash, application, created_at) VALUES ($1, $2, $3)",
            params![hash, id.as_bytes(), now.0],
        )?;
        Ok(())
    }

    /// How many keys of an application open it now.
    pub fn application_key_count(&mut self, id: ApplicationId) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM application_key WHERE application = $1 AND retired_at IS NULL",
            params![id.as_bytes()],
            |row| row.int(0),
        )
    }

    /// Retires every key of an application; answers how many were still good.
    pub fn application_key_retire_all(
        &mut self,
        id: ApplicationId,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE application_key SET retired_at = $2 WHERE application = $1 AND retired_at IS NULL",
            params![id.as_bytes(), now.0],
        )
    }

    pub fn certificate_find(
        &mut self,
        application: ApplicationId,
        fingerprint: &[u8; 32],
    ) -> Result<Option<CertificateRecord>, StoreError> {
        self.query_opt(
            "SELECT fingerprint, organisation, standing FROM application_certificate
             WHERE application = $1 AND fingerprint = $2",
            params![application.as_bytes(), fingerprint],
            |row| {
                Ok(CertificateRecord {
                    fingerprint: row.array(0)?,
                    organisation: row.text(1)?,
                    standing: standing(&row.text(2)?)?,
                })
            },
        )
    }

    /// Registers a certificate, or changes its standing where it is registered already.
    pub fn certificate_upsert(
        &mut self,
        application: ApplicationId,
        record: &CertificateRecord,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_certificate (application, fingerprint, organisation, standing, registered_at)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (application, fingerprint) DO UPDATE SET standing = excluded.standing",
            params![
                application.as_bytes(),
                &record.fingerprint,
                &record.organisation,
                standing_name(record.standing),
                now.0
            ],
        )?;
        Ok(())
    }

    pub fn redirect_uri_list(&mut self, application: ApplicationId) -> Result<Vec<String>, StoreError> {
        self.query(
            "SELECT uri FROM application_redirect WHERE application = $1 ORDER BY uri",
            params![application.as_bytes()],
            |row| row.text(0),
        )
    }

    pub fn redirect_uri_replace(
        &mut self,
        application: ApplicationId,
        uris: &[String],
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM application_redirect WHERE application = $1",
            params![application.as_bytes()],
        )?;
        for uri in uris {
            self.execute(
                "INSERT INTO application_redirect (application, uri) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                params![application.as_bytes(), uri],
            )?;
        }
        Ok(())
    }

    pub fn webhook_secret_insert(
        &mut self,
        application: ApplicationId,
        sealed: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_webhook_secret (application, sealed, created_at) VALUES ($1, $2, $3)",
            params![application.as_bytes(), sealed, now.0],
        )?;
        Ok(())
    }

    /// An application's sealed webhook secrets, newest first.
    pub fn webhook_secret_list(&mut self, application: ApplicationId) -> Result<Vec<Vec<u8>>, StoreError> {
        self.query(
            "SELECT sealed FROM application_webhook_secret WHERE application = $1 ORDER BY created_at DESC",
            params![application.as_bytes()],
            |row| row.bytes(0),
        )
    }

    /// Forgets all of an application's webhook secrets but the newest; answers how many went.
    pub fn webhook_secret_retire(&mut self, application: ApplicationId) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM application_webhook_secret WHERE application = $1 AND created_at <
                (SELECT MAX(newest.created_at) FROM application_webhook_secret newest WHERE newest.application = $1)",
            params![application.as_bytes()],
        )
    }
}

fn application(row: &Row<'_>) -> Result<ApplicationRecord, StoreError> {
    Ok(ApplicationRecord {
        application: caller(row)?,
        created_at: Timestamp(row.int(4)?),
        urls: MerchantUrls {
            success_callback: row.opt_text(5)?,
            fail_callback: row.opt_text(6)?,
            success_redirect: row.opt_text(7)?,
            failure_redirect: row.opt_text(8)?,
        },
    })
}

/// The first four columns of every query that answers an application.
fn caller(row: &Row<'_>) -> Result<Application, StoreError> {
    let owner =
        row.opt_id(1, MerchantId::new)?.map_or(ApplicationOwner::ThirdParty, ApplicationOwner::Merchant);
    Ok(Application { id: row.id(0, ApplicationId::new)?, owner, name: row.text(2)?, sandbox: row.bool(3)? })
}

const STANDINGS: [(CertificateStatus, &str); 3] = [
    (CertificateStatus::Active, "active"),
    (CertificateStatus::Blocked, "blocked"),
    (CertificateStatus::Revoked, "revoked"),
];

fn standing(name: &str) -> Result<CertificateStatus, StoreError> {
    let known = STANDINGS.iter().find(|(_, known)| *known == name);
    known
        .map(|(standing, _)| *standing)
        .ok_or_else(|| StoreError::internal("a certificate's standing is unknown"))
}

fn standing_name(standing: CertificateStatus) -> &'static str {
    STANDINGS.iter().find(|(known, _)| *known == standing).map_or("revoked", |(_, name)| name)
}
