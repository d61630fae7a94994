//! Applications, their subscription keys, certificates, redirect URIs and webhook secrets.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::application::{Application, ApplicationOwner, CertificateStatus, MerchantUrls};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;

/// An application with its URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationRecord {
    pub application: Application,
    pub created_at: Timestamp,
    pub urls: MerchantUrls,
    /// Since when its keys are refused.
    pub disabled_at: Option<Timestamp>,
}

/// A registered certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateRecord {
    pub fingerprint: [u8; 32],
    pub organisation: String,
    pub status: CertificateStatus,
    /// The end of its validity.
    pub expires_at: Timestamp,
}

/// A subscription key, without the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    pub hash: [u8; 32],
    pub created_at: Timestamp,
    pub retired_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, a.merchant, m.currency, a.name, a.sandbox, a.created_at, a.success_callback_url, a.fail_callback_url,
                    a.success_redirect_uri, a.failure_redirect_uri, a.disabled_at ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// The application of a subscription key that is not retired. A disabled application is not found.
    pub fn application_by_key(&mut self, hash: &[u8; 32]) -> Result<Option<ApplicationRecord>, StoreError> {
        self.query_opt(
            select!(
                "FROM application_key k JOIN application a ON a.id = k.application
                 LEFT JOIN merchant m ON m.id = a.merchant
                 WHERE k.hash = $1 AND k.retired_at IS NULL AND a.disabled_at IS NULL"
            ),
            params![hash],
            application_record,
        )
    }

    /// The same, with the status of one of the application's certificates: `None` when it is not registered.
    pub fn application_by_key_and_certificate(
        &mut self,
        hash: &[u8; 32],
        fingerprint: &[u8; 32],
    ) -> Result<Option<(Application, Option<CertificateStatus>)>, StoreError> {
        self.query_opt(
            "SELECT a.id, a.merchant, m.currency, a.name, a.sandbox, c.status
             FROM application_key k JOIN application a ON a.id = k.application
             LEFT JOIN merchant m ON m.id = a.merchant
             LEFT JOIN application_certificate c ON c.application = a.id AND c.fingerprint = $2
             WHERE k.hash = $1 AND k.retired_at IS NULL AND a.disabled_at IS NULL",
            params![hash, fingerprint],
            |row| Ok((application(row)?, row.parse_opt(certificate_status)?)),
        )
    }

    pub fn application_find(&mut self, id: ApplicationId) -> Result<Option<ApplicationRecord>, StoreError> {
        self.query_opt(
            select!("FROM application a LEFT JOIN merchant m ON m.id = a.merchant WHERE a.id = $1"),
            params![id],
            application_record,
        )
    }

    /// All applications except the bank's own, oldest first.
    pub fn application_list(&mut self) -> Result<Vec<ApplicationRecord>, StoreError> {
        self.query(
            select!(
                "FROM application a LEFT JOIN merchant m ON m.id = a.merchant
                 WHERE a.id <> $1 ORDER BY a.created_at, a.id"
            ),
            params![ApplicationId::BANK],
            application_record,
        )
    }

    pub fn application_insert(&mut self, record: &ApplicationRecord) -> Result<(), StoreError> {
        let ApplicationRecord { application, created_at, urls, disabled_at } = record;
        let merchant = match application.owner {
            ApplicationOwner::ThirdParty => None,
            ApplicationOwner::Merchant { id, .. } => Some(id),
        };
        self.execute(
            "INSERT INTO application (id, merchant, name, sandbox, created_at,
                success_callback_url, fail_callback_url, success_redirect_uri, failure_redirect_uri, disabled_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            params![
                application.id,
                merchant,
                &application.name,
                application.sandbox,
                *created_at,
                urls.success_callback.as_deref(),
                urls.fail_callback.as_deref(),
                urls.success_redirect.as_deref(),
                urls.failure_redirect.as_deref(),
                *disabled_at
            ],
        )?;
        Ok(())
    }

    pub fn application_name_set(&mut self, id: ApplicationId, name: &str) -> Result<(), StoreError> {
        self.update_one("application", "UPDATE application SET name = $2 WHERE id = $1", params![id, name])
    }

    /// Disables an application, or enables it with `None`.
    pub fn application_disabled_set(
        &mut self,
        id: ApplicationId,
        disabled_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.update_one(
            "application",
            "UPDATE application SET disabled_at = $2 WHERE id = $1",
            params![id, disabled_at],
        )
    }

    pub fn application_urls_set(&mut self, id: ApplicationId, urls: &MerchantUrls) -> Result<(), StoreError> {
        self.execute(
            "UPDATE application SET success_callback_url = $2, fail_callback_url = $3,
                success_redirect_uri = $4, failure_redirect_uri = $5 WHERE id = $1",
            params![
                id,
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
            params![hash, id, now],
        )?;
        Ok(())
    }

    /// The number of keys that are not retired.
    pub fn application_key_count(&mut self, id: ApplicationId) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM application_key WHERE application = $1 AND retired_at IS NULL",
            params![id],
            |row| row.read(),
        )
    }

    /// The keys of an application, oldest first.
    pub fn application_key_list(&mut self, id: ApplicationId) -> Result<Vec<KeyRecord>, StoreError> {
        self.query(
            "SELECT k.hash, k.created_at, k.retired_at, u.used_at FROM application_key k
             LEFT JOIN application_key_last_used u ON u.hash = k.hash
             WHERE k.application = $1 ORDER BY k.created_at, k.hash",
            params![id],
            |row| {
                Ok(KeyRecord {
                    hash: row.read()?,
                    created_at: row.read()?,
                    retired_at: row.read()?,
                    last_used_at: row.read()?,
                })
            },
        )
    }

    /// Stores when a key was last used, unless a later use is stored.
    pub fn application_key_last_used_set(
        &mut self,
        hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO application_key_last_used (hash, used_at) VALUES ($1, $2)
             ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at
             WHERE application_key_last_used.used_at < excluded.used_at",
            params![hash, at],
        )
    }

    /// Retires the keys of an application except this one, and returns how many were in use.
    pub fn application_key_retire_others(
        &mut self,
        id: ApplicationId,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE application_key SET retired_at = $3
             WHERE application = $1 AND hash <> $2 AND retired_at IS NULL",
            params![id, hash, now],
        )
    }

    /// Retires one key of an application; false when it is not in use.
    pub fn application_key_retire(
        &mut self,
        id: ApplicationId,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let retired = self.execute(
            "UPDATE application_key SET retired_at = $3 WHERE application = $1 AND hash = $2 AND retired_at IS NULL",
            params![id, hash, now],
        )?;
        Ok(retired == 1)
    }

    /// Retires every key of an application and returns how many were in use.
    pub fn application_key_retire_all(
        &mut self,
        id: ApplicationId,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE application_key SET retired_at = $2 WHERE application = $1 AND retired_at IS NULL",
            params![id, now],
        )
    }

    pub fn certificate_find(
        &mut self,
        application: ApplicationId,
        fingerprint: &[u8; 32],
    ) -> Result<Option<CertificateRecord>, StoreError> {
        self.query_opt(
            "SELECT fingerprint, organisation, status, expires_at FROM application_certificate
             WHERE application = $1 AND fingerprint = $2",
            params![application, fingerprint],
            |row| {
                Ok(CertificateRecord {
                    fingerprint: row.read()?,
                    organisation: row.read()?,
                    status: row.parse(certificate_status)?,
                    expires_at: row.read()?,
                })
            },
        )
    }

    /// Registers a certificate, or updates its status when it is registered already.
    pub fn certificate_upsert(
        &mut self,
        application: ApplicationId,
        record: &CertificateRecord,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_certificate
                (application, fingerprint, organisation, status, registered_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (application, fingerprint) DO UPDATE SET status = excluded.status",
            params![
                application,
                &record.fingerprint,
                &record.organisation,
                certificate_status_name(record.status),
                now,
                record.expires_at
            ],
        )?;
        Ok(())
    }

    /// When the last active certificate of each third party that is not disabled ends, the first to end first.
    pub fn certificate_expiry_list(&mut self) -> Result<Vec<(ApplicationId, Timestamp)>, StoreError> {
        self.query(
            "SELECT c.application, MAX(c.expires_at) AS ends
             FROM application_certificate c JOIN application a ON a.id = c.application
             WHERE c.status = 'active' AND a.disabled_at IS NULL
             GROUP BY c.application ORDER BY ends, c.application",
            &[],
            |row| Ok((row.read()?, row.read()?)),
        )
    }

    pub fn redirect_uri_list(&mut self, application: ApplicationId) -> Result<Vec<String>, StoreError> {
        self.query(
            "SELECT uri FROM application_redirect_uri WHERE application = $1 ORDER BY uri",
            params![application],
            |row| row.read(),
        )
    }

    pub fn redirect_uri_replace(
        &mut self,
        application: ApplicationId,
        uris: &[String],
    ) -> Result<(), StoreError> {
        self.execute("DELETE FROM application_redirect_uri WHERE application = $1", params![application])?;
        for uri in uris {
            self.execute(
                "INSERT INTO application_redirect_uri (application, uri) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                params![application, uri],
            )?;
        }
        Ok(())
    }

    pub fn webhook_secret_insert(
        &mut self,
        application: ApplicationId,
        ciphertext: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_webhook_secret (application, ciphertext, created_at) VALUES ($1, $2, $3)",
            params![application, ciphertext, now],
        )?;
        Ok(())
    }

    /// An application's webhook secrets, encrypted, newest first.
    pub fn webhook_secret_list(&mut self, application: ApplicationId) -> Result<Vec<Vec<u8>>, StoreError> {
        self.query(
            "SELECT ciphertext FROM application_webhook_secret WHERE application = $1 ORDER BY created_at DESC",
            params![application],
            |row| row.read(),
        )
    }

    /// Deletes all webhook secrets of an application but the newest and returns how many there were.
    pub fn webhook_secret_retire(&mut self, application: ApplicationId) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM application_webhook_secret WHERE application = $1 AND created_at <
                (SELECT MAX(newest.created_at) FROM application_webhook_secret newest WHERE newest.application = $1)",
            params![application],
        )
    }
}

fn application_record(row: &mut RowReader<'_>) -> Result<ApplicationRecord, StoreError> {
    Ok(ApplicationRecord {
        application: application(row)?,
        created_at: row.read()?,
        urls: MerchantUrls {
            success_callback: row.read()?,
            fail_callback: row.read()?,
            success_redirect: row.read()?,
            failure_redirect: row.read()?,
        },
        disabled_at: row.read()?,
    })
}

fn application(row: &mut RowReader<'_>) -> Result<Application, StoreError> {
    let id = row.read()?;
    let owner = match (row.read()?, row.read()?) {
        (Some(id), Some(currency)) => ApplicationOwner::Merchant { id, currency },
        _ => ApplicationOwner::ThirdParty,
    };
    Ok(Application { id, owner, name: row.read()?, sandbox: row.read()? })
}

const CERTIFICATE_STATUSES: [(CertificateStatus, &str); 3] = [
    (CertificateStatus::Active, "active"),
    (CertificateStatus::Blocked, "blocked"),
    (CertificateStatus::Revoked, "revoked"),
];

fn certificate_status(name: &str) -> Option<CertificateStatus> {
    CERTIFICATE_STATUSES.iter().find(|(_, known)| *known == name).map(|(status, _)| *status)
}

fn certificate_status_name(status: CertificateStatus) -> &'static str {
    CERTIFICATE_STATUSES.iter().find(|(known, _)| *known == status).map_or("revoked", |(_, name)| name)
}
