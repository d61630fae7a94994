//! A client that datamodel-codegen generates from the dialect's OpenAPI document, strict and without unknown members, runs whole flows.

use super::client::tool;
use std::path::Path;
use std::process::Command;
use trapeza_testkit::process::ServerProcess;

/// Runs a program to its end, which must be a success, and returns what it printed.
fn run(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success(), "{command:?}\n{output}");
    output
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_client_parses_every_answer_of_its_flows() {
    let (Some(generator), Some(python)) = (tool("venv/bin/datamodel-codegen"), tool("venv/bin/python"))
    else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let program = ServerProcess::sandbox(&directory.path().join("data"), "", &[]).await;
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let models = directory.path().join("models.py");
    run(Command::new(generator)
        .arg("--input")
        .arg(package.parent().unwrap().join("docs/openapi-berlin-group.json"))
        .args(["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"])
        .args(["--extra-fields", "forbid", "--enum-field-as-literal", "all"])
        .args(["--target-python-version", "3.11", "--disable-warnings", "--output"])
        .arg(&models));
    let output = run(Command::new(python)
        .arg(package.join("tests/integration/process/dialect_client.py"))
        .arg(&program.base_url)
        .arg(program.data.join("sandbox.json"))
        .env("PYTHONPATH", directory.path())
        .env("PYTHONDONTWRITEBYTECODE", "1"));
    assert!(output.starts_with("flow: ok"), "{output}");
}
