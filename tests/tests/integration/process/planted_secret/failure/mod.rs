//! Every operation and page while the database fails for good: tables that are gone, rows that no table accepts, and rows that cannot be
//! read. A response of the class 5xx says only that it happened; its log line says why, without what the request or the row contained.

mod fault;
mod object;
mod visitor;

use super::{Operation, Secrets, metrics, operations};
use fault::{Bank, Fault, REFUSED};
use object::{Objects, Prepared};
use reqwest::Method;
use rstest::rstest;
use serde_json::Value;
use std::collections::BTreeMap;
use trapeza_http::error_response::{PERMANENT, RETRYABLE};
use trapeza_testkit::database::Engine;
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::{ApiResponse, Page};
use visitor::{MEMBER, Visitors};

/// Parts of errors of databases, of statements and of this program's own errors.
const DETAILS: [&str; 14] = [
    "no such table",
    "does not exist",
    "constraint",
    "internal store error",
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "DELETE ",
    "FROM ",
    "sqlite",
    "postgres",
    "trapeza.db",
    "relation \"",
    REFUSED,
];
/// All that an internal error may say: in the formats of the interfaces, of the admin API and of health.
const GENERIC: [&str; 8] = [
    PERMANENT,
    RETRYABLE,
    "INTERNAL_SERVER_ERROR",
    "Internal Server Error",
    "Service Unavailable",
    "urn:trapeza:problem:internal-server-error",
    "the database cannot be written",
    "the database does not respond",
];

/// What an operation or a page answered.
struct Answer {
    place: String,
    status: u16,
    headers: BTreeMap<String, String>,
    body: Value,
}

/// Every text in a body.
fn texts<'a>(body: &'a Value, all: &mut Vec<&'a str>) {
    match body {
        Value::String(text) => all.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, all)),
        Value::Object(members) => members.values().for_each(|member| texts(member, all)),
        _ => {}
    }
}

impl Objects {
    async fn call(&self, operation: &Operation) -> Answer {
        let Prepared { caller, path, body } = self.prepare(operation);
        let body = body.map(|body| body.to_string().into_bytes());
        let ApiResponse { status, headers, body } = caller.send(operation.method.clone(), &path, body).await;
        Answer { place: operation.name.clone(), status, headers, body }
    }
}

impl Answer {
    fn of_page(place: String, page: Page) -> Self {
        let Page { status, headers, html } = page;
        let body = serde_json::from_str(&html).unwrap_or(Value::String(html));
        Self { place, status, headers, body }
    }

    fn correlation(&self) -> &str {
        let found = self.headers.get("x-correlation-id");
        found.unwrap_or_else(|| panic!("{}: no correlation id: {:?}", self.place, self.headers))
    }

    /// The body says nothing but that there was an error, and its id.
    fn check(&self, secrets: &Secrets, details: &[String]) {
        let Self { place, headers, body, .. } = self;
        let lines: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        secrets.check(place, &lines.join("\n"));
        if let Value::String(page) = body {
            let found = details.iter().find(|detail| page.contains(detail.as_str()));
            assert!(found.is_none(), "{place}: {found:?} is in the page {page}");
            return secrets.check(place, page);
        }
        let mut said = Vec::new();
        texts(body, &mut said);
        for text in said {
            let text = text.strip_prefix("INTERNAL_SERVER_ERROR: ").unwrap_or(text);
            let id = text.strip_prefix("urn:uuid:").unwrap_or(text);
            assert!(GENERIC.contains(&text) || id == self.correlation(), "{place}: {text:?} in {body}");
        }
    }

    /// The log has the cause under the id of the response.
    fn check_log(&self, log: &str) {
        let lines = log.lines().filter(|line| line.contains(self.correlation()));
        let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        let has_cause = |line: &Value| line["error"].as_str().is_some_and(|error| !error.is_empty());
        assert!(lines.iter().any(has_cause), "{}: no cause in the lines {lines:?}", self.place);
    }
}

/// How many operations and pages must fail, so that the checks have something to look at: a few less than do. The others only read, do not
/// ask the store, or find nothing.
const fn expected(fault: Fault) -> [usize; 2] {
    match fault {
        Fault::Tables => [107, 34],
        Fault::Writes => [39, 7],
        Fault::Values => [92, 18],
    }
}

#[rstest]
#[case::sqlite_tables(Engine::Sqlite, Fault::Tables)]
#[case::sqlite_writes(Engine::Sqlite, Fault::Writes)]
#[case::sqlite_values(Engine::Sqlite, Fault::Values)]
#[case::postgres_tables(Engine::Postgres, Fault::Tables)]
#[case::postgres_writes(Engine::Postgres, Fault::Writes)]
#[tokio::test(flavor = "multi_thread")]
async fn internal_error_of_every_operation_and_page_is_generic(#[case] engine: Engine, #[case] fault: Fault) {
    let mut bank = Bank::start(engine).await;
    let all = operations(&bank.program).await;
    let objects = Objects::new(&bank.program).await;
    let visitors = Visitors::new(&bank.program, &objects).await;
    let tables = bank.tables();
    bank.fail(fault, &tables);

    let mut answers = Vec::new();
    let replaces_bank = |operation: &&Operation| {
        operation.method == Method::POST
            && ["/sandbox/bank", "/sandbox/reset"].contains(&operation.path.as_str())
    };
    for operation in all.iter().filter(|operation| !replaces_bank(operation)) {
        answers.push(objects.call(operation).await);
    }
    let member_secret = visitors.member_secret.clone();
    let pages = visitors.visit(&objects).await;
    for operation in all.iter().filter(replaces_bank) {
        answers.push(objects.call(operation).await);
    }
    let page = metrics(&bank.program.base_url).await;
    bank.program.terminate();

    let (mut secrets, log) = (Secrets::of_sandbox(&bank.program.sandbox_file), bank.program.log());
    secrets.add_examples(&all);
    [member_secret.as_str(), PASSWORD].iter().for_each(|secret| secrets.add(secret));
    let mut details: Vec<String> = DETAILS.map(str::to_owned).into();
    details.push(bank.directory.path().to_str().unwrap().to_owned());
    // Other names of tables are words of pages too.
    details.extend(tables.into_iter().filter(|table| table.contains('_')));
    let (mut failed, mut others) = ([0, 0], Vec::new());
    for (is_page, answer) in
        answers.iter().map(|answer| (0, answer)).chain(pages.iter().map(|page| (1, page)))
    {
        if answer.status < 500 {
            others.push(format!("{} {}", answer.place, answer.status));
            continue;
        }
        failed[is_page] += 1;
        answer.check(&secrets, &details);
        // The readiness of the program has a line of its own, without an id.
        if answer.place != "readyz" {
            answer.check_log(&log);
        }
    }
    let least = expected(fault);
    println!("trust: secrets count={}", failed[0] + failed[1]);
    assert!(failed[0] >= least[0] && failed[1] >= least[1], "{failed:?} failed, not {others:?}");
    // A page may have its address and the name of its visitor; nothing else may.
    secrets.add(objects.redirect_page().rsplit('.').next().unwrap());
    secrets.add(MEMBER);
    secrets.check("log", &log);
    secrets.check("traces", &bank.collector.spans().join("\n"));
    secrets.check_metrics(&page);
}
