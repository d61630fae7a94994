//! The clients in `clients/`: a whole flow of each against a real program, their types, and the Postman collection.
//!
//! `cargo xtask client-tools` installs mypy, tsc, newman and others. Where a tool is absent the test prints that, and what it checks is
//! not checked; the flows need only Python and Node.js.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use trapeza_testkit::process::ServerProcess;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A tool of `cargo xtask client-tools`, if it is installed.
pub fn tool(path: &str) -> Option<PathBuf> {
    let file = repository().join("target/clients").join(path);
    if !file.exists() {
        println!("{path} is not installed (cargo xtask client-tools): what it checks is not checked");
        return None;
    }
    Some(file)
}

/// Runs a program in `clients/` to its end, which must be a success.
fn run(command: &mut Command) -> String {
    let done = command.current_dir(repository().join("clients")).output().unwrap();
    let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success(), "{command:?}\n{output}");
    output
}

async fn sandbox(directory: &Path) -> ServerProcess {
    ServerProcess::sandbox(&directory.join("trapeza-data"), "", &[]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn python_client_runs_a_whole_flow() {
    let directory = tempfile::tempdir().unwrap();
    let program = sandbox(directory.path()).await;
    let mut flow = Command::new("python3");
    let flow = flow.arg("python/tests/flow.py").arg(program.data.join("sandbox.json"));
    assert_eq!(run(flow.env("PYTHONPATH", "python/src").env("PYTHONDONTWRITEBYTECODE", "1")), "flow: ok\n");
}

#[test]
fn python_client_passes_the_strict_type_check() {
    let Some(mypy) = tool("venv/bin/mypy") else { return };
    let arguments = ["--strict", "--python-version", "3.9", "--cache-dir", "../target/clients/mypy"];
    run(Command::new(mypy)
        .args(arguments)
        .args(["python/src/trapeza", "python/tests/flow.py"])
        .env("MYPYPATH", "python/src"));
}

#[tokio::test(flavor = "multi_thread")]
async fn typescript_client_runs_a_whole_flow() {
    let directory = tempfile::tempdir().unwrap();
    let program = sandbox(directory.path()).await;
    let mut flow = Command::new("node");
    let flow = flow.arg("typescript/test/flow.mjs").arg(program.data.join("sandbox.json"));
    assert_eq!(run(flow), "flow: ok\n");
}

#[test]
fn typescript_client_passes_the_strict_type_check() {
    let Some(tsc) = tool("node_modules/.bin/tsc") else { return };
    run(Command::new(tsc).args(["--project", "typescript"]));
}

/// The example of a client's README, which begins with this fence.
fn readme_example(client: &str, fence: &str) -> String {
    let readme =
        std::fs::read_to_string(repository().join("clients").join(client).join("README.md")).unwrap();
    let (_, example) = readme.split_once(fence).unwrap();
    example.split_once("\n```").unwrap().0.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn python_readme_example_prints_balances() {
    let directory = tempfile::tempdir().unwrap();
    let _program = sandbox(directory.path()).await;
    let file = directory.path().join("example.py");
    std::fs::write(&file, readme_example("python", "```python\n")).unwrap();
    let mut example = Command::new("python3");
    example
        .arg(&file)
        .env("PYTHONPATH", repository().join("clients/python/src"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let done = example.current_dir(directory.path()).output().unwrap();
    let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success() && output.contains("balanceAmount"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn typescript_readme_example_prints_balances() {
    let directory = tempfile::tempdir().unwrap();
    let _program = sandbox(directory.path()).await;
    let modules = directory.path().join("node_modules");
    std::fs::create_dir(&modules).unwrap();
    let package = repository().join("clients/typescript");
    std::os::unix::fs::symlink(package, modules.join("trapeza-client")).unwrap();
    let file = directory.path().join("example.mjs");
    std::fs::write(&file, readme_example("typescript", "```ts\n")).unwrap();
    let done = Command::new("node").arg(&file).current_dir(directory.path()).output().unwrap();
    let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success() && output.contains("balanceAmount"), "{output}");
}

fn json(path: &str) -> Value {
    let text = std::fs::read_to_string(repository().join("clients/postman").join(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The requests of a collection, of all folders.
fn requests(items: &Value) -> Vec<&Value> {
    let items = items.as_array().unwrap().iter();
    items
        .flat_map(|item| if item["item"].is_array() { requests(&item["item"]) } else { vec![item] })
        .collect()
}

#[test]
fn postman_collection_has_every_operation_in_the_form_of_its_schema() {
    let collection = json("trapeza.postman_collection.json");
    assert!(collection["info"]["schema"].as_str().unwrap().ends_with("/v2.1.0/collection.json"));
    let document = std::fs::read_to_string(repository().join("docs/openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let requests = requests(&collection["item"]);
    for operation in
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap())
    {
        let id = operation.1["operationId"].as_str().unwrap();
        let is_own = |request: &&&Value| request["id"].as_str().unwrap().split('-').next() == Some(id);
        assert!(requests.iter().any(|request| is_own(&request)), "{id} is absent");
    }
    for request in requests {
        let (name, request) = (request["name"].as_str().unwrap(), &request["request"]);
        assert!(request["url"]["raw"].as_str().unwrap().starts_with("{{base_url}}/"), "{name}");
        assert!(request["header"].as_array().unwrap().iter().all(|one| one["key"].is_string()), "{name}");
        if request["body"].is_object() {
            let body = request["body"]["raw"].as_str().unwrap();
            assert!(serde_json::from_str::<Value>(body).is_ok(), "{name}: {body}");
        }
    }
}

/// The environment with the values of a sandbox: the description of a variable is the place of its value.
fn environment(program: &ServerProcess) -> Value {
    let mut environment = json("sandbox.postman_environment.json");
    for variable in environment["values"].as_array_mut().unwrap() {
        let place = match variable["key"].as_str() {
            Some("base_url") => "/base_url".to_owned(),
            _ => {
                let place =
                    variable["description"].as_str().unwrap().strip_suffix(" of sandbox.json").unwrap();
                format!("/{}", place.replace(['[', '.'], "/").replace(']', ""))
            }
        };
        let value = program.sandbox_file.pointer(&place).unwrap_or_else(|| panic!("{place}"));
        variable["value"] = value.clone();
    }
    environment
}

#[tokio::test(flavor = "multi_thread")]
async fn postman_collection_runs_from_its_first_to_its_last_request() {
    let Some(newman) = tool("node_modules/.bin/newman") else { return };
    let directory = tempfile::tempdir().unwrap();
    let program = sandbox(directory.path()).await;
    let file = directory.path().join("environment.json");
    std::fs::write(&file, environment(&program).to_string()).unwrap();
    run(Command::new(newman)
        .args(["run", "postman/trapeza.postman_collection.json", "--color", "off", "--environment"])
        .arg(&file));
}
