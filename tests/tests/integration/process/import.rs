//! `trapeza import`: a file is validated completely, imported at once or in recorded steps, and leaves the ledger in balance.

use super::registry_commands::Sandbox;
use rstest::rstest;
use std::fmt::Write as _;
use trapeza_domain::reference::Iban;
use trapeza_testkit::database::Engine;

/// A valid IBAN for each number.
fn iban(number: u32) -> String {
    let bban = format!("0149999{number:016}");
    let is_iban = |text: &String| Iban::parse(text).is_ok();
    (2..=98).map(|check| format!("GR{check:02}{bban}")).find(is_iban).unwrap()
}

fn file(sandbox: &Sandbox, name: &str, content: &str) -> String {
    let path = sandbox.directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn customers(sandbox: &Sandbox) -> i64 {
    sandbox.number("SELECT COUNT(*) FROM psu")
}

/// A file of this many customers with one account and ten euros each.
fn many(count: u32) -> String {
    let mut text = "login,name,phone,iban,bic,balance\n".to_owned();
    for number in 1..=count {
        let _ = writeln!(
            text,
            "customer{number},Customer {number},+3069{number:08},{},TRPZGRAA,10.00",
            iban(number)
        );
    }
    text
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn file_is_imported_with_opening_balances_and_the_ledger_stays_in_balance(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values("csv", "jsonl")] format: &str,
) {
    let sandbox = Sandbox::start(engine).await;
    let (one, other, third) = (iban(1), iban(2), iban(3));
    let content = match format {
        "csv" => format!(
            "login,name,phone,methods,iban,currency,bic,kind,account_name,credit_limit,balance\n\
             anna,\"Papadaki, Anna\",+306912345678,sms app,{one},EUR,TRPZGRAA,,Savings,100,1250.50\n\
             anna,,,,{other},USD,TRPZGRAA,savings,,,\n\
             ben,Ben Example,+306912345679,,{third},,TRPZGRAA,,,,7\n"
        ),
        _ => format!(
            r#"{{"login":"anna","name":"Papadaki, Anna","phone":"+306912345678","methods":["sms","app"],"iban":"{one}","currency":"EUR","bic":"TRPZGRAA","account_name":"Savings","credit_limit":"100","balance":"1250.50"}}
{{"login":"anna","iban":"{other}","currency":"USD","bic":"TRPZGRAA","kind":"savings"}}
{{"login":"ben","name":"Ben Example","phone":"+306912345679","iban":"{third}","bic":"TRPZGRAA","balance":"7"}}
"#
        ),
    };
    let file = file(&sandbox, &format!("bank.{format}"), &content);
    let before = customers(&sandbox);
    let checked = sandbox.run(&["import", &file, "--dry-run"]);
    assert_eq!(checked, "valid: 2 customers with 3 accounts; nothing was changed\n");
    assert_eq!(customers(&sandbox), before);
    assert_eq!(sandbox.run(&["import", &file]), "imported 2 customers with 3 accounts\n");
    let listed = sandbox.run(&["psu", "list"]);
    assert!(
        listed.contains("Papadaki, Anna") && listed.contains(&format!("{one}  EUR  enabled  Savings")),
        "{listed}"
    );
    let balance = |iban: &str| {
        sandbox.number(&format!(
            "SELECT l.booked_minor FROM ledger_account l JOIN account a ON a.ledger_account = l.id WHERE a.iban = '{iban}'"
        ))
    };
    assert_eq!((balance(&one), balance(&other), balance(&third)), (125_050, 0, 700));
    let ledger = sandbox.run(&["ledger", "check"]);
    assert!(ledger.contains("all in balance"), "{ledger}");
    assert!(sandbox.audited("import.applied") && sandbox.audited("psu.registered"));
    let again = sandbox.run(&["import", &file]);
    assert_eq!(again, "all 2 customers of this file were imported before; nothing was changed\n");
    assert_eq!(customers(&sandbox), before + 2);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_bad_line_is_reported_and_nothing_is_changed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let taken = sandbox.psu()["accounts"][0]["iban"].as_str().unwrap();
    let login = sandbox.psu()["psu_id"].as_str().unwrap();
    let (one, other) = (iban(1), iban(2));
    let content = format!(
        "login,name,phone,methods,iban,currency,bic,kind,balance\n\
         anna,Anna,+306912345678,,{one},EUR,TRPZGRAA,,10\n\
         ,Ben,123,chip,GR00,EUR,TRPZGRAA,loan,1.001\n\
         {login},Jonas,+306912345679,,{taken},EUR,TRPZGRAA,,\n\
         dora,,,,,,,,5\n\
         anna,Anna,+306912345678,,{one},EUR,,,\n\
         emil,Emil,+306912345670,,{other},XXQ,TRPZ,,-1\n"
    );
    let file = file(&sandbox, "bad.csv", &content);
    let before = customers(&sandbox);
    for arguments in [&["import", &file, "--dry-run"][..], &["import", &file]] {
        let report = sandbox.refused(arguments);
        let found: Vec<String> = report
            .lines()
            .filter_map(|line| line.strip_prefix("line ")?.split_once(": "))
            .map(|(line, rest)| format!("{line} {}", rest.split(':').next().unwrap()))
            .collect();
        for expected in [
            "3 login",
            "3 phone",
            "3 methods",
            "3 iban",
            "3 kind",
            "3 balance",
            "4 login",
            "4 iban",
            "5 name",
            "5 phone",
            "5 iban",
            "6 iban",
            "6 login",
            "6 bic",
            "7 currency",
            "7 bic",
        ] {
            assert!(found.iter().any(|found| found == expected), "{expected} in {report}");
        }
        assert!(!found.iter().any(|found| found.starts_with("2 ")), "{report}");
        assert!(report.ends_with("problems; nothing was changed\n"), "{report}");
        assert_eq!(customers(&sandbox), before);
    }
    for (name, content) in [("a.txt", "login\n"), ("b.csv", "\u{0}\u{ff}")] {
        let file = self::file(&sandbox, name, content);
        assert!(!sandbox.refused(&["import", &file]).is_empty());
    }
    assert!(sandbox.refused(&["import", "/does/not/exist.csv"]).starts_with("/does/not/exist.csv: "));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn import_that_was_interrupted_by_a_crash_continues_where_it_stopped(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let mut sandbox = Sandbox::start(engine).await;
    let file = file(&sandbox, "large.csv", &many(1_200));
    let before = customers(&sandbox);
    let (path, command) = (file.clone(), sandbox.command());
    let import = std::thread::spawn(move || command(&["import", &path]));
    while customers(&sandbox) < before + 500 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    sandbox.program.kill();
    let _either = import.join().unwrap();
    let done = customers(&sandbox) - before;
    assert_eq!(done % 100, 0, "whole batches only: {done}");
    sandbox.restart().await;
    let text = sandbox.run(&["import", &file]);
    assert_eq!(customers(&sandbox) - before, 1_200, "{text}");
    let is_continued = text.contains(&format!("{done} customers were imported before"));
    assert!(is_continued || text.starts_with("all 1200 customers"), "{text}");
    assert!(sandbox.run(&["ledger", "check"]).contains("all in balance"));
}
