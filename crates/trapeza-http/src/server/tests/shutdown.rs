//! The end: what runs may finish, what idles is closed, and what does not finish does not hold up the rest.

use super::*;

const GET_WAIT: &[u8] = b"GET /wait HTTP/1.1\r\nHost: bank\r\n\r\n";

#[tokio::test]
async fn shutdown_waits_for_a_running_request() {
    let server = Running::start(long_timeouts()).await;
    let mut client = server.connect().await;
    client.write_all(GET_WAIT).await.unwrap();
    in_time(server.entered.notified()).await;

    let (address, release) = (server.address, Arc::clone(&server.release));
    let stopped = tokio::spawn(server.stop());
    // The port is given back before the request ends, so a successor can take over.
    in_time(async { while TcpStream::connect(address).await.is_ok() {} }).await;
    release.notify_one();

    assert!(rest(&mut client).await.ends_with("done"));
    assert_eq!(in_time(stopped).await.unwrap(), Drained { cut_off: 0 });
}

#[tokio::test]
async fn idle_connections_do_not_hold_it_up() {
    let server = Running::start(long_timeouts()).await;
    let mut fresh = server.connect().await;
    let mut used = server.connect().await;
    used.write_all(b"GET /peer HTTP/1.1\r\nHost: bank\r\n\r\n").await.unwrap();
    let mut first = [0; 12];
    used.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");

    assert_eq!(server.stop().await, Drained { cut_off: 0 });
    assert_eq!(rest(&mut fresh).await, "");
    rest(&mut used).await;
}

#[tokio::test]
async fn shutdown_cuts_off_a_request_that_does_not_finish() {
    let server = Running::start(ServerOptions { drain_timeout: SHORT, ..long_timeouts() }).await;
    let mut client = server.connect().await;
    client.write_all(GET_WAIT).await.unwrap();
    in_time(server.entered.notified()).await;

    assert_eq!(server.stop().await, Drained { cut_off: 1 });
    assert_eq!(rest(&mut client).await, "");
}
