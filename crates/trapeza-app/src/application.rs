//! Registration of applications; their subscription keys, certificates and webhook secrets.

mod change;

pub(crate) use change::enabled_set;
pub use change::{active_keys, key_id};

use crate::keyring::KeyPurpose;
use crate::{App, UseCaseError, audit, merchant as terms};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use trapeza_domain::application::{Application, ApplicationOwner, CertificateStatus, ParsedCertificate};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::id::{ApplicationId, MerchantId, OrganisationId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_store::{ApplicationRecord, CertificateRecord, KeyRecord, MerchantRecord, Tx};

pub use crate::merchant::NewMerchant;
pub use trapeza_domain::application::MerchantUrls;
pub use trapeza_domain::basket::AmountLimits;
pub use trapeza_domain::installment::{Plan, PlanOffer};

/// A third party as the operator registers it.
pub struct NewTpp {
    pub name: String,
    pub certificates: Vec<(ParsedCertificate, CertificateStatus)>,
    pub redirect_uris: Vec<String>,
}

/// A subscription key in the clear. It is shown once; the bank stores its keyed hash.
pub struct IssuedKey {
    pub application: ApplicationId,
    pub subscription_key: Secret<String>,
}

/// The default time to decide a basket.
const BASKET_LIFE: TimeDelta = TimeDelta::minutes(30);

/// Two, so that a key can be rotated without a gap.
const ACTIVE_KEYS: i64 = 2;
/// Two, so that the secret that signs callbacks can be rotated without a gap.
const ACTIVE_SECRETS: usize = 2;

impl App {
    pub async fn tpp_register(&self, order: NewTpp) -> Result<IssuedKey, UseCaseError> {
        self.tpp_register_for(order, None).await
    }

    /// The same for an organisation, whose members manage the application in the portal.
    pub(crate) async fn tpp_register_for(
        &self,
        order: NewTpp,
        organisation: Option<OrganisationId>,
    ) -> Result<IssuedKey, UseCaseError> {
        change::check_redirect_uris(&order.redirect_uris, self.url_policy())?;
        let (id, now) = (ApplicationId::new(self.entropy.uuid()), self.now());
        let (key, hash) = self.new_key();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                tx.application_insert(&ApplicationRecord {
                    application: Application {
                        id,
                        owner: ApplicationOwner::ThirdParty,
                        name: order.name.clone(),
                        sandbox: true,
                    },
                    created_at: now,
                    urls: MerchantUrls::default(),
                    disabled_at: None,
                })?;
                tx.application_organisation_set(id, organisation)?;
                for (facts, status) in &order.certificates {
                    tx.certificate_upsert(id, &certificate_record(facts, *status), now)?;
                }
                tx.redirect_uri_replace(id, &order.redirect_uris)?;
                tx.application_key_insert(id, &hash, now)?;
                let event =
                    AuditEvent::new("application.registered", "application", id).with("name", &order.name);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await?;
        Ok(IssuedKey { application: id, subscription_key: key })
    }

    /// Registers a merchant with one application; returns its key and its webhook secret.
    pub async fn merchant_register(
        &self,
        order: NewMerchant,
    ) -> Result<(IssuedKey, Secret<String>), UseCaseError> {
        self.merchant_register_for(order, None).await
    }

    /// The same for an organisation, whose members manage the application in the portal.
    pub(crate) async fn merchant_register_for(
        &self,
        order: NewMerchant,
        organisation: Option<OrganisationId>,
    ) -> Result<(IssuedKey, Secret<String>), UseCaseError> {
        let (id, merchant) = (ApplicationId::new(self.entropy.uuid()), MerchantId::new(self.entropy.uuid()));
        // A test application may be on the developer's own machine.
        let url_policy = if order.sandbox { EgressPolicy::PublicOrLoopback } else { self.url_policy() };
        terms::validate(&order, url_policy)?;
        let now = self.now();
        let (key, hash) = self.new_key();
        let (secret, sealed) = self.new_webhook_secret(id);
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                let record = MerchantRecord {
                    id: merchant,
                    number: order.number,
                    code: order.code.clone(),
                    name: order.name.clone(),
                    limits: order.limits,
                    basket_ttl: BASKET_LIFE,
                    discount_basis_points: order.discount_basis_points,
                };
                terms::check_free(tx, &order)?;
                tx.merchant_insert(&record, &order.plans)?;
                tx.application_insert(&ApplicationRecord {
                    application: Application {
                        id,
                        owner: ApplicationOwner::Merchant {
                            id: merchant,
                            currency: order.limits.minimum.currency,
                        },
                        name: order.name.clone(),
                        sandbox: order.sandbox,
                    },
                    created_at: now,
                    urls: order.urls.clone(),
                    disabled_at: None,
                })?;
                tx.application_organisation_set(id, organisation)?;
                tx.application_key_insert(id, &hash, now)?;
                tx.webhook_secret_insert(id, &sealed, now)?;
                let event =
                    AuditEvent::new("application.registered", "application", id).with("name", &order.name);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await?;
        Ok((IssuedKey { application: id, subscription_key: key }, secret))
    }

    /// Registers a certificate of a third party, or changes its status.
    pub async fn certificate_register(
        &self,
        id: ApplicationId,
        facts: ParsedCertificate,
        status: CertificateStatus,
    ) -> Result<(), UseCaseError> {
        let now = self.now();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                tx.certificate_upsert(id, &certificate_record(&facts, status), now)?;
                let event = AuditEvent::new("application.certificate_registered", "application", id);
                let event = event.with("status", format!("{status:?}"));
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }

    /// Issues a second key. With two active keys the operator must retire one first.
    pub async fn key_issue(&self, id: ApplicationId) -> Result<IssuedKey, UseCaseError> {
        let now = self.now();
        let (key, hash) = self.new_key();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                require_application(tx, id)?;
                if tx.application_key_count(id)? >= ACTIVE_KEYS {
                    let text = "the application already has two active keys; replace them";
                    return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
                }
                tx.application_key_insert(id, &hash, now)?;
                let event = AuditEvent::new("application.key_issued", "application", id);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await?;
        Ok(IssuedKey { application: id, subscription_key: key })
    }

    /// The keys of an application, oldest first.
    pub async fn key_list(&self, id: ApplicationId) -> Result<Vec<KeyRecord>, UseCaseError> {
        self.last_used_flush().await?;
        self.store
            .read(move |tx| {
                require_application(tx, id)?;
                Ok(tx.application_key_list(id)?)
            })
            .await
    }

    /// Retires all keys of an application except the newest. Returns how many were retired.
    pub async fn older_keys_retire(&self, id: ApplicationId) -> Result<u64, UseCaseError> {
        let now = self.now();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                require_application(tx, id)?;
                let keys = tx.application_key_list(id)?;
                let Some(newest) = keys.iter().rfind(|key| key.retired_at.is_none()) else { return Ok(0) };
                let retired = tx.application_key_retire_others(id, &newest.hash, now)?;
                let event = AuditEvent::new("application.keys_retired", "application", id);
                audit::record(tx, now, actor, &event.with("count", retired))?;
                Ok(retired)
            })
            .await
    }

    /// Retires all keys of an application and issues a new one.
    pub async fn key_replace(&self, id: ApplicationId) -> Result<IssuedKey, UseCaseError> {
        let now = self.now();
        let (key, hash) = self.new_key();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                require_application(tx, id)?;
                tx.application_key_retire_all(id, now)?;
                tx.application_key_insert(id, &hash, now)?;
                let event = AuditEvent::new("application.key_replaced", "application", id);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await?;
        Ok(IssuedKey { application: id, subscription_key: key })
    }

    /// The secrets that sign an application's callbacks, newest first.
    pub async fn webhook_secrets(&self, id: ApplicationId) -> Result<Vec<Secret<String>>, UseCaseError> {
        let sealed = self.store.read(move |tx| Ok(tx.webhook_secret_list(id)?)).await?;
        Ok(self.webhook_open(id, sealed))
    }

    pub(crate) fn webhook_open(&self, id: ApplicationId, sealed: Vec<Vec<u8>>) -> Vec<Secret<String>> {
        let open = |sealed: Vec<u8>| {
            let plain = self.keyring.open(id.as_bytes(), &sealed)?;
            String::from_utf8(plain.to_vec()).ok().map(Secret::new)
        };
        sealed.into_iter().filter_map(open).collect()
    }

    /// Adds a webhook secret: both sign until the older one is retired, so that the merchant can rotate without a
    /// gap.
    pub async fn webhook_secret_rotate(&self, id: ApplicationId) -> Result<Secret<String>, UseCaseError> {
        let now = self.now();
        let (secret, sealed) = self.new_webhook_secret(id);
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                require_merchant(tx, id)?;
                if tx.webhook_secret_list(id)?.len() >= ACTIVE_SECRETS {
                    let text = "the application already has two webhook secrets; retire the older one first";
                    return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
                }
                tx.webhook_secret_insert(id, &sealed, now)?;
                let event = AuditEvent::new("application.webhook_secret_issued", "application", id);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await?;
        Ok(secret)
    }

    /// Ends a rotation: only the newest secret signs from now on.
    pub async fn webhook_secret_retire(&self, id: ApplicationId) -> Result<(), UseCaseError> {
        let now = self.now();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                require_merchant(tx, id)?;
                if tx.webhook_secret_retire(id)? == 0 {
                    let text = "the application has no older webhook secret to retire";
                    return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
                }
                let event = AuditEvent::new("application.webhook_secret_retired", "application", id);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }

    pub async fn application_list(&self) -> Result<Vec<ApplicationRecord>, UseCaseError> {
        self.store.read(|tx| Ok(tx.application_list()?)).await
    }

    fn new_key(&self) -> (Secret<String>, [u8; 32]) {
        let key = URL_SAFE_NO_PAD.encode(self.secret_bytes::<32>());
        let hash = self.keyring.hash(KeyPurpose::SubscriptionKey, &[key.as_bytes()]);
        (Secret::new(key), hash)
    }

    fn new_webhook_secret(&self, id: ApplicationId) -> (Secret<String>, Vec<u8>) {
        let secret = format!("whsec_{}", STANDARD.encode(self.secret_bytes::<32>()));
        let sealed = self.keyring.seal(id.as_bytes(), secret.as_bytes(), self.secret_bytes());
        (Secret::new(secret), sealed)
    }

    /// Secrets never come from a seed, not even in the demo bank.
    fn secret_bytes<const N: usize>(&self) -> [u8; N] {
        crate::Entropy::os().bytes()
    }
}

fn certificate_record(certificate: &ParsedCertificate, status: CertificateStatus) -> CertificateRecord {
    CertificateRecord {
        fingerprint: certificate.fingerprint,
        organisation: certificate.organisation.clone(),
        status,
        expires_at: certificate.not_after,
    }
}

fn require_application(tx: &mut Tx<'_>, id: ApplicationId) -> Result<(), UseCaseError> {
    match tx.application_find(id)? {
        Some(_) => Ok(()),
        None => Err(unknown().into()),
    }
}

fn unknown() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown application")
}

/// Only merchants receive callbacks.
fn require_merchant(tx: &mut Tx<'_>, id: ApplicationId) -> Result<(), UseCaseError> {
    let holder = tx.application_find(id)?.map(|record| record.application.owner);
    if matches!(holder, Some(ApplicationOwner::Merchant { .. })) {
        return Ok(());
    }
    Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown merchant application").into())
}
