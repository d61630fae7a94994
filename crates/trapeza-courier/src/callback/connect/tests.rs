//! Forbidden addresses in every spelling, against listening sockets that must never get a connection.

use super::*;
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpListener;
use trapeza_app::external_url;
use url::Url;

/// Addresses of each forbidden kind, loopback first.
const FORBIDDEN: [&str; 16] = [
    "127.0.0.1",
    "127.255.0.9",
    "0.0.0.0",
    "0.0.0.9",
    "10.0.0.1",
    "10.255.255.254",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
];

const FORBIDDEN_V6: [&str; 22] = [
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::0001]",
    "[::7f00:1]",
    "[::ffff:7f00:1]",
    "[::FFFF:127.0.0.1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[febf::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[ff0e::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[100::1]",
    "[2001::7f00:1]",
    "[2001:10::1]",
    "[64:ff9b:1::1]",
];

/// Spellings of an address, some of which only certain parsers accept.
fn spellings() -> Vec<String> {
    let mut all: Vec<String> = FORBIDDEN_V6.map(str::to_owned).into();
    for text in FORBIDDEN {
        let address: Ipv4Addr = text.parse().unwrap();
        let ([a, b, c, d], number) = (address.octets(), address.to_bits());
        let tail = (u32::from(c) << 8) | u32::from(d);
        let [_, _, _, _, _, _, high, low] = address.to_ipv6_mapped().segments();
        all.extend([
            text.to_owned(),
            format!("{text}."),
            format!("{number}"),
            format!("0x{number:x}"),
            format!("0X{number:08X}"),
            format!("0{number:o}"),
            format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
            format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
            format!("{a}.{b}.{tail}"),
            format!("{a}.{}", (u32::from(b) << 16) | tail),
            text.replace('.', "%2e"),
            text.replace('.', "\u{3002}"),
            text.chars().map(|sign| sign.to_digit(10).map_or(sign, full_width)).collect(),
            format!("[::ffff:{text}]"),
            format!("[::{text}]"),
            format!("[64:ff9b::{text}]"),
            format!("[2002:{high:x}:{low:x}::1]"),
        ]);
    }
    all.extend(["localhost", "LocalHost", "localhost.", "ip6-localhost"].map(str::to_owned));
    all
}

fn full_width(digit: u32) -> char {
    char::from_u32(0xff10 + digit).unwrap()
}

fn connector(egress_policy: EgressPolicy, names: Resolver) -> EgressConnector {
    EgressConnector { egress_policy, names }
}

/// Listens on every address of this machine and counts connections.
async fn counting_listener() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = Arc::new(AtomicUsize::new(0));
    let mut listeners = vec![listener];
    // Not every machine has IPv6.
    listeners.extend(TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await);
    for listener in listeners {
        let accepted = accepted.clone();
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                accepted.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    (port, accepted)
}

#[tokio::test]
async fn forbidden_addresses_are_never_connected_to() {
    let (port, accepted) = counting_listener().await;
    let production = connector(EgressPolicy::Public, system_resolver());
    let spellings = spellings();
    let different: BTreeSet<&String> = spellings.iter().collect();
    assert!(different.len() >= 200, "{}", different.len());
    for spelling in &spellings {
        let text = format!("https://{spelling}:{port}/");
        // As a callback is judged and then called …
        if let Ok(url) = external_url::parse_callback(&text, EgressPolicy::Public) {
            let called = production.clone().connect(url.as_str().parse().unwrap()).await;
            assert!(called.is_err(), "{text} as {url}");
        }
        // … and each of the two alone: the connection must not lean on the judgement of the text,
        if let Ok(uri) = text.parse::<Uri>() {
            assert!(production.clone().connect(uri).await.is_err(), "{text}");
        }
        // nor the text's on a resolver that happens to refuse.
        let literal = Url::parse(&text).is_ok_and(|url| !matches!(url.host(), Some(url::Host::Domain(_))));
        assert!(!literal || external_url::parse_callback(&text, EgressPolicy::Public).is_err(), "{text}");
    }
    tokio::task::yield_now().await;
    assert_eq!(accepted.load(Ordering::SeqCst), 0);
    // The listener does count: a sandbox does connect.
    let sandbox = connector(EgressPolicy::PublicOrLoopback, system_resolver());
    assert!(sandbox.clone().connect(format!("http://127.0.0.1:{port}/").parse().unwrap()).await.is_ok());
    assert!(sandbox.connect(format!("http://10.0.0.1:{port}/").parse().unwrap()).await.is_err());
}

#[tokio::test]
async fn rebinding_name_is_never_connected_to() {
    let (port, accepted) = counting_listener().await;
    let asked = Arc::new(AtomicUsize::new(0));
    // An unassigned public address first, then loopback.
    let answers: [&[&str]; 5] =
        [&["2000::1"], &["127.0.0.1"], &["2000::1", "127.0.0.1"], &["::ffff:127.0.0.1", "::1"], &["0.0.0.0"]];
    let names: Resolver = {
        let asked = asked.clone();
        Arc::new(move |_, port| {
            let answer = answers[asked.fetch_add(1, Ordering::SeqCst) % answers.len()];
            let all = answer.iter().map(|text| SocketAddr::new(text.parse().unwrap(), port)).collect();
            Box::pin(async move { Ok(all) })
        })
    };
    let uri: Uri = format!("http://shop.example:{port}/").parse().unwrap();
    let production = connector(EgressPolicy::Public, names.clone());
    for _ in 0..4 * answers.len() {
        // Where the machine has a way to 2000::1, it is a long one.
        let called = timeout(Duration::from_millis(50), production.clone().connect(uri.clone())).await;
        assert!(!matches!(called, Ok(Ok(_))));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 4 * answers.len(), "resolved again for each connection");
    assert_eq!(accepted.load(Ordering::SeqCst), 0);
    // The same names do lead to the listener where that is allowed.
    asked.store(1, Ordering::SeqCst);
    assert!(connector(EgressPolicy::PublicOrLoopback, names).connect(uri).await.is_ok());
}
