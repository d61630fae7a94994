//! The demo's API clients: third parties with certificates of a demo authority, and merchants. The last one of
//! each is the sample at `/sample/tpp` and `/sample/shop`.
//!
//! They are registered by the same use cases as real ones. Keys are shown only once, so when the file with them is lost,
//! new ones are issued.

use super::authority::{ApplicationOwner, Authority, Issued, Validity};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use trapeza_app::application::{AmountLimits, IssuedKey, MerchantUrls, NewMerchant, NewTpp, Plan, PlanOffer};
use trapeza_app::{App, UseCaseError, certificate};
use trapeza_domain::application::{CertificateStatus, ParsedCertificate, Role};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::{Currency, Money};

use Role::{AccountInformation as Ai, CardIssuing as Ic, PaymentInitiation as Pi};

/// The redirect URI of the demo's third parties: the developer's own machine.
const REDIRECT: &str = "http://127.0.0.1:9090/back";

/// organizationIdentifier of the first third party, for which the Berlin Group's dialect takes callers without a certificate.
pub const FIRST_TPP: &str = "PSDGR-BOG-000001";

struct Tpp {
    name: &'static str,
    organisation: &'static str,
    roles: &'static [Role],
}

const TPPS: [Tpp; 4] = [
    Tpp { name: "Kyklos Finance", organisation: FIRST_TPP, roles: &[Ai, Pi, Ic] },
    Tpp { name: "Meridian Pay", organisation: "PSDDE-BAFIN-000002", roles: &[Ai, Pi, Ic] },
    Tpp { name: "Vue Comptes", organisation: "PSDFR-ACPR-000003", roles: &[Ai] },
    Tpp { name: "Sample Third Party", organisation: "PSDGR-BOG-000004", roles: &[Ai, Pi] },
];

struct Merchant {
    name: &'static str,
    code: &'static str,
    number: i64,
    minimum: i64,
    maximum: i64,
    sandbox: bool,
}

const MERCHANTS: [Merchant; 4] = [
    Merchant {
        name: "Papyrus Books",
        code: "PAPYRUS",
        number: 1001,
        minimum: 3000,
        maximum: 150_000,
        sandbox: true,
    },
    Merchant {
        name: "Elektron",
        code: "ELEKTRON",
        number: 1002,
        minimum: 5000,
        maximum: 300_000,
        sandbox: true,
    },
    Merchant {
        name: "Agora Home",
        code: "AGORA",
        number: 1003,
        minimum: 3000,
        maximum: 100_000,
        sandbox: false,
    },
    Merchant {
        name: "Sample Shop",
        code: "SAMPLE",
        number: 1004,
        minimum: 3000,
        maximum: 300_000,
        sandbox: true,
    },
];

/// The demo merchants' discount: 2.5 %.
const DISCOUNT_BP: u32 = 250;

/// What the developers of the clients need.
pub struct Clients {
    /// The certificate of the demo authority, in PEM.
    pub authority: String,
    pub tpps: Value,
    pub merchants: Value,
}

/// Registers all of them in an empty bank.
pub async fn register(app: &App, authority: &Authority) -> Result<Clients, String> {
    let (mut tpps, mut merchants) = (Vec::new(), Vec::new());
    for tpp in &TPPS {
        let certificates = Certificates::issue(authority, tpp, tpps.is_empty())?;
        let order = NewTpp {
            name: tpp.name.to_owned(),
            certificates: certificates.registered(),
            redirect_uris: vec![REDIRECT.to_owned()],
        };
        let key = app.tpp_register(order).await.map_err(describe_error)?;
        tpps.push(certificates.entry(tpp, &key));
    }
    for merchant in &MERCHANTS {
        let money = |minor| Money { minor, currency: euro() };
        let order = NewMerchant {
            name: merchant.name.to_owned(),
            code: merchant.code.to_owned(),
            number: merchant.number,
            limits: AmountLimits { minimum: money(merchant.minimum), maximum: money(merchant.maximum) },
            plans: plans(),
            discount_basis_points: DISCOUNT_BP,
            sandbox: merchant.sandbox,
            urls: MerchantUrls::default(),
        };
        let (key, secret) = app.merchant_register(order).await.map_err(describe_error)?;
        merchants.push(merchant_entry(merchant, &key, secret.expose()));
    }
    let authority = authority.certificate_pem();
    Ok(Clients { authority, tpps: Value::Array(tpps), merchants: Value::Array(merchants) })
}

/// Issues new keys and certificates for clients that are already registered.
pub async fn issue_again(app: &App, authority: &Authority) -> Result<Clients, String> {
    let applications = app.application_list().await.map_err(describe_error)?;
    let named = |name: &str| {
        let found = applications.iter().find(|record| record.application.name == name);
        found
            .map(|record| record.application.id)
            .ok_or_else(|| format!("the demo's {name} is not registered"))
    };
    let (mut tpps, mut merchants) = (Vec::new(), Vec::new());
    for tpp in &TPPS {
        let id = named(tpp.name)?;
        let certificates = Certificates::issue(authority, tpp, tpps.is_empty())?;
        for (facts, standing) in certificates.registered() {
            app.certificate_register(id, facts, standing).await.map_err(describe_error)?;
        }
        tpps.push(certificates.entry(tpp, &key_again(app, id).await?));
    }
    for merchant in &MERCHANTS {
        let id = named(merchant.name)?;
        let secrets = app.webhook_secrets(id).await.map_err(describe_error)?;
        let secret = secrets.first().map_or("", |secret| secret.expose().as_str()).to_owned();
        merchants.push(merchant_entry(merchant, &key_again(app, id).await?, &secret));
    }
    let authority = authority.certificate_pem();
    Ok(Clients { authority, tpps: Value::Array(tpps), merchants: Value::Array(merchants) })
}

/// A second key where possible, because another process may still use the first.
async fn key_again(app: &App, id: ApplicationId) -> Result<IssuedKey, String> {
    match app.key_issue(id).await {
        Ok(key) => Ok(key),
        Err(UseCaseError::Refused(_)) => app.key_replace(id).await.map_err(describe_error),
        Err(error) => Err(describe_error(error)),
    }
}

/// A third party's certificates; the first one also gets faulty ones, to test refusals.
struct Certificates {
    good: IssuedCertificate,
    /// For signed requests, with its key. It is not registered: its authority and its organisation are sufficient.
    seal: IssuedCertificate,
    seal_key: String,
    faulty: Vec<(&'static str, IssuedCertificate, CertificateStatus)>,
}

struct IssuedCertificate {
    header: String,
    facts: ParsedCertificate,
}

impl Certificates {
    fn issue(authority: &Authority, tpp: &Tpp, with_faulty: bool) -> Result<Self, String> {
        use CertificateStatus::{Active, Blocked, Revoked};
        let holder = |roles| ApplicationOwner { name: tpp.name, organisation: tpp.organisation, roles };
        let certificate = |roles, validity| {
            let holder = holder(roles);
            let issued = authority.issue(holder, validity).map_err(|error| error.to_string())?;
            IssuedCertificate::read(&issued.certificate_pem)
        };
        let mut faulty = Vec::new();
        if with_faulty {
            faulty.push(("expired", certificate(tpp.roles, Validity::Expired)?, Active));
            faulty.push(("blocked", certificate(tpp.roles, Validity::TenYears)?, Blocked));
            faulty.push(("revoked", certificate(tpp.roles, Validity::TenYears)?, Revoked));
            faulty.push(("no_role", certificate(&[], Validity::TenYears)?, Active));
        }
        let seal = authority.issue_seal(holder(tpp.roles), Validity::TenYears);
        let Issued { certificate_pem, key_pem } = seal.map_err(|error| error.to_string())?;
        let seal = IssuedCertificate::read(&certificate_pem)?;
        Ok(Self { good: certificate(tpp.roles, Validity::TenYears)?, seal, seal_key: key_pem, faulty })
    }

    fn registered(&self) -> Vec<(ParsedCertificate, CertificateStatus)> {
        let faulty =
            self.faulty.iter().map(|(_, certificate, standing)| (certificate.facts.clone(), *standing));
        std::iter::once((self.good.facts.clone(), CertificateStatus::Active)).chain(faulty).collect()
    }

    fn entry(&self, tpp: &Tpp, key: &IssuedKey) -> Value {
        let roles: Vec<_> = tpp.roles.iter().map(|role| role.name().trim_start_matches("PSP_")).collect();
        let mut entry = json!({
            "name": tpp.name,
            "client_id": key.application.to_string(),
            "subscription_key": key.subscription_key.expose(),
            "certificate": self.good.header,
            "seal": { "certificate": self.seal.header, "key": self.seal_key },
            "roles": roles,
            "redirect_uris": [REDIRECT],
        });
        for (name, certificate, _) in &self.faulty {
            entry["faulty"][*name] = json!(certificate.header);
        }
        entry
    }
}

impl IssuedCertificate {
    /// Base64 of the DER, which fits a header.
    fn read(pem: &str) -> Result<Self, String> {
        let der = certificate::decode_header(&pem.replace('\n', " ")).map_err(|error| error.to_string())?;
        let facts = certificate::parse(&der).map_err(|error| error.to_string())?;
        Ok(Self { header: STANDARD.encode(&der), facts })
    }
}

fn merchant_entry(merchant: &Merchant, key: &IssuedKey, webhook_secret: &str) -> Value {
    json!({
        "merchant_id": merchant.number,
        "name": merchant.name,
        "application_id": key.application.to_string(),
        "subscription_key": key.subscription_key.expose(),
        "webhook_secret": webhook_secret,
        "limits": { "minimum": merchant.minimum / 100, "maximum": merchant.maximum / 100, "currency": "EUR" },
        "sandbox": merchant.sandbox,
    })
}

/// Three installments without interest are the default; twelve cost interest.
fn plans() -> Vec<PlanOffer> {
    let plan = |installments, yearly_rate_bp| PlanOffer {
        plan: Plan { installments, yearly_rate_bp },
        is_default: installments == 3,
    };
    vec![plan(3, 0), plan(4, 0), plan(6, 0), plan(12, 990)]
}

fn euro() -> Currency {
    Currency::parse("EUR").expect("the euro is a currency")
}

fn describe_error(error: UseCaseError) -> String {
    error.to_string()
}
