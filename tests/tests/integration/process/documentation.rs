//! The documentation is run: every command block of README.md, docs/api.md, docs/operations.md and docs/runbooks, and every example of
//! the reference at `/docs` in curl, Python and TypeScript, in the order of its pages, against a fresh program. `markdown` describes what a block may expect.

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

/// Runs a page whose text begins with this number of lines of another one.
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
fn berlin_group_page_commands_do_what_the_text_says() {
    assert_eq!(run_page("docs/behaviour/berlin-group.md", &[]), Vec::<String>::new());
}

#[test]
fn api_page_commands_do_what_the_text_says() {
    // `trapeza listen` is run by its own tests.
    assert_eq!(run_page("docs/api.md", &[]), ["runs until it is interrupted"]);
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

/// An example of the reference, the status that its requests must have, and whether it is run last.
struct PageExample {
    text: String,
    status: Option<String>,
    last: bool,
}

/// The examples of a page in one language, which is the class of their blocks.
fn page_examples(page: &str, language: &str) -> Vec<PageExample> {
    let opening = format!("class=\"{language}");
    let blocks = page.split("<pre ").skip(1).filter(|block| block.contains("><code>"));
    let example = |block: &str| {
        let (attributes, rest) = block.split_once("><code>")?;
        let (_, class) = attributes.split_once(opening.as_str())?;
        let (text, _) = rest.split_once("</code>")?;
        let status = attributes.split_once("data-status=\"").map(|(_, status)| status[..3].to_owned());
        Some(PageExample { text: unescaped(text), status, last: class.starts_with(" last") })
    };
    blocks.filter_map(example).collect()
}

fn unescaped(text: &str) -> String {
    let entities = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

/// The examples of all pages of the reference, in the order of the contents; the setup, which every page has, once.
async fn reference_examples(program: &ServerProcess, language: &str) -> Vec<PageExample> {
    let get = async |path: &str| {
        reqwest::get(format!("{}{path}", program.base_url)).await.unwrap().text().await.unwrap()
    };
    let index = get("/docs").await;
    let links = index.split_once("class=\"pages\"").unwrap().1.split_once("</ul>").unwrap().0;
    let mut examples: Vec<PageExample> = Vec::new();
    for path in links.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let of_page = page_examples(&get(path).await, language);
        examples.extend(of_page.into_iter().filter(|one| one.status.is_some() || path == "/docs/consents"));
    }
    assert!(examples.len() > 50, "only {} examples were found", examples.len());
    examples.sort_by_key(|example| example.last);
    examples
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_commands_succeed_in_a_fresh_sandbox() {
    let directory = tempfile::tempdir().unwrap();
    let program = ServerProcess::sandbox(&directory.path().join("trapeza-data"), "", &[]).await;
    let commands = reference_examples(&program, "shell").await;
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

/// Runs the examples of a client as one program. A client raises an error for every status that is not a success.
async fn run_client_examples(language: &str, file: &str, interpreter: &str) {
    let directory = tempfile::tempdir().unwrap();
    let program = ServerProcess::sandbox(&directory.path().join("trapeza-data"), "", &[]).await;
    let examples = reference_examples(&program, language).await;
    // One module cannot declare a constant twice, as examples of different pages do.
    let text = examples
        .iter()
        .map(|one| one.text.replace("\nconst ", "\nvar "))
        .map(|text| text.strip_prefix("const ").map_or(text.clone(), |rest| format!("var {rest}")));
    std::fs::write(directory.path().join(file), text.collect::<Vec<_>>().join("\n")).unwrap();
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("clients");
    let modules = directory.path().join("node_modules");
    std::fs::create_dir(&modules).unwrap();
    std::os::unix::fs::symlink(clients.join("typescript"), modules.join("trapeza-client")).unwrap();
    let done = std::process::Command::new(interpreter)
        .arg(file)
        .current_dir(directory.path())
        .env("PYTHONPATH", clients.join("python/src"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_examples_in_python_succeed_in_a_fresh_sandbox() {
    run_client_examples("python", "examples.py", "python3").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_examples_in_typescript_succeed_in_a_fresh_sandbox() {
    run_client_examples("typescript", "examples.mjs", "node").await;
}
