//! Payouts to merchants: the balance goes to the settlement account as a payment of the bank, and is back when it is rejected or
//! returned.

use super::checkout::{Bought, basket, buy, check_ledger};
use super::guest_refund::{payee, refusal_text};
use super::payment::{JONAS, OTHER_BANK_IBAN, balance, iban, lines};
use rstest::rstest;
use serde_json::json;
use trapeza::demo;
use trapeza_app::application::{MerchantUrls, NewMerchant};
use trapeza_app::ledger::Posting;
use trapeza_app::merchant::{MerchantChange, MerchantView};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::{PayeeAccount, TransactionStatus};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::ledger_fixture::posting;

const PHONE: &str = "+306900000042";

const fn euros(minor: i64) -> Money {
    Money::new(minor, Currency::EUR)
}

fn settlement(account: Option<PayeeAccount>) -> MerchantChange {
    MerchantChange { settlement: Some(account), ..MerchantChange::default() }
}

/// Sets the settlement account of a merchant.
pub async fn settle_to(bank: &TestBank, code: &str, iban: &str, name: &str) {
    let change = settlement(Some(payee(iban, name)));
    bank.app.merchant_update_terms(code, change).await.unwrap();
}

/// A merchant to which the bank owes the price of one purchase.
pub async fn merchant_with_balance(bank: &TestBank) -> MerchantView {
    let bought: Bought = basket(bank, 1, "120").await;
    buy(bank, &bought, PHONE).await;
    let all = bank.app.merchant_list().await.unwrap();
    all.into_iter().find(|view| view.payable.is_positive()).unwrap()
}

async fn view(bank: &TestBank, code: &str) -> MerchantView {
    let all = bank.app.merchant_list().await.unwrap();
    all.into_iter().find(|view| view.merchant.code == code).unwrap()
}

/// Status and returned amount of each payout, newest first.
pub async fn payouts(bank: &TestBank, code: &str) -> Vec<(TransactionStatus, i64)> {
    let all = bank.app.merchant_payout_list(code, 10).await.unwrap();
    all.iter().map(|payout| (payout.payment.state.status(), payout.returned.minor)).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payout_is_held_until_clearing_settles_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = merchant_with_balance(&bank).await;
    let (code, payable) = (merchant.merchant.code.as_str(), merchant.payable);
    settle_to(&bank, code, OTHER_BANK_IBAN, "Papyrus Books").await;
    let paid = bank.app.merchant_payout(code, Some(euros(5_000))).await.unwrap();
    assert_eq!((paid.amount, paid.left.minor), (euros(5_000), payable.minor - 5_000));
    assert!(!paid.is_internal);
    let sent = view(&bank, code).await;
    assert_eq!((sent.payable.minor, sent.in_payouts.minor), (payable.minor - 5_000, 5_000));
    let too_much = refusal_text(bank.app.merchant_payout(code, Some(payable)).await);
    assert!(too_much.starts_with("is more than the payable balance"), "{too_much}");
    bank.advance("PT5S").await;
    let settled = view(&bank, code).await;
    assert_eq!((settled.payable.minor, settled.in_payouts.minor), (payable.minor - 5_000, 0));
    assert_eq!(payouts(&bank, code).await, [(TransactionStatus::Acsc, 0)]);
    check_ledger(&bank).await;
    let debtor = bank.app.store().read(|tx| {
        let sql = "SELECT debtor_name, debtor_iban FROM clearing_transaction";
        Ok(tx.query_one(sql, &[], |row| Ok((row.read::<String>()?, row.read::<String>()?)))?)
    });
    let expected = ("Trapeza".to_owned(), demo::collection_iban().as_str().to_owned());
    assert_eq!(debtor.await.unwrap(), expected);
}

#[rstest]
#[case("REJECT AC04", TransactionStatus::Rjct, 0)]
#[case("RETURN", TransactionStatus::Acsc, 5_000)]
#[tokio::test(flavor = "multi_thread")]
async fn rejected_or_returned_payout_is_back_on_the_balance(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[case] name: &str,
    #[case] status: TransactionStatus,
    #[case] returned: i64,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = merchant_with_balance(&bank).await;
    let (code, payable) = (merchant.merchant.code.as_str(), merchant.payable);
    settle_to(&bank, code, OTHER_BANK_IBAN, name).await;
    bank.app.merchant_payout(code, Some(euros(5_000))).await.unwrap();
    bank.advance("PT5S").await;
    let after = view(&bank, code).await;
    assert_eq!((after.payable, after.in_payouts.minor), (payable, 0));
    assert_eq!(payouts(&bank, code).await, [(status, returned)]);
    check_ledger(&bank).await;
    let again = bank.app.merchant_payout(code, None).await.unwrap();
    assert_eq!((again.amount, again.left.minor), (payable, 0));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payout_to_an_account_of_this_bank_arrives_at_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = merchant_with_balance(&bank).await;
    let (code, own) = (merchant.merchant.code.as_str(), iban(&bank, JONAS, 0));
    let before = balance(&bank, &own).await.0;
    settle_to(&bank, code, &own, "Jonas").await;
    let paid = bank.app.merchant_payout(code, None).await.unwrap();
    assert!(paid.is_internal);
    assert_eq!(balance(&bank, &own).await.0, before + merchant.payable.minor);
    assert_eq!(payouts(&bank, code).await, [(TransactionStatus::Accc, 0)]);
    let page = lines(&bank, JONAS).await;
    let line = &page.body["transactions"]["booked"][0];
    assert_eq!((&line["debtorName"], &line["creditorName"]), (&json!("Trapeza"), &json!("Jonas")), "{line}");
    let text = line["remittanceInformationUnstructured"].as_str().unwrap();
    assert!(text.contains(code), "{line}");
    let nothing = refusal_text(bank.app.merchant_payout(code, None).await);
    assert_eq!(nothing, "the merchant has no payable balance");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payout_without_a_usable_settlement_account_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = merchant_with_balance(&bank).await;
    let code = merchant.merchant.code.as_str();
    let none = refusal_text(bank.app.merchant_payout(code, None).await);
    assert_eq!(none, "is required: the merchant has no settlement account");
    let collection = demo::collection_iban();
    for (iban, name, text) in [
        (OTHER_BANK_IBAN, " ", "the name must have 1 to 70 characters and no control characters"),
        (collection.as_str(), "Bank", "must not be the bank's own collection account"),
        ("TR330006100519786457841326", "Shop", "must be an IBAN of a SEPA country"),
    ] {
        let change = settlement(Some(payee(iban, name)));
        assert_eq!(refusal_text(bank.app.merchant_update_terms(code, change).await), text);
    }
    assert_eq!(view(&bank, code).await.settlement, None, "a refused change has no effect");
    settle_to(&bank, code, OTHER_BANK_IBAN, "Papyrus").await;
    bank.app.merchant_update_terms(code, settlement(None)).await.unwrap();
    assert_eq!(refusal_text(bank.app.merchant_payout(code, None).await), none, "it was removed");
    assert_eq!(view(&bank, code).await.payable, merchant.payable);
    assert!(payouts(&bank, code).await.is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_payouts_at_once_pay_the_balance_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = merchant_with_balance(&bank).await;
    let code = merchant.merchant.code.as_str();
    settle_to(&bank, code, OTHER_BANK_IBAN, "Papyrus").await;
    let amount = Some(merchant.payable);
    let (one, two) =
        tokio::join!(bank.app.merchant_payout(code, amount), bank.app.merchant_payout(code, amount));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    bank.advance("PT5S").await;
    assert_eq!(view(&bank, code).await.payable.minor, 0);
    assert_eq!(payouts(&bank, code).await.len(), 1);
    check_ledger(&bank).await;
}

/// SEPA is in euros only.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payout_in_dollars_is_not_sent_to_another_bank(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (code, dollars) = ("777777", |minor| Money::new(minor, Currency::USD));
    let new = NewMerchant {
        name: "Dollar Store".to_owned(),
        code: code.to_owned(),
        number: 777_777,
        limits: AmountLimits { minimum: dollars(100), maximum: dollars(200_000) },
        plans: Vec::new(),
        discount_basis_points: 0,
        sandbox: true,
        urls: MerchantUrls::default(),
    };
    bank.app.merchant_register(new).await.unwrap();
    let opened = bank.app.store().write(move |tx| {
        let owner = tx.merchant_by_code(code)?.unwrap().id.uuid();
        Ok(tx.ledger_account_find_or_insert(LedgerAccountKind::Merchant, Some(owner), Currency::USD, 0)?)
    });
    let returned = posting(LedgerEvent::MerchantPayoutReturned, 5_000, "returned");
    let parties = Parties { merchant: Some(opened.await.unwrap()), ..Parties::default() };
    bank.app
        .ledger_post(vec![Posting { parties, amounts: Amounts::of(dollars(5_000)), ..returned }])
        .await
        .unwrap();
    settle_to(&bank, code, OTHER_BANK_IBAN, "Dollar Store").await;
    let refused = refusal_text(bank.app.merchant_payout(code, None).await);
    assert!(refused.starts_with("no payment reaches this account"), "{refused}");
    assert_eq!(view(&bank, code).await.payable, dollars(5_000));
    check_ledger(&bank).await;
}
