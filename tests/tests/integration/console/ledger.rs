//! The pages of the ledger: the report of a day, accounts with entries, manual postings by two people, and the check.

use crate::http::payment::{JONAS, iban};
use crate::staff::{events, verify_audit};
use rstest::rstest;
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::money::Money;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ConsoleUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_people_post_manually_and_the_pages_show_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let mut jonas = ConsoleUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let form = anna.browser.get("/console/actions/ledger.post_manual").await;
    let posting = form.attribute("name=\"posting\" value=\"");
    assert!(uuid::Uuid::parse_str(&posting).is_ok(), "the form proposes an id: {posting}");
    let customer = iban(&bank, JONAS, 0);
    let fields = [
        ("posting", posting.as_str()),
        ("debit", "4000"),
        ("credit", &customer),
        ("amount", "7.50"),
        ("currency", "EUR"),
        ("text", "goodwill"),
    ];
    let wrong = [&fields[..4], &[("currency", "EUR")]].concat();
    let refused = anna.act(StaffAction::LedgerPostManual, &wrong).await;
    assert!(refused.status == 400 && refused.says("id=\"text-error\""), "{refused:?}");
    let requested = anna.act(StaffAction::LedgerPostManual, &fields).await;
    assert_eq!(requested.status, 303, "{requested:?}");
    let approved = jonas.post(&format!("{}/approve", requested.headers["location"]), &[]).await;
    assert_eq!(approved.status, 200, "{approved:?}");
    let report = anna.browser.get("/console/ledger").await;
    assert!(
        report.says("No differences") && report.says("goodwill") && report.says("7.50 EUR"),
        "{report:?}"
    );
    assert!(report.says("<td>7.50 EUR</td><td>goodwill</td>"), "{report:?}");
    let day = bank.app.ledger_day_report(bank.app.clock().today()).await.unwrap();
    for total in &day.kinds {
        let columns = [total.opening_minor, total.debit_minor, total.credit_minor, total.closing_minor()];
        let columns = columns.map(|minor| format!("<td>{}</td>", Money::new(minor, total.currency)));
        assert!(report.says(&format!("{}</tr>", columns.concat())), "{total:?} in {report:?}");
    }
    let mut fees = day.kinds.iter().filter(|total| total.kind == LedgerAccountKind::Fees);
    assert!(fees.any(|total| total.debit_minor == 750), "{day:?}");
    for date in ["2026-13-01", "2999-01-01"] {
        let refused = anna.browser.get(&format!("/console/ledger?date={date}")).await;
        assert!(refused.status == 400 && refused.says("id=\"date-error\""), "{refused:?}");
    }
    let looks = events(&bank, "personal_data.viewed");
    let accounts = anna.browser.get("/console/ledger/accounts?kind=2000").await;
    assert!(accounts.says(&customer), "{accounts:?}");
    let row = accounts.html.split(&format!(">{customer}<")).next().unwrap();
    let path =
        format!("/console/ledger/accounts/{}", row.rsplit("accounts/").next().unwrap().trim_end_matches('"'));
    let account = anna.browser.get(&path).await;
    assert!(account.status == 200 && account.says("<td>7.50 EUR</td>"), "{account:?}");
    assert_eq!(events(&bank, "personal_data.viewed"), looks + 2, "both looks are recorded");
    assert_eq!(anna.browser.get("/console/ledger/accounts/999999999").await.status, 404);
    let checked = anna.post("/console/ledger/check", &[]).await;
    assert!(checked.status == 200 && checked.says("The ledger is sound."), "{checked:?}");
    verify_audit(&bank).await;
}
