//! A bank with two customers and one third party, for tests of strong customer authentication without HTTP.

use crate::database::Database;
use crate::device_key::DeviceKey;
use crate::tpp_fixture::{self, REDIRECT_URI};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use trapeza_app::account::NewAccount;
use trapeza_app::idempotency::{IdempotentOutcome, IdempotentRequest, RequestIdentity};
use trapeza_app::psu::{NewMethod, NewPsu};
use trapeza_app::sca::{
    ApprovalDecision, AuthorisationView, PendingApproval, ScaSettings, StartPreferences, Step, TargetRef,
    approval_message,
};
use trapeza_app::{App, Language, StoreError, Tpp, UseCaseError};
use trapeza_domain::account::{AccountKind, AccountName, AccountUsage};
use trapeza_domain::authorisation::{ScaStatus, TargetKind};
use trapeza_domain::consent::{
    Access, AccessConsentRequest, AccessLists, AccessOptions, ConsentStatus, FundsConsentRequest, ValidUntil,
};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::{AccountId, MethodId, PsuId};
use trapeza_domain::money::Currency;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::reference::{AccountReference, Bic, Iban};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use uuid::Uuid;

pub const ANNA_IBAN: &str = "GR1601101250000000012300695";
pub const BERT_IBAN: &str = "DE89370400440532013000";
/// The password of both customers.
pub const PASSWORD: &str = "olive-tree";

/// A bank with two customers: anna has SMS, a chip card and push, bert has SMS only.
pub struct ScaBank {
    pub app: Arc<App>,
    pub tpp: Tpp,
    requests: AtomicU32,
}

/// A browser that is enrolled as a customer's device.
pub struct EnrolledDevice {
    pub session_token: String,
    key: DeviceKey,
}

/// An authorisation by the redirect approach.
pub struct Redirect {
    pub consent: String,
    pub id: String,
    pub token: String,
}

pub type StepResponse = Result<IdempotentOutcome<AuthorisationView>, UseCaseError>;

/// The settings of production, except that messages stay readable for the test.
pub fn strict() -> ScaSettings {
    ScaSettings { retain_messages: true, ..ScaSettings::default() }
}

impl EnrolledDevice {
    /// A signed approval with the number that the customer read on the other screen.
    pub fn approve(&self, approval: &PendingApproval, number: &str) -> ApprovalDecision {
        let text = approval_message(approval.id, &approval.digest, number);
        ApprovalDecision::Approve { number: Secret::new(number.to_owned()), signature: self.key.sign(&text) }
    }
}

impl ScaBank {
    pub async fn seed(database: &Database, settings: ScaSettings) -> Self {
        let app = tpp_fixture::open(database, settings).await;
        for (login, iban, kinds) in [
            ("anna", ANNA_IBAN, vec![MethodKind::Sms, MethodKind::Chip, MethodKind::Push]),
            ("bert", BERT_IBAN, vec![MethodKind::Sms]),
        ] {
            customer(&app, login, iban, kinds).await;
        }
        let tpp = tpp_fixture::register(&app, "Best Pay").await;
        Self { app, tpp, requests: AtomicU32::new(0) }
    }

    /// The same bank, called by another third party.
    pub async fn with_new_tpp(&self, name: &str) -> Self {
        let tpp = tpp_fixture::register(&self.app, name).await;
        Self { app: self.app.clone(), tpp, requests: AtomicU32::new(0) }
    }

    /// The same bank after a restart.
    pub async fn restart(&self, database: &Database, settings: ScaSettings) -> Self {
        let store = self.app.store().clone();
        tokio::task::spawn_blocking(move || store.close()).await.expect("the store is closed");
        let app = tpp_fixture::open(database, settings).await;
        let requests = AtomicU32::new(self.requests.load(Ordering::Relaxed));
        Self { app, tpp: self.tpp.clone(), requests }
    }

    /// Enrols a new device of a customer, by password and OTP.
    pub async fn device_enrol(&self, login: &str) -> EnrolledDevice {
        let (signed_out, otp_sent) = (self.app.session_token_new(), self.app.session_token_new());
        let (session_token, key) = (self.app.session_token_new(), DeviceKey::default());
        let password = Secret::new(PASSWORD.to_owned());
        self.app
            .device_sign_in(&signed_out, &otp_sent, Language::English, login, password)
            .await
            .expect("the password is right");
        let otp = Secret::new(self.latest_otp().await);
        self.app
            .device_enrol(&otp_sent, &session_token, otp, &key.public())
            .await
            .expect("the device is enrolled");
        EnrolledDevice { session_token, key }
    }

    /// A request with a new idempotency key.
    pub fn new_request(&self) -> IdempotentRequest {
        self.request(self.requests.fetch_add(1, Ordering::Relaxed), "")
    }

    /// A request with a given idempotency key and body.
    pub fn request(&self, key: u32, body: &str) -> IdempotentRequest {
        self.app.idempotent_request(&RequestIdentity {
            application: self.tpp.application,
            operation: "any",
            idempotency_key: Uuid::from_u128(key.into()),
            field: Field::RequestId,
            path: "",
            psu: "",
            consent: "",
            body: body.as_bytes(),
        })
    }

    /// A request for an access consent for one account.
    pub fn consent_order(&self, iban: &str) -> AccessConsentRequest {
        let account = AccountReference::iban(Iban::parse(iban).expect("a valid IBAN"), None);
        let lists = AccessLists { accounts: vec![account], balances: vec![], transactions: vec![] };
        AccessConsentRequest {
            access: Access::Listed(lists),
            options: AccessOptions::default(),
            recurring: true,
            valid_until: ValidUntil::Timestamp(self.app.now().plus(TimeDelta::days(90))),
            frequency_per_day: 4,
            combined_service: false,
        }
    }

    /// Creates an access consent for one account; returns its id.
    pub async fn consent(&self, psu: &str, iban: &str) -> String {
        let order = self.consent_order(iban);
        let created = self.app.consent_create(self.new_request(), &self.tpp, psu.into(), order).await;
        created.expect("the consent is created").value.consent.id.to_string()
    }

    /// Creates a funds consent for one account; returns its id.
    pub async fn funds_consent(&self, psu: &str, iban: &str) -> String {
        let iban = Iban::parse(iban).expect("a valid IBAN");
        let order = FundsConsentRequest {
            account: AccountReference::iban(iban, Some(Currency::EUR)),
            card_number: None,
            card_expiry: None,
            card_information: None,
            registration_information: None,
        };
        let created = self.app.funds_consent_create(self.new_request(), &self.tpp, psu.into(), order).await;
        created.expect("the consent is created").value.consent.id.to_string()
    }

    /// Starts an authorisation with the caller's preferences.
    pub async fn start_with(
        &self,
        target: TargetRef<'_>,
        psu: &str,
        preferences: StartPreferences,
    ) -> StepResponse {
        let request = self.new_request();
        self.app.authorisation_start(request, &self.tpp, target, Some(psu.into()), preferences).await
    }

    /// Starts an embedded authorisation of a consent; returns its id.
    pub async fn start(&self, consent: &str, psu: &str) -> String {
        let started = self.start_with(access_consent(consent), psu, StartPreferences::default()).await;
        let started = started.expect("the authorisation is started").value;
        assert_eq!(started.status, ScaStatus::PsuIdentified);
        started.id.to_string()
    }

    /// Starts a redirect authorisation of a new consent.
    pub async fn start_redirect(&self, psu: &str, iban: &str) -> Redirect {
        let consent = self.consent(psu, iban).await;
        let redirect_uri = Some(REDIRECT_URI.into());
        let preferences =
            StartPreferences { redirect_preferred: Some(true), redirect_uri, ..Default::default() };
        let view = self.start_with(access_consent(&consent), psu, preferences).await;
        let view = view.expect("the authorisation is started").value;
        let token = view.redirect_token.expect("a redirect has a token");
        Redirect { consent, id: view.id.to_string(), token }
    }

    pub async fn step(&self, target: TargetRef<'_>, id: &str, step: Step) -> StepResponse {
        self.app.authorisation_update(self.new_request(), &self.tpp, target, id, step).await
    }

    /// Submits the right password.
    pub async fn sign_in(&self, consent: &str, id: &str) -> AuthorisationView {
        let step = self.step(access_consent(consent), id, password(PASSWORD)).await;
        step.expect("the password is right").value
    }

    /// Submits an OTP.
    pub async fn submit_otp(&self, consent: &str, id: &str, text: &str) -> StepResponse {
        self.step(access_consent(consent), id, otp(text)).await
    }

    /// An authorisation by bert that waits for its OTP; returns its id and the OTP.
    pub async fn challenge(&self, consent: &str) -> (String, String) {
        let id = self.start(consent, "bert").await;
        let view = self.sign_in(consent, &id).await;
        assert_eq!(view.status, ScaStatus::ScaMethodSelected, "the only method is selected automatically");
        (id, self.latest_otp().await)
    }

    /// Submits one OTP 20 times at once, each with its own idempotency key; returns how many were accepted.
    pub async fn submit_otp_concurrently(self: &Arc<Self>, consent: &str, id: &str, text: &str) -> usize {
        let mut jobs = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (bank, consent, id, text) =
                (self.clone(), consent.to_owned(), id.to_owned(), text.to_owned());
            jobs.spawn(async move {
                let request = bank.new_request();
                loop {
                    let (request, target) = (request.clone(), access_consent(&consent));
                    match bank.app.authorisation_update(request, &bank.tpp, target, &id, otp(&text)).await {
                        Ok(_) => return true,
                        Err(UseCaseError::Refused(_)) => return false,
                        // After many conflicts the caller must send the same request again.
                        Err(UseCaseError::Failed(StoreError::OutcomeUnknown(_))) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
        jobs.join_all().await.into_iter().filter(|accepted| *accepted).count()
    }

    pub async fn psu(&self, login: &'static str) -> PsuId {
        let found = self.app.store().read(move |tx| Ok(tx.psu_by_login(login)?)).await;
        found.expect("the store reads").expect("the customer is registered").0.id
    }

    pub async fn latest_otp(&self) -> String {
        let messages = self.app.messages().await.expect("the store reads");
        messages[0].code.clone().expect("the message contains an OTP")
    }

    pub async fn consent_status(&self, consent: &str) -> ConsentStatus {
        self.app.consent_state(&self.tpp, consent).await.expect("the consent exists").status()
    }

    pub async fn sca_status(&self, consent: &str, id: &str) -> ScaStatus {
        let found = self.app.authorisation_find(&self.tpp, access_consent(consent), id).await;
        found.expect("the authorisation exists").status
    }

    pub async fn clock_advance(&self, span: TimeDelta) {
        tpp_fixture::clock_advance_without_sweep(&self.app, span).await;
    }
}

async fn customer(app: &App, login: &str, iban: &str, kinds: Vec<MethodKind>) {
    let method = |kind| NewMethod { id: MethodId::new(app.entropy().uuid()), kind };
    let psu = NewPsu {
        id: PsuId::new(app.entropy().uuid()),
        login: login.into(),
        name: login.into(),
        phone: Phone::parse("+306912345678").expect("a phone number"),
        password: Some(Secret::new(PASSWORD.to_owned())),
        methods: kinds.into_iter().map(method).collect(),
    };
    let psu = app.psu_register(psu).await.expect("the customer is registered").id;
    let account = NewAccount {
        id: AccountId::new(app.entropy().uuid()),
        owners: vec![psu],
        kind: AccountKind::Current,
        usage: AccountUsage::Private,
        iban: Iban::parse(iban).expect("a valid IBAN"),
        bic: Bic::parse("TRPZGRAA").expect("a valid BIC"),
        currency: Currency::EUR,
        product: "Everyday".into(),
        name: AccountName::of_bank("Current"),
        credit_limit_minor: 0,
    };
    app.account_open(account).await.expect("the account is opened");
}

pub fn access_consent(id: &str) -> TargetRef<'_> {
    TargetRef { kind: TargetKind::Consent, id, payment: None }
}

pub fn funds_consent(id: &str) -> TargetRef<'_> {
    TargetRef { kind: TargetKind::FundsConsent, id, payment: None }
}

pub fn password(text: &str) -> Step {
    Step::Password(Secret::new(text.to_owned()))
}

pub fn otp(text: &str) -> Step {
    Step::Code(Secret::new(text.to_owned()))
}

/// An OTP that differs from the given one.
pub fn wrong_otp(right: &str) -> String {
    let right: u32 = right.parse().expect("an OTP is a number");
    format!("{:06}", (right + 1) % 1_000_000)
}
