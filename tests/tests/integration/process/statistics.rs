//! `trapeza statistics` beside a running server and on a stopped one, after a kill, and for two processes.

use super::registry_commands::Sandbox;
use crate::concurrency::revocation::two_processes;
use rstest::rstest;
use serde_json::json;
use trapeza_app::parse_timestamp;
use trapeza_domain::statistics::Quarter;
use trapeza_testkit::ServerProcess;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process;

/// Sends requests of a third party without a consent; each is refused, and counted.
async fn requests(program: &ServerProcess, number: usize) {
    for _ in 0..number {
        assert_eq!(program.tpp(0).with("PSU_ID", "x").get("/v1/accounts").await.status, 400);
    }
}

/// The quarter of the bank's date.
async fn quarter(program: &ServerProcess) -> String {
    let clock = program.anonymous().get("/sandbox/clock").await;
    let now = parse_timestamp(clock.text("/now")).unwrap();
    Quarter::of(trapeza_app::Zone::parse("Europe/Athens").unwrap().day(now)).to_string()
}

async fn next_day(program: &ServerProcess) {
    let answer = program.anonymous().post("/sandbox/clock", &json!({ "advance": "P1D" })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// The requests and errors of the dedicated interface over all days of a file.
fn dedicated(csv: &str) -> (u64, u64) {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let rows = rows.iter().filter(|row| row[column("interface")] == "dedicated");
    let number = |row: &Vec<&str>, name: &str| row[column(name)].parse::<u64>().unwrap();
    rows.fold((0, 0), |(requests, errors), row| {
        (requests + number(row, "requests"), errors + number(row, "errors"))
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn killed_process_loses_at_most_what_was_not_stored_and_doubles_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let mut sandbox = Sandbox::start(engine).await;
    let quarter = quarter(&sandbox.program).await;
    requests(&sandbox.program, 7).await;
    assert!(sandbox.program.terminate().success());
    sandbox.restart().await;
    requests(&sandbox.program, 5).await;
    // The command stores what the server has counted.
    sandbox.run(&["statistics", "--quarter", &quarter]);
    requests(&sandbox.program, 4).await;
    sandbox.program.kill();
    sandbox.restart().await;
    next_day(&sandbox.program).await;
    let csv = sandbox.run(&["statistics", "--quarter", &quarter]);
    let (counted, errors) = dedicated(&csv);
    assert!((12..=16).contains(&counted), "{csv}");
    assert_eq!(errors, 0);
    assert_eq!(dedicated(&sandbox.run(&["statistics", "--quarter", &quarter, "--format", "csv"])).0, counted);
    let stops = "SELECT COUNT(*) FROM serving_period WHERE is_stopped = (1 = 1)";
    assert_eq!(sandbox.number(stops), 2, "the orderly stop, of both interfaces");
}

#[tokio::test(flavor = "multi_thread")]
async fn command_works_on_a_stopped_server_and_refuses_wrong_quarters() {
    let mut sandbox = Sandbox::start(Engine::Sqlite).await;
    let quarter = quarter(&sandbox.program).await;
    requests(&sandbox.program, 3).await;
    next_day(&sandbox.program).await;
    let wrong = |sandbox: &Sandbox| {
        for (given, text) in [
            ("2026", "--quarter must be a year and a quarter, for example 2026Q4\n"),
            ("2026Q5", "--quarter must be a year and a quarter, for example 2026Q4\n"),
            ("2999Q1", "--quarter: 2999Q1 has not begun\n"),
        ] {
            assert_eq!(sandbox.refused(&["statistics", "--quarter", given]), text);
        }
        let before = sandbox.refused(&["statistics", "--quarter", "1999Q1"]);
        assert!(before.starts_with("--quarter: there are no figures before "), "{before}");
    };
    wrong(&sandbox);
    assert!(sandbox.program.terminate().success());
    wrong(&sandbox);
    assert_eq!(dedicated(&sandbox.run(&["statistics", "--quarter", &quarter])), (3, 0));
    assert!(!process::run(&["statistics"]).status.success(), "the quarter is required");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_count_into_the_same_day() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let programs = two_processes(&database, directory.path(), &[]).await;
    let quarter = quarter(&programs[0]).await;
    requests(&programs[0], 6).await;
    requests(&programs[1], 9).await;
    let command = |program: &ServerProcess| {
        let data = program.data.to_str().unwrap();
        let output = process::run(&["statistics", "--quarter", &quarter, "--data", data]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    command(&programs[1]);
    next_day(&programs[0]).await;
    assert_eq!(dedicated(&command(&programs[0])), (15, 0));
}
