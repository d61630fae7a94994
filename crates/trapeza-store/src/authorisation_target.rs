//! What an authorisation knows of its target before it is started: the customer, once identified, and the redirect URIs that
//! the third party sent when it created the target.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::authorisation::{Authorisation, LinkingDigest, Target};
use trapeza_domain::id::ApplicationId;
use uuid::Uuid;

/// Where the customer returns to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedirectUris {
    pub success: Option<String>,
    pub failure: Option<String>,
}

impl Tx<'_> {
    /// Stores the login of the customer of a target that was created without one. A target that has a customer keeps them.
    pub fn target_psu_set(
        &mut self,
        application: ApplicationId,
        target: Target,
        login: &str,
    ) -> Result<(), StoreError> {
        let id = Uuid::from_bytes(*target.id_bytes());
        let statement = match target {
            Target::Consent(_) | Target::FundsConsent(_) => {
                "UPDATE consent SET psu_login = $3 WHERE id = $1 AND application = $2 AND psu_login = ''"
            }
            Target::Payment(_) | Target::Cancellation(_) => {
                "UPDATE payment SET psu_login = $3 WHERE id = $1 AND application = $2 AND psu_login = ''"
            }
            Target::SigningBasket(_) => {
                "UPDATE signing_basket SET psu_login = $3 WHERE id = $1 AND application = $2 AND psu_login = ''"
            }
        };
        self.update_one("target without a customer", statement, params![id, application, login])
    }

    /// Records that the third party does not know the login of a target's customer.
    pub fn private_login_insert(
        &mut self,
        application: ApplicationId,
        target: Target,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO private_login (target, application) VALUES ($1, $2)",
            params![Uuid::from_bytes(*target.id_bytes()), application],
        )?;
        Ok(())
    }

    /// Whether the third party does not know the login of a target's customer.
    pub fn login_is_private(&mut self, application: ApplicationId, target: Uuid) -> Result<bool, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM private_login WHERE target = $1 AND application = $2",
            params![target, application],
            |row| Ok(row.read::<i64>()? > 0),
        )
    }

    /// Stores the customer of an authorisation that was started without one.
    pub fn authorisation_psu_set(&mut self, authorisation: &Authorisation) -> Result<(), StoreError> {
        self.update_one(
            "authorisation without a customer",
            "UPDATE authorisation SET psu_login = $3, psu = $4 WHERE id = $1 AND application = $2 AND psu_login = ''",
            params![authorisation.id, authorisation.application, &authorisation.psu_name, authorisation.psu],
        )
    }

    /// Stores the digest of a target that the customer has completed on the bank's page.
    pub fn authorisation_linking_digest_set(
        &mut self,
        authorisation: &Authorisation,
        digest: &LinkingDigest,
    ) -> Result<(), StoreError> {
        self.update_one(
            "authorisation",
            "UPDATE authorisation SET linking_digest = $3 WHERE id = $1 AND application = $2",
            params![authorisation.id, authorisation.application, &digest.0],
        )
    }

    /// Stores the redirect URIs that came with the creation of a target, for a later start of its authorisation.
    pub fn target_redirect_insert(
        &mut self,
        application: ApplicationId,
        target: Target,
        uris: &RedirectUris,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO target_redirect (target_kind, target, application, redirect_uri, nok_redirect_uri)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (target_kind, target) DO UPDATE
                SET redirect_uri = excluded.redirect_uri, nok_redirect_uri = excluded.nok_redirect_uri",
            params![
                target.kind().name(),
                Uuid::from_bytes(*target.id_bytes()),
                application,
                uris.success.as_deref(),
                uris.failure.as_deref()
            ],
        )?;
        Ok(())
    }

    pub fn target_redirect_find(
        &mut self,
        application: ApplicationId,
        target: Target,
    ) -> Result<Option<RedirectUris>, StoreError> {
        self.query_opt(
            "SELECT redirect_uri, nok_redirect_uri FROM target_redirect
             WHERE target_kind = $1 AND target = $2 AND application = $3",
            params![target.kind().name(), Uuid::from_bytes(*target.id_bytes()), application],
            |row| Ok(RedirectUris { success: row.read()?, failure: row.read()? }),
        )
    }
}
