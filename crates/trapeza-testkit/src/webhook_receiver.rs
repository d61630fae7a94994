//! A merchant's server for callbacks on a real socket: records requests and fails as configured.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One request as received, whether or not it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// By lower-case name.
    pub headers: HashMap<String, String>,
    pub body: String,
    pub reply: Reply,
}

impl Delivery {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// How the receiver answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    Status(u16),
    /// A redirect to the receiver itself, under `/redirected`.
    Redirect,
    /// No response; the connection stays open.
    Hang,
    /// The connection is closed.
    Reset,
    /// A 200 whose body never ends.
    Endless,
    /// A response with this status that repeats the request's body in its reason phrase, a header and its body.
    Repeat(u16),
    /// The request's body again, not as a response of HTTP.
    Garbage,
}

pub struct WebhookReceiver {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Delivery>>>,
    /// Number of accepted connections.
    opened: Arc<Mutex<usize>>,
    served: JoinHandle<()>,
}

impl WebhookReceiver {
    /// Listens on loopback. `reply` gets the path and the number of earlier requests.
    pub async fn start(reply: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (seen, opened) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
        let reply: Replies = Arc::new(reply);
        let served = {
            let (seen, opened) = (seen.clone(), opened.clone());
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    *opened.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                    tokio::spawn(serve_connection(stream, reply.clone(), seen.clone()));
                }
            })
        };
        Self { address, seen, opened, served }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn seen(&self) -> Vec<Delivery> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn connections(&self) -> usize {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.served.abort();
    }
}

type Replies = Arc<dyn Fn(&str, usize) -> Reply + Send + Sync>;

async fn serve_connection(mut stream: TcpStream, replies: Replies, seen: Arc<Mutex<Vec<Delivery>>>) {
    let mut buffer = Vec::new();
    while let Some((path, headers, body)) = request(&mut stream, &mut buffer).await {
        let (reply, body) = {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            let reply = replies(&path, seen.len());
            seen.push(Delivery { headers, body: body.clone(), reply });
            (reply, body)
        };
        let text = match reply {
            Reply::Status(status) => format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\nok"),
            Reply::Redirect => {
                "HTTP/1.1 307 X\r\nLocation: /redirected\r\nContent-Length: 0\r\n\r\n".to_owned()
            }
            Reply::Hang => {
                tokio::time::sleep(Duration::from_secs(600)).await;
                return;
            }
            Reply::Reset => {
                let _ = stream.set_zero_linger();
                return;
            }
            Reply::Endless => "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(),
            Reply::Repeat(status) => format!(
                "HTTP/1.1 {status} {body}\r\nX-Error: {body}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ),
            Reply::Garbage => format!("{body}\r\n\r\n"),
        };
        if stream.write_all(text.as_bytes()).await.is_err() {
            return;
        }
        if reply == Reply::Garbage {
            return;
        }
        if reply == Reply::Endless {
            while stream.write_all(format!("400\r\n{}\r\n", "x".repeat(1024)).as_bytes()).await.is_ok() {}
        }
    }
}

/// Reads the next request of a connection: path, headers and body.
async fn request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> Option<(String, HashMap<String, String>, String)> {
    let head = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(buffer[..head].to_vec()).ok()?;
    let mut lines = text.split("\r\n");
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while buffer.len() < head + 4 + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8(buffer[head + 4..head + 4 + length].to_vec()).ok()?;
    buffer.drain(..head + 4 + length);
    Some((path, headers, body))
}
