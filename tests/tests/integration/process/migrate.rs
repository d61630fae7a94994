//! `trapeza migrate --dry-run`: what would be applied, and nothing is changed. A newer schema is accepted as long as it declares that
//! this program can work on it.

use rstest::rstest;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn migrate_dry_run_lists_pending_migrations_and_refuses_an_incompatible_schema(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (database, directory) = (Database::empty(engine), tempfile::tempdir().unwrap());
    let data = directory.path().join("data");
    let url = database.url();
    let mut arguments = vec!["migrate", "--dry-run", "--data", data.to_str().unwrap()];
    if !url.is_empty() {
        arguments.extend(["--database", &url]);
    }
    let dry_run = || {
        let output = process::run(&arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(dry_run(), (Some(0), "would apply 0001_baseline\n".to_owned()));
    assert!(!data.exists());
    if engine == Engine::Postgres {
        assert!(database.column("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").is_empty());
    }

    let mut server = ServerProcess::sandbox(&data, &url, &[]).await;
    let nothing = "the database is at 0001_baseline; nothing would be applied\n";
    assert_eq!(dry_run(), (Some(0), nothing.to_owned()), "beside a running server");
    server.terminate();

    let at_rest = if engine == Engine::Sqlite { Database::at(&data) } else { database };
    at_rest.tamper("INSERT INTO migration (name, number, minimum_number) VALUES ('0002_expand', 2, 1)");
    let newer = "the database is at 0002_expand; nothing would be applied\n";
    assert_eq!(dry_run(), (Some(0), newer.to_owned()), "expanded by a newer version");
    ServerProcess::sandbox(&data, &url, &[]).await.terminate();

    at_rest.tamper("INSERT INTO migration (name, number, minimum_number) VALUES ('0003_contract', 3, 2)");
    let (code, text) = dry_run();
    assert_eq!(code, Some(1), "{text}");
    let required = "0003_contract, which requires a program with the migration 0002 or a newer one; this program has 0001";
    assert!(text.contains(required), "{text}");
}
