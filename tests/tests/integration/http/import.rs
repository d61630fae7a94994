//! The position of an import: a batch is applied once, and only at its place in the file.

use super::checkout::check_ledger;
use rstest::rstest;
use trapeza_app::import::{ImportBatch, ImportLine};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const FILE: [u8; 32] = [7; 32];

fn line(number: u64) -> ImportLine {
    ImportLine {
        number,
        login: format!("imported{number}"),
        name: Some(format!("Imported {number}")),
        phone: Some("+306912345678".to_owned()),
        ..ImportLine::default()
    }
}

fn batch(start: i64, numbers: &[u64]) -> ImportBatch {
    ImportBatch { file: FILE, start, total: 3, lines: numbers.iter().copied().map(line).collect() }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn batch_is_applied_once_and_at_its_place_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    assert_eq!(bank.app.import_position(FILE).await.unwrap(), 0);
    assert!(bank.app.import_apply(batch(2, &[3])).await.is_err(), "the first two are missing");
    let applied = bank.app.import_apply(batch(0, &[1, 2])).await.unwrap().unwrap();
    assert_eq!((applied.position, bank.app.import_position(FILE).await.unwrap()), (2, 2));
    assert!(bank.app.import_apply(batch(0, &[1, 2])).await.is_err(), "a second time");
    // A batch with a problem changes nothing, not even the position.
    let problems = bank.app.import_apply(batch(2, &[3, 1])).await.unwrap().unwrap_err();
    assert_eq!((problems.len(), problems[0].line), (1, 1), "{problems:?}");
    assert_eq!(bank.app.import_position(FILE).await.unwrap(), 2);
    assert_eq!(bank.app.import_apply(batch(2, &[3])).await.unwrap().unwrap().position, 3);
    // A customer without a password cannot sign in.
    let mut browser = bank.browser();
    let page = browser.get("/app").await;
    for password in ["", "olive-tree"] {
        let fields = [("step", "sign-in"), ("user", "imported1"), ("password", password)];
        assert_eq!(browser.send(&page, &fields).await.status, 401);
    }
    check_ledger(&bank).await;
}
