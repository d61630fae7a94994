//! The admin socket: how a one-shot command reaches the server that has the data directory.
//!
//! A Unix socket `admin.sock` in the data directory, for its user only. One line of JSON goes in
//! (`{"command":"ledger check","arguments":[]}`), lines of text come out, and the last line is `{"exit":0}`. What the
//! commands do is the handler's business. Everything has an end: a request is small, an answer is bounded, and
//! nobody waits for ever.

use crate::data_dir::{DataDir, Lock};
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
const REQUEST_BYTES: u64 = 16 * 1024;
const ANSWER_BYTES: u64 = 16 * 1024 * 1024;
/// Commands that run at a time; they read the whole ledger, and customers come first.
const COMMANDS: usize = 2;
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// A check of a large ledger takes minutes.
const COMMAND_LIMIT: Duration = Duration::from_secs(600);

/// What the CLI asks of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    pub command: String,
    #[serde(default)]
    pub arguments: Vec<String>,
}

/// What the command printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    pub exit: i32,
}

/// The last line of an answer.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ending {
    exit: i32,
}

/// The server's side. Dropping it removes the socket.
pub struct AdminServer {
    listener: UnixListener,
    path: PathBuf,
}

impl AdminServer {
    /// Opens the socket. The lock shows that a socket already there is a dead server's.
    pub fn bind(dir: &DataDir, _lock: &Lock) -> Result<Self, String> {
        let (path, new) = (dir.path().join(SOCKET), dir.path().join(SOCKET_NEW));
        let broken = |e: std::io::Error| format!("cannot open the admin socket {}: {e}", path.display());
        match std::fs::remove_file(&new) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(broken(e)),
            _ => {}
        }
        // Under another name until its mode is right, so that at no time others can connect.
        let listener = UnixListener::bind(&new).map_err(broken)?;
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o600)).map_err(broken)?;
        std::fs::rename(&new, &path).map_err(broken)?;
        Ok(Self { listener, path })
    }

    /// Answers commands until the future is dropped.
    pub async fn serve<H, F>(self, handler: H)
    where
        H: Fn(Command) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let places = Arc::new(Semaphore::new(COMMANDS));
        loop {
            // The place is taken before the connection is, so that waiting commands cost us nothing.
            let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let handler = Arc::clone(&handler);
                    tokio::spawn(async move {
                        converse(stream, &*handler).await;
                        drop(place);
                    });
                }
                Err(e) => {
                    tracing::warn!(error = %e, "the admin socket cannot accept");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
}

impl Drop for AdminServer {
    fn drop(&mut self) {
        if let Err(e) = std::fs::remove_file(&self.path) {
            tracing::debug!(error = %e, "the admin socket was already gone");
        }
    }
}

/// The CLI's side: the server's answer, or `None` when no server is running on this directory.
pub fn call(dir: &Path, command: &Command) -> Result<Option<Answer>, String> {
    let path = dir.join(SOCKET);
    let broken = |e: std::io::Error| format!("the server's admin socket {}: {e}", path.display());
    let mut stream = match std::os::unix::net::UnixStream::connect(&path) {
        Ok(stream) => stream,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => return Ok(None),
        Err(e) => return Err(broken(e)),
    };
    // A little longer than the server gives itself, so that its own words arrive.
    stream.set_read_timeout(Some(COMMAND_LIMIT + 2 * REQUEST_LIMIT)).map_err(broken)?;
    stream.set_write_timeout(Some(REQUEST_LIMIT)).map_err(broken)?;
    let mut line = serde_json::to_string(command).map_err(|e| format!("the command cannot be sent: {e}"))?;
    line.push('\n');
    stream.write_all(line.as_bytes()).map_err(broken)?;
    let mut text = String::new();
    stream.take(ANSWER_BYTES + 1024).read_to_string(&mut text).map_err(broken)?;
    parse_answer(&text).map(Some).ok_or_else(|| "the server ended before its answer did".to_owned())
}

async fn converse<H, F>(mut stream: UnixStream, handler: &H)
where
    H: Fn(Command) -> F,
    F: Future<Output = Answer>,
{
    let answer = match timeout(REQUEST_LIMIT, read_command(&mut stream)).await {
        Err(_) => refused("no command came"),
        Ok(Err(problem)) => refused(&problem),
        Ok(Ok(command)) => {
            let name = command.command.clone();
            let answer = timeout(COMMAND_LIMIT, handler(command)).await;
            let answer = answer.unwrap_or_else(|_| refused("the command took too long and was given up"));
            tracing::info!(command = name, exit = answer.exit, "admin command");
            answer
        }
    };
    let sent = timeout(REQUEST_LIMIT, stream.write_all(formed(answer).as_bytes())).await;
    if !matches!(sent, Ok(Ok(()))) {
        tracing::debug!("the admin command's caller was gone before its answer");
    }
}

async fn read_command(stream: &mut UnixStream) -> Result<Command, String> {
    let mut line = String::new();
    let mut reader = BufReader::new(stream.take(REQUEST_BYTES));
    reader.read_line(&mut line).await.map_err(|e| format!("the command cannot be read: {e}"))?;
    if !line.ends_with('\n') {
        return Err(format!("a command is one line of at most {REQUEST_BYTES} bytes"));
    }
    serde_json::from_str(&line).map_err(|e| format!("the command cannot be understood: {e}"))
}

fn refused(text: &str) -> Answer {
    Answer { text: format!("{text}\n"), exit: 1 }
}

fn formed(answer: Answer) -> String {
    let Answer { mut text, mut exit } = answer;
    if text.len() as u64 > ANSWER_BYTES {
        text = format!("the answer was longer than {ANSWER_BYTES} bytes and is left out\n");
        exit = exit.max(1);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let ending = serde_json::to_string(&Ending { exit }).expect("a number is JSON");
    text + &ending + "\n"
}

/// Without its ending an answer is half an answer, and half an answer is none.
fn parse_answer(text: &str) -> Option<Answer> {
    let body = text.strip_suffix('\n')?;
    let (text, last) =
        body.rsplit_once('\n').map_or(("", body), |(_, last)| (&body[..body.len() - last.len()], last));
    let ending: Ending = serde_json::from_str(last).ok()?;
    Some(Answer { text: text.to_owned(), exit: ending.exit })
}

#[cfg(test)]
mod tests;
