//! The files between the bank and clearing: written once whatever breaks in between, each answer applied once, and what
//! is no message put aside. Here the test sits at the other end.

use crate::http::guest_refund::refusal_text;
use crate::http::payment::{
    ELENI, JONAS, OTHER_BANK_IBAN, SEPA, balance, challenged, changed, check_ledger, code, iban, initiate,
    lines, order, psu, text, tpp,
};
use rstest::rstest;
use serde_json::json;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use trapeza_app::{App, ClearingPort, UseCaseError};
use trapeza_courier::clearing::pacs;
use trapeza_courier::{Clearing, Spool};
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, Originator,
    PaymentReturns, ReasonCode, ReportedStatus, StatusReport, TransferStatus,
};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::Iban;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, StaffUser, TestBank, Transcript};
use uuid::Uuid;

/// A courier that can be switched off, as if its process had died.
pub(super) struct Courier {
    clearing: Clearing,
    pub(super) dead: AtomicBool,
}

impl ClearingPort for Courier {
    fn exchange<'a>(
        &'a self,
        app: &'a App,
    ) -> Pin<Box<dyn Future<Output = Result<usize, UseCaseError>> + Send + 'a>> {
        match self.dead.load(Ordering::SeqCst) {
            true => Box::pin(async { Ok(0) }),
            false => self.clearing.exchange(app),
        }
    }
}

pub(super) struct Setup {
    pub(super) bank: TestBank,
    tpp: ApiClient,
    pub(super) payer: String,
    directory: tempfile::TempDir,
    pub(super) folders: Spool,
    pub(super) courier: Arc<Courier>,
}

impl Setup {
    pub(super) async fn start(database: Database) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let folders = Spool::make(directory.path(), [9; 16]).unwrap();
        let courier =
            Arc::new(Courier { clearing: Clearing::new(folders.clone()), dead: AtomicBool::new(false) });
        let shape = TestBankOptions { clearing: Some(courier.clone()), ..TestBankOptions::default() };
        let bank = TestBank::with_options(database, shape).await;
        let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
        Self { bank, tpp, payer, directory, folders, courier }
    }

    pub(super) async fn authorised(&self) -> String {
        let order = changed(order(&self.bank, "20.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
        let path = initiate(&self.tpp, SEPA, &order).await;
        let own =
            challenged(&self.bank, &self.tpp, &format!("{path}/authorisations"), &mut Transcript::default())
                .await;
        assert_eq!(code(&self.bank, &self.tpp, &own).await.text("/scaStatus"), "finalised");
        path
    }

    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The files in a folder that are not hidden.
    pub(super) fn files(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        names
    }

    /// Takes the one message that waits, as clearing would.
    pub(super) fn take(&self) -> (Vec<u8>, ClearingMessage) {
        let files = self.files("outgoing");
        assert_eq!(files.len(), 1, "{files:?}");
        let path = self.folder("outgoing").join(&files[0]);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        let message = pacs::parse(&bytes).unwrap();
        (bytes, message)
    }

    /// Puts something where the bank finds it, and lets it look.
    async fn give(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder("incoming").join(name), bytes).unwrap();
        self.bank.advance("PT1S").await;
        assert_eq!(self.files("incoming"), Vec::<String>::new());
    }

    pub(super) async fn give_message(&self, name: &str, message: &ClearingMessage) {
        self.give(name, pacs::serialize(message).as_bytes()).await;
    }

    /// The files that an operator must look at.
    pub(super) async fn problem_files(&self) -> Vec<String> {
        let app = self.bank.app.clone();
        let status = tokio::task::spawn_blocking(move || app.clearing_status()).await.unwrap().unwrap();
        let mut files: Vec<String> = status.problems.into_iter().map(|open| open.problem.file).collect();
        files.sort();
        files
    }

    pub(super) async fn transaction_status(&self, path: &str) -> String {
        self.tpp.get(path).await.text("/transactionStatus").to_owned()
    }

    /// Everything of the ledger that a message could change.
    async fn ledger_counts(&self) -> (i64, i64) {
        let counted = self.bank.app.store().read(|tx| {
            let sql =
                "SELECT (SELECT COUNT(*) FROM transfer), (SELECT COUNT(*) FROM hold WHERE status = 'active')";
            Ok(tx.query_one(sql, &[], |row| Ok((row.read::<i64>()?, row.read::<i64>()?)))?)
        });
        counted.await.unwrap()
    }
}

pub(super) fn origin(id: &str) -> GroupHeader {
    GroupHeader { id: id.to_owned(), sent_at: Timestamp(2_057_000_000_000_000) }
}

pub(super) fn transfers(message: &ClearingMessage) -> &CreditTransfers {
    match message {
        ClearingMessage::CreditTransfers(transfers) => transfers,
        other => panic!("{other:?}"),
    }
}

pub(super) fn report(id: &str, about: &CreditTransfers, status: ReportedStatus) -> ClearingMessage {
    let status = |transfer: &InterbankTransfer| TransferStatus {
        id: transfer.id.clone(),
        end_to_end_id: transfer.end_to_end_id.clone(),
        status,
        originator: None,
        original: None,
    };
    let transfers = about.transfers.iter().map(status).collect();
    ClearingMessage::StatusReport(StatusReport {
        header: origin(id),
        original_message_id: about.header.id.clone(),
        group: None,
        transfers,
    })
}

pub(super) fn returned(id: &str, about: &CreditTransfers, minor: i64) -> ClearingMessage {
    let transfer = &about.transfers[0];
    let returned = InterbankReturn {
        id: format!("R-{id}"),
        message: Some(about.header.id.clone()),
        transfer: transfer.id.clone(),
        end_to_end_id: None,
        original_amount: Some(transfer.amount),
        amount: Money::new(minor, Currency::EUR),
        reason: ReasonCode::ACCOUNT_CLOSED,
        originator: None,
        original: None,
    };
    ClearingMessage::PaymentReturns(PaymentReturns {
        header: origin(id),
        settlement_day: Date(23_800),
        returns: vec![returned],
    })
}

pub(super) fn incoming(id: &str, transfer: &str, creditor: &str) -> ClearingMessage {
    let transfer = InterbankTransfer {
        id: transfer.to_owned(),
        end_to_end_id: Some("salary".to_owned()),
        amount: Money::new(120_000, Currency::EUR),
        debtor_name: "Maison Exemple".to_owned(),
        debtor: Some(Iban::parse(OTHER_BANK_IBAN).unwrap()),
        debtor_agent: None,
        creditor_name: "Eleni Papadaki".to_owned(),
        creditor: creditor.to_owned(),
        creditor_agent: None,
        creditor_address: None,
        ultimate_debtor: None,
        ultimate_creditor: None,
        purpose: None,
        remittance: Some("March".to_owned()),
        creditor_reference: None,
    };
    let transfers = vec![transfer];
    ClearingMessage::CreditTransfers(CreditTransfers {
        header: origin(id),
        settlement_day: Date(23_800),
        transfers,
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payments_of_one_interval_share_a_file(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let paths = [setup.authorised().await, setup.authorised().await];
    assert_eq!(setup.files("outgoing").len(), 0);
    setup.bank.advance("PT10S").await;
    let (bytes, message) = setup.take();
    let sent = transfers(&message);
    assert_eq!(sent.transfers.len(), 2);
    assert_eq!(sent.transfers[0].debtor.map(|iban| iban.as_str().to_owned()), Some(setup.payer.clone()));
    assert_eq!(sent.transfers[0].debtor_name, "Jonas Weber");
    assert_ne!(sent.transfers[0].id, sent.transfers[1].id);
    // The order names no bank; the routing table does. The scheme knows no UETR.
    assert_eq!(sent.transfers[0].creditor_agent.as_ref().map(|bic| bic.as_str()), Some("DEMOFR2X"));
    assert!(!String::from_utf8(bytes).unwrap().contains("UETR"));
    setup.bank.advance("PT10S").await;
    assert_eq!(setup.files("outgoing").len(), 0, "and not again");
    // One answer for all of them.
    let original_message_id = sent.header.id.clone();
    let all = StatusReport {
        header: origin("all"),
        original_message_id,
        group: Some(ReportedStatus::Settled),
        transfers: Vec::new(),
    };
    setup.give_message("a.xml", &ClearingMessage::StatusReport(all)).await;
    for path in paths {
        assert_eq!(setup.transaction_status(&path).await, "ACSC");
    }
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn file_is_published_once_wherever_the_process_dies(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let app = setup.bank.app.clone();
    let place = setup.folders.spool_id();
    for died_after in ["claim", "stage", "note of stage", "move", "move, and clearing was quick"] {
        let path = setup.authorised().await;
        setup.courier.dead.store(true, Ordering::SeqCst);
        setup.bank.advance("PT5S").await;
        assert_eq!(setup.transaction_status(&path).await, "ACSP", "{died_after}");
        let outgoing = app.clearing_claim(place).await.unwrap().expect("it waits");
        let text = pacs::serialize(&outgoing.message);
        let name = format!("{}.pacs.008.001.08.xml", outgoing.message.header().id);
        if died_after != "claim" {
            setup.folders.stage(outgoing.claim, &name, text.as_bytes()).unwrap();
        }
        if !["claim", "stage"].contains(&died_after) {
            assert!(app.clearing_mark_staged(&outgoing, place).await.unwrap());
        }
        let mut taken = None;
        if died_after.starts_with("move") {
            setup.folders.publish(outgoing.claim, &name).unwrap();
        }
        if died_after.ends_with("quick") {
            taken = Some(setup.take());
        }
        assert!(app.clearing_claim(place).await.unwrap().is_none(), "{died_after}: it is still claimed");
        assert!(app.clearing_claim(Uuid::from_u128(1)).await.unwrap().is_none());
        setup.courier.dead.store(false, Ordering::SeqCst);
        setup.bank.advance("PT1M").await;
        let (bytes, message) = match taken {
            Some(taken) => {
                assert_eq!(setup.files("outgoing"), Vec::<String>::new(), "{died_after}: written twice");
                taken
            }
            None => setup.take(),
        };
        assert_eq!(String::from_utf8(bytes).unwrap(), text, "{died_after}: the same, byte for byte");
        setup.bank.advance("PT5M").await;
        assert_eq!(setup.files("outgoing"), Vec::<String>::new(), "{died_after}");
        setup
            .give_message(
                "a.xml",
                &report(died_after_id(died_after), transfers(&message), ReportedStatus::Settled),
            )
            .await;
        assert_eq!(setup.transaction_status(&path).await, "ACSC", "{died_after}");
    }
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn batch_staged_in_another_spool_is_not_touched(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    setup.authorised().await;
    setup.courier.dead.store(true, Ordering::SeqCst);
    setup.bank.advance("PT5S").await;
    let outgoing = setup.bank.app.clearing_claim(Uuid::from_u128(1)).await.unwrap().expect("it waits");
    assert!(setup.bank.app.clearing_mark_staged(&outgoing, Uuid::from_u128(1)).await.unwrap());
    setup.courier.dead.store(false, Ordering::SeqCst);
    setup.bank.advance("PT1H").await;
    assert_eq!(setup.files("outgoing"), Vec::<String>::new());
    assert!(setup.bank.app.clearing_claim(Uuid::from_u128(1)).await.unwrap().is_some());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_couriers_publish_each_file_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    setup.courier.dead.store(true, Ordering::SeqCst);
    for _ in 0..4 {
        setup.authorised().await;
        setup.bank.advance("PT5S").await;
    }
    let mut couriers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (app, clearing) = (setup.bank.app.clone(), Clearing::new(setup.folders.clone()));
        couriers.spawn(async move { clearing.exchange(&app).await });
    }
    let written: usize = couriers.join_all().await.into_iter().map(Result::unwrap).sum();
    assert_eq!((written, setup.files("outgoing").len()), (4, 4));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn status_report_is_applied_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let before = balance(&setup.bank, &setup.payer).await;
    let path = setup.authorised().await;
    setup.bank.advance("PT5S").await;
    let (_, message) = setup.take();
    let sent = transfers(&message);
    setup.give_message("p.xml", &report("pending", sent, ReportedStatus::Pending)).await;
    assert_eq!(setup.transaction_status(&path).await, "ACSP");
    let settled = report("settled", sent, ReportedStatus::Settled);
    setup.give_message("a.xml", &settled).await;
    assert_eq!(setup.transaction_status(&path).await, "ACSC");
    let ledger_counts = setup.ledger_counts().await;
    setup.give_message("a.xml", &settled).await;
    setup.give_message("b.xml", &report("settled again", sent, ReportedStatus::Settled)).await;
    let code = ReasonCode::ACCOUNT_CLOSED;
    setup.give_message("c.xml", &report("contradicted", sent, ReportedStatus::Rejected(code))).await;
    setup.give_message("d.xml", &report("settled", sent, ReportedStatus::Rejected(code))).await;
    assert_eq!(
        (setup.transaction_status(&path).await.as_str(), setup.ledger_counts().await),
        ("ACSC", ledger_counts)
    );
    assert_eq!(setup.files("done"), ["a.xml", "a.xml.2", "b.xml", "c.xml", "d.xml.refused", "p.xml"]);
    // It comes back, once, and never more than was sent.
    setup.give_message("e.xml", &returned("too much", sent, 2001)).await;
    assert_eq!(setup.ledger_counts().await, ledger_counts);
    setup.give_message("f.xml", &returned("back", sent, 2000)).await;
    setup.give_message("g.xml", &returned("back again", sent, 2000)).await;
    assert_eq!(setup.ledger_counts().await, (ledger_counts.0 + 1, ledger_counts.1));
    assert_eq!(balance(&setup.bank, &setup.payer).await, before);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn return_before_a_report_settles_the_payment(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let before = balance(&setup.bank, &setup.payer).await;
    let path = setup.authorised().await;
    setup.bank.advance("PT5S").await;
    let (_, message) = setup.take();
    setup.give_message("a.xml", &returned("back", transfers(&message), 2000)).await;
    assert_eq!(
        (setup.transaction_status(&path).await.as_str(), balance(&setup.bank, &setup.payer).await),
        ("ACSC", before)
    );
    setup.give_message("b.xml", &report("late", transfers(&message), ReportedStatus::Settled)).await;
    assert_eq!(balance(&setup.bank, &setup.payer).await, before);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unknown_and_invalid_files_change_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let path = setup.authorised().await;
    setup.bank.advance("PT5S").await;
    let (_, message) = setup.take();
    let sent = transfers(&message);
    let ledger_counts = setup.ledger_counts().await;
    let mut foreign = sent.clone();
    foreign.transfers[0].id = "f".repeat(32);
    setup.give_message("a.xml", &report("unknown transfer", &foreign, ReportedStatus::Settled)).await;
    let mut foreign = sent.clone();
    foreign.header.id = "e".repeat(32);
    setup.give_message("b.xml", &report("unknown message", &foreign, ReportedStatus::Settled)).await;
    setup.give_message("c.xml", &returned("unknown", &foreign, 2000)).await;
    let whole = pacs::serialize(&report("cut", sent, ReportedStatus::Settled));
    let entity = whole.replace("?>", "?><!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>");
    let huge = vec![b' '; 17 * 1024 * 1024];
    let garbage: [(&str, &[u8]); 5] = [
        ("g1.xml", b"not XML at all"),
        ("g2.xml", &whole.as_bytes()[..whole.len() / 2]),
        ("g3.xml", entity.as_bytes()),
        ("g4.xml", &huge),
        ("g5.xml", b""),
    ];
    for (name, bytes) in garbage {
        setup.give(name, bytes).await;
    }
    assert_eq!(
        (setup.transaction_status(&path).await.as_str(), setup.ledger_counts().await),
        ("ACSP", ledger_counts)
    );
    let refused = (1..=5).map(|number| format!("g{number}.xml.refused"));
    let kept: Vec<String> =
        ["a.xml", "b.xml", "c.xml"].map(str::to_owned).into_iter().chain(refused).collect();
    assert_eq!(setup.files("done"), kept);
    // What is only on its way into the folder is left there.
    std::fs::write(setup.folder("incoming").join("late.xml.part"), whole.as_bytes()).unwrap();
    setup.bank.advance("PT1S").await;
    assert_eq!(setup.files("incoming"), ["late.xml.part"]);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn incoming_transfer_is_credited_once_or_returned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let payee = iban(&setup.bank, ELENI, 0);
    let (before, held) = balance(&setup.bank, &payee).await;
    setup.give_message("a.xml", &incoming("m1", "t1", &payee)).await;
    setup.give_message("a.xml", &incoming("m1", "t1", &payee)).await;
    assert_eq!(balance(&setup.bank, &payee).await, (before + 120_000, held));
    // Another message of theirs, and another bank's transfer of the same name.
    setup.give_message("b.xml", &incoming("m2", "t1", &payee)).await;
    assert_eq!(balance(&setup.bank, &payee).await, (before + 240_000, held));
    for (id, account) in [
        ("m3", OTHER_BANK_IBAN.to_owned()),
        ("m4", "no account".to_owned()),
        ("m5", iban(&setup.bank, ELENI, 3)),
    ] {
        setup.give_message("c.xml", &incoming(id, "t1", &account)).await;
        let (bytes, message) = setup.take();
        let ClearingMessage::PaymentReturns(back) = &message else { panic!("{message:?}") };
        let one = &back.returns[0];
        assert_eq!(
            (one.message.as_deref(), one.transfer.as_str(), one.amount.minor),
            (Some(id), "t1", 120_000)
        );
        assert_eq!(one.original_amount, Some(one.amount));
        assert_eq!(one.end_to_end_id.as_deref(), Some("salary"));
        assert_eq!(one.originator, Some(Originator::Name("Trapeza".to_owned())));
        let original = one.original.as_ref().unwrap();
        assert_eq!(
            (original.transfer.creditor.as_str(), original.settlement_day),
            (account.as_str(), Date(23_800))
        );
        let expected = if id == "m5" { ReasonCode::CURRENCY } else { ReasonCode::ACCOUNT_UNKNOWN };
        assert_eq!(one.reason, expected, "{}", String::from_utf8_lossy(&bytes));
    }
    assert_eq!(balance(&setup.bank, &payee).await, (before + 240_000, held));
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn incoming_transfer_is_on_the_statement_with_all_its_fields(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let message = incoming("m1", "t1", &iban(&setup.bank, ELENI, 0));
    let ClearingMessage::CreditTransfers(mut message) = message else { panic!("a pacs.008") };
    message.transfers[0] = InterbankTransfer {
        ultimate_debtor: Some("Anna Weber".to_owned()),
        ultimate_creditor: Some("Papadaki Heirs".to_owned()),
        purpose: Some("SALA".to_owned()),
        remittance: None,
        creditor_reference: Some("RF18539007547034".to_owned()),
        ..message.transfers[0].clone()
    };
    setup.give_message("a.xml", &ClearingMessage::CreditTransfers(message)).await;
    let lines = lines(&setup.bank, ELENI).await;
    let line = &lines.body["transactions"]["booked"][0];
    assert_eq!(line["endToEndId"], "salary");
    assert_eq!(
        (&line["debtorName"], &line["ultimateDebtor"]),
        (&json!("Maison Exemple"), &json!("Anna Weber"))
    );
    assert_eq!(line["ultimateCreditor"], "Papadaki Heirs");
    assert_eq!(line["remittanceInformationStructured"], "RF18539007547034");
    let salary = trapeza_domain::purpose_code::PurposeCode::parse("SALA").unwrap();
    assert_eq!(line["purposeCode"], salary.index());
    // The value date is the settlement date, whenever the file is read.
    assert_eq!(line["valueDate"], trapeza_app::format_date(Date(23_800)));
    assert_ne!(line["valueDate"], line["bookingDate"]);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn file_with_a_wrong_or_impossible_sum_is_set_aside_and_the_next_one_is_read(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let payee = iban(&setup.bank, ELENI, 0);
    let (before, held) = balance(&setup.bank, &payee).await;
    let good = |id: &str| pacs::serialize(&incoming(id, "t1", &payee));
    let total = "<TtlIntrBkSttlmAmt Ccy=\"EUR\">1200.00";
    assert!(good("m1").contains(total));
    let files = [
        ("a.xml", good("m1").replace(total, "<TtlIntrBkSttlmAmt Ccy=\"EUR\">1200.01")),
        ("b.xml", good("m2").replace("<NbOfTxs>1", "<NbOfTxs>2")),
        ("c.xml", good("m3").replace("</NbOfTxs>", "</NbOfTxs><CtrlSum>1</CtrlSum>")),
        ("d.xml", good("m4").replace("1200.00", "99999999999999.99")),
        ("e.xml", good("m5")),
    ];
    for (name, text) in &files {
        std::fs::write(setup.folder("incoming").join(name), text).unwrap();
    }
    setup.bank.advance("PT1S").await;
    assert_eq!(setup.files("incoming"), Vec::<String>::new());
    assert_eq!(
        setup.files("done"),
        ["a.xml.refused", "b.xml.refused", "c.xml.refused", "d.xml.refused", "e.xml"]
    );
    assert_eq!(balance(&setup.bank, &payee).await, (before + 120_000, held));
    assert_eq!(setup.problem_files().await, ["a.xml", "b.xml", "c.xml", "d.xml"]);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn other_content_under_a_known_id_is_a_mismatch(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let payee = iban(&setup.bank, ELENI, 0);
    let (before, held) = balance(&setup.bank, &payee).await;
    let ClearingMessage::CreditTransfers(mut message) = incoming("m1", "t1", &payee) else {
        panic!("a pacs.008")
    };
    setup.give_message("a.xml", &ClearingMessage::CreditTransfers(message.clone())).await;
    // As if the process had died before it recorded the message.
    setup.bank.database.tamper("UPDATE clearing_message SET processed_at = NULL");
    message.transfers[0].amount = Money::new(500, Currency::EUR);
    let message = ClearingMessage::CreditTransfers(message);
    setup.give_message("b.xml", &message).await;
    assert_eq!(balance(&setup.bank, &payee).await, (before + 120_000, held));
    assert_eq!(setup.problem_files().await, ["b.xml"]);
    assert_eq!(setup.bank.database.events("clearing.problem"), ["file:b.xml by bank"]);
    assert!(setup.files("done").contains(&"b.xml.refused".to_owned()), "{:?}", setup.files("done"));
    // Also when nothing is known of the message but its transaction.
    setup.bank.database.tamper("DELETE FROM clearing_message");
    setup.give_message("c.xml", &message).await;
    assert_eq!(balance(&setup.bank, &payee).await, (before + 120_000, held));
    assert_eq!(setup.problem_files().await, ["b.xml", "c.xml"]);
    assert_eq!(setup.bank.database.events("clearing.mismatch"), ["message:m1 by bank"]);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn partial_returns_are_booked_up_to_the_amount_sent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let setup = Setup::start(database).await;
    let (before, held) = balance(&setup.bank, &setup.payer).await;
    setup.authorised().await;
    setup.bank.advance("PT5S").await;
    let (_, message) = setup.take();
    let sent = transfers(&message);
    setup.give_message("a.xml", &returned("first", sent, 500)).await;
    setup.give_message("b.xml", &returned("second", sent, 700)).await;
    assert_eq!(balance(&setup.bank, &setup.payer).await, (before - 800, held));
    assert_eq!(setup.problem_files().await, Vec::<String>::new());
    setup.give_message("c.xml", &returned("third", sent, 801)).await;
    assert_eq!(balance(&setup.bank, &setup.payer).await, (before - 800, held));
    assert_eq!(setup.problem_files().await, ["c.xml"]);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn file_in_which_two_transactions_have_one_id_is_set_aside(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    let payee = iban(&setup.bank, ELENI, 0);
    setup.authorised().await;
    setup.bank.advance("PT5S").await;
    let (_, sent) = setup.take();
    let before = setup.ledger_counts().await;
    let ClearingMessage::CreditTransfers(mut twice) = incoming("m1", "t1", &payee) else {
        panic!("a pacs.008")
    };
    twice.transfers.push(twice.transfers[0].clone());
    setup.give_message("a.xml", &ClearingMessage::CreditTransfers(twice)).await;
    let ClearingMessage::PaymentReturns(mut parts) = returned("parts", transfers(&sent), 500) else {
        panic!("a pacs.004")
    };
    parts.returns[0].id.clear();
    parts.returns.push(parts.returns[0].clone());
    setup.give_message("b.xml", &ClearingMessage::PaymentReturns(parts.clone())).await;
    assert_eq!(setup.files("done"), ["a.xml.refused", "b.xml.refused"]);
    assert_eq!(setup.ledger_counts().await, before);
    // With ids of their own they are two parts of one amount.
    parts.header.id = "parts with ids".to_owned();
    for (part, id) in parts.returns.iter_mut().zip(["part 1", "part 2"]) {
        part.id = id.to_owned();
    }
    setup.give_message("c.xml", &ClearingMessage::PaymentReturns(parts)).await;
    let back = "SELECT SUM(amount_minor) FROM transfer WHERE event = 'sepa_out_returned'";
    assert_eq!(setup.bank.database.number(back), 1_000);
    check_ledger(&setup.bank).await;
}

/// A report about a whole message.
fn group_report(id: &str, about: &str, group: ReportedStatus) -> ClearingMessage {
    ClearingMessage::StatusReport(StatusReport {
        header: origin(id),
        original_message_id: about.to_owned(),
        group: Some(group),
        transfers: Vec::new(),
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn report_about_a_whole_message_settles_it_or_is_a_mismatch(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    let path = setup.authorised().await;
    setup.bank.advance("PT5S").await;
    let (_, message) = setup.take();
    let sent = transfers(&message).header.id.clone();
    setup.give_message("a.xml", &group_report("all", &sent, ReportedStatus::Settled)).await;
    assert_eq!(setup.transaction_status(&path).await, "ACSC");
    // The message of a return is known as well; that clearing rejects it contradicts the ledger.
    setup.give_message("b.xml", &incoming("m1", "t1", OTHER_BANK_IBAN)).await;
    let (_, message) = setup.take();
    let returns = message.header().id.clone();
    setup.give_message("c.xml", &group_report("pending", &returns, ReportedStatus::Pending)).await;
    setup.give_message("d.xml", &group_report("settled", &returns, ReportedStatus::Settled)).await;
    assert_eq!(setup.problem_files().await, Vec::<String>::new());
    let rejected = ReportedStatus::Rejected(ReasonCode::ACCOUNT_CLOSED);
    setup.give_message("e.xml", &group_report("rejected", &returns, rejected)).await;
    for (name, id, status) in
        [("f.xml", "unknown 1", rejected), ("g.xml", "unknown 2", ReportedStatus::Settled)]
    {
        setup.give_message(name, &group_report(id, &"f".repeat(32), status)).await;
    }
    assert_eq!(setup.problem_files().await, ["e.xml", "f.xml", "g.xml"]);
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_stays_until_clearing_has_answered_and_a_return_to_a_closed_account_is_reported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    let bank = &setup.bank;
    let path = setup.authorised().await;
    bank.advance("PT5S").await;
    let (_, message) = setup.take();
    let login = text(&psu(bank, JONAS)["psu_id"]);
    let refused = refusal_text(bank.app.psu_close(login).await);
    assert!(refused.contains("clearing has not settled the payment"), "{refused}");
    setup.give_message("a.xml", &report("settled", transfers(&message), ReportedStatus::Settled)).await;
    let refused = refusal_text(bank.app.psu_close(login).await);
    assert!(refused.contains("is not empty"), "{refused}");
    let closed = format!("UPDATE account SET status = 'deleted' WHERE iban = '{}'", setup.payer);
    bank.database.tamper(&closed);
    let before = balance(bank, &setup.payer).await;
    let problem = [format!("payment {}", path.rsplit('/').next().unwrap())];
    let anna = StaffUser::enrol(bank, StaffRole::Operations, "anna@bank.example").await;
    // Each part that comes back is a problem of its own, also after someone has moved the one before.
    for (number, minor, sum) in [(1, 500, 500), (2, 500, 1000), (3, 1000, 2000)] {
        let back = returned(&format!("back {number}"), transfers(&message), minor);
        setup.give_message(&format!("b{number}.xml"), &back).await;
        assert_eq!(balance(bank, &setup.payer).await, (before.0 + sum, before.1));
        assert_eq!(setup.problem_files().await, problem, "part {number}");
        let id = bank.database.number("SELECT MAX(id) FROM clearing_problem").to_string();
        let note = [("problem", id.as_str()), ("note", "moved by a manual posting")];
        anna.run(StaffAction::ClearingAcknowledge, &note).await.unwrap();
        assert_eq!(setup.problem_files().await, Vec::<String>::new());
    }
    assert_eq!(bank.database.events("clearing.problem").len(), 3);
    check_ledger(bank).await;
}

/// An id of a message: at most 35 letters.
fn died_after_id(text: &str) -> &str {
    text.split(',').next().map_or(text, |first| if text.len() > first.len() { "quick" } else { first })
}
