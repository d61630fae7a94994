//! One request of a caller who waits for a bounded time and distinguishes a complete response from a broken one.

use crate::bench::client::Response;
use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than the program's own limit of a request.
const TIMEOUT: Duration = Duration::from_secs(40);

/// Headers that a caller sends with each request.
pub type Headers = Vec<(String, String)>;

#[derive(Clone, Debug)]
pub struct Request {
    pub method: &'static str,
    pub path: String,
    pub key: String,
    pub body: Option<Value>,
}

/// Sends a request to a program. An error means that nothing is known about its outcome.
pub fn send(address: SocketAddr, headers: &Headers, request: &Request) -> io::Result<Response> {
    let Request { method, path, key, body } = request;
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nx-Request-ID: {key}\r\n"
    );
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    let body = body.as_ref().map(Value::to_string).unwrap_or_default();
    text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(text.as_bytes())?;
    let mut received = String::new();
    stream.read_to_string(&mut received)?;
    let broken = || io::Error::new(io::ErrorKind::UnexpectedEof, "the response is incomplete");
    let response = Response::parse(&received).ok_or_else(broken)?;
    let length = header(&response, "content-length").and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length != response.body.len()) { Err(broken()) } else { Ok(response) }
}

pub fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
