//! Loans being paid back as days go by: collected from the linked account, tried again, overdue, repaid early, withdrawn
//! from; and the ledger adds up after each.

use crate::http::checkout::{Bought, JONAS, agree, basket, check_ledger, proven, sign_in};
use crate::http::refund::booked;
use crate::http::statement::app;
use clap::Parser;
use rstest::rstest;
use trapeza::cli::{Cli, Command};
use trapeza::command::AdminRequest;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::id::LoanId;
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::loan::{InstallmentState, LoanState, RepaymentStatus};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::Iban;
use trapeza_domain::time::Date;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

/// Jonas buys for 450 euros, signed in, so that installments are collected from his account.
pub async fn bought(bank: &TestBank, plan: u32) -> LoanId {
    bought_at_checkout(bank, plan).await.1
}

/// The same, with its basket.
pub async fn bought_at_checkout(bank: &TestBank, plan: u32) -> (Bought, LoanId) {
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(bank, 1, "450").await, bank.browser());
    proven(bank, &mut browser, &bought, jonas["phone"].as_str().unwrap()).await;
    sign_in(bank, &mut browser, &bought, jonas["password"].as_str().unwrap()).await;
    assert_eq!(agree(&mut browser, &bought, plan).await.title(), "Bought");
    let loan = bank.app.loan_list("active".to_owned(), 10).await.unwrap()[0].id;
    (bought, loan)
}

pub fn iban(bank: &TestBank) -> String {
    bank.sandbox_file["psus"][JONAS]["accounts"][0]["iban"].as_str().unwrap().to_owned()
}

/// What is booked on Jonas's account, in cents.
pub async fn balance(bank: &TestBank) -> i64 {
    let iban = Iban::parse(&iban(bank)).unwrap();
    let read = bank.app.store().read(move |tx| {
        let account = tx.account_by_iban(&iban)?.remove(0);
        let sql = "SELECT booked_minor FROM ledger_account WHERE id = $1";
        Ok(tx.query_one(sql, &[account.ledger.0.into()], |row| row.read::<i64>())?)
    });
    read.await.unwrap()
}

pub async fn set_status(bank: &TestBank, status: AccountStatus) {
    let iban = Iban::parse(&iban(bank)).unwrap();
    let change = bank.app.store().write(move |tx| {
        let account = tx.account_by_iban(&iban)?.remove(0);
        Ok(tx.account_status_update(account.id, status)?)
    });
    change.await.unwrap();
}

/// How the loan stands, what is open of it, which installments were paid, and how often each was tried in vain.
pub async fn stands(bank: &TestBank, id: LoanId) -> (&'static str, i64, usize, Vec<usize>) {
    let detail = bank.app.loan_detail(id).await.unwrap();
    let LoanState::Granted { open_minor, .. } = detail.loan.state else { panic!("not granted") };
    let paid = detail.installments.iter().filter(|one| one.settled.is_some()).count();
    let attempts = detail.installments.iter().map(|one| one.attempts).collect();
    (detail.loan.state.name(), open_minor, paid, attempts)
}

/// Output and exit code of a `trapeza loan` command on this bank.
fn loan_command(bank: &TestBank, arguments: &[&str]) -> (String, i32) {
    let cli = Cli::parse_from(["trapeza", "loan"].iter().chain(arguments));
    let Command::Loan(command) = cli.command else { panic!("not a loan command") };
    let app = bank.app.clone();
    let response = std::thread::spawn(move || AdminRequest::Loan(command).execute(&app, 0)).join().unwrap();
    (response.text, response.exit)
}

fn day(month: i8, day: i8) -> Date {
    Date::from_civil(jiff::civil::date(2035, month, day))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn installments_are_collected_until_the_loan_is_repaid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 12).await;
    let schedule = bank.app.loan_detail(id).await.unwrap().installments;
    let before = balance(&bank).await;
    // The 15th of April is a Sunday: due, and collected on Monday.
    bank.advance("P31D").await;
    assert_eq!(stands(&bank, id).await.2, 0);
    bank.advance("P1D").await;
    let first = schedule[0].installment;
    assert_eq!(before - balance(&bank).await, first.amount_minor());
    assert!(first.interest_minor > 0);
    assert_eq!(stands(&bank, id).await, ("active", 45_000 - first.principal_minor, 1, vec![0; 12]));
    check_ledger(&bank).await;
    bank.advance("P1Y").await;
    assert_eq!(stands(&bank, id).await, ("repaid", 0, 12, vec![0; 12]));
    let paid = bank.app.loan_detail(id).await.unwrap().installments;
    assert!(
        paid.iter().all(|one| one.settled == Some(one.installment.payment)),
        "in time, though the bank was late"
    );
    let all: i64 = schedule.iter().map(|one| one.installment.amount_minor()).sum();
    assert_eq!(before - balance(&bank).await, all);
    assert!(bank.app.loan_repay(id).await.is_err(), "nothing is outstanding any more");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failed_collection_is_retried_and_makes_the_loan_overdue(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await;
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P32D").await;
    assert_eq!(stands(&bank, id).await, ("active", 45_000, 0, vec![1, 0, 0]));
    bank.advance("P3D").await;
    assert_eq!(stands(&bank, id).await, ("active", 45_000, 0, vec![2, 0, 0]));
    bank.advance("P1D").await;
    let detail = bank.app.loan_detail(id).await.unwrap();
    let LoanState::Granted { repayment, .. } = detail.loan.state else { panic!("not granted") };
    assert_eq!(
        repayment,
        RepaymentStatus::Overdue { since: day(4, 16) },
        "on the 20th, after three days of settlement"
    );
    bank.advance("P10D").await;
    assert_eq!(stands(&bank, id).await, ("overdue", 45_000, 0, vec![3, 0, 0]), "and not again");
    assert!(bank.app.loan_repay(id).await.is_err(), "the account is still blocked");
    set_status(&bank, AccountStatus::Enabled).await;
    let before = balance(&bank).await;
    let closing = bank.app.loan_repay(id).await.unwrap();
    assert_eq!((closing.principal_minor, closing.interest_minor()), (45_000, 0), "this plan has no interest");
    assert_eq!(before - balance(&bank).await, 45_000);
    assert_eq!(stands(&bank, id).await, ("repaid", 0, 3, vec![3, 0, 0]));
    assert_eq!(bank.database.events("loan.collection_failed"), vec![format!("loan:{id} by bank"); 3]);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn written_off_loan_is_a_loss_and_not_collected(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 12).await;
    assert!(bank.app.loan_write_off(id).await.is_err(), "nothing is late yet");
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P64D").await;
    let before = bank.app.loan_detail(id).await.unwrap();
    assert_eq!(before.loan.state.name(), "overdue");
    let accrued: i64 =
        before.installments.iter().filter(|one| one.accrued).map(|one| one.installment.interest_minor).sum();
    assert!(accrued > 0, "two installments have fallen due with their interest");
    let given_up = bank.app.loan_write_off(id).await.unwrap();
    assert_eq!((given_up.principal_minor, given_up.interest_minor()), (45_000, accrued));
    assert_eq!(booked(&bank, LedgerAccountKind::CreditLoss, Uuid::nil()).await, -45_000);
    let owner = id.uuid();
    assert_eq!(booked(&bank, LedgerAccountKind::LoanPrincipal, owner).await, 0);
    assert_eq!(booked(&bank, LedgerAccountKind::LoanInterest, owner).await, 0);
    check_ledger(&bank).await;
    set_status(&bank, AccountStatus::Enabled).await;
    let money = balance(&bank).await;
    bank.advance("P1Y").await;
    assert_eq!(balance(&bank).await, money, "it is not collected");
    assert_eq!(stands(&bank, id).await.0, "writtenOff");
    assert!(bank.app.loan_write_off(id).await.is_err(), "once");
    assert!(bank.app.loan_repay(id).await.is_err());
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn late_payment_clears_the_arrears(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await;
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P36D").await;
    assert_eq!(stands(&bank, id).await.0, "overdue");
    set_status(&bank, AccountStatus::Enabled).await;
    // The third try, seven days after the payment day.
    bank.advance("P3D").await;
    assert_eq!(stands(&bank, id).await, ("active", 30_000, 1, vec![2, 0, 0]));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn withdrawal_without_funds_is_paid_back_within_thirty_days(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 12).await;
    bank.advance("P10D").await;
    let mut browser = app(&bank).await;
    let next = "<dt>Next payment</dt>";
    assert!(browser.get("/app/loans").await.says(next));
    set_status(&bank, AccountStatus::Blocked).await;
    let (before, owed) = (balance(&bank).await, bank.app.loan_withdraw(id).await.unwrap());
    assert!(owed.days_minor > 0);
    let repay_by = bank.app.loan_detail(id).await.unwrap().loan.repay_by();
    assert_eq!((stands(&bank, id).await.0, repay_by), ("active", Some(day(4, 24))));
    let page = browser.get("/app/loans").await;
    assert!(page.says("Left to pay") && !page.says(next), "everything is due at once: {page:?}");
    set_status(&bank, AccountStatus::Enabled).await;
    bank.advance("P30D").await;
    assert_eq!((stands(&bank, id).await.0, balance(&bank).await), ("active", before), "nothing is collected");
    check_ledger(&bank).await;
    bank.advance("P1D").await;
    assert_eq!(stands(&bank, id).await.0, "overdue");
    let paid = bank.app.loan_repay(id).await.unwrap();
    assert_eq!(paid.total_minor(), owed.total_minor(), "interest ended with the withdrawal");
    assert_eq!((stands(&bank, id).await.0, before - balance(&bank).await), ("withdrawn", owed.total_minor()));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn withdrawal_within_fourteen_days_costs_interest_of_the_days(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 12).await;
    let before = balance(&bank).await;
    bank.advance("P14D").await;
    let detail = bank.app.loan_detail(id).await.unwrap();
    let LoanState::Granted { contract, .. } = &detail.loan.state else { panic!("not granted") };
    let days = contract.plan.days_of_interest(45_000, 14);
    assert!(days > 0);
    let closing = bank.app.loan_withdraw(id).await.unwrap();
    assert_eq!((closing.principal_minor, closing.interest_minor()), (45_000, days));
    assert_eq!(before - balance(&bank).await, 45_000 + days);
    assert_eq!(stands(&bank, id).await.0, "withdrawn");
    let installments = bank.app.loan_detail(id).await.unwrap().installments;
    let paid: i64 = installments.iter().map(InstallmentState::paid_minor).sum();
    assert_eq!(paid, 45_000 + days, "no more is shown as paid than was paid");
    bank.advance("P60D").await;
    assert_eq!(before - balance(&bank).await, 45_000 + days, "nothing is collected afterwards");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn early_repayment_costs_interest_up_to_the_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 12).await;
    bank.advance("P15D").await;
    assert!(bank.app.loan_withdraw(id).await.is_err(), "too late");
    // A month and some days: the first is paid, and the days since its due day cost something.
    bank.advance("P27D").await;
    let (status, open, paid, _) = stands(&bank, id).await;
    assert_eq!((status, paid), ("active", 1));
    let detail = bank.app.loan_detail(id).await.unwrap();
    let LoanState::Granted { contract, .. } = &detail.loan.state else { panic!("not granted") };
    let eleven_days = contract.plan.days_of_interest(open, 11);
    let before = balance(&bank).await;
    let closing = bank.app.loan_repay(id).await.unwrap();
    assert_eq!((closing.principal_minor, closing.interest_minor()), (open, eleven_days));
    assert_eq!(before - balance(&bank).await, open + eleven_days);
    assert_eq!(stands(&bank, id).await.0, "repaid");
    assert_eq!(booked(&bank, LedgerAccountKind::LoanInterest, id.uuid()).await, 0, "it was due, and is paid");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ended_loan_shows_what_was_paid_and_what_was_cancelled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (bought, id) = bought_at_checkout(&bank, 12).await;
    let basket = format!("/basket/id?basketId={}", bought.public);
    let agreed = bank.merchant(0).get(&basket).await.body["monthlyInstallments"].clone();
    let before = balance(&bank).await;
    bank.advance("P42D").await;
    let closing = bank.app.loan_repay(id).await.unwrap();
    let spent = before - balance(&bank).await;
    let installments = bank.app.loan_detail(id).await.unwrap().installments;
    let (collected, ended) = installments.split_first().unwrap();
    assert_eq!(collected.paid_minor(), collected.installment.amount_minor());
    assert_eq!((collected.settled, collected.cancelled_minor), (Some(day(4, 16)), 0));
    let paid: i64 = ended.iter().map(InstallmentState::paid_minor).sum();
    assert_eq!((paid, paid + collected.paid_minor()), (closing.total_minor(), spent));
    let interest: i64 = ended.iter().map(|one| one.installment.interest_minor).sum();
    let cancelled: i64 = ended.iter().map(|one| one.cancelled_minor).sum();
    assert_eq!(cancelled, interest - closing.interest_minor());
    assert!(ended.iter().all(|one| one.settled == Some(day(4, 26)) && one.open_minor() == 0));

    let page = app(&bank).await.get("/app/loans").await;
    assert!(page.says("paid on 16 April 2035</small>"), "nothing of the first is cancelled: {page:?}");
    assert_eq!(page.html.matches("paid on 26 April 2035, ").count(), 11, "{page:?}");
    assert_eq!(page.html.matches(" interest cancelled</small>").count(), 11, "{page:?}");
    let total = format!("€{}", Money::new(spent, Currency::EUR).to_decimal_string());
    assert!(page.says(&format!("<dt>Paid so far</dt><dd>{total}</dd>")), "{total} {page:?}");
    let shown = loan_command(&bank, &["show", &id.to_string()]).0;
    assert_eq!(shown.matches("paid 2035-04-26, ").count(), 11, "{shown}");
    // The merchant's basket shows the agreed installments; repayment is between the customer and the bank.
    assert_eq!(bank.merchant(0).get(&basket).await.body["monthlyInstallments"], agreed);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn operator_commands_show_and_end_a_loan(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await.to_string();
    bank.advance("P40D").await;
    assert_eq!(loan_command(&bank, &["list", "--state", "overdue"]), ("no loan is overdue\n".to_owned(), 0));
    let listed = loan_command(&bank, &["list", "--state", "active"]).0;
    assert!(
        listed.starts_with(&format!("{id}  active      300.00 EUR of 450.00 EUR  since 2035-03-15")),
        "{listed}"
    );
    let reference =
        bank.app.loan_detail(LoanId::parse(&id).unwrap()).await.unwrap().loan.creditor_reference();
    let shown = loan_command(&bank, &["show", &id]).0.replace(&id, "[loan]");
    let shown = shown.replace(&reference.printed(), "[reference]");
    insta::assert_snapshot!("shown", shown);
    let (text, exit) = loan_command(&bank, &["withdraw", &id]);
    assert_eq!(exit, 1, "{text}");
    let ended = "repaid: 300.00 EUR and 0.00 EUR interest debited from the customer's account\n";
    assert_eq!(loan_command(&bank, &["repay", &id]), (ended.to_owned(), 0));
    assert_eq!(loan_command(&bank, &["repay", &id]).1, 1, "nothing is outstanding");
    assert_eq!(loan_command(&bank, &["show", "nonsense"]).1, 1);
}
