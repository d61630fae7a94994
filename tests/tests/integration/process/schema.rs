//! Schemathesis against the OpenAPI documents that a real program serves: its requests, valid and not, are generated from the document
//! alone, and no answer may have a status, a media type, headers or a body that the document does not have, or be an internal error.
//!
//! The run of a seed is repeated with `TRAPEZA_TEST_SEED`, which a failed run prints.

use super::client::tool;
use std::process::Command;
use trapeza_testkit::iterations;
use trapeza_testkit::process::ServerProcess;

/// Random cases per operation.
const CASES: usize = 2;
/// The part that covers each keyword of each schema takes longer than all random cases, so it runs only where more is repeated.
const PHASES: [&str; 2] = ["fuzzing", "examples,coverage,fuzzing,stateful"];
const CHECKS: [&str; 7] = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
];

/// Runs it against a sandbox as a caller with these headers, whose values are members of the sandbox's file.
async fn conforms(document: &str, caller: &str, headers: &[(&str, &str)]) {
    let Some(schemathesis) = tool("venv/bin/schemathesis") else { return };
    let directory = tempfile::tempdir().unwrap();
    let program = ServerProcess::sandbox(&directory.path().join("data"), "", &[]).await;
    let seed = std::env::var("TRAPEZA_TEST_SEED").unwrap_or_else(|_| program.process_id().to_string());
    let mut command = Command::new(schemathesis);
    command.args(["run", &format!("{}{document}", program.base_url)]).current_dir(directory.path());
    command.args(["--checks", &CHECKS.join(","), "--seed", &seed]);
    let phases = PHASES[usize::from(iterations(1) > 1)];
    command.args(["--phases", phases, "--max-examples", &iterations(CASES).to_string()]);
    command.args(["--request-timeout", "60"]);
    command.args([
        "--continue-on-failure",
        "--no-shrink",
        "--suppress-health-check",
        "all",
        "--warnings",
        "off",
    ]);
    // Both replace the bank, and with it the caller.
    command.args(["--exclude-operation-id", "resetBank", "--exclude-operation-id", "importBank"]);
    for (name, member) in headers {
        let value = program.sandbox_file[caller][0][member].as_str().unwrap();
        command.args(["--header", &format!("{name}: {value}")]);
    }
    let done = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success(), "seed {seed}\n{output}");
    let count = output.lines().find_map(|line| line.trim().split_once(" generated")).map(|(count, _)| count);
    println!("trust: count={} faults=0", count.expect("the number of cases"));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_a_third_party_conform_to_the_document() {
    let headers = [
        ("Ocp-Apim-Subscription-Key", "subscription_key"),
        ("ClientId", "client_id"),
        ("Certificate", "certificate"),
    ];
    conforms("/openapi.json", "tpps", &headers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_a_merchant_conform_to_the_document() {
    let headers = [("Ocp-Apim-Subscription-Key", "subscription_key"), ("X-Application-ID", "application_id")];
    conforms("/openapi.json", "merchants", &headers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_the_dialect_conform_to_its_document() {
    conforms("/berlin-group/openapi.json", "tpps", &[]).await;
}
