//! The documentation is run: every command block of README.md, docs/api.md, docs/operations.md and docs/runbooks, and every command that
//! `/docs` prints, in the order of the page, against a fresh program. `markdown` describes what a block may expect.

mod markdown;
mod shell;

use markdown::Kind;
use rstest::rstest;
use shell::{Ran, Script};
use std::path::Path;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::ServerProcess;

/// Runs a page of the repository; returns the reasons of the blocks that cannot be run. `replaced` are parts of the page that
/// are different on a test machine.
fn run_page(page: &str, replaced: &[(&str, &str)]) -> Vec<String> {
    run_text(page, page_text(page), 0, replaced)
}

fn page_text(page: &str) -> String {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    std::fs::read_to_string(repository.join(page)).unwrap()
}

/// Runs a page whose text begins with so many lines of another one.
fn run_text(page: &str, mut text: String, foreign_lines: usize, replaced: &[(&str, &str)]) -> Vec<String> {
    let (port, monitoring_port) = (shell::free_port(), shell::free_port());
    let ports = [("8443", port.to_string()), ("9464", monitoring_port.to_string())];
    let ports = ports.iter().map(|(part, port)| (*part, port.as_str()));
    for (part, replacement) in replaced.iter().copied().chain(ports) {
        text = text.replace(part, replacement);
    }
    let blocks = markdown::blocks(&text);
    let mut script = Script::new();
    for block in &blocks.run {
        match block.kind {
            Kind::Commands => script.commands(&block.text),
            Kind::Console => {
                markdown::console(&block.text).iter().for_each(|(command, _)| script.console(command));
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let mut ran = script.run(directory.path(), port).into_iter();
    for block in &blocks.run {
        let place = match block.line.checked_sub(foreign_lines) {
            Some(line) => format!("{page}, line {line}"),
            None => format!("setup of {page}"),
        };
        match block.kind {
            Kind::Commands => check_commands(&place, &block.text, &ran.next().unwrap()),
            Kind::Console => {
                for (command, expected) in markdown::console(&block.text) {
                    let Ran { output, .. } = ran.next().unwrap();
                    assert!(markdown::output_fits(&expected, &output), "{place}: {command}\n{output}");
                }
            }
        }
    }
    blocks.skipped
}

fn check_commands(place: &str, block: &str, ran: &Ran) {
    let (statuses, texts) = markdown::expectations(block);
    let mut answered = ran.statuses.iter();
    for status in statuses {
        assert!(answered.any(|answered| answered == status), "{place}: no {status}: {ran:#?}");
    }
    let mut rest = ran.output.as_str();
    for text in texts {
        let (_, after) = rest.split_once(text).unwrap_or_else(|| panic!("{place}: no {text:?}: {ran:#?}"));
        rest = after;
    }
}

#[test]
fn readme_commands_do_what_the_text_says() {
    assert_eq!(run_page("README.md", &[]), Vec::<String>::new());
}

#[test]
fn api_page_commands_do_what_the_text_says() {
    assert_eq!(run_page("docs/api.md", &[]), Vec::<String>::new());
}

#[test]
fn operations_page_commands_do_what_the_text_says() {
    let database = Database::new(Engine::Postgres);
    let replaced = [("postgres://trapeza:change-me@127.0.0.1/trapeza", database.url())];
    let replaced = replaced.each_ref().map(|(part, url)| (*part, url.as_str()));
    let cluster = "needs a PostgreSQL cluster of its own";
    let skipped = ["installs a package", "needs a Kubernetes cluster", cluster, cluster];
    assert_eq!(run_page("docs/operations.md", &replaced), skipped);
}

/// The files of the package, on a bank that docs/operations.md has set up.
const PACKAGE_FILES: [(&str, &str); 4] = [
    ("/etc/trapeza/trapeza.toml", "trapeza.toml"),
    ("/etc/trapeza/root.secret", "secret.key"),
    ("/etc/trapeza/tls/", ""),
    ("/var/lib/trapeza", "data"),
];

#[rstest]
#[case("certificate-expiry", &[])]
#[case("disk", &["fuser is not on every machine"])]
#[case("leaked-key", &[])]
#[case("lost-secret", &[])]
#[case("postgresql-failover", &["needs a PostgreSQL cluster of its own"; 2])]
#[case("server", &[])]
#[case("stuck-clearing", &["the names of the directories are yours"])]
#[case("undelivered-messages", &[])]
#[case("upgrade", &["installs a package"; 2])]
fn runbook_commands_do_what_the_text_says(#[case] name: &str, #[case] skipped: &[&str]) {
    let operations = page_text("docs/operations.md");
    let (_, setup) = operations.split_once("\n## Production\n").unwrap();
    let (setup, _) = setup.split_once("\n### Adding a customer\n").unwrap();
    let page = format!("docs/runbooks/{name}.md");
    let database = Database::new(Engine::Postgres);
    let url = database.url();
    let address = [("postgres://trapeza:change-me@127.0.0.1/trapeza", url.as_str())];
    let replaced = [&PACKAGE_FILES[..], &address].concat();
    let text = format!("{setup}\n{}", page_text(&page));
    assert_eq!(run_text(&page, text, setup.lines().count() + 1, &replaced), skipped);
}

#[test]
fn every_runbook_is_run() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/runbooks");
    let own = include_str!("documentation.rs");
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".md").unwrap();
        assert!(name == "README" || own.contains(&format!("#[case(\"{name}\"")), "{name} is not run");
    }
}

/// A command of the documentation page, the status that it must have, and whether it is run last.
struct PageCommand {
    text: String,
    status: Option<String>,
    last: bool,
}

fn page_commands(page: &str) -> Vec<PageCommand> {
    let blocks = page.split("<pre class=\"shell").skip(1);
    let command = |block: &str| {
        let (attributes, rest) = block.split_once("><code>").unwrap();
        let (text, _) = rest.split_once("</code>").unwrap();
        let status = attributes.split_once("data-status=\"").map(|(_, status)| status[..3].to_owned());
        PageCommand { text: unescaped(text), status, last: attributes.starts_with(" last") }
    };
    blocks.map(command).collect()
}

fn unescaped(text: &str) -> String {
    let entities = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

#[tokio::test(flavor = "multi_thread")]
async fn documentation_page_commands_succeed_in_a_fresh_sandbox() {
    let directory = tempfile::tempdir().unwrap();
    let program = ServerProcess::sandbox(&directory.path().join("trapeza-data"), "", &[]).await;
    let page = reqwest::get(format!("{}/docs", program.base_url)).await.unwrap().text().await.unwrap();
    let mut commands = page_commands(&page);
    assert!(commands.len() > 50, "only {} commands were found", commands.len());
    commands.sort_by_key(|command| command.last);
    let mut script = Script::new();
    commands.iter().for_each(|command| script.commands(&command.text));
    let directory = directory.path().to_owned();
    let ran = tokio::task::spawn_blocking(move || script.run(&directory, 0)).await.unwrap();
    for (command, ran) in commands.iter().zip(ran) {
        let requests = command.text.matches("curl -s").count();
        let expected: Vec<String> = command.status.iter().cycle().take(requests).cloned().collect();
        assert_eq!(ran.statuses, expected, "{}\n{}", command.text, ran.output);
    }
}
