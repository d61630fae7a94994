//! Bank-offered consents: the customer chooses the accounts on the bank's page.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::Language;
use trapeza_app::sca::{AccountChoice, RedirectView, StartOption, StartPreferences, Step};
use trapeza_domain::authorisation::{ScaApproach, ScaStatus};
use trapeza_domain::consent::{Access, AccessConsentRequest, ConsentStatus, OfferedRights};
use trapeza_domain::id::AccountId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_store::Tx;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{
    ANNA_IBAN, BERT_IBAN, PASSWORD, ScaBank, access_consent, otp, password, strict,
};
use uuid::Uuid;

fn offered(bank: &ScaBank) -> AccessConsentRequest {
    let rights = OfferedRights { balances: true, transactions: false };
    AccessConsentRequest { access: Access::Offered(rights), ..bank.consent_order(BERT_IBAN) }
}

fn exclusive(redirect_preferred: Option<bool>) -> StartPreferences {
    StartPreferences { exclusive: true, redirect_preferred, ..Default::default() }
}

/// A consent without accounts, on whose page the customer has signed in. Returns its id, the token and the page.
async fn signed_in(bank: &ScaBank, psu: &str) -> (String, String, RedirectView) {
    let start = StartOption::Implicit(exclusive(Some(true)));
    let created = bank
        .app
        .consent_create_with_start(bank.new_request(), &bank.tpp, psu.into(), offered(bank), start)
        .await;
    let created = created.unwrap().value;
    let token = created.authorisation.unwrap().redirect_token.unwrap();
    bank.app.redirect_open(&token, "mine").await.unwrap();
    let page = bank.app.redirect_step(&token, "mine", Language::English, password(PASSWORD)).await.unwrap();
    (created.object.consent.id.to_string(), token, page)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn chosen_accounts_become_the_access_of_the_consent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let (consent, token, page) = signed_in(&bank, "bert").await;
    let offer = page.offer.expect("accounts to choose from");
    assert_eq!(offer.accounts.iter().map(|account| account.number.as_str()).collect::<Vec<_>>(), [BERT_IBAN]);
    assert_eq!(page.authorisation.challenge, None, "no OTP before the choice");
    let choose = |choice| bank.app.redirect_choose_accounts(&token, "mine", Language::English, choice);
    let early = Step::Method(page.authorisation.methods[0].id.to_string());
    let early = bank.app.redirect_step(&token, "mine", Language::English, early).await;
    assert_eq!(refusal_reason(early), RefusalReason::StepOutOfOrder);
    assert_eq!(refusal_reason(choose(Vec::new()).await), RefusalReason::Malformed);
    let strange = AccountId::new(Uuid::from_u128(7));
    let strange = AccountChoice { account: strange, balances: true, transactions: false };
    assert_eq!(refusal_reason(choose(vec![strange]).await), RefusalReason::Malformed);
    let own = AccountChoice { account: offer.accounts[0].id, balances: true, transactions: true };
    let chosen = choose(vec![own]).await.unwrap();
    assert_eq!(chosen.offer, None);
    let seen = bank.app.consent_find(&bank.tpp, &consent).await.unwrap().terms.access;
    assert!(
        matches!(seen, Access::Offered(_)),
        "the third party learns nothing before the approval: {seen:?}"
    );
    assert_eq!(
        refusal_reason(choose(vec![own]).await),
        RefusalReason::StepOutOfOrder,
        "the choice is made once"
    );
    let recorded = |tx: &mut Tx<'_>| {
        let sql = "SELECT COUNT(*) FROM audit_event WHERE action = 'consent.accounts_chosen'";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    };
    assert_eq!(bank.app.store().read(recorded).await.unwrap(), 1);
    let sent = bank.latest_otp().await;
    let end = bank.app.redirect_step(&token, "mine", Language::English, otp(&sent)).await.unwrap();
    assert_eq!(end.authorisation.status, ScaStatus::Finalised);
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
    let terms = bank.app.consent_find(&bank.tpp, &consent).await.unwrap().terms;
    let Access::Listed(lists) = terms.access else { panic!("the access is listed") };
    assert_eq!((lists.accounts.len(), lists.balances.len(), lists.transactions.len()), (1, 1, 0));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn accounts_of_another_customer_and_other_approaches_are_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let (_, _, page) = signed_in(&bank, "anna").await;
    let of_anna = page.offer.unwrap().accounts;
    assert_eq!(of_anna[0].number, ANNA_IBAN);
    let (_, token, _) = signed_in(&bank, "bert").await;
    let stolen = vec![AccountChoice { account: of_anna[0].id, balances: true, transactions: false }];
    let refused = bank.app.redirect_choose_accounts(&token, "mine", Language::English, stolen).await;
    assert_eq!(refusal_reason(refused), RefusalReason::Malformed);
    let embedded = StartOption::Implicit(exclusive(Some(false)));
    let order = offered(&bank);
    let refused = bank
        .app
        .consent_create_with_start(bank.new_request(), &bank.tpp, "bert".into(), order, embedded)
        .await;
    assert_eq!(refusal_reason(refused), RefusalReason::StepOutOfOrder);
    let order = offered(&bank);
    let created =
        bank.app.consent_create(bank.new_request(), &bank.tpp, "anna".into(), order).await.unwrap().value;
    let consent = created.consent.id.to_string();
    let native = StartPreferences { decoupled_preferred: true, ..Default::default() };
    let started = bank.start_with(access_consent(&consent), "anna", native).await.unwrap().value;
    assert_eq!(started.approach, ScaApproach::Redirect, "only the page has the choice");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn choice_of_accounts_keeps_the_page_open(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    // Anna has several methods, so the choice of accounts selects none.
    let (_, token, page) = signed_in(&bank, "anna").await;
    let account = page.offer.unwrap().accounts[0].id;
    let own = vec![AccountChoice { account, balances: true, transactions: false }];
    bank.clock_advance(TimeDelta::minutes(4)).await;
    let chosen = bank.app.redirect_choose_accounts(&token, "mine", Language::English, own).await.unwrap();
    assert_eq!(chosen.authorisation.challenge, None);
    bank.clock_advance(TimeDelta::minutes(4)).await;
    let sms = Step::Method(chosen.authorisation.methods[0].id.to_string());
    let sent = bank.app.redirect_step(&token, "mine", Language::English, sms).await.unwrap();
    assert!(sent.otp_open, "five minutes have not passed since the choice");
}
