//! Minimal servers that accept every callback, each on a port of its own. They run in another process, so that their
//! processor time is not counted as the courier's.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const NO_CONTENT: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// Prints the ports in one line, then serves until the process ends.
pub async fn serve(endpoints: usize) {
    let mut ports = Vec::new();
    for _ in 0..endpoints {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        ports.push(listener.local_addr().expect("an address").port());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(accept_all(stream));
            }
        });
    }
    println!("{}", json!(ports));
    std::future::pending::<()>().await;
}

async fn accept_all(mut stream: TcpStream) {
    let mut buffer = Vec::with_capacity(8192);
    let _ = stream.set_nodelay(true);
    loop {
        while let Some(end) = request_end(&buffer) {
            buffer.drain(..end);
            if stream.write_all(NO_CONTENT).await.is_err() {
                return;
            }
        }
        if !matches!(stream.read_buf(&mut buffer).await, Ok(1..)) {
            return;
        }
    }
}

/// The end of the first request in the buffer, if it is complete.
fn request_end(buffer: &[u8]) -> Option<usize> {
    let head = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&buffer[..head]).ok()?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
    });
    Some(head + length?).filter(|end| *end <= buffer.len())
}
