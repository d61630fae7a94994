//! Statistics of the interfaces: what requests count as, downtime, quarters, and the public page.

use super::payment::{INTERNAL, JONAS, initiate, order, tpp};
use rstest::rstest;
use serde_json::json;
use std::sync::Arc;
use trapeza_app::{App, UseCaseError, format_date, parse_date};
use trapeza_domain::statistics::{Interface, InterfaceDay, Quarter, Service};
use trapeza_domain::time::{Date, TimeDelta};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

/// A test bank begins on 15 March 2035 at 10:00 in Athens.
const QUARTER: &str = "2035Q1";

async fn start(engine: Engine) -> TestBank {
    let bank = TestBank::start(Database::new(engine)).await;
    // As the program does at its start.
    bank.app.serving_report().await.unwrap();
    bank.app.call_counts_flush().await.unwrap();
    bank
}

/// Moves the clock without a sweep.
async fn skip(app: &App, by: TimeDelta) {
    app.store().write(move |tx| Ok(tx.clock_advance(by)?)).await.unwrap();
    app.clock().synchronise(app.store()).await.unwrap();
}

async fn days(app: &App, quarter: &str) -> Vec<InterfaceDay> {
    app.statistics_report_current(Quarter::parse(quarter).unwrap()).await.unwrap().days.clone()
}

fn seconds(span: TimeDelta) -> i64 {
    (span.0 + 500_000) / 1_000_000
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_by_interface_and_service(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = start(engine).await;
    let tpp = tpp(&bank, JONAS);
    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    assert_eq!(tpp.get(&format!("{path}/status")).await.status, 200);
    assert_eq!(tpp.get("/v1/accounts").await.status, 400, "without a consent");
    let consent = json!({ "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4 });
    assert_eq!(tpp.post("/v1/consents", &consent).await.status, 201);
    let mut browser = bank.browser();
    assert_eq!(browser.get("/app").await.status, 200);
    assert_eq!(browser.get("/app/accounts").await.status, 303, "without a session");
    assert_eq!(browser.get("/app/icon.svg").await.status, 200);
    assert_eq!(bank.merchant(0).get("/configuration").await.status, 200);
    bank.app.call_counts_flush().await.unwrap();
    skip(&bank.app, TimeDelta::days(1)).await;

    let days = days(&bank.app, QUARTER).await;
    assert_eq!(days.len(), 2, "{days:?}");
    let figures = |interface: Interface| {
        let day = days.iter().find(|day| day.interface == interface).unwrap();
        assert_eq!((format_date(day.day).as_str(), day.errors()), ("2035-03-15", 0));
        Service::ALL
            .iter()
            .map(|service| (day.counts(*service).requests, day.counts(*service).timed()))
            .collect::<Vec<_>>()
    };
    // Account information, payments, funds, others: requests, and those of them whose time counts.
    assert_eq!(figures(Interface::Dedicated), [(1, 0), (2, 2), (0, 0), (1, 1)]);
    assert_eq!(figures(Interface::Customer), [(1, 0), (0, 0), (0, 0), (1, 1)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_bank_are_counted_and_refusals_are_not(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let mut bank = start(engine).await;
    let tpp = tpp(&bank, JONAS);
    assert_eq!(tpp.get("/v1/accounts").await.status, 400);
    // Without its table a read fails.
    bank.database.tamper("ALTER TABLE funds_consent RENAME TO funds_consent_away");
    let path = "/v2/consents/confirmation-of-funds/5f1a2d63-0f0e-4b0c-9c39-3f2a3a5f9d11";
    let failed = tpp.get(path).await;
    assert!(failed.status >= 500, "{failed:?}");
    bank.database.tamper("ALTER TABLE funds_consent_away RENAME TO funds_consent");
    bank.app.call_counts_flush().await.unwrap();
    skip(&bank.app, TimeDelta::days(1)).await;
    let days = days(&bank.app, QUARTER).await;
    assert_eq!((days[0].requests(), days[0].errors(), days[0].error_rate()), (2, 1, Some(50_000)));
    bank.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn time_without_reports_is_downtime(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = start(engine).await;
    let app = &bank.app;
    for _ in 0..8 {
        skip(app, TimeDelta::seconds(25)).await;
        app.serving_report().await.unwrap();
    }
    // An outage of two hours, an orderly stop of one hour, and an outage until the next day.
    skip(app, TimeDelta::hours(2)).await;
    app.serving_report().await.unwrap();
    app.serving_stop(app.now()).await.unwrap();
    skip(app, TimeDelta::hours(1)).await;
    app.serving_report().await.unwrap();
    skip(app, TimeDelta::days(2)).await;
    let days = days(app, QUARTER).await;
    assert_eq!(days.len(), 4, "{days:?}");
    for day in &days[..2] {
        let measured = seconds(day.measured);
        assert!((50_390..=50_400).contains(&measured), "from the first start: {measured}");
        let up = measured - seconds(day.downtime.total);
        assert!((200..=215).contains(&up), "{up}");
        let stopped = seconds(day.downtime.after_stop);
        assert!((3_600..=3_610).contains(&stopped), "{stopped}");
    }
    for day in &days[2..] {
        assert_eq!((day.uptime_rate(), day.downtime_rate()), (0, 100_000));
        assert_eq!((seconds(day.measured), seconds(day.downtime.after_stop)), (86_400, 0));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn day_belongs_to_the_quarter_of_its_date(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = start(engine).await;
    let app = &bank.app;
    // 31 March, the first day of summer time was the 25th: the report is of the bank's days.
    skip(app, TimeDelta::days(16)).await;
    app.call_counts_flush().await.unwrap();
    tpp(&bank, JONAS).get("/v1/accounts").await;
    app.call_counts_flush().await.unwrap();
    skip(app, TimeDelta::days(1)).await;
    app.call_counts_flush().await.unwrap();
    tpp(&bank, JONAS).get("/v1/accounts").await;
    skip(app, TimeDelta::days(1)).await;
    let requests = |days: &[InterfaceDay]| {
        let counted = days.iter().filter(|day| day.requests() > 0);
        counted.map(|day| (format_date(day.day), day.requests())).collect::<Vec<_>>()
    };
    let first = days(app, QUARTER).await;
    assert_eq!(requests(&first), [("2035-03-31".to_owned(), 1)]);
    assert_eq!(first.len(), 2 * 17);
    let short = first.iter().find(|day| day.day == parse_date("2035-03-25").unwrap()).unwrap();
    assert_eq!(seconds(short.measured), 23 * 3_600, "the day on which summer time begins");
    let second = days(app, "2035Q2").await;
    assert_eq!(requests(&second), [("2035-04-01".to_owned(), 1)]);
    assert_eq!(second.len(), 2);
    let quarters = app.statistics_quarters().await.unwrap();
    assert_eq!(quarters.iter().map(Quarter::to_string).collect::<Vec<_>>(), ["2035Q2", QUARTER]);
    for (quarter, text) in
        [("2034Q4", "there are no figures before 2035Q1"), ("2035Q3", "2035Q3 has not begun")]
    {
        let refused = app.statistics_report(Quarter::parse(quarter).unwrap()).await;
        let Err(UseCaseError::Refused(refusal)) = refused else { panic!("{quarter}: {refused:?}") };
        assert_eq!(refusal.errors[0].text, text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_of_two_processes_are_added_and_repeated_writes_are_not() {
    let bank = start(Engine::Postgres).await;
    let tpp = tpp(&bank, JONAS);
    let other = Arc::new(trapeza_testkit::ledger_fixture::open_app(bank.database.open()).await);
    other.call_counts_flush().await.unwrap();
    let call = trapeza_domain::statistics::MeasuredCall {
        interface: Interface::Dedicated,
        service: Service::AccountInformation,
    };
    for _ in 0..5 {
        assert_eq!(tpp.get("/v1/accounts").await.status, 400);
        bank.app.call_counts_flush().await.unwrap();
        let took = std::time::Duration::from_millis(3);
        other.call_record(call, trapeza_domain::statistics::CallResult::Answered, took);
        tokio::try_join!(other.call_counts_flush(), other.call_counts_flush(), bank.app.call_counts_flush())
            .unwrap();
    }
    skip(&bank.app, TimeDelta::days(1)).await;
    let days = days(&bank.app, QUARTER).await;
    let counts = days[0].counts(Service::AccountInformation);
    assert_eq!((counts.requests, counts.timed(), counts.average_micros()), (10, 5, Some(3_000)));
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM call_count"), 2, "one row per process");
    other.store().close();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn page_and_file_show_complete_days(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = start(engine).await;
    let mut browser = bank.browser();
    let page = browser.get("/statistics").await;
    assert_eq!((page.status, page.title().as_str()), (200, "Availability and performance"));
    assert!(page.says("There is no complete day in this quarter yet."), "{page:?}");
    skip(&bank.app, TimeDelta::days(1)).await;
    let page = browser.get("/statistics").await;
    assert!(page.says("15 March 2035") && page.says("/statistics/2035Q1.csv"), "{page:?}");
    let greek = {
        browser.headers.push(("accept-language", "el".to_owned()));
        browser.get("/statistics/2035Q1").await
    };
    assert!(greek.says("15 Μαρτίου 2035"), "{greek:?}");
    let file = browser.get("/statistics/2035Q1.csv").await;
    assert_eq!((file.status, file.headers["content-type"].as_str()), (200, "text/csv; charset=utf-8"));
    let lines: Vec<&str> = file.html.lines().collect();
    assert_eq!(lines.len(), 3, "{}", file.html);
    assert!(lines[0].starts_with("date,interface,uptime_percent,downtime_percent,"), "{}", lines[0]);
    assert!(lines[1].starts_with("2035-03-15,dedicated,") && lines[2].starts_with("2035-03-15,customer,"));
    for unknown in ["2035Q5", "2034Q4.csv", "2036Q1", "x", "2035Q1.xml", "2035Q1.csv.csv"] {
        assert_eq!(browser.get(&format!("/statistics/{unknown}")).await.status, 404, "{unknown}");
    }
    // The page changes with the day, also when it is cached.
    skip(&bank.app, TimeDelta::days(1)).await;
    assert_eq!(browser.get("/statistics/2035Q1.csv").await.html.lines().count(), 5);
    assert_eq!(bank.app.clock().today(), Date(parse_date("2035-03-17").unwrap().0));
}
