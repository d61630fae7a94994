//! The console in a real browser: support finds a customer by telephone number and unblocks, operations return a suspended transfer,
//! two people write off a loan, an auditor looks and cannot act. Every page is checked for accessibility in light and dark, and for sideways scrolling.

use crate::http::checkout::check_ledger;
use crate::http::credential_limits::block_app;
use crate::http::loan_servicing::{bought, iban, set_status, stands};
use crate::http::loan_transfer::Incoming;
use crate::http::payment::JONAS;
use crate::staff::{events, verify_audit};
use serde_json::json;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::clearing::UnmatchedPolicy;
use trapeza_domain::staff::StaffRole;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Chromium, StaffUser, TestBank};

const WIDTHS: [u32; 4] = [320, 360, 768, 1280];

/// A member of the staff in front of a browser.
struct Person<'a> {
    bank: &'a TestBank,
    staff: StaffUser,
    browser: Chromium,
}

impl<'a> Person<'a> {
    async fn sign_in(bank: &'a TestBank, role: StaffRole, email: &str) -> Self {
        let staff = StaffUser::enrol(bank, role, email).await;
        let mut person = Self { bank, staff, browser: Chromium::start().await };
        person.open("/console").await;
        person.browser.expect_heading("Sign in").await;
        let code = person.staff.code();
        for (field, value) in [("#email", email), ("#password", PASSWORD), ("#code", &code)] {
            person.browser.fill(field, value).await;
        }
        person.browser.follow("form[action='/console/sign-in'] button").await;
        person.browser.expect_heading("Overview").await;
        person
    }

    async fn open(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.bank.base_url)).await;
    }

    /// Searches on the first page and opens the first object that was found.
    async fn find(&self, text: &str) {
        self.open("/console").await;
        self.browser.fill("#q", text).await;
        self.browser.follow("form.search button").await;
        self.browser.follow("main table a").await;
    }

    /// Checks the page that the browser shows.
    async fn check_page(&self, name: &str) {
        self.browser.check_page(&format!("console-{name}")).await;
        for width in WIDTHS {
            self.browser.set_width(width).await;
            let found = self.browser.run("return document.documentElement.scrollWidth", json!([])).await;
            assert!(found.as_u64().unwrap() <= width.into(), "{name} is {found} wide at {width}");
        }
        assert_eq!(self.browser.console_errors().await, Vec::<String>::new(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn support_finds_a_customer_by_telephone_number_and_unblocks() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let customer = bank.sandbox_file["psus"][JONAS].clone();
    block_app(&bank, customer["psu_id"].as_str().unwrap()).await;
    let support = Person::sign_in(&bank, StaffRole::Support, "support@bank.example").await;
    support.check_page("1-overview").await;
    support.find(customer["phone"].as_str().unwrap()).await;
    support.check_page("2-customer").await;
    support.browser.follow("main .links a[href*='psu.unblock']").await;
    support.browser.expect_heading("Unblock a customer").await;
    support.check_page("3-unblock").await;
    support.browser.fill("#reason", "proved who they are by telephone").await;
    support.browser.follow("main form button").await;
    support.browser.expect_text("main", "lifted 1 blocks").await;
    support.check_page("4-done").await;
    assert_eq!(events(&bank, "psu.unblocked"), 1);
    support.find(customer["phone"].as_str().unwrap()).await;
    assert!(!support.browser.has("main .links a[href*='psu.unblock']").await, "nothing is blocked any more");
    support.browser.expect_text("main", "psu.unblocked").await;
    for (path, name) in [
        ("/console/actions", "5-actions"),
        ("/console/requests", "6-requests"),
        ("/console/health", "7-health"),
        ("/console/staff", "8-staff"),
        ("/console/account", "9-account"),
        ("/console/search?q=nothing+has+this+name", "10-nothing-found"),
    ] {
        support.open(path).await;
        support.check_page(name).await;
    }
    support.browser.follow("header form button").await;
    support.browser.expect_heading("Sign in").await;
    support.check_page("11-sign-in").await;
    support.open("/console/account").await;
    support.browser.expect_heading("Sign in").await;
    verify_audit(&bank).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_write_off_a_loan_and_an_auditor_only_looks() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let loan = bought(&bank, 3).await;
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P46D").await;
    let first = Person::sign_in(&bank, StaffRole::Risk, "anna@bank.example").await;
    first.find(&loan.to_string()).await;
    first.check_page("20-loan").await;
    first.browser.follow("main .links a[href*='loan.write_off']").await;
    first.browser.follow("main form button").await;
    first.browser.expect_text("main", "must be 1–500 characters").await;
    first.check_page("21-write-off-error").await;
    first.browser.fill("#reason", "the borrower is insolvent").await;
    first.browser.follow("main form button").await;
    first.browser.expect_heading("Request: Write off a loan").await;
    first.check_page("22-own-request").await;
    assert!(!first.browser.has("form[action$='/approve']").await, "not the same person");
    let auditor = Person::sign_in(&bank, StaffRole::Auditor, "auditor@bank.example").await;
    auditor.browser.follow("main a[href$='/pending-requests']").await;
    auditor.browser.follow("main table a").await;
    auditor.browser.expect_heading("Request: Write off a loan").await;
    assert!(!auditor.browser.has("main form").await, "an auditor decides nothing");
    auditor.find(&loan.to_string()).await;
    assert!(!auditor.browser.has("main .links a").await, "an auditor has no actions");
    let second = Person::sign_in(&bank, StaffRole::Risk, "jonas@bank.example").await;
    second.browser.follow("main a[href$='/overdue-loans']").await;
    second.check_page("25-overdue-loans").await;
    second.browser.follow("nav a[href='/console/requests']").await;
    second.browser.follow("main table a").await;
    second.check_page("23-request").await;
    second.browser.follow("form[action$='/approve'] button").await;
    second.browser.expect_text("main", &format!("wrote off loan {loan}")).await;
    second.check_page("24-approved").await;
    assert_eq!(stands(&bank, loan).await.0, "writtenOff");
    verify_audit(&bank).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_return_a_suspended_transfer() {
    let options = TestBankOptions { unmatched: UnmatchedPolicy::Suspend, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), options).await;
    let incoming = Incoming { unstructured: Some("my debt"), ..Incoming::of(5_000) };
    assert_eq!(incoming.receive(&bank).await.suspended, 1);
    let person = Person::sign_in(&bank, StaffRole::Operations, "anna@bank.example").await;
    person.browser.follow("main a[href$='/suspended-transfers']").await;
    person.browser.expect_text("main table", "50.00 EUR").await;
    person.check_page("30-suspended-transfers").await;
    person.browser.follow("main table a").await;
    person.check_page("31-suspended-transfer").await;
    person.browser.follow("main .links a[href*='clearing.return']").await;
    person.browser.fill("#reason_code", "AC04").await;
    person.browser.fill("#reason", "the payer asked for it").await;
    person.check_page("32-return").await;
    person.browser.follow("main form button").await;
    person.browser.expect_text("main", "50.00 EUR").await;
    bank.advance("PT5S").await;
    person.open("/console/work/suspended-transfers").await;
    person.browser.expect_text("main", "Nothing waits here.").await;
    assert_eq!(events(&bank, "suspense.returned"), 1);
    for (path, name) in [
        ("/console/ledger", "33-ledger"),
        ("/console/ledger?date=never", "34-ledger-error"),
        ("/console/ledger/accounts", "35-ledger-accounts"),
        ("/console/ledger/accounts/1", "36-ledger-account"),
        ("/console/actions/ledger.post_manual", "37-manual-posting"),
        ("/console/account/tokens", "38-tokens"),
    ] {
        person.open(path).await;
        person.check_page(name).await;
    }
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}
