//! Callers who hold connections and do nothing useful with them.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Never send anything.
    Idle,
    /// Send a header byte by byte.
    Slow,
    /// Close their side in the middle of a request.
    HalfClosed,
}

/// Connections that are held until this is ended.
pub struct Held {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<usize>,
}

impl Attack {
    pub const ALL: [Self; 3] = [Self::Idle, Self::Slow, Self::HalfClosed];

    pub fn hold(self, address: &str, count: usize) -> Held {
        let (stop, address) = (Arc::new(AtomicBool::new(false)), address.to_owned());
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut streams: Vec<TcpStream> = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                // What the server has closed is opened again.
                while streams.len() < count && !stopped.load(Ordering::Relaxed) {
                    let Ok(mut stream) = TcpStream::connect(&address) else { break };
                    let begun = match self {
                        Self::Idle => Ok(()),
                        Self::Slow => {
                            stream.write_all(b"GET /v1/accounts HTTP/1.1\r\nHost: bank\r\nX-Slow: ")
                        }
                        Self::HalfClosed => stream
                            .write_all(
                                b"POST /v1/consents HTTP/1.1\r\nHost: bank\r\nContent-Length: 100\r\n\r\n{",
                            )
                            .and_then(|()| stream.shutdown(Shutdown::Write)),
                    };
                    if begun.is_ok() {
                        streams.push(stream);
                    }
                }
                if self == Self::Slow {
                    streams.retain_mut(|stream| stream.write_all(b"a").is_ok());
                }
                std::thread::sleep(Duration::from_millis(500));
            }
            streams.len()
        });
        Held { stop, thread }
    }
}

impl Held {
    /// Closes all. Returns how many were open at the end.
    pub fn end(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(0)
    }
}
