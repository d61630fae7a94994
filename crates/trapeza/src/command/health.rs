//! `trapeza health`: whether the server of a configuration is ready, for health checks of containers, which have no other HTTP client.

use crate::cli::BankArgs;
use crate::config::Config;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long connecting and each read may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The response of `/readyz` is much shorter.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024;

pub fn run(bank: &BankArgs) -> (String, bool) {
    match bank
        .sources()
        .load()
        .map_err(|error| error.to_string())
        .and_then(|effective| ask(&effective.config))
    {
        Ok((200, body)) => (format!("{body}\n"), true),
        Ok((status, body)) => (format!("not ready ({status}): {body}\n"), false),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

/// Status and body of `/readyz` on the listener without TLS.
fn ask(config: &Config) -> Result<(u16, String), String> {
    let address = match (config.metrics.listen, &config.tls.certificate) {
        (Some(address), _) => address,
        (None, None) => config.listen,
        (None, Some(_)) => {
            return Err("metrics.listen is not set; health is read from it, without TLS".to_owned());
        }
    };
    let address = reachable(address);
    let response = get(address, "/readyz").map_err(|error| format!("{address} does not answer: {error}"))?;
    parse(&response).ok_or_else(|| format!("{address} does not answer with HTTP"))
}

/// A server that listens on all addresses is reached by loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

fn get(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.take(MAX_RESPONSE_BYTES).read_to_string(&mut response)?;
    Ok(response)
}

fn parse(response: &str) -> Option<(u16, String)> {
    let (head, body) = response.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, body.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_reads_status_and_body() {
        let response = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(parse(response), Some((503, "{}".to_owned())));
        assert_eq!(parse("SSH-2.0-OpenSSH"), None);
    }

    #[test]
    fn reachable_replaces_an_unspecified_address_by_loopback() {
        for (listen, expected) in [
            ("0.0.0.0:9464", "127.0.0.1:9464"),
            ("[::]:9464", "[::1]:9464"),
            ("192.0.2.1:9464", "192.0.2.1:9464"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()), expected.parse().unwrap());
        }
    }
}
