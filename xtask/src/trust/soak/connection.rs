//! A connection that is kept open and sends one request after another.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longer than the program's own limit of a request.
const TIMEOUT: Duration = Duration::from_secs(40);

pub struct Connection {
    address: String,
    stream: Option<BufReader<TcpStream>>,
}

/// What a caller sees of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub retry_after: bool,
    pub body: String,
}

impl Connection {
    pub fn new(address: &str) -> Self {
        Self { address: address.to_owned(), stream: None }
    }

    /// Sends a request, on a new connection when there is none. After an error the next request opens another one.
    pub fn send(&mut self, request: &str) -> io::Result<Answer> {
        let answer = self.try_send(request);
        if answer.is_err() {
            self.stream = None;
        }
        answer
    }

    fn try_send(&mut self, request: &str) -> io::Result<Answer> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(&self.address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(TIMEOUT))?;
                BufReader::new(stream)
            }
        };
        stream.get_mut().write_all(request.as_bytes())?;
        let broken = || io::Error::new(io::ErrorKind::UnexpectedEof, "the response is incomplete");
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(broken)?;
        let (mut length, mut retry_after, mut closes) = (0, false, false);
        loop {
            line.clear();
            stream.read_line(&mut line)?;
            let header = line.trim_end().to_ascii_lowercase();
            match header.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().map_err(|_| broken())?,
                Some(("retry-after", _)) => retry_after = true,
                Some(("connection", "close")) => closes = true,
                Some(_) => {}
                None if header.is_empty() => break,
                None => return Err(broken()),
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        if !closes {
            self.stream = Some(stream);
        }
        Ok(Answer { status, retry_after, body: String::from_utf8_lossy(&body).into_owned() })
    }
}
