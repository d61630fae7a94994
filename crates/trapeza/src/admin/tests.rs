//! The admin socket over a real socket.

use super::*;
use std::time::Instant;

/// The requests of these tests.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    command: String,
    #[serde(default)]
    arguments: Vec<String>,
}

struct Running {
    dir: DataDir,
    server: tokio::task::JoinHandle<()>,
    _lock: Lock,
    _temporary: tempfile::TempDir,
}

async fn running() -> Running {
    let temporary = tempfile::tempdir().unwrap();
    let dir = DataDir::open(temporary.path()).unwrap();
    let lock = dir.lock().unwrap();
    let server = AdminServer::bind(&dir, &lock).unwrap();
    let server = tokio::spawn(server.serve(|command: Command, user: u32| async move {
        match command.command.as_str() {
            "echo" => AdminResponse { text: command.arguments.join("\n"), exit: 0 },
            "whoami" => AdminResponse { text: user.to_string(), exit: 0 },
            "flood" => AdminResponse { text: "x".repeat(17 * 1024 * 1024), exit: 0 },
            other => AdminResponse { text: format!("no command {other}"), exit: 2 },
        }
    }));
    Running { dir, server, _lock: lock, _temporary: temporary }
}

fn command(name: &str, arguments: &[&str]) -> Command {
    Command { command: name.to_owned(), arguments: arguments.iter().map(|&word| word.to_owned()).collect() }
}

async fn called(dir: &DataDir, command: Command) -> Result<Option<AdminResponse>, String> {
    let path = dir.path().to_path_buf();
    tokio::task::spawn_blocking(move || call(&path, &command)).await.unwrap()
}

/// Sends bytes as they are and gives what comes back.
async fn raw(dir: &DataDir, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(dir.path().join(SOCKET)).await.unwrap();
    // The server may refuse and close before it has read everything.
    let _refused_early = stream.write_all(bytes).await;
    let _refused_early = stream.shutdown().await;
    let mut text = String::new();
    let _reset = stream.read_to_string(&mut text).await;
    text
}

#[tokio::test]
async fn request_returns_output_and_exit_code() {
    let running = running().await;
    // An argument that looks like the ending is not taken for it.
    let answer = called(&running.dir, command("echo", &["one", "{\"exit\":7}"])).await.unwrap().unwrap();
    assert_eq!(answer, AdminResponse { text: "one\n{\"exit\":7}\n".to_owned(), exit: 0 });
    let answer = called(&running.dir, command("dance", &[])).await.unwrap().unwrap();
    assert_eq!(answer, AdminResponse { text: "no command dance\n".to_owned(), exit: 2 });
    let answer = called(&running.dir, command("echo", &[])).await.unwrap().unwrap();
    assert_eq!(answer, AdminResponse { text: String::new(), exit: 0 });
}

#[tokio::test]
async fn handler_gets_the_user_of_the_client() {
    let running = running().await;
    let answer = called(&running.dir, command("whoami", &[])).await.unwrap().unwrap();
    assert_eq!(answer.text, format!("{}\n", rustix::process::getuid().as_raw()));
}

#[tokio::test]
async fn arguments_are_optional() {
    let running = running().await;
    assert_eq!(
        raw(&running.dir, b"{\"command\":\"ledger check\"}\n").await,
        "no command ledger check\n{\"exit\":2}\n"
    );
}

#[tokio::test]
async fn call_without_a_server_returns_none() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = DataDir::open(temporary.path()).unwrap();
    assert_eq!(called(&dir, command("echo", &[])).await, Ok(None));
    // A socket of a killed server does not answer either.
    drop(std::os::unix::net::UnixListener::bind(dir.path().join(SOCKET)).unwrap());
    assert!(dir.path().join(SOCKET).exists());
    assert_eq!(called(&dir, command("echo", &[])).await, Ok(None));
    // And does not stand in a new one's way.
    let lock = dir.lock().unwrap();
    AdminServer::bind(&dir, &lock).unwrap();
}

#[tokio::test]
async fn socket_is_private_and_removed_with_the_server() {
    let running = running().await;
    let socket = running.dir.path().join(SOCKET);
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    running.server.abort();
    assert!(running.server.await.unwrap_err().is_cancelled());
    assert!(!socket.exists());
}

#[tokio::test]
async fn oversized_request_is_refused() {
    let running = running().await;
    let max = usize::try_from(MAX_REQUEST_BYTES).unwrap();
    let answer = raw(&running.dir, &vec![b'x'; max + 4096]).await;
    assert!(answer.is_empty() || answer.starts_with("a request must be one line of at most"), "{answer}");
    let answer = raw(&running.dir, &vec![b'x'; max]).await;
    assert_eq!(answer, "a request must be one line of at most 1048576 bytes\n{\"exit\":1}\n");
    let answer = raw(&running.dir, b"not json\n").await;
    assert!(answer.starts_with("unknown request"), "{answer}");
}

#[tokio::test]
async fn oversized_output_is_discarded_and_fails() {
    let running = running().await;
    let answer = called(&running.dir, command("flood", &[])).await.unwrap().unwrap();
    assert_eq!(answer.exit, 1);
    assert!(answer.text.starts_with("the output exceeded"), "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn silent_client_times_out() {
    let running = running().await;
    let start = Instant::now();
    let mut stream = UnixStream::connect(running.dir.path().join(SOCKET)).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "no request was received in time\n{\"exit\":1}\n");
    assert!(start.elapsed() < Duration::from_secs(5), "the clock was paused");
}

#[test]
fn incomplete_response_is_rejected() {
    assert_eq!(parse_response("all is well\n"), None);
    assert_eq!(parse_response("all is well\n{\"exit\":0}"), None);
    assert_eq!(parse_response(""), None);
    assert_eq!(parse_response("{\"exit\":0}\n"), Some(AdminResponse { text: String::new(), exit: 0 }));
}
