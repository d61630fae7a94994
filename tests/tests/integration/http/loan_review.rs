//! Reviews by a person: a declined shopper asks, a member of the staff decides otherwise, and the next purchase is granted.

use crate::http::checkout::{Bought, JONAS, agree, basket, check_ledger, proven, sign_in};
use crate::http::payment::text;
use crate::staff::{events, reason, verify_audit};
use rstest::rstest;
use trapeza_app::work_list::WorkListKind;
use trapeza_domain::id::{PsuId, ShopperId};
use trapeza_domain::money::Currency;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_store::StoreError;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, Page, StaffUser, TestBank};
use uuid::Uuid;

/// Jonas, whose account received nothing for three months, is declined for his income.
async fn declined(bank: &TestBank, number: u128) -> (Bought, Browser, Page) {
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(bank, number, "300").await, bank.browser());
    proven(bank, &mut browser, &bought, text(&jonas["phone"])).await;
    let end = sign_in(bank, &mut browser, &bought, text(&jonas["password"])).await;
    (bought, browser, end)
}

/// The id of the review on the work list.
async fn listed(bank: &TestBank, person: &StaffUser) -> Vec<(String, Vec<String>)> {
    let list = bank.app.work_list(person.id, WorkListKind::LoanReviews, 10).await.unwrap();
    let rows = list.rows.into_iter();
    rows.map(|row| (row.actions[0].parameters[0].1.clone(), row.cells)).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn declined_shopper_asks_for_a_review_and_a_person_decides_otherwise(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.advance("P95D").await;
    let (bought, mut browser, end) = declined(&bank, 1).await;
    assert_eq!(end.title(), "Not bought");
    assert!(end.says("A computer program made this decision") && end.says("?review=1"), "{end:?}");
    let form = browser.get(&format!("{}?review=1", bought.checkout)).await;
    assert_eq!(form.title(), "Ask a person to review the decision");

    // Mistakes are at their fields, what was typed stays, and nothing is stored.
    let fields = [("step", "review"), ("statement", ""), ("income", "12x"), ("expenses", "400")];
    let wrong = browser.send(&form, &fields).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.says("id=\"statement-error\"") && wrong.says("id=\"income-error\""), "{wrong:?}");
    assert!(!wrong.says("id=\"expenses-error\"") && wrong.says("value=\"12x\""), "{wrong:?}");
    assert_eq!(events(&bank, "loan_review.requested"), 0);
    let fields = [
        ("step", "review"),
        ("statement", "My salary goes\r\nto another bank."),
        ("income", "1850,50"),
        ("expenses", "0"),
        ("source", "employment"),
    ];
    let page = browser.send(&form, &fields).await;
    assert!(page.says("You asked for a review on 18 June 2035"), "{page:?}");
    // A second click changes nothing.
    let again = browser.send(&form, &fields).await;
    assert!(again.says("You asked for a review"), "{again:?}");
    assert_eq!(events(&bank, "loan_review.requested"), 1);

    // The copy of the customer's personal data has it.
    let login = text(&bank.sandbox_file["psus"][JONAS]["psu_id"]).to_owned();
    let exported = bank.app.psu_export(&login).await.unwrap().reviews;
    assert_eq!(exported.len(), 1);
    assert_eq!(exported[0].income.map(|income| income.income_minor), Some(185_050));

    // Another role sees the list and decides nothing.
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rita@bank.example").await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let (id, cells) = listed(&bank, &risk).await.remove(0);
    assert_eq!(cells[3], "declined: AFFORDABILITY");
    assert_eq!(cells[4], "My salary goes to another bank.");
    assert_eq!(cells[5], "1850.50 EUR a month by employment, expenses 0.00 EUR");
    let explained = [("review", id.as_str()), ("explanation", "Your payslips show enough income.")];
    assert_eq!(
        reason(operations.run(StaffAction::LoanReviewGrant, &explained).await),
        Some(RefusalReason::RoleMissing)
    );
    assert_eq!(
        reason(risk.run(StaffAction::LoanReviewGrant, &[("review", &id)]).await),
        Some(RefusalReason::Malformed),
        "the customer reads why"
    );
    risk.run(StaffAction::LoanReviewGrant, &explained).await.unwrap();
    assert_eq!(
        reason(risk.run(StaffAction::LoanReviewReject, &explained).await),
        Some(RefusalReason::StatusInvalid)
    );
    assert!(listed(&bank, &risk).await.is_empty());
    let message = bank.anonymous().get("/sandbox/messages").await.body["messages"][0].clone();
    let message_text = text(&message["text"]);
    assert!(
        message_text.contains("up to €300.00") && message_text.contains("until 18 July 2035"),
        "{message_text}"
    );
    assert!(message_text.ends_with("Your payslips show enough income."), "{message_text}");
    let end = browser.get(&bought.checkout).await;
    assert!(end.says("you can buy for up to €300.00") && end.says("Your payslips"), "{end:?}");

    // Another customer with the same telephone number has no approval, nor has a guest.
    let today = bank.app.clock().today();
    let approvals = bank.app.store().read(move |tx| {
        let (shopper, psu): (ShopperId, Option<PsuId>) =
            tx.query_one("SELECT shopper, psu FROM loan_review", &[], |row| Ok((row.read()?, row.read()?)))?;
        let other = Some(PsuId::new(Uuid::from_u128(7)));
        let found = [psu, other, None].map(|psu| {
            tx.loan_review_approval(shopper, psu, Currency::EUR, today).map(|found| found.is_some())
        });
        Ok(found.into_iter().collect::<Result<Vec<bool>, StoreError>>()?)
    });
    assert_eq!(approvals.await.unwrap(), [true, false, false]);

    // A purchase that the rules allow does not use it up.
    let (small, mut other) = (basket(&bank, 9, "60").await, bank.browser());
    proven(&bank, &mut other, &small, text(&bank.sandbox_file["psus"][JONAS]["phone"])).await;
    assert_eq!(agree(&mut other, &small, 12).await.title(), "Bought");
    assert_eq!(events(&bank, "loan_review.used"), 0);

    // The next purchase is granted once.
    let (next, mut browser, plans) = declined(&bank, 2).await;
    assert!(plans.says("?plan=3"), "{plans:?}");
    assert_eq!(agree(&mut browser, &next, 3).await.title(), "Bought");
    assert_eq!(events(&bank, "loan_review.used"), 1);
    let inputs = bank
        .database
        .column("SELECT decision_inputs FROM loan WHERE amount_minor = 30000 AND status = 'active'");
    assert!(inputs[0].ends_with("reviewed=30000"), "{inputs:?}");
    let (_, _, end) = declined(&bank, 3).await;
    assert_eq!(end.title(), "Not bought", "an approval is used once");
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn confirmed_decision_is_explained_and_an_approval_ends_after_thirty_days(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.advance("P95D").await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rita@bank.example").await;
    for (number, action) in [(1, StaffAction::LoanReviewReject), (2, StaffAction::LoanReviewGrant)] {
        let (bought, mut browser, _) = declined(&bank, number).await;
        let form = browser.get(&format!("{}?review=1", bought.checkout)).await;
        browser.send(&form, &[("step", "review"), ("statement", "Please look again.")]).await;
        let (id, _) = listed(&bank, &risk).await.remove(0);
        risk.run(action, &[("review", &id), ("explanation", "As we see it.")]).await.unwrap();
        let end = browser.get(&bought.checkout).await;
        assert!(end.says("As we see it."), "{end:?}");
        assert_eq!(end.says("It stays as it is"), action == StaffAction::LoanReviewReject, "{end:?}");
    }
    bank.advance("P31D").await;
    let (_, _, end) = declined(&bank, 3).await;
    assert_eq!(end.title(), "Not bought", "an approval has its time");
    // A purchase that the shopper left has no decision to review.
    let (left, mut browser) = (basket(&bank, 4, "60").await, bank.browser());
    let plans = proven(&bank, &mut browser, &left, "+306900000042").await;
    let end = browser.send(&plans, &[("step", "leave")]).await;
    assert!(!end.says("?review=1"), "{end:?}");
    browser.send(&plans, &[("step", "review"), ("statement", "Please.")]).await;
    assert!(listed(&bank, &risk).await.is_empty());
}
