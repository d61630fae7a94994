//! The admin socket: how a one-shot command reaches the server that holds the data directory.
//!
//! It is a Unix socket `admin.sock` in the data directory with mode 0600. The client sends one line of JSON, the request;
//! the server sends lines of text and, as the last line, `{"exit":0}`. Sizes and times are bounded on both sides. The operating system
//! names the user at the other end (SO_PEERCRED), who is the actor of the command's audit events.

use crate::data_dir::{DataDir, Lock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

const SOCKET: &str = "admin.sock";
const SOCKET_NEW: &str = "admin.sock.new";
/// A batch of an import is the largest request.
const MAX_REQUEST_BYTES: u64 = 1024 * 1024;
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum number of concurrent commands; some read the whole ledger, and requests of customers come first.
const MAX_COMMANDS: usize = 2;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// A check of a large ledger takes minutes.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(600);

/// The output of a command and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminResponse {
    pub text: String,
    pub exit: i32,
}

/// The last line of a response.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ending {
    exit: i32,
}

/// The server side. Dropping it removes the socket.
pub struct AdminServer {
    listener: UnixListener,
    path: PathBuf,
}

impl AdminServer {
    /// Creates the socket. Holding the lock proves that an existing socket belongs to a dead server.
    pub fn bind(dir: &DataDir, _lock: &Lock) -> Result<Self, String> {
        let (path, new) = (dir.path().join(SOCKET), dir.path().join(SOCKET_NEW));
        let broken = |e: std::io::Error| format!("cannot open the admin socket {}: {e}", path.display());
        match std::fs::remove_file(&new) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(broken(e)),
            _ => {}
        }
        // The socket gets its name after its mode, so that other users can never connect.
        let listener = UnixListener::bind(&new).map_err(broken)?;
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o600)).map_err(broken)?;
        std::fs::rename(&new, &path).map_err(broken)?;
        Ok(Self { listener, path })
    }

    /// Handles requests until the future is dropped. The handler gets the user id of the client.
    pub async fn serve<R, H, F>(self, handler: H)
    where
        R: DeserializeOwned + Send + 'static,
        H: Fn(R, u32) -> F + Send + Sync + 'static,
        F: Future<Output = AdminResponse> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let permits = Arc::new(Semaphore::new(MAX_COMMANDS));
        loop {
            // The permit is acquired before the connection is accepted, so that waiting clients cost nothing.
            let permit = Arc::clone(&permits).acquire_owned().await.expect("the semaphore is never closed");
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let handler = Arc::clone(&handler);
                    tokio::spawn(async move {
                        handle(stream, &*handler).await;
                        drop(permit);
                    });
                }
                Err(e) => {
                    tracing::warn!(error = %e, "admin socket: accept failed, retrying");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
}

impl Drop for AdminServer {
    fn drop(&mut self) {
        if let Err(e) = std::fs::remove_file(&self.path) {
            tracing::debug!(error = %e, "admin socket: already removed");
        }
    }
}

/// The client side: the server's response, or `None` when no server runs on this directory.
pub fn call<R: Serialize>(dir: &Path, request: &R) -> Result<Option<AdminResponse>, String> {
    let path = dir.join(SOCKET);
    let broken = |e: std::io::Error| format!("the server's admin socket {}: {e}", path.display());
    let mut stream = match std::os::unix::net::UnixStream::connect(&path) {
        Ok(stream) => stream,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => return Ok(None),
        Err(e) => return Err(broken(e)),
    };
    // Longer than the server's own limit, so that its timeout message arrives.
    stream.set_read_timeout(Some(COMMAND_TIMEOUT + 2 * REQUEST_TIMEOUT)).map_err(broken)?;
    stream.set_write_timeout(Some(REQUEST_TIMEOUT)).map_err(broken)?;
    let mut line = serde_json::to_string(request).map_err(|e| format!("cannot encode the request: {e}"))?;
    line.push('\n');
    stream.write_all(line.as_bytes()).map_err(broken)?;
    let mut text = String::new();
    stream.take(MAX_RESPONSE_BYTES + 1024).read_to_string(&mut text).map_err(broken)?;
    parse_response(&text)
        .map(Some)
        .ok_or_else(|| "the server stopped before its response was complete".to_owned())
}

async fn handle<R, H, F>(mut stream: UnixStream, handler: &H)
where
    R: DeserializeOwned,
    H: Fn(R, u32) -> F,
    F: Future<Output = AdminResponse>,
{
    let user = stream.peer_cred().map(|credentials| credentials.uid());
    let response = match (timeout(REQUEST_TIMEOUT, read_request(&mut stream)).await, user) {
        (_, Err(error)) => refused(&format!("cannot determine the user of the client: {error}")),
        (Err(_), _) => refused("no request was received in time"),
        (Ok(Err(problem)), _) => refused(&problem),
        (Ok(Ok(request)), Ok(user)) => timeout(COMMAND_TIMEOUT, handler(request, user))
            .await
            .unwrap_or_else(|_| refused("the command timed out and was aborted")),
    };
    let sent = timeout(REQUEST_TIMEOUT, stream.write_all(encode(response).as_bytes())).await;
    if !matches!(sent, Ok(Ok(()))) {
        tracing::debug!("admin socket: the client disconnected before its response was sent");
    }
}

async fn read_request<R: DeserializeOwned>(stream: &mut UnixStream) -> Result<R, String> {
    let mut line = String::new();
    let mut reader = BufReader::new(stream.take(MAX_REQUEST_BYTES));
    reader.read_line(&mut line).await.map_err(|e| format!("cannot read the request: {e}"))?;
    if !line.ends_with('\n') {
        return Err(format!("a request must be one line of at most {MAX_REQUEST_BYTES} bytes"));
    }
    serde_json::from_str(&line).map_err(|e| format!("unknown request: {e}"))
}

fn refused(text: &str) -> AdminResponse {
    AdminResponse { text: format!("{text}\n"), exit: 1 }
}

fn encode(response: AdminResponse) -> String {
    let AdminResponse { mut text, mut exit } = response;
    if text.len() as u64 > MAX_RESPONSE_BYTES {
        text = format!("the output exceeded {MAX_RESPONSE_BYTES} bytes and was discarded\n");
        exit = exit.max(1);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let ending = serde_json::to_string(&Ending { exit }).expect("a number is JSON");
    text + &ending + "\n"
}

/// A response without its last line is incomplete and therefore rejected.
fn parse_response(text: &str) -> Option<AdminResponse> {
    let body = text.strip_suffix('\n')?;
    let (text, last) =
        body.rsplit_once('\n').map_or(("", body), |(_, last)| (&body[..body.len() - last.len()], last));
    let ending: Ending = serde_json::from_str(last).ok()?;
    Some(AdminResponse { text: text.to_owned(), exit: ending.exit })
}

#[cfg(test)]
mod tests;
