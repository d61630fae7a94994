//! Settlement accounts and payouts of merchants by two people.

use super::{events, reason, verify_audit};
use crate::http::checkout::check_ledger;
use crate::http::merchant_payout::{merchant_with_balance, payouts};
use crate::http::payment::{JONAS, OTHER_BANK_IBAN, iban};
use rstest::rstest;
use trapeza::demo;
use trapeza_domain::money::Money;
use trapeza_domain::payment::TransactionStatus;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};

const PAYOUT: StaffAction = StaffAction::MerchantPayout;
const ACCOUNT: StaffAction = StaffAction::MerchantSettlementAccount;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_people_set_the_settlement_account_and_pay_out_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = merchant_with_balance(&bank).await;
    let code = merchant.merchant.code.as_str();
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let jonas = StaffUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let pay = [("code", code), ("amount", "50.00")];
    let early = anna.run(PAYOUT, &pay).await;
    assert_eq!(reason(early), Some(RefusalReason::StatusInvalid), "there is no settlement account");
    let own = iban(&bank, JONAS, 0);
    let account = |iban| [("code", code), ("iban", iban), ("name", "Papyrus Books")];
    let collection = demo::collection_iban();
    for wrong in [collection.as_str(), "TR330006100519786457841326"] {
        let refused = anna.run(ACCOUNT, &account(wrong)).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{wrong}");
    }
    let request = anna.request(ACCOUNT, &account(OTHER_BANK_IBAN)).await;
    assert_eq!(
        reason(bank.app.staff_request_approve(anna.id, request).await),
        Some(RefusalReason::RoleMissing)
    );
    bank.app.staff_request_approve(jonas.id, request).await.unwrap();
    let again = anna.run(ACCOUNT, &account(OTHER_BANK_IBAN)).await;
    assert_eq!(reason(again), Some(RefusalReason::StatusInvalid), "it is the account already");
    for amount in ["0.00", "many", "99999.00"] {
        let refused = anna.run(PAYOUT, &[("code", code), ("amount", amount)]).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{amount}");
    }
    // The whole balance can be paid out, and not a cent more.
    let (whole, more) = (merchant.payable, Money { minor: merchant.payable.minor + 1, ..merchant.payable });
    let refused = anna.run(PAYOUT, &[("code", code), ("amount", &more.to_decimal_string())]).await;
    assert_eq!(reason(refused), Some(RefusalReason::Malformed), "a cent more");
    let all = anna.run(PAYOUT, &[("code", code), ("amount", &whole.to_decimal_string())]).await;
    assert_eq!(reason(all), None, "the whole balance");
    // The account changes between the request and the approval.
    let stale = anna.request(PAYOUT, &pay).await;
    let request = jonas.request(ACCOUNT, &account(&own)).await;
    bank.app.staff_request_approve(anna.id, request).await.unwrap();
    let refused = bank.app.staff_request_approve(jonas.id, stale).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid), "the approver would pay another account");
    assert_eq!(events(&bank, "merchant.paid_out"), 0);
    let request = anna.request(PAYOUT, &pay).await;
    let paid = bank.app.staff_request_approve(jonas.id, request).await.unwrap();
    assert!(paid.text.starts_with(&format!("paid 50.00 EUR to merchant {code}")), "{}", paid.text);
    assert_eq!(
        reason(bank.app.staff_request_approve(jonas.id, request).await),
        Some(RefusalReason::StatusInvalid)
    );
    assert_eq!(
        payouts(&bank, code).await,
        [(TransactionStatus::Accc, 0)],
        "an account of this bank: at once"
    );
    let actors = bank.database.column("SELECT actor FROM audit_event WHERE action = 'merchant.paid_out'");
    assert_eq!(actors, [format!("staff:{}", jonas.id)]);
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}
