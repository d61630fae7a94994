//! A server as a child process, with the time to its first response, its memory and its processor time.

use crate::process::{Outcome, capture_stdout};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The kernel counts processor time in hundredths of a second (USER_HZ), which is precise enough for seconds.
const TICK_MICROS: u64 = 10_000;

/// A running server, which is killed when this is dropped.
pub struct Program {
    child: Child,
    /// The address that it listens on.
    pub address: String,
    /// The time from its start to its first response.
    pub time_to_response: Duration,
}

impl Program {
    /// Starts a sandbox and waits until it is ready.
    pub fn start(program: &Path, data: &Path, more: &[&str]) -> Outcome<Self> {
        let mut command = Command::new(program);
        command.args(["sandbox", "--listen", "127.0.0.1:0", "--data"]).arg(data).args(more);
        Self::serve(command.env("TRAPEZA_LOG_LEVEL", "warn"))
    }

    /// Starts a server whose first line of output ends with its URL, and waits until it is ready.
    pub fn serve(command: &mut Command) -> Outcome<Self> {
        let started = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
        let out = child.stdout.take().ok_or("the program's output is not a pipe")?;
        let mut program = Self { child, address: String::new(), time_to_response: Duration::ZERO };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).map_err(|e| format!("the program printed nothing: {e}"))?;
        program.address = line.trim_end().rsplit("http://").next().unwrap_or_default().to_owned();
        while !ready(&program.address) {
            if let Ok(Some(status)) = program.child.try_wait() {
                return Err(format!("the program ended with {status} after {line:?}"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        program.time_to_response = started.elapsed();
        Ok(program)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its resident memory in KiB.
    pub fn resident_kib(&self) -> Outcome<u64> {
        let status = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(&status).map_err(|e| format!("{status}: {e}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse().ok());
        kib.ok_or(format!("{status} has no VmRSS"))
    }

    /// The processor time that all its threads have used, in microseconds: fields 14 and 15, counted from 1.
    pub fn processor_micros(&self) -> Outcome<u64> {
        let stat = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(&stat).map_err(|e| format!("{stat}: {e}"))?;
        // The name in the second field may contain spaces; its closing parenthesis is the last one.
        let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        let ticks: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
        match ticks[..] {
            [user, system] => Ok((user + system) * TICK_MICROS),
            _ => Err(format!("{stat} has no processor time")),
        }
    }

    /// Terminates it and waits for its end.
    pub fn stop(mut self) -> Outcome {
        capture_stdout(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))?;
        let status = self.child.wait().map_err(|e| format!("the program cannot be waited for: {e}"))?;
        if status.success() { Ok(()) } else { Err(format!("the program ended with {status}")) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Has no effect when it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ready(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut response = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut response).is_ok()
        && response.starts_with("HTTP/1.1 200 ")
}
