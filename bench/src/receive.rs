//! Merchants' servers for callbacks, as bare as can be: each listens on a port of its own and takes whatever comes. A
//! process of its own, so that its work is not counted as the courier's.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const TAKEN: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// Tells the ports in one line, then serves until it is ended.
pub async fn serve(endpoints: usize) {
    let mut ports = Vec::new();
    for _ in 0..endpoints {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        ports.push(listener.local_addr().expect("an address").port());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(take(stream));
            }
        });
    }
    println!("{}", json!(ports));
    std::future::pending::<()>().await;
}

async fn take(mut stream: TcpStream) {
    let mut buffer = Vec::with_capacity(8192);
    let _ = stream.set_nodelay(true);
    loop {
        while let Some(end) = request_end(&buffer) {
            buffer.drain(..end);
            if stream.write_all(TAKEN).await.is_err() {
                return;
            }
        }
        if !matches!(stream.read_buf(&mut buffer).await, Ok(1..)) {
            return;
        }
    }
}

/// Where the first request in the buffer ends, if all of it is there.
fn request_end(buffer: &[u8]) -> Option<usize> {
    let head = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&buffer[..head]).ok()?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
    });
    Some(head + length?).filter(|end| *end <= buffer.len())
}
