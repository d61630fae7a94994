//! Slow and many: each is cut off, and others go on.

use super::*;
use std::fs::File;
use std::process::Command;

#[tokio::test]
async fn request_has_the_address_of_its_peer() {
    let server = Running::start(long_timeouts()).await;
    let mut client = server.connect().await;
    let own = client.local_addr().unwrap().to_string();
    let answer = exchange(&mut client, GET_PEER).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&own), "{answer}");
}

#[tokio::test]
async fn incomplete_head_times_out() {
    let server = Running::start(ServerOptions { header_timeout: SHORT, ..long_timeouts() }).await;
    let mut silent = server.connect().await;
    let mut slow = server.connect().await;
    slow.write_all(b"GET /peer HTTP/1.1\r\nHost: ba").await.unwrap();
    assert_eq!(rest(&mut silent).await, "");
    assert!(!rest(&mut slow).await.contains("200"));
}

#[tokio::test]
async fn idle_connection_is_closed() {
    let server = Running::start(ServerOptions { header_timeout: SHORT, ..long_timeouts() }).await;
    let mut client = server.connect().await;
    let answer = exchange(&mut client, b"GET /peer HTTP/1.1\r\nHost: bank\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// What is answered to the end of the client's own address, on a connection that lives on.
async fn answered(client: &mut TcpStream, request: &[u8]) -> String {
    let own = client.local_addr().unwrap().to_string();
    client.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(own.as_bytes()) {
        assert_ne!(in_time(client.read_buf(&mut answer)).await.unwrap(), 0, "the connection ended");
    }
    String::from_utf8_lossy(&answer).into_owned()
}

const GET_MORE: &[u8] = b"GET /peer HTTP/1.1\r\nHost: bank\r\n\r\n";

#[tokio::test]
async fn busy_connection_outlives_the_head_timeout() {
    let server = Running::start(ServerOptions { header_timeout: SHORT * 5, ..long_timeouts() }).await;
    let mut client = server.connect().await;
    for _ in 0..10 {
        assert!(answered(&mut client, GET_MORE).await.starts_with("HTTP/1.1 200"));
        tokio::time::sleep(SHORT).await;
    }
}

#[tokio::test]
async fn slow_later_head_times_out() {
    let server = Running::start(ServerOptions { header_timeout: SHORT * 3, ..long_timeouts() }).await;
    let mut client = server.connect().await;
    for _ in 0..3 {
        assert!(answered(&mut client, GET_MORE).await.starts_with("HTTP/1.1 200"));
    }
    let (mut reader, mut writer) = client.into_split();
    writer.write_all(b"GET /peer HTTP/1.1\r\nHost: bank\r\nA: ").await.unwrap();
    let slow_sender = tokio::spawn(async move {
        while writer.write_all(b".").await.is_ok() {
            tokio::time::sleep(SHORT / 10).await;
        }
    });
    assert!(!rest(&mut reader).await.contains("200"));
    in_time(slow_sender).await.unwrap();
}

#[tokio::test]
async fn time_that_an_answer_takes_is_none_of_the_next_head() {
    let server = Running::start(ServerOptions { header_timeout: SHORT * 3, ..long_timeouts() }).await;
    let mut client = server.connect().await;
    client.write_all(b"GET /wait HTTP/1.1\r\nHost: bank\r\n\r\n").await.unwrap();
    in_time(server.entered.notified()).await;
    tokio::time::sleep(SHORT * 6).await;
    server.release.notify_one();
    assert!(answered(&mut client, GET_MORE).await.contains("\r\n\r\ndone"));
}

#[tokio::test]
async fn stalled_body_is_answered_with_a_timeout() {
    let server = Running::start(ServerOptions { body_timeout: SHORT, ..long_timeouts() }).await;
    let mut client = server.connect().await;
    let answer =
        exchange(&mut client, b"POST /echo HTTP/1.1\r\nHost: bank\r\nContent-Length: 9\r\n\r\nhalf").await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test]
async fn slow_body_times_out() {
    let server = Running::start(ServerOptions { body_timeout: SHORT * 3, ..long_timeouts() }).await;
    let (mut reader, mut writer) = server.connect().await.into_split();
    let head = b"POST /echo HTTP/1.1\r\nHost: bank\r\nContent-Length: 1000000\r\n\r\n";
    writer.write_all(head).await.unwrap();
    let slow_sender = tokio::spawn(async move {
        while writer.write_all(b".").await.is_ok() {
            tokio::time::sleep(SHORT / 10).await;
        }
    });
    let answer = rest(&mut reader).await;
    // A byte that comes after the close may reset the connection before the answer is read, so only the end is sure.
    assert!(!answer.contains("200"), "{answer}");
    in_time(slow_sender).await.unwrap();
}

#[tokio::test]
async fn body_in_pieces_is_read_completely() {
    let server = Running::start(long_timeouts()).await;
    let mut client = server.connect().await;
    let head = b"POST /echo HTTP/1.1\r\nHost: bank\r\nConnection: close\r\nContent-Length: 9\r\n\r\nfirst";
    client.write_all(head).await.unwrap();
    tokio::time::sleep(SHORT / 10).await;
    let answer = exchange(&mut client, b"last").await;
    assert!(answer.ends_with("firstlast"), "{answer}");
}

#[tokio::test]
async fn unread_response_times_out() {
    let server = Running::start(ServerOptions { write_timeout: SHORT, ..long_timeouts() }).await;
    let mut client = server.connect().await;
    client.write_all(b"GET /flood HTTP/1.1\r\nHost: bank\r\n\r\n").await.unwrap();
    tokio::time::sleep(SHORT * 10).await;
    // Far less than all of it is in the buffers between the two.
    assert!(rest(&mut client).await.len() < 64 << 20);
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_and_the_next_is_served() {
    let server = Running::start(ServerOptions { connections_max: 1, ..long_timeouts() }).await;
    let mut first = server.connect().await;
    first.write_all(b"GET /wait HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n").await.unwrap();
    in_time(server.entered.notified()).await;

    let mut second = server.connect().await;
    assert_eq!(exchange(&mut second, GET_PEER).await, "");

    server.release.notify_one();
    assert!(rest(&mut first).await.ends_with("done"));
    // The first one's end reaches its client a moment before its place is free.
    let served = async {
        while !exchange(&mut server.connect().await, GET_PEER).await.starts_with("HTTP/1.1 200") {
            tokio::time::sleep(SHORT / 10).await;
        }
    };
    in_time(served).await;
}

/// Runs itself again in a process of its own, whose limit of open files affects no other test.
#[test]
fn server_without_file_descriptors_recovers() {
    const CHILD: &str = "TRAPEZA_TEST_FEW_FILES";
    if std::env::var_os(CHILD).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(without_file_descriptors());
    }
    let run = Command::new("sh")
        .args(["-c", r#"ulimit -n 64 && exec "$0" --exact "$1""#])
        .arg(std::env::current_exe().unwrap())
        .arg("server::tests::limits::server_without_file_descriptors_recovers")
        .env(CHILD, "1")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && output.contains("1 passed"), "{output}");
}

async fn without_file_descriptors() {
    let server = Running::start(long_timeouts()).await;
    let mut files = Vec::new();
    let error = loop {
        match File::open("/dev/null") {
            Ok(file) => files.push(file),
            Err(error) => break error,
        }
    };
    assert_eq!(error.raw_os_error(), Some(24), "too many open files: {error}");
    // One descriptor for the client's end, so there is none for the server's.
    files.pop();
    let mut client = server.connect().await;
    client.write_all(GET_PEER).await.unwrap();
    let early = tokio::time::timeout(SHORT, client.readable()).await;
    assert!(early.is_err(), "there was a descriptor left after all");

    files.clear();
    assert!(rest(&mut client).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn head_with_bare_lf_is_refused() {
    let server = Running::start(long_timeouts()).await;
    for head in [
        &b"GET /peer HTTP/1.1\nHost: bank\r\n\r\n"[..],
        b"GET /peer HTTP/1.1\r\nHost: bank\n\r\n",
        b"GET /peer HTTP/1.1\r\nHost: bank\r\n\n",
        b"POST /echo HTTP/1.1\r\nHost: bank\r\nTransfer-Encoding: chunked\r\nA: b\n\r\n0\r\n\r\n",
    ] {
        let answer = exchange(&mut server.connect().await, head).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
    let second = [GET_MORE, b"GET /peer HTTP/1.1\nHost: bank\r\n\r\n"].concat();
    let answer = exchange(&mut server.connect().await, &second).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("HTTP/1.1 400"), "{answer}");
}

#[tokio::test]
async fn connection_ends_after_a_body_in_chunks() {
    let server = Running::start(long_timeouts()).await;
    let request =
        b"POST /echo HTTP/1.1\r\nHost: bank\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n0\r\n\r\n";
    let answer = exchange(&mut server.connect().await, request).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("a\n"), "{answer}");
}
