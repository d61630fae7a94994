//! Strong customer authentication through the use cases and the store, the same on both engines: the way to a valid
//! consent, and every way that must not lead there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use rstest::rstest;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use trapeza_app::account::AccountOrder;
use trapeza_app::application::TppOrder;
use trapeza_app::idempotency::{IdempotentRequest, Replayable, RequestIdentity};
use trapeza_app::keyring::KeyPurpose;
use trapeza_app::ocra::{DEVICE_SUITE, Input, Suite};
use trapeza_app::psu::{MethodOrder, PsuOrder};
use trapeza_app::sca::{
    ApprovalDecision, AuthorisationView, PendingApproval, Preferences, ScaSettings, Step, TargetRef,
    approval_message,
};
use trapeza_app::{App, Clock, Entropy, Keyring, StoreError, Tpp, UseCaseError, Zone};
use trapeza_domain::account::{AccountKind, AccountUsage};
use trapeza_domain::application::ParsedCertificate;
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus, TargetKind};
use trapeza_domain::consent::{
    Access, AccessConsentRequest, AccessLists, ConsentStatus, FundsConsentRequest, ValidUntil,
};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::{AccountId, MethodId, PsuId};
use trapeza_domain::money::Currency;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::reference::{AccountReference, Bic, Iban};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::DeviceKey;
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

const ROOT: [u8; 32] = [6; 32];
const ANNAS: &str = "GR1601101250000000012300695";
const BERTS: &str = "DE89370400440532013000";
const PASSWORD: &str = "olive-tree";
const BACK: &str = "https://tpp.example/back";

/// A bank with two customers: anna has a telephone, a card reader and the app, bert a telephone only.
struct Bank {
    app: Arc<App>,
    tpp: Tpp,
    requests: AtomicU32,
}

/// A browser that has become a customer's app.
struct Device {
    mark: String,
    key: DeviceKey,
}

impl Device {
    fn approve(&self, question: &PendingApproval, number: &str) -> ApprovalDecision {
        let text = approval_message(question.id, &question.digest, number);
        ApprovalDecision::Approve { number: Secret::new(number.to_owned()), signature: self.key.sign(&text) }
    }
}

/// As in production, but for the messages, which the tests have to read.
fn strict() -> ScaSettings {
    ScaSettings { retain_messages: true, ..ScaSettings::default() }
}

async fn open(database: &Database, settings: ScaSettings) -> Arc<App> {
    let mut options = Database::options();
    options.audit_key = Keyring::new(ROOT).derive(KeyPurpose::Audit);
    let store = database.open_with(&options);
    let clock = Clock::load(&store, Zone::parse("Europe/Athens").unwrap()).await.unwrap();
    Arc::new(App::new(store, clock, Entropy::os(), Keyring::new(ROOT)).with_sca(settings))
}

async fn seeded(database: &Database, settings: ScaSettings) -> Bank {
    let app = open(database, settings).await;
    for (login, iban, kinds) in [
        ("anna", ANNAS, vec![MethodKind::Sms, MethodKind::Chip, MethodKind::Push]),
        ("bert", BERTS, vec![MethodKind::Sms]),
    ] {
        let method = |kind| MethodOrder { id: MethodId::new(app.entropy().uuid()), kind };
        let psu = PsuOrder {
            id: PsuId::new(app.entropy().uuid()),
            login: login.into(),
            name: login.into(),
            phone: Phone::parse("+306912345678").unwrap(),
            password: Secret::new(PASSWORD.to_owned()),
            methods: kinds.into_iter().map(method).collect(),
        };
        let psu = app.psu_register(psu).await.unwrap().id;
        let account = AccountOrder {
            id: AccountId::new(app.entropy().uuid()),
            owners: vec![psu],
            kind: AccountKind::Current,
            usage: AccountUsage::Private,
            iban: Iban::parse(iban).unwrap(),
            bic: Bic::parse("TRPZGRAA").unwrap(),
            currency: Currency::EUR,
            product: "Everyday".into(),
            name: "Current".into(),
            credit_limit_minor: 0,
        };
        app.account_open(account).await.unwrap();
    }
    let tpp = third_party(&app, "Best Pay").await;
    Bank { app, tpp, requests: AtomicU32::new(0) }
}

async fn third_party(app: &App, name: &str) -> Tpp {
    let order = TppOrder { name: name.into(), certificates: Vec::new(), redirect_uris: vec![BACK.into()] };
    let application = app.tpp_register(order).await.unwrap().application;
    let certificate = ParsedCertificate {
        fingerprint: [0; 32],
        organisation: "PSDGR-BOG-1".into(),
        name: name.into(),
        roles: Vec::new(),
        not_before: Timestamp(0),
        not_after: Timestamp(i64::MAX),
    };
    Tpp { application, certificate: Arc::new(certificate) }
}

type StepResponse = Result<Replayable<AuthorisationView>, UseCaseError>;

impl Bank {
    /// Makes a new browser the customer's app, by password and code.
    async fn phone(&self, login: &str) -> Device {
        let (door, code) = (self.app.session_token_new(), self.app.session_token_new());
        let (mark, key) = (self.app.session_token_new(), DeviceKey::default());
        let password = Secret::new(PASSWORD.to_owned());
        self.app.device_sign_in(&door, &code, login, password).await.unwrap();
        let sent = Secret::new(self.newest_code().await);
        self.app.device_enrol(&code, &mark, sent, &key.public()).await.unwrap();
        Device { mark, key }
    }
}

impl Bank {
    /// A call that was not made before.
    fn call(&self) -> IdempotentRequest {
        self.call_again(self.requests.fetch_add(1, Ordering::Relaxed), "")
    }

    fn call_again(&self, request: u32, body: &str) -> IdempotentRequest {
        self.app.idempotent_request(&RequestIdentity {
            application: self.tpp.application,
            operation: "any",
            request: Uuid::from_u128(request.into()),
            field: Field::RequestId,
            path: "",
            psu: "",
            consent: "",
            body: body.as_bytes(),
        })
    }

    /// The same bank after a restart.
    async fn reopened(&self, database: &Database, settings: ScaSettings) -> Self {
        let store = self.app.store().clone();
        tokio::task::spawn_blocking(move || store.close()).await.unwrap();
        let app = open(database, settings).await;
        let requests = AtomicU32::new(self.requests.load(Ordering::Relaxed));
        Self { app, tpp: self.tpp.clone(), requests }
    }

    async fn consent(&self, psu: &str, iban: &str) -> String {
        let account = AccountReference::iban(Iban::parse(iban).unwrap(), None);
        let lists = AccessLists { accounts: vec![account], balances: vec![], transactions: vec![] };
        let order = AccessConsentRequest {
            access: Access::Listed(lists),
            recurring: true,
            valid_until: ValidUntil::Timestamp(self.app.now().plus(TimeDelta::days(90))),
            frequency_per_day: 4,
            combined_service: false,
        };
        let made = self.app.consent_create(self.call(), &self.tpp, psu.into(), order).await.unwrap();
        made.value.consent.id.to_string()
    }

    async fn funds_consent(&self, psu: &str, iban: &str) -> String {
        let order = FundsConsentRequest {
            account: AccountReference::iban(Iban::parse(iban).unwrap(), Some(Currency::EUR)),
            card_number: None,
            card_expiry: None,
            card_information: None,
            registration_information: None,
        };
        let made = self.app.funds_consent_create(self.call(), &self.tpp, psu.into(), order).await.unwrap();
        made.value.consent.id.to_string()
    }

    async fn start_as(&self, object: TargetRef<'_>, psu: &str, preferences: Preferences) -> StepResponse {
        self.app.authorisation_start(self.call(), &self.tpp, object, Some(psu.into()), preferences).await
    }

    async fn start(&self, consent: &str, psu: &str) -> String {
        let started = self.start_as(access(consent), psu, Preferences::default()).await.unwrap();
        assert_eq!(started.value.status, ScaStatus::PsuIdentified);
        started.value.id.to_string()
    }

    async fn step(&self, object: TargetRef<'_>, id: &str, step: Step) -> StepResponse {
        self.app.authorisation_update(self.call(), &self.tpp, object, id, step).await
    }

    async fn password(&self, consent: &str, id: &str) -> AuthorisationView {
        self.step(access(consent), id, password(PASSWORD)).await.unwrap().value
    }

    /// An authorisation of bert's that waits for its code, and the code.
    async fn challenged(&self, consent: &str) -> (String, String) {
        let id = self.start(consent, "bert").await;
        let view = self.password(consent, &id).await;
        assert_eq!(view.status, ScaStatus::ScaMethodSelected, "one method leaves nothing to choose");
        (id, self.newest_code().await)
    }

    /// A consent, an authorisation of it that wants our page, and the end of the page's address.
    async fn page(&self, psu: &str, iban: &str) -> (String, String, String) {
        let consent = self.consent(psu, iban).await;
        let preferences =
            Preferences { redirect_preferred: true, redirect_uri: Some(BACK.into()), ..Default::default() };
        let view = self.start_as(access(&consent), psu, preferences).await.unwrap().value;
        (consent, view.id.to_string(), view.redirect_token.unwrap())
    }

    async fn psu(&self, login: &'static str) -> PsuId {
        let found = self.app.store().read(move |tx| Ok(tx.psu_by_login(login)?));
        found.await.unwrap().unwrap().0.id
    }

    async fn newest_code(&self) -> String {
        self.app.messages().await.unwrap()[0].code.clone().unwrap()
    }

    async fn status(&self, consent: &str) -> ConsentStatus {
        self.app.consent_status(&self.tpp, consent).await.unwrap()
    }

    async fn sca_status(&self, consent: &str, id: &str) -> ScaStatus {
        self.app.authorisation_find(&self.tpp, access(consent), id).await.unwrap().status
    }

    /// Time passes, and no sweep comes by.
    async fn pass(&self, span: TimeDelta) {
        self.app.store().write(move |tx| Ok(tx.clock_advance(span)?)).await.unwrap();
        self.app.clock().synchronise(self.app.store()).await.unwrap();
    }

    async fn column(&self, sql: &'static str) -> Vec<String> {
        self.app.store().read(move |tx| Ok(tx.query(sql, &[], |row| row.read::<String>())?)).await.unwrap()
    }

    async fn number(&self, sql: &'static str) -> i64 {
        self.app.store().read(move |tx| Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)).await.unwrap()
    }

    /// Sends codes at once, each under its own request id, and answers how many were taken.
    async fn storm(self: &Arc<Self>, consent: &str, id: &str, code: &str) -> usize {
        let mut jobs = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (bank, consent, id, code) =
                (self.clone(), consent.to_owned(), id.to_owned(), code.to_owned());
            jobs.spawn(async move {
                let call = bank.call();
                loop {
                    let step = Step::Code(Secret::new(code.clone()));
                    let (call, object) = (call.clone(), access(&consent));
                    match bank.app.authorisation_update(call, &bank.tpp, object, &id, step).await {
                        Ok(_) => return true,
                        Err(UseCaseError::Refused(_)) => return false,
                        // After many clashes a caller is reported to send the same id again.
                        Err(UseCaseError::Failed(StoreError::OutcomeUnknown(_))) => {}
                        Err(stop) => panic!("{stop}"),
                    }
                }
            });
        }
        jobs.join_all().await.into_iter().filter(|taken| *taken).count()
    }
}

fn access(id: &str) -> TargetRef<'_> {
    TargetRef { kind: TargetKind::Consent, id, product: None }
}

fn funds(id: &str) -> TargetRef<'_> {
    TargetRef { kind: TargetKind::FundsConsent, id, product: None }
}

fn password(text: &str) -> Step {
    Step::Password(Secret::new(text.to_owned()))
}

fn code(text: &str) -> Step {
    Step::Code(Secret::new(text.to_owned()))
}

/// A code that is surely another.
fn other_than(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

fn reason<T: std::fmt::Debug>(result: Result<T, UseCaseError>) -> RefusalReason {
    match result {
        Err(UseCaseError::Refused(refusal)) => refusal.reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_method_and_code_make_a_consent_valid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("anna", ANNAS).await;
    let id = bank.start(&consent, "anna").await;
    let signed_in = bank.password(&consent, &id).await;
    assert_eq!(signed_in.status, ScaStatus::PsuAuthenticated);
    assert_eq!(signed_in.next, [NextStep::SelectAuthenticationMethod]);
    assert_eq!(signed_in.methods.len(), 3);
    let sms = Step::Method(signed_in.methods[0].id.to_string());
    let selected = bank.step(access(&consent), &id, sms).await.unwrap().value;
    assert_eq!(selected.status, ScaStatus::ScaMethodSelected);
    assert_eq!(selected.chosen, Some(signed_in.methods[0].clone()));
    assert_eq!(selected.next, [NextStep::SelectAuthenticationMethod, NextStep::AuthoriseTransaction]);
    let message = &bank.app.messages().await.unwrap()[0];
    assert_eq!((message.to.as_str(), message.channel.as_str()), ("+306912345678", "SMS"));
    assert!(message.text.contains("Best Pay asks to read account …0695 until "), "{}", message.text);
    assert!(!message.text.contains(ANNAS));
    assert_eq!(bank.status(&consent).await, ConsentStatus::Received);
    let sent = bank.newest_code().await;
    let end = bank.step(access(&consent), &id, code(&sent)).await.unwrap().value;
    assert_eq!((end.status, end.next), (ScaStatus::Finalised, vec![]));
    assert_eq!(bank.status(&consent).await, ConsentStatus::Valid);
    assert_eq!(bank.app.authorisation_list(&bank.tpp, access(&consent)).await.unwrap().ids.len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn one_method_is_chosen_by_itself_for_a_funds_consent_too(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.funds_consent("bert", BERTS).await;
    let started = bank.start_as(funds(&consent), "bert", Preferences::default()).await.unwrap().value;
    let id = started.id.to_string();
    let view = bank.step(funds(&consent), &id, password(PASSWORD)).await.unwrap().value;
    assert_eq!(view.status, ScaStatus::ScaMethodSelected);
    let newest = bank.app.authorisation_latest_status(&bank.tpp, funds(&consent)).await;
    assert_eq!(newest, Ok(Some(ScaStatus::ScaMethodSelected)));
    let end = bank.step(funds(&consent), &id, code(&bank.newest_code().await)).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
    assert_eq!(bank.app.funds_consent_status(&bank.tpp, &consent).await, Ok(ConsentStatus::Valid));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_card_reader_answers_and_an_app_takes_no_code(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("anna", ANNAS).await;
    let id = bank.start(&consent, "anna").await;
    let methods = bank.password(&consent, &id).await.methods;
    let push = Step::Method(methods[2].id.to_string());
    let asked = bank.step(access(&consent), &id, push).await.unwrap().value;
    assert_eq!(asked.next, [NextStep::SelectAuthenticationMethod], "the app answers by itself");
    let number = asked.challenge.unwrap().shown.unwrap();
    assert_eq!(reason(bank.step(access(&consent), &id, code(&number)).await), RefusalReason::StepOutOfOrder);
    bank.pass(TimeDelta::seconds(31)).await;
    let chip = Step::Method(methods[1].id.to_string());
    let view = bank.step(access(&consent), &id, chip).await.unwrap().value;
    let question = view.challenge.unwrap().shown.unwrap();
    let seed = bank.app.device_seed(methods[1].id).await.unwrap().unwrap();
    let input = Input { question: &question, ..Input::default() };
    let answer = Suite::parse(DEVICE_SUITE).unwrap().answer(seed.expose(), &input).unwrap();
    let end = bank.step(access(&consent), &id, code(&answer)).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_sandbox_code_is_right_there_and_nowhere_else(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    let fixed = other_than(&sent);
    assert_eq!(
        reason(bank.step(access(&consent), &id, code(&fixed)).await),
        RefusalReason::CredentialsInvalid
    );
    let bank = bank.reopened(&database, ScaSettings::sandbox(&fixed)).await;
    let end = bank.step(access(&consent), &id, code(&fixed)).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_step_out_of_order_is_refused(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("anna", ANNAS).await;
    let id = bank.start(&consent, "anna").await;
    let methods = bank.app.methods_for("anna").await.unwrap();
    let method = || Step::Method(methods[0].id.to_string());
    let unknown = || Step::Method(Uuid::from_u128(1).to_string());
    for step in [method(), unknown(), code("123456")] {
        assert_eq!(reason(bank.step(access(&consent), &id, step).await), RefusalReason::StepOutOfOrder);
    }
    bank.password(&consent, &id).await;
    for step in [password(PASSWORD), code("123456")] {
        assert_eq!(reason(bank.step(access(&consent), &id, step).await), RefusalReason::StepOutOfOrder);
    }
    assert_eq!(reason(bank.step(access(&consent), &id, unknown()).await), RefusalReason::ScaMethodUnknown);
    let berts = bank.app.methods_for("bert").await.unwrap()[0].id.to_string();
    assert_eq!(
        reason(bank.step(access(&consent), &id, Step::Method(berts)).await),
        RefusalReason::ScaMethodUnknown
    );
    bank.step(access(&consent), &id, method()).await.unwrap();
    assert_eq!(
        reason(bank.step(access(&consent), &id, password(PASSWORD)).await),
        RefusalReason::StepOutOfOrder
    );
    let sent = bank.newest_code().await;
    bank.step(access(&consent), &id, code(&sent)).await.unwrap();
    for step in [password(PASSWORD), method(), code(&sent)] {
        assert_eq!(reason(bank.step(access(&consent), &id, step).await), RefusalReason::StepOutOfOrder);
    }
    let again = bank.start_as(access(&consent), "anna", Preferences::default()).await;
    assert_eq!(reason(again), RefusalReason::StatusInvalid, "it is valid already");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn another_third_party_and_another_object_know_nothing_of_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let (consent, other) = (bank.consent("bert", BERTS).await, bank.consent("bert", BERTS).await);
    let (id, sent) = bank.challenged(&consent).await;
    let stranger = Bank {
        app: bank.app.clone(),
        tpp: third_party(&bank.app, "Other").await,
        requests: AtomicU32::new(0),
    };
    assert_eq!(
        reason(stranger.step(access(&consent), &id, code(&sent)).await),
        RefusalReason::ConsentUnknown
    );
    let found = stranger.app.authorisation_find(&stranger.tpp, access(&consent), &id).await;
    assert_eq!(reason(found), RefusalReason::ConsentUnknown);
    assert_eq!(reason(bank.step(access(&other), &id, code(&sent)).await), RefusalReason::ResourceUnknown);
    assert_eq!(
        reason(bank.step(access(&consent), "nonsense", code(&sent)).await),
        RefusalReason::ResourceUnknown
    );
    assert_eq!(reason(bank.step(funds(&consent), &id, code(&sent)).await), RefusalReason::ConsentUnknown);
    assert_eq!(bank.status(&consent).await, ConsentStatus::Received);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_wrong_codes_at_once_three_are_looked_at_and_five_block(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = Arc::new(seeded(&database, strict()).await);
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    assert_eq!(bank.storm(&consent, &id, &other_than(&sent)).await, 0);
    assert_eq!(bank.number("SELECT challenge_attempts FROM authorisation").await, 3);
    assert_eq!(bank.number("SELECT failures FROM sca_counter WHERE kind = 'otp'").await, 3);
    assert_eq!(
        reason(bank.step(access(&consent), &id, code(&sent)).await),
        RefusalReason::CredentialsInvalid
    );
    bank.pass(TimeDelta::seconds(31)).await;
    let bert = bank.app.methods_for("bert").await.unwrap()[0].id.to_string();
    bank.step(access(&consent), &id, Step::Method(bert.clone())).await.unwrap();
    let sent = bank.newest_code().await;
    assert_eq!(bank.storm(&consent, &id, &other_than(&sent)).await, 0);
    assert_eq!(bank.number("SELECT failures FROM sca_counter WHERE kind = 'otp'").await, 5);
    let wrong = "SELECT COUNT(*) FROM audit_event WHERE action = 'authorisation.otp_wrong'";
    assert_eq!(bank.number(wrong).await, 5);
    // A restart forgets nothing, a new code helps nothing, and the right one is not looked at.
    let bank = bank.reopened(&database, strict()).await;
    bank.pass(TimeDelta::seconds(31)).await;
    bank.step(access(&consent), &id, Step::Method(bert)).await.unwrap();
    let sent = bank.newest_code().await;
    assert_eq!(
        reason(bank.step(access(&consent), &id, code(&sent)).await),
        RefusalReason::CredentialsInvalid
    );
    assert_eq!(bank.status(&consent).await, ConsentStatus::Received);
    bank.pass(TimeDelta::minutes(15)).await;
    let (id, sent) = bank.challenged(&consent).await;
    bank.step(access(&consent), &id, code(&sent)).await.unwrap();
    assert_eq!(bank.status(&consent).await, ConsentStatus::Valid);
    assert_eq!(bank.number("SELECT COUNT(*) FROM sca_counter WHERE kind = 'otp'").await, 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn twenty_failures_in_a_day_shut_every_third_party_out(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    for name in ["A", "B", "C", "D"] {
        let bank = Bank {
            app: bank.app.clone(),
            tpp: third_party(&bank.app, name).await,
            requests: AtomicU32::new(0),
        };
        let consent = bank.consent("bert", BERTS).await;
        for attempts in [3, 2] {
            let (id, sent) = bank.challenged(&consent).await;
            for _ in 0..attempts {
                let wrong = bank.step(access(&consent), &id, code(&other_than(&sent))).await;
                assert_eq!(reason(wrong), RefusalReason::CredentialsInvalid);
            }
        }
    }
    // This one never failed, and is shut out all the same; tomorrow it is not.
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    assert_eq!(
        reason(bank.step(access(&consent), &id, code(&sent)).await),
        RefusalReason::CredentialsInvalid
    );
    bank.pass(TimeDelta::hours(24)).await;
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    bank.step(access(&consent), &id, code(&sent)).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_right_code_is_taken_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = Arc::new(seeded(&database, strict()).await);
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    assert_eq!(bank.storm(&consent, &id, &sent).await, 1);
    let finalised = "SELECT COUNT(*) FROM audit_event WHERE action = 'authorisation.finalised'";
    assert_eq!(bank.number(finalised).await, 1);
    assert_eq!(bank.number("SELECT COUNT(*) FROM audit_event WHERE action = 'consent.authorised'").await, 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_good_for_its_own_authorisation_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let (one, two) = (bank.consent("bert", BERTS).await, bank.consent("bert", BERTS).await);
    let (_, first) = bank.challenged(&one).await;
    let (id, second) = bank.challenged(&two).await;
    if first != second {
        assert_eq!(
            reason(bank.step(access(&two), &id, code(&first)).await),
            RefusalReason::CredentialsInvalid
        );
    }
    // Nor does the keyed hash of one open another: it is moved past the bank.
    let moved = "UPDATE authorisation SET challenge_otp_hash = (SELECT a.challenge_otp_hash FROM authorisation a \
                 ORDER BY a.created_at LIMIT 1)";
    database.tamper(moved);
    for sent in [first, second] {
        assert_eq!(
            reason(bank.step(access(&two), &id, code(&sent)).await),
            RefusalReason::CredentialsInvalid
        );
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_new_code_voids_the_old_one(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let (id, old) = bank.challenged(&consent).await;
    let bert = bank.app.methods_for("bert").await.unwrap()[0].id.to_string();
    let resend = || bank.step(access(&consent), &id, Step::Method(bert.clone()));
    assert_eq!(reason(resend().await), RefusalReason::RateExceeded, "thirty seconds apart");
    bank.pass(TimeDelta::seconds(31)).await;
    resend().await.unwrap();
    if bank.newest_code().await != old {
        assert_eq!(
            reason(bank.step(access(&consent), &id, code(&old)).await),
            RefusalReason::CredentialsInvalid
        );
    }
    for _ in 0..2 {
        bank.pass(TimeDelta::seconds(31)).await;
        resend().await.unwrap();
    }
    bank.pass(TimeDelta::seconds(31)).await;
    assert_eq!(reason(resend().await), RefusalReason::RateExceeded, "three times an authorisation");
    assert_eq!(bank.app.messages().await.unwrap().len(), 4);
    let sent = bank.newest_code().await;
    bank.step(access(&consent), &id, code(&sent)).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unknown_customer_gets_the_same_responses_and_never_finalises(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, ScaSettings::sandbox("123456")).await;
    let ghosts = bank.consent("ghost", ANNAS).await;
    let annas = bank.consent("anna", ANNAS).await;
    // An unknown PSU_ID, and one that is not the object's.
    for (consent, psu) in [(&ghosts, "ghost"), (&annas, "bert"), (&annas, "ghost")] {
        let started = bank.start_as(access(consent), psu, Preferences::default()).await.unwrap().value;
        assert_eq!(started.status, ScaStatus::PsuIdentified);
        assert_eq!(started.next, [NextStep::UpdatePsuAuthentication, NextStep::ScaRedirect]);
        assert_eq!(started.methods, bank.app.methods_for(psu).await.unwrap(), "the same wherever asked");
        assert!(!started.methods.is_empty());
        let id = started.id.to_string();
        let tried = bank.step(access(consent), &id, password(PASSWORD)).await;
        assert_eq!(reason(tried), RefusalReason::CredentialsInvalid);
        for step in [Step::Method(started.methods[0].id.to_string()), code("123456")] {
            assert_eq!(reason(bank.step(access(consent), &id, step).await), RefusalReason::StepOutOfOrder);
        }
        assert_eq!(bank.sca_status(consent, &id).await, ScaStatus::PsuIdentified);
    }
    assert_eq!(bank.number("SELECT COUNT(*) FROM sca_counter WHERE failures > 0").await, 2);
    assert!(bank.app.messages().await.unwrap().is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_account_is_found_out_at_the_end_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", ANNAS).await;
    let (id, sent) = bank.challenged(&consent).await;
    let end = bank.step(access(&consent), &id, code(&sent)).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
    assert_eq!(bank.status(&consent).await, ConsentStatus::Rejected);
    let consent = bank.funds_consent("bert", ANNAS).await;
    let started = bank.start_as(funds(&consent), "bert", Preferences::default()).await.unwrap().value;
    let id = started.id.to_string();
    bank.step(funds(&consent), &id, password(PASSWORD)).await.unwrap();
    bank.step(funds(&consent), &id, code(&bank.newest_code().await)).await.unwrap();
    assert_eq!(bank.app.funds_consent_status(&bank.tpp, &consent).await, Ok(ConsentStatus::Rejected));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_authorisation_ends_the_open_one(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let (old, sent) = bank.challenged(&consent).await;
    let (new, newer) = bank.challenged(&consent).await;
    assert_eq!(bank.sca_status(&consent, &old).await, ScaStatus::Failed);
    assert_eq!(reason(bank.step(access(&consent), &old, code(&sent)).await), RefusalReason::StepOutOfOrder);
    bank.step(access(&consent), &new, code(&newer)).await.unwrap();
    assert_eq!(bank.status(&consent).await, ConsentStatus::Valid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_new_recurring_consent_ends_the_older(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let mut consents = Vec::new();
    for _ in 0..2 {
        let consent = bank.consent("bert", BERTS).await;
        let (id, sent) = bank.challenged(&consent).await;
        bank.step(access(&consent), &id, code(&sent)).await.unwrap();
        consents.push(consent);
    }
    assert_eq!(bank.status(&consents[0]).await, ConsentStatus::TerminatedByTpp);
    assert_eq!(bank.status(&consents[1]).await, ConsentStatus::Valid);
    // A rejected one ends nothing.
    let foreign = bank.consent("bert", ANNAS).await;
    let (id, sent) = bank.challenged(&foreign).await;
    bank.step(access(&foreign), &id, code(&sent)).await.unwrap();
    assert_eq!(bank.status(&consents[1]).await, ConsentStatus::Valid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn codes_last_five_minutes_and_authorisations_fifteen(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    bank.pass(TimeDelta::minutes(5)).await;
    assert_eq!(
        reason(bank.step(access(&consent), &id, code(&sent)).await),
        RefusalReason::CredentialsInvalid
    );
    let view = bank.app.authorisation_find(&bank.tpp, access(&consent), &id).await.unwrap();
    assert_eq!(view.next, [NextStep::SelectAuthenticationMethod]);
    bank.pass(TimeDelta::minutes(10)).await;
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(bank.column("SELECT status FROM authorisation").await, ["scaMethodSelected"]);
    assert_eq!(bank.app.sweep(bank.app.now()).await, Ok(1));
    assert_eq!(bank.column("SELECT status FROM authorisation").await, ["failed"]);
    assert_eq!(bank.app.sweep(bank.app.now()).await, Ok(0));
    // One that starts late ends with its consent.
    bank.pass(TimeDelta::minutes(23 * 60 + 40)).await;
    let late = bank.start(&consent, "bert").await;
    bank.pass(TimeDelta::minutes(6)).await;
    assert_eq!(bank.sca_status(&consent, &late).await, ScaStatus::Failed);
    assert_eq!(bank.status(&consent).await, ConsentStatus::Rejected);
    assert_eq!(bank.app.sweep(bank.app.now()).await, Ok(1));
    assert_eq!(bank.column("SELECT status FROM authorisation").await, ["failed", "failed"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ending_a_consent_ends_its_authorisation(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    bank.app.consent_terminate(bank.call(), &bank.tpp, &consent).await.unwrap();
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(reason(bank.step(access(&consent), &id, code(&sent)).await), RefusalReason::StepOutOfOrder);
    let again = bank.start_as(access(&consent), "bert", Preferences::default()).await;
    assert_eq!(reason(again), RefusalReason::StatusInvalid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_call_is_answered_as_the_first_was(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let object = access(&consent);
    let start = || {
        let preferences = Preferences::default();
        bank.app.authorisation_start(
            bank.call_again(900, ""),
            &bank.tpp,
            object,
            Some("bert".into()),
            preferences,
        )
    };
    let started = start().await.unwrap();
    let id = started.value.id.to_string();
    let update = |request, step| {
        bank.app.authorisation_update(bank.call_again(request, ""), &bank.tpp, object, &id, step)
    };
    let signed_in = update(901, password(PASSWORD)).await.unwrap();
    let sent = bank.newest_code().await;
    let wrong = update(902, code(&other_than(&sent))).await;
    assert_eq!(reason(wrong.clone()), RefusalReason::CredentialsInvalid);
    let Err(UseCaseError::Refused(refusal)) = wrong.clone() else { panic!("not refused: {wrong:?}") };
    let wrong_again = Err(UseCaseError::Refused(refusal.as_replay()));
    assert_eq!(update(902, code(&other_than(&sent))).await, wrong_again);
    assert_eq!(bank.number("SELECT challenge_attempts FROM authorisation").await, 1, "counted once");
    let end = update(903, code(&sent)).await.unwrap();
    for (first, again) in [
        (started, start().await.unwrap()),
        (signed_in, update(901, password(PASSWORD)).await.unwrap()),
        (end, update(903, code(&sent)).await.unwrap()),
    ] {
        assert_eq!((first.replayed, again.replayed), (false, true));
        assert_eq!(first.value, again.value);
    }
    assert_eq!(update(902, code(&sent)).await, wrong_again);
    let other = bank.app.authorisation_update(bank.call_again(903, "x"), &bank.tpp, object, &id, code("1"));
    assert_eq!(reason(other.await), RefusalReason::Inconsistent);
    assert_eq!(bank.app.messages().await.unwrap().len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_consent_changed_behind_the_banks_back_is_not_authorised(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    database.tamper("UPDATE consent SET frequency_per_day = 3");
    assert_eq!(reason(bank.step(access(&consent), &id, code(&sent)).await), RefusalReason::StatusInvalid);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(bank.status(&consent).await, ConsentStatus::Received);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_wait_longer_and_ten_block(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let mut id = bank.start(&consent, "bert").await;
    for n in 0..10 {
        let wrong = bank.step(access(&consent), &id, password("wrong")).await;
        assert_eq!(reason(wrong), RefusalReason::CredentialsInvalid);
        // Nine steps of waiting take longer than one authorisation lasts.
        bank.pass(TimeDelta::seconds(1 << n)).await;
        id = bank.start(&consent, "bert").await;
    }
    let blocked = bank.step(access(&consent), &id, password(PASSWORD)).await;
    assert_eq!(reason(blocked), RefusalReason::CredentialsInvalid);
    let stranger = Bank {
        app: bank.app.clone(),
        tpp: third_party(&bank.app, "Other").await,
        requests: AtomicU32::new(0),
    };
    stranger.challenged(&stranger.consent("bert", BERTS).await).await;
    bank.pass(TimeDelta::minutes(15)).await;
    bank.challenged(&consent).await;
    assert_eq!(bank.number("SELECT CAST(COALESCE(SUM(failures), 0) AS BIGINT) FROM sca_counter").await, 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_right_password_after_a_wrong_one_waits_and_is_taken(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("bert", BERTS).await;
    let id = bank.start(&consent, "bert").await;
    let wrong = bank.step(access(&consent), &id, password("wrong")).await;
    assert_eq!(reason(wrong), RefusalReason::CredentialsInvalid);
    assert_eq!(bank.password(&consent, &id).await.status, ScaStatus::ScaMethodSelected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn preferences_choose_the_way_and_addresses_must_be_registered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("anna", ANNAS).await;
    let odd = |text: &str| Some(text.to_owned());
    for (preferences, field) in [
        (
            Preferences { redirect_uri: odd("https://tpp.example/back/"), ..Default::default() },
            Field::RedirectUri,
        ),
        (
            Preferences { nok_redirect_uri: odd("https://evil.example"), ..Default::default() },
            Field::NokRedirectUri,
        ),
    ] {
        let Err(UseCaseError::Refused(refusal)) = bank.start_as(access(&consent), "anna", preferences).await
        else {
            panic!("an address that is not registered")
        };
        assert_eq!(
            (refusal.reason, refusal.errors[0].path.clone()),
            (RefusalReason::Malformed, field.into())
        );
    }
    let back = Preferences { redirect_uri: odd(BACK), nok_redirect_uri: odd(BACK), ..Default::default() };
    let view = bank.start_as(access(&consent), "anna", back.clone()).await.unwrap().value;
    assert_eq!(view.approach, ScaApproach::Redirect);
    assert_eq!(view.next, [NextStep::UpdatePsuAuthentication, NextStep::ScaRedirect]);
    assert!(view.redirect_token.unwrap().starts_with(&view.id.to_string()));
    let only = Preferences { redirect_preferred: true, decoupled_preferred: true, ..back };
    let view = bank.start_as(access(&consent), "anna", only).await.unwrap().value;
    assert_eq!((view.approach, view.next), (ScaApproach::Redirect, vec![NextStep::ScaRedirect]));
    let id = view.id.to_string();
    let tried = bank.step(access(&consent), &id, password(PASSWORD)).await;
    assert_eq!(reason(tried), RefusalReason::StepOutOfOrder);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_app_is_asked_at_once_where_there_is_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let decoupled = Preferences { decoupled_preferred: true, ..Default::default() };
    let consent = bank.consent("anna", ANNAS).await;
    let view = bank.start_as(access(&consent), "anna", decoupled.clone()).await.unwrap().value;
    assert_eq!((view.status, view.approach), (ScaStatus::Started, ScaApproach::Decoupled));
    assert_eq!(view.next, []);
    let number = view.challenge.unwrap().shown.unwrap();
    assert!(view.psu_message.unwrap().contains(&number));
    let asked = &bank.app.messages().await.unwrap()[0];
    assert_eq!((asked.channel.as_str(), asked.code.as_deref()), ("PUSH", None));
    // The number is on the other screen only.
    let (words, rest) = asked.text.split_at(asked.text.find(" until ").unwrap());
    assert_eq!(words, "Best Pay asks to read account …0695");
    assert_eq!(rest.split_once(". ").unwrap().1, "Open the app to approve or reject it.");
    let id = view.id.to_string();
    assert_eq!(reason(bank.step(access(&consent), &id, code(&number)).await), RefusalReason::StepOutOfOrder);
    let consent = bank.consent("bert", BERTS).await;
    let view = bank.start_as(access(&consent), "bert", decoupled).await.unwrap().value;
    assert_eq!((view.status, view.approach), (ScaStatus::PsuIdentified, ScaApproach::Embedded));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_written_down(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = seeded(&database, ScaSettings::default()).await;
    let consent = bank.consent("bert", BERTS).await;
    let id = bank.start(&consent, "bert").await;
    bank.password(&consent, &id).await;
    assert_eq!(
        reason(bank.step(access(&consent), &id, code("918273")).await),
        RefusalReason::CredentialsInvalid
    );
    let log = bank.column("SELECT detail FROM audit_event").await.join("\n")
        + &bank.column("SELECT object FROM audit_event").await.join("\n");
    for secret in [PASSWORD, "918273", BERTS, "bert", "+3069"] {
        assert!(!log.contains(secret), "{secret} is in the audit log");
    }
    let sealed = bank.app.store().read(|tx| Ok(tx.notification_unsent(10)?)).await.unwrap();
    let text = String::from_utf8_lossy(sealed[0].ciphertext.as_deref().unwrap()).into_owned();
    assert!(!text.contains("Best Pay"), "a message is sealed");
    let (message, now) = (sealed[0].id, bank.app.now());
    bank.app.store().write(move |tx| Ok(tx.notification_mark_sent(message, now)?)).await.unwrap();
    assert_eq!(bank.number("SELECT COUNT(*) FROM notification WHERE ciphertext IS NULL").await, 1);
    assert!(bank.app.store().read(|tx| Ok(tx.notification_unsent(10)?)).await.unwrap().is_empty());
    let verified = tokio::task::spawn_blocking(move || bank.app.audit_verify(Vec::new())).await.unwrap();
    assert!(verified.is_ok());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn our_page_leads_to_the_end_in_the_browser_that_opened_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let (consent, id, token) = bank.page("anna", ANNAS).await;
    for forged in [id.clone(), format!("{id}."), token.replace('.', "_"), format!("{}{}", token, "A")] {
        assert_eq!(reason(bank.app.redirect_open(&forged, "mine").await), RefusalReason::ResourceUnknown);
    }
    let opened = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert!(opened.description.starts_with("read account …0695 until "), "{}", opened.description);
    assert_eq!((opened.psu_name.as_str(), opened.tpp_name.as_str()), ("anna", "Best Pay"));
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Started);
    assert_eq!(reason(bank.app.redirect_open(&token, "theirs").await), RefusalReason::ResourceUnknown);
    assert_eq!(
        reason(bank.app.redirect_step(&token, "theirs", password(PASSWORD)).await),
        RefusalReason::ResourceUnknown
    );
    assert_eq!(
        reason(bank.step(access(&consent), &id, password(PASSWORD)).await),
        RefusalReason::StepOutOfOrder
    );
    let again = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert!(!again.signed_in);
    let signed_in = bank.app.redirect_step(&token, "mine", password(PASSWORD)).await.unwrap();
    assert!(signed_in.signed_in);
    let sms = Step::Method(signed_in.authorisation.methods[0].id.to_string());
    bank.app.redirect_step(&token, "mine", sms).await.unwrap();
    let sent = bank.newest_code().await;
    assert_eq!(reason(bank.step(access(&consent), &id, code(&sent)).await), RefusalReason::StepOutOfOrder);
    let end = bank.app.redirect_step(&token, "mine", code(&sent)).await.unwrap();
    assert_eq!(end.authorisation.status, ScaStatus::Finalised);
    assert_eq!(end.redirect_uri.as_deref(), Some(BACK));
    assert_eq!(bank.status(&consent).await, ConsentStatus::Valid);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Finalised);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_link_lasts_ten_minutes_and_an_idle_page_five(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let (_, _, token) = bank.page("bert", BERTS).await;
    bank.pass(TimeDelta::minutes(10)).await;
    assert_eq!(reason(bank.app.redirect_open(&token, "mine").await), RefusalReason::ResourceUnknown);
    let (_, _, token) = bank.page("bert", BERTS).await;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    bank.pass(TimeDelta::minutes(4)).await;
    bank.app.redirect_step(&token, "mine", password(PASSWORD)).await.unwrap();
    bank.pass(TimeDelta::minutes(4)).await;
    let sent = bank.newest_code().await;
    let wrong = bank.app.redirect_step(&token, "mine", code(&other_than(&sent))).await;
    assert_eq!(reason(wrong), RefusalReason::CredentialsInvalid);
    bank.pass(TimeDelta::minutes(5)).await;
    assert_eq!(reason(bank.app.redirect_view(&token, "mine").await), RefusalReason::ResourceUnknown);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failures_on_our_page_do_not_shut_third_parties_out(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    for attempts in [3, 2] {
        let (_, _, token) = bank.page("bert", BERTS).await;
        bank.app.redirect_open(&token, "mine").await.unwrap();
        bank.app.redirect_step(&token, "mine", password(PASSWORD)).await.unwrap();
        let other = other_than(&bank.newest_code().await);
        for _ in 0..attempts {
            let wrong = bank.app.redirect_step(&token, "mine", code(&other)).await;
            assert_eq!(reason(wrong), RefusalReason::CredentialsInvalid);
        }
    }
    let (_, _, token) = bank.page("bert", BERTS).await;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    bank.app.redirect_step(&token, "mine", password(PASSWORD)).await.unwrap();
    let sent = bank.newest_code().await;
    assert_eq!(
        reason(bank.app.redirect_step(&token, "mine", code(&sent)).await),
        RefusalReason::CredentialsInvalid
    );
    let consent = bank.consent("bert", BERTS).await;
    let (id, sent) = bank.challenged(&consent).await;
    bank.step(access(&consent), &id, code(&sent)).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn saying_no_ends_the_consent_only_for_who_has_signed_in(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let (consent, id, token) = bank.page("bert", BERTS).await;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    let left = bank.app.redirect_reject(&token, "mine").await.unwrap();
    assert_eq!(left.authorisation.status, ScaStatus::Failed);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(bank.status(&consent).await, ConsentStatus::Received);
    let (consent, _, token) = bank.page("bert", BERTS).await;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    bank.app.redirect_step(&token, "mine", password(PASSWORD)).await.unwrap();
    bank.app.redirect_reject(&token, "mine").await.unwrap();
    assert_eq!(bank.status(&consent).await, ConsentStatus::Rejected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_app_agrees_with_the_number_of_the_other_screen_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, ScaSettings::sandbox("123456")).await;
    let decoupled = || Preferences { decoupled_preferred: true, ..Default::default() };
    let consent = bank.consent("anna", ANNAS).await;
    let view = bank.start_as(access(&consent), "anna", decoupled()).await.unwrap().value;
    let (id, number) = (view.id.to_string(), view.challenge.unwrap().shown.unwrap());
    let anna = bank.psu("anna").await;
    let questions = bank.app.approval_list(anna).await.unwrap();
    assert_eq!((questions.len(), questions[0].id), (1, view.id));
    assert!(questions[0].description.starts_with("read account …0695"));
    let bert = bank.psu("bert").await;
    assert!(bank.app.approval_list(bert).await.unwrap().is_empty());
    let phone = bank.phone("anna").await;
    let approve = |text: &str| phone.approve(&questions[0], text);
    let foreign = bank.app.approval_decide(bert, &phone.mark, &id, approve(&number)).await;
    assert_eq!(reason(foreign), RefusalReason::ResourceUnknown);
    let numbers = &questions[0].numbers;
    assert!(numbers.len() == 3 && numbers.contains(&number), "{number} in {numbers:?}");
    assert_eq!(&bank.app.approval_list(anna).await.unwrap()[0].numbers, numbers, "the others stay");
    // Unsigned, signed for another number, signed by another device: none is an approval, and none is a guess.
    let unsigned =
        ApprovalDecision::Approve { number: Secret::new(number.clone()), signature: String::new() };
    let ApprovalDecision::Approve { signature, .. } = approve("00") else { unreachable!() };
    let other = ApprovalDecision::Approve { number: Secret::new(number.clone()), signature };
    let stranger = bank.phone("bert").await;
    for (mark, decision) in [
        (&phone.mark, unsigned),
        (&phone.mark, other),
        (&phone.mark, stranger.approve(&questions[0], &number)),
        (&stranger.mark, stranger.approve(&questions[0], &number)),
    ] {
        assert_eq!(
            reason(bank.app.approval_decide(anna, mark, &id, decision).await),
            RefusalReason::Malformed
        );
    }
    let decided = bank.app.approval_decide(anna, &phone.mark, &id, approve(&number)).await;
    assert_eq!(decided, Ok(ScaStatus::Finalised));
    assert_eq!(bank.status(&consent).await, ConsentStatus::Valid);
    assert!(bank.app.approval_list(anna).await.unwrap().is_empty());
    let consent = bank.consent("anna", ANNAS).await;
    let view = bank.start_as(access(&consent), "anna", decoupled()).await.unwrap().value;
    let refused =
        bank.app.approval_decide(anna, &phone.mark, &view.id.to_string(), ApprovalDecision::Reject).await;
    assert_eq!(refused, Ok(ScaStatus::Failed));
    assert_eq!(bank.status(&consent).await, ConsentStatus::Rejected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_first_wrong_number_ends_what_was_asked(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, ScaSettings::sandbox("123456")).await;
    let anna = bank.psu("anna").await;
    let decoupled = Preferences { decoupled_preferred: true, ..Default::default() };
    let consent = bank.consent("anna", ANNAS).await;
    let view = bank.start_as(access(&consent), "anna", decoupled).await.unwrap().value;
    let (id, number) = (view.id.to_string(), view.challenge.unwrap().shown.unwrap());
    let (phone, questions) = (bank.phone("anna").await, bank.app.approval_list(anna).await.unwrap());
    let decide = async |text: &str| {
        reason(bank.app.approval_decide(anna, &phone.mark, &id, phone.approve(&questions[0], text)).await)
    };
    // The sandbox's code is no number either.
    assert_eq!(decide("123456").await, RefusalReason::CredentialsInvalid);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(decide(&number).await, RefusalReason::ResourceUnknown);
    assert!(bank.app.approval_list(anna).await.unwrap().is_empty());
    assert_eq!(bank.status(&consent).await, ConsentStatus::Received, "the third party may ask once more");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_app_chosen_on_the_third_partys_screen_answers_too(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = seeded(&database, strict()).await;
    let consent = bank.consent("anna", ANNAS).await;
    let id = bank.start(&consent, "anna").await;
    let methods = bank.password(&consent, &id).await.methods;
    let push = Step::Method(methods[2].id.to_string());
    let number =
        bank.step(access(&consent), &id, push).await.unwrap().value.challenge.unwrap().shown.unwrap();
    let anna = bank.psu("anna").await;
    let (phone, questions) = (bank.phone("anna").await, bank.app.approval_list(anna).await.unwrap());
    let approval = phone.approve(&questions[0], &number);
    let approved = bank.app.approval_decide(anna, &phone.mark, &id, approval).await;
    assert_eq!(approved, Ok(ScaStatus::Finalised));
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Finalised);
}
