//! What a signed-in customer is shown before the approval: which accounts, with which rights, and whose.

use rstest::rstest;
use trapeza_app::Language;
use trapeza_app::account::NewAccount;
use trapeza_app::sca::{ApprovalAccount, ApprovalRequest, StartPreferences};
use trapeza_domain::account::{AccountKind, AccountName, AccountStatus, AccountUsage};
use trapeza_domain::consent::{
    Access, AccessConsentRequest, AccessLists, AccessOptions, OfferedRights, OwnerNames,
};
use trapeza_domain::id::AccountId;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{AccountReference, Bban, Bic, Iban, Identifier};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{
    ANNA_IBAN, BERT_IBAN, PASSWORD, ScaBank, access_consent, password, strict,
};
use trapeza_testkit::tpp_fixture::REDIRECT_URI;

const SAVINGS_IBAN: &str = "GB29NWBK60161331926819";

fn iban(text: &str) -> Iban {
    Iban::parse(text).unwrap()
}

/// Opens another account of anna's, whose name is the bank's.
async fn open(bank: &ScaBank, kind: AccountKind, number: &str, currency: Currency, name: &str) -> AccountId {
    let account = NewAccount {
        id: AccountId::new(bank.app.entropy().uuid()),
        owners: vec![bank.psu("anna").await],
        kind,
        usage: AccountUsage::Private,
        iban: iban(number),
        bic: Bic::parse("TRPZGRAA").unwrap(),
        currency,
        product: "Everyday".into(),
        name: AccountName::of_bank(name),
        credit_limit_minor: 0,
    };
    bank.app.account_open(account).await.unwrap().id
}

/// The page of a new consent of anna's, after the password.
async fn asked(bank: &ScaBank, order: AccessConsentRequest) -> (ApprovalRequest, Vec<String>) {
    let created = bank.app.consent_create(bank.new_request(), &bank.tpp, "anna".into(), order).await;
    let consent = created.unwrap().value.consent.id.to_string();
    let preferences = StartPreferences {
        redirect_preferred: Some(true),
        redirect_uri: Some(REDIRECT_URI.into()),
        ..Default::default()
    };
    let started = bank.start_with(access_consent(&consent), "anna", preferences).await.unwrap().value;
    let token = started.redirect_token.unwrap();
    bank.app.redirect_open(&token, "mine").await.unwrap();
    let page = bank.app.redirect_step(&token, "mine", Language::English, password(PASSWORD)).await.unwrap();
    let offered = page.offer.map(|offer| offer.accounts).unwrap_or_default();
    (page.request.unwrap(), offered.into_iter().map(|account| account.number).collect())
}

fn accounts(request: ApprovalRequest) -> Vec<ApprovalAccount> {
    match request {
        ApprovalRequest::Access { accounts, .. } => accounts,
        other => panic!("not an access: {other:?}"),
    }
}

fn shown(number: &str, currency: Option<&'static str>, name: Option<&str>) -> ApprovalAccount {
    ApprovalAccount {
        number: number.to_owned(),
        currency,
        name: name.map(AccountName::of_bank),
        balances: false,
        transactions: false,
        owner_name: false,
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn listed_account_is_shown_once_with_its_name_and_all_its_rights(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    open(&bank, AccountKind::Current, ANNA_IBAN, Currency::USD, "Dollars").await;
    open(&bank, AccountKind::Savings, SAVINGS_IBAN, Currency::EUR, "Savings").await;
    let (euros, dollars) = (
        AccountReference::iban(iban(ANNA_IBAN), Some(Currency::EUR)),
        AccountReference::iban(iban(ANNA_IBAN), Some(Currency::USD)),
    );
    let bban = Identifier::Bban(Bban::parse(&SAVINGS_IBAN[4..]).unwrap());
    let savings = AccountReference { identifier: bban, currency: None };
    let foreign = AccountReference::iban(iban(BERT_IBAN), None);
    let lists = AccessLists {
        accounts: vec![savings.clone(), dollars.clone(), foreign],
        balances: vec![dollars.clone(), euros.clone()],
        transactions: vec![dollars.clone(), savings.clone()],
    };
    let owner_names = OwnerNames::Listed(vec![savings]);
    let order = AccessConsentRequest {
        access: Access::Listed(lists),
        options: AccessOptions { owner_names, restricted_to: Vec::new() },
        ..bank.consent_order(ANNA_IBAN)
    };
    let savings = shown(&SAVINGS_IBAN[4..], None, Some("Savings"));
    let expected = [
        ApprovalAccount { transactions: true, owner_name: true, ..savings },
        ApprovalAccount {
            balances: true,
            transactions: true,
            ..shown(ANNA_IBAN, Some("USD"), Some("Dollars"))
        },
        // An account of another customer has no name here.
        shown(BERT_IBAN, None, None),
        ApprovalAccount { balances: true, ..shown(ANNA_IBAN, Some("EUR"), Some("Current")) },
    ];
    assert_eq!(accounts(asked(&bank, order).await.0), expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unlisted_accounts_are_the_open_ones_of_the_permitted_types(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    open(&bank, AccountKind::Savings, SAVINGS_IBAN, Currency::EUR, "Savings").await;
    let closed = open(&bank, AccountKind::Current, ANNA_IBAN, Currency::USD, "Dollars").await;
    let change =
        bank.app.store().write(move |tx| Ok(tx.account_status_update(closed, AccountStatus::Deleted)?));
    change.await.unwrap();
    let offered = OfferedRights { balances: false, transactions: true };
    for (access, balances, transactions) in [
        (Access::AvailableAccounts, false, false),
        (Access::AvailableAccountsWithBalance, true, false),
        (Access::AllPsd2, true, true),
        (Access::Offered(offered), false, true),
    ] {
        for (types, names) in
            [(vec![], vec!["Current", "Savings"]), (vec!["CACC".to_owned()], vec!["Current"])]
        {
            let is_offer = matches!(access, Access::Offered(_));
            let order = AccessConsentRequest {
                access: access.clone(),
                options: AccessOptions { restricted_to: types, ..AccessOptions::default() },
                ..bank.consent_order(ANNA_IBAN)
            };
            let (request, choice) = asked(&bank, order).await;
            let mut expected = Vec::new();
            for name in names {
                let number = if name == "Savings" { SAVINGS_IBAN } else { ANNA_IBAN };
                let account = shown(number, Some("EUR"), Some(name));
                expected.push(ApprovalAccount { balances, transactions, ..account });
            }
            let numbers: Vec<String> = expected.iter().map(|account| account.number.clone()).collect();
            let mut found = accounts(request);
            found.sort_by_key(|account| account.number != ANNA_IBAN);
            assert_eq!(found, expected, "{access:?}");
            let mut choice = choice;
            choice.sort_by_key(|number| number != ANNA_IBAN);
            assert_eq!(choice, if is_offer { numbers } else { Vec::new() }, "{access:?}");
        }
    }
}
