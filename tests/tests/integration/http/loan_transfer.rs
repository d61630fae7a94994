//! Loans of shoppers without an account here: paid by transfer to the bank's collection account, recognised by the creditor
//! reference, from other banks and from customers of this bank.

use crate::http::checkout::{Bought, agree, basket, check_ledger, proven};
use crate::http::guest_refund::{payee, refusal_text};
use crate::http::loan_servicing::stands;
use crate::http::payment::{
    INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, balance, challenged, changed, code, iban, initiate, order, tpp,
};
use crate::http::refund::booked;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza::demo;
use trapeza_app::clearing::{MessageOutcome, MessageSummary};
use trapeza_app::retention::RetentionReport;
use trapeza_domain::clearing::{ClearingMessage, CreditTransfers, GroupHeader, InterbankTransfer};
use trapeza_domain::id::LoanId;
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::loan::InstallmentState;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Browser, TestBank, Transcript};
use trapeza_texts::{Language, format};
use uuid::Uuid;

pub const GUEST: &str = "+306900000042";

/// A purchase on a telephone number alone.
pub struct GuestLoan {
    pub bought: Bought,
    pub browser: Browser,
    pub id: LoanId,
    /// In its printed form.
    pub reference: String,
}

pub async fn bought_by_guest(bank: &TestBank, euros: &str, plan: u32) -> GuestLoan {
    let (bought, mut browser) = (basket(bank, 1, euros).await, bank.browser());
    proven(bank, &mut browser, &bought, GUEST).await;
    assert_eq!(agree(&mut browser, &bought, plan).await.title(), "Bought");
    let loan = bank.merchant(0).get(&format!("/loans/bnpl?basketId={}", bought.public)).await;
    let id = LoanId::parse(loan.text("/data/payLaterInformation/bnplRequestId")).unwrap();
    let reference = bank.app.loan_detail(id).await.unwrap().loan.creditor_reference().printed();
    GuestLoan { bought, browser, id, reference }
}

/// Money that another bank sends to the collection account.
#[derive(Clone, Copy)]
pub struct Incoming<'a> {
    pub minor: i64,
    /// The payer's IBAN and name.
    pub from: Option<&'a str>,
    pub name: &'a str,
    pub structured: Option<&'a str>,
    pub unstructured: Option<&'a str>,
}

impl Incoming<'_> {
    pub fn of(minor: i64) -> Self {
        Self { minor, from: Some(OTHER_BANK_IBAN), name: "A Guest", structured: None, unstructured: None }
    }

    pub async fn receive(&self, bank: &TestBank) -> MessageSummary {
        let id = bank.app.entropy().uuid().simple().to_string();
        let bic = |text| Some(Bic::parse(text).unwrap());
        let transfer = InterbankTransfer {
            id: id.clone(),
            end_to_end_id: None,
            amount: Money::new(self.minor, Currency::EUR),
            debtor_name: self.name.to_owned(),
            debtor: self.from.map(|iban| Iban::parse(iban).unwrap()),
            debtor_agent: bic("PSSTFRPP"),
            creditor_name: "Trapeza".to_owned(),
            creditor: demo::collection_iban().as_str().to_owned(),
            creditor_agent: bic("TRPZGRAA"),
            creditor_address: None,
            ultimate_debtor: None,
            ultimate_creditor: None,
            purpose: None,
            remittance: self.unstructured.map(str::to_owned),
            creditor_reference: self.structured.map(str::to_owned),
        };
        let header = GroupHeader { id: id.clone(), sent_at: bank.app.now() };
        let settlement_day = bank.app.clock().today();
        let message = CreditTransfers { header, settlement_day, transfers: vec![transfer] };
        let outcome = bank
            .app
            .clearing_receive(ClearingMessage::CreditTransfers(message), id.as_bytes(), "in.xml")
            .await;
        match outcome.unwrap() {
            MessageOutcome::Applied(summary) => summary,
            other => panic!("{other:?}"),
        }
    }
}

pub async fn pay(bank: &TestBank, minor: i64, reference: &str) -> MessageSummary {
    Incoming { structured: Some(&reference.replace(' ', "")), ..Incoming::of(minor) }.receive(bank).await
}

/// The ledger is sound, agrees with the loan's installments, and has so much on the suspense account.
async fn check_loan(bank: &TestBank, id: LoanId, suspense: i64) {
    check_ledger(bank).await;
    let installments = bank.app.loan_detail(id).await.unwrap().installments;
    let principal: i64 = installments.iter().map(InstallmentState::open_principal_minor).sum();
    assert_eq!(booked(bank, LedgerAccountKind::LoanPrincipal, id.uuid()).await, -principal);
    let interest = installments.iter().filter(|one| one.accrued).map(InstallmentState::open_interest_minor);
    assert_eq!(booked(bank, LedgerAccountKind::LoanInterest, id.uuid()).await, -interest.sum::<i64>());
    assert_eq!(booked(bank, LedgerAccountKind::Suspense, Uuid::nil()).await, suspense);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_pays_installments_by_transfer(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (bought, mut browser) = (basket(&bank, 9, "60").await, bank.browser());
    proven(&bank, &mut browser, &bought, GUEST).await;
    let terms = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    let iban = demo::collection_iban().printed();
    assert!(terms.says("You pay by bank transfer") && terms.says(&iban) && terms.says("<dd>RF"), "{terms:?}");
    assert!(terms.says("transfer it by 16 April 2035") && !terms.says("ollected"), "{terms:?}");

    let loan = bought_by_guest(&bank, "120", 12).await;
    let end = loan.browser_end(&bank).await;
    assert!(end.contains(&iban) && end.contains(&loan.reference), "{end}");
    let message = bank.anonymous().get("/sandbox/messages").await.body["messages"][0].clone();
    let text = message["text"].as_str().unwrap();
    assert!(text.starts_with("Trapeza: for your purchase at Papyrus Books, transfer "), "{text}");
    assert!(text.contains(&iban) && text.contains(&loan.reference) && message["code"].is_null(), "{text}");

    let schedule = bank.app.loan_detail(loan.id).await.unwrap().installments;
    let amount = |number: usize| schedule[number].installment.amount_minor();
    bank.advance("P20D").await;
    assert_eq!(pay(&bank, amount(0), &loan.reference).await.credited, 1, "before it is due");
    assert_eq!(stands(&bank, loan.id).await.2, 1);
    check_loan(&bank, loan.id, 0).await;
    // In the unstructured text, as people type it.
    bank.advance("P30D").await;
    let typed = format!("Papyrus books, {}", loan.reference.to_lowercase());
    let incoming = Incoming { unstructured: Some(&typed), ..Incoming::of(amount(1) + 500) };
    assert_eq!(incoming.receive(&bank).await.credited, 1);
    let installments = bank.app.loan_detail(loan.id).await.unwrap().installments;
    assert_eq!(
        (installments[1].paid_minor(), installments[2].paid_minor()),
        (amount(1), 500),
        "a part of the next"
    );
    assert_eq!((installments[1].settled.is_some(), installments[2].settled), (true, None));
    check_loan(&bank, loan.id, 0).await;
    // The third is late, and is paid in two parts.
    bank.advance("P60D").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue");
    pay(&bank, amount(2) - 501, &loan.reference).await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue", "a cent is missing");
    pay(&bank, 1, &loan.reference).await;
    assert_eq!((stands(&bank, loan.id).await.0, stands(&bank, loan.id).await.2), ("active", 3));
    check_loan(&bank, loan.id, 0).await;
}

impl GuestLoan {
    /// The text of the checkout's last page.
    async fn browser_end(&self, bank: &TestBank) -> String {
        let mut browser = bank.browser();
        browser.cookies = self.browser.cookies.clone();
        browser.get(&self.bought.checkout).await.html
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transfer_of_more_than_is_owed_ends_the_loan_and_the_excess_is_returned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 12).await;
    bank.advance("P40D").await;
    let quote = bank.app.loan_detail(loan.id).await.unwrap().payoff_quote.unwrap();
    assert!(quote.accrued_minor > 0 && quote.days_minor > 0, "{quote:?}");
    assert_eq!(pay(&bank, quote.total_minor() + 777, &loan.reference).await.credited, 1);
    assert_eq!((stands(&bank, loan.id).await.0, stands(&bank, loan.id).await.1), ("repaid", 0));
    let installments = bank.app.loan_detail(loan.id).await.unwrap().installments;
    let paid: i64 = installments.iter().map(InstallmentState::paid_minor).sum();
    assert_eq!(paid, quote.total_minor());
    check_loan(&bank, loan.id, 777).await;
    bank.advance("PT5S").await;
    check_loan(&bank, loan.id, 0).await;
    let returned = bank.app.store().read(|tx| {
        let sql = "SELECT amount_minor FROM transfer WHERE event = 'sepa_in_unknown_returned'";
        Ok(tx.query(sql, &[], |row| row.read::<i64>())?)
    });
    assert_eq!(returned.await.unwrap(), [777]);
    // Whatever comes later goes back as a whole.
    assert_eq!(pay(&bank, 100, &loan.reference).await.suspended, 1);
    check_loan(&bank, loan.id, 100).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payoff_amount_of_two_days_ago_ends_the_loan_across_a_due_date(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 12).await;
    let due = bank.app.loan_detail(loan.id).await.unwrap().installments[0].installment.due;
    bank.advance(&format!("P{}D", due.0 - bank.app.clock().today().0 - 2)).await;
    let quote = bank.app.loan_detail(loan.id).await.unwrap().payoff_quote.unwrap();
    // On the due date the interest of the whole month is booked.
    bank.advance("P2D").await;
    let today = bank.app.loan_detail(loan.id).await.unwrap().payoff_quote.unwrap();
    assert!(today.accrued_minor > quote.days_minor, "{today:?} {quote:?}");
    check_loan(&bank, loan.id, 0).await;
    assert_eq!(pay(&bank, quote.total_minor(), &loan.reference).await.credited, 1);
    assert_eq!((stands(&bank, loan.id).await.0, stands(&bank, loan.id).await.1), ("repaid", 0));
    check_loan(&bank, loan.id, 0).await;
    let waived = "SELECT amount_minor FROM transfer WHERE event = 'interest_waived'";
    assert_eq!(bank.database.number(waived), today.accrued_minor - quote.days_minor);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transfer_without_the_reference_of_an_open_loan_is_returned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let mut mistyped = loan.reference.clone();
    mistyped.replace_range(18..19, if mistyped.ends_with('A') { "B" } else { "A" });
    for text in [None, Some("thank you"), Some(mistyped.as_str()), Some("RF18 5390 0754 7034")] {
        let incoming = Incoming { structured: text, unstructured: text, ..Incoming::of(4_000) };
        assert_eq!(incoming.receive(&bank).await.suspended, 1, "{text:?}");
    }
    assert_eq!(stands(&bank, loan.id).await, ("active", 12_000, 0, vec![0; 3]));
    check_loan(&bank, loan.id, 16_000).await;
    bank.advance("PT5S").await;
    check_loan(&bank, loan.id, 0).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transfer_for_a_simulated_loan_is_returned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    basket(&bank, 1, "120").await;
    let number = bank.database.number("SELECT number FROM basket");
    let path = format!("/bnplsandbox/createbnpl?basketId={number}&isSuccessCallback=true");
    assert_eq!(bank.merchant(0).post(&path, &json!({})).await.status, 200);
    let loan = bank.app.loan_list("active".to_owned(), 10).await.unwrap().remove(0);
    let reference = loan.creditor_reference().printed();
    let incoming = Incoming { structured: Some(&reference), ..Incoming::of(4_000) };
    assert_eq!(incoming.receive(&bank).await.suspended, 1);
    let (status, open, ..) = stands(&bank, loan.id).await;
    assert_eq!((status, open), ("active", 12_000));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_of_the_bank_pays_a_loan_to_the_collection_account(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await.0;
    let send = async |product: &str, amount: &str, text: &str| -> Value {
        let iban = demo::collection_iban().as_str().to_owned();
        let order = changed(order(&bank, amount), "/creditorAccount/iban", json!(iban));
        let order = changed(order, "/creditorName", json!("Trapeza"));
        let order = changed(order, "/remittanceInformationUnstructured", json!(text));
        let path = initiate(&tpp, product, &order).await;
        let mut transcript = Transcript::default();
        let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut transcript).await;
        assert!(
            !transcript.text().contains("NMTC") && !transcript.text().contains("NOAP"),
            "{}",
            transcript.text()
        );
        assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
        bank.advance("PT5S").await;
        tpp.get(&path).await.body
    };
    let paid = send(INTERNAL, "40.00", &format!("Loan {}", loan.reference)).await;
    assert_eq!(paid["transactionStatus"], "ACCC", "{paid}");
    assert_eq!((stands(&bank, loan.id).await.1, balance(&bank, &payer).await.0), (8_000, before - 4_000));
    check_loan(&bank, loan.id, 0).await;

    let unknown = send(INTERNAL, "40.00", "Rent of November").await;
    assert_eq!(unknown["transactionStatus"], "RJCT");
    assert!(unknown["tppMessages"][0]["text"].as_str().unwrap().starts_with("MS03"), "{unknown}");
    let too_much = send(INTERNAL, "80.01", &loan.reference).await;
    assert_eq!(too_much["transactionStatus"], "RJCT");
    assert!(too_much["tppMessages"][0]["text"].as_str().unwrap().starts_with("AM02"), "{too_much}");
    assert_eq!((stands(&bank, loan.id).await.1, balance(&bank, &payer).await.0), (8_000, before - 4_000));

    // A SEPA credit transfer goes through clearing and comes back as an incoming one.
    let paid = send(SEPA, "80.00", &loan.reference).await;
    assert_eq!(paid["transactionStatus"], "ACSC", "{paid}");
    assert_eq!((stands(&bank, loan.id).await.0, balance(&bank, &payer).await.0), ("repaid", before - 12_000));
    check_loan(&bank, loan.id, 0).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payer_of_a_loan_is_retained_for_years_after_its_end(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    pay(&bank, 4_000, &loan.reference).await;
    let retained_since = |at: Timestamp, status: &str| {
        let at = bank.database.timestamp_literal(at);
        bank.database.tamper(&format!("UPDATE loan SET status = '{status}', last_action_at = {at}"));
    };
    let clock = bank.app.clock();
    let end = clock.zone().start_of(clock.today().plus_months(-60));
    let before = end.minus(TimeDelta(1));
    for status in ["repaid", "withdrawn", "writtenOff"] {
        for (at, is_deleted) in [(before, 1), (end, 0)] {
            retained_since(at, status);
            let report = bank.app.retention_report(5).await.unwrap();
            assert_eq!(
                report,
                RetentionReport { customers: 0, owed: 0, loan_payers: is_deleted },
                "{status}"
            );
        }
    }
    retained_since(before, "overdue");
    let none = RetentionReport { customers: 0, owed: 0, loan_payers: 0 };
    assert_eq!(bank.app.retention_report(5).await.unwrap(), none);
    assert_eq!(bank.app.retention_apply(5).await.unwrap(), none);
    retained_since(before, "repaid");
    assert_eq!(bank.app.retention_report(6).await.unwrap(), none);
    let payers = || bank.database.number("SELECT COUNT(*) FROM loan_payer");
    assert_eq!(payers(), 1);
    assert_eq!(
        bank.app.retention_apply(5).await.unwrap(),
        RetentionReport { customers: 0, owed: 0, loan_payers: 1 }
    );
    assert_eq!(payers(), 0);
    assert_eq!(bank.app.retention_apply(5).await.unwrap(), none);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_withdrawal_is_paid_back_by_transfer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 12).await;
    bank.advance("P10D").await;
    assert!(bank.app.loan_repay(loan.id).await.is_err(), "there is no account to collect from");
    let quote = bank.app.loan_withdraw(loan.id).await.unwrap();
    assert!(quote.days_minor > 0);
    let detail = bank.app.loan_detail(loan.id).await.unwrap();
    let today = bank.app.clock().today();
    assert_eq!(
        (detail.loan.state.name(), detail.loan.repay_by().map(|day| day.0)),
        ("active", Some(today.0 + 30))
    );
    assert!(bank.app.loan_withdraw(loan.id).await.is_err(), "once");
    let declared = bank.database.events("loan.withdrawal_declared");
    assert_eq!(declared, [format!("loan:{} by operator", loan.id)]);
    check_loan(&bank, loan.id, 0).await;
    bank.advance("P31D").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue", "30 days to pay it back");
    let later = bank.app.loan_detail(loan.id).await.unwrap().payoff_quote.unwrap();
    assert_eq!(later.total_minor(), quote.total_minor(), "no interest after the withdrawal");
    pay(&bank, quote.total_minor(), &loan.reference).await;
    assert_eq!((stands(&bank, loan.id).await.0, stands(&bank, loan.id).await.1), ("withdrawn", 0));
    check_loan(&bank, loan.id, 0).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bank_without_a_collection_account_lends_only_to_customers(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { no_collection_account: true, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let (bought, mut browser) = (basket(&bank, 1, "120").await, bank.browser());
    let plans = proven(&bank, &mut browser, &bought, GUEST).await;
    assert!(plans.says("you would owe more at a time") && !plans.says("?plan="), "{plans:?}");
    // Nor can it send back a refund: the operator learns what is missing, whichever loan it is.
    let payee = payee(OTHER_BANK_IBAN, "Maria Ioannou");
    let refused = bank.app.loan_refund_payout(LoanId::new(Uuid::nil()), payee).await;
    assert!(refusal_text(refused).starts_with("bank.collection_iban is not set"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_sees_the_loan_behind_a_code_and_withdraws(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 12).await;
    let link = format!("/loan/{}", loan.reference.replace(' ', ""));
    assert!(loan.browser_end(&bank).await.contains(&format!("href=\"{link}\"")));
    let mut browser = bank.browser();
    let find = browser.get("/loan").await;
    let unknown = browser.send(&find, &[("step", "find"), ("reference", "RF18 5390 0754 7034")]).await;
    assert_eq!((unknown.status, unknown.says("We know no loan")), (404, true), "{unknown:?}");
    let locked =
        browser.send(&find, &[("step", "find"), ("reference", &loan.reference.to_lowercase())]).await;
    assert_eq!((locked.status, locked.says("ending in 42")), (200, true), "{locked:?}");
    assert!(!locked.says("Papyrus"), "nothing is shown before the code");
    // Without a code nothing can be done, whatever the form says.
    let forged = browser.send(&locked, &[("step", "withdraw"), ("sure", "yes")]).await;
    assert_eq!((forged.status, stands(&bank, loan.id).await.0), (401, "active"), "{forged:?}");
    assert_eq!(bank.app.loan_detail(loan.id).await.unwrap().loan.repay_by(), None);

    let sent = browser.send(&locked, &[("step", "send-code")]).await;
    let message = bank.anonymous().get("/sandbox/messages").await.body["messages"][0].clone();
    assert_eq!((message["to"].as_str(), message["code"].is_string()), (Some(GUEST), true), "{message}");
    let wrong = browser.send(&sent, &[("step", "code"), ("code", "000000")]).await;
    assert_eq!(wrong.status, 401, "{wrong:?}");
    let code = message["code"].as_str().unwrap().to_owned();
    // The code is good in this browser only.
    let mut other = bank.browser();
    let theirs = other.get(&link).await;
    assert_eq!(other.send(&theirs, &[("step", "code"), ("code", &code)]).await.status, 401);
    let shown = browser.send(&sent, &[("step", "code"), ("code", &code)]).await;
    assert!(shown.says("Papyrus Books") && shown.says(&loan.reference), "{shown:?}");
    let detail = bank.app.loan_detail(loan.id).await.unwrap();
    let first = &detail.installments[0];
    let amount = Money::new(first.open_minor(), Currency::EUR);
    let all = Money::new(detail.payoff_quote.unwrap().total_minor(), Currency::EUR);
    let shown_amount = |amount| format::money(Language::English, amount);
    let day = format::day(Language::English, first.installment.payment);
    assert!(shown.says(&demo::collection_iban().printed()), "{shown:?}");
    assert!(shown.says(&format!("Next: transfer {} by {day}.", shown_amount(amount))), "{shown:?}");
    assert!(shown.says(&format!("To pay everything now, transfer {}.", shown_amount(all))), "{shown:?}");
    assert_eq!(
        shown.attribute("href=\"/app/pay?"),
        format!(
            "iban={}&name=Trapeza&amount={}&remittance={}",
            demo::collection_iban().as_str(),
            amount.to_decimal_string(),
            loan.reference.replace(' ', "")
        )
    );
    assert!(other.get(&link).await.says("ending in 42"), "the other browser still needs a code");

    bank.advance("PT10M").await;
    let unsure = browser.send(&shown, &[("step", "withdraw")]).await;
    assert_eq!((unsure.status, unsure.says("Tick the box")), (400, true), "{unsure:?}");
    let withdrawn = browser.send(&shown, &[("step", "withdraw"), ("sure", "yes")]).await;
    assert!(
        withdrawn.says("You have withdrawn. Transfer") && !withdrawn.says("name=\"sure\""),
        "{withdrawn:?}"
    );
    let owed = bank.app.loan_detail(loan.id).await.unwrap().payoff_quote.unwrap().total_minor();
    pay(&bank, owed, &loan.reference).await;
    let ended = browser.get(&link).await;
    assert!(ended.says("Withdrawn") && !ended.says("ransfer "), "{ended:?}");
    assert_eq!(stands(&bank, loan.id).await.0, "withdrawn");
    check_loan(&bank, loan.id, 0).await;
    bank.advance("PT6M").await;
    assert!(browser.get(&link).await.says("ending in 42"), "access ends after a quarter of an hour");
    let sessions = bank.app.store().read(|tx| {
        let sql = "SELECT COUNT(*) FROM guest_session";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    });
    assert_eq!(sessions.await.unwrap(), 0, "the sweep deletes expired sessions");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn withdrawal_of_a_guest_books_the_interest_of_the_days(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 12).await;
    bank.advance("P10D").await;
    let owed = bank.app.loan_withdraw(loan.id).await.unwrap();
    assert!(owed.interest_minor() > 0);
    let interest = booked(&bank, LedgerAccountKind::LoanInterest, loan.id.uuid()).await;
    assert_eq!(interest, -owed.interest_minor());
    check_ledger(&bank).await;
    pay(&bank, owed.total_minor(), &loan.reference).await;
    assert_eq!(stands(&bank, loan.id).await.0, "withdrawn");
    assert_eq!(booked(&bank, LedgerAccountKind::LoanInterest, loan.id.uuid()).await, 0);
    check_ledger(&bank).await;
}
