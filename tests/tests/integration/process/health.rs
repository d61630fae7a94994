//! `trapeza health`, and what the server reports to systemd.

use super::production::{now, open};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use trapeza::demo::authority::Authority;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::process;

fn health(config: &Path) -> (Option<i32>, String) {
    let output = process::run(&["health", "--config", config.to_str().unwrap()]);
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn health_of_a_running_server_is_ready_and_of_a_stopped_one_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let bank = open(directory.path(), &authority).await;
    let config = directory.path().join("bank.toml");
    assert_eq!(health(&config), (Some(0), "{\"status\":\"ready\"}\n".to_owned()));
    drop(bank);
    let (code, text) = health(&config);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("does not answer"), "{text}");
}

#[test]
fn server_reports_to_systemd_that_it_is_ready_and_that_it_stops() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    // A failure of the program must not hang the test.
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let received = || {
        let mut buffer = [0; 256];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    let mut server = Command::new(process::binary())
        .args(["sandbox", "--listen", "127.0.0.1:0", "--data"])
        .arg(directory.path().join("data"))
        .env("NOTIFY_SOCKET", &path)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert!(received().starts_with("READY=1\n"));
    let terminated = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    assert!(terminated.success());
    assert!(received().starts_with("STOPPING=1\n"));
    assert!(server.wait().unwrap().success());
}
