//! Which addresses of the network the bank may call. A merchant names the address, so it must never lead into the bank's
//! own network: only what is public for sure is called (TRUST I10). Names are resolved elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far a call may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgressPolicy {
    Public,
    /// Also this machine itself: for the sandbox, where developers receive callbacks beside it.
    PublicOrLoopback,
}

impl EgressPolicy {
    pub fn allows(self, address: IpAddr) -> bool {
        let loopback = self == Self::PublicOrLoopback;
        match address {
            IpAddr::V4(address) => is_public_v4(address) || (loopback && address.is_loopback()),
            IpAddr::V6(address) => is_public_v6(address) || (loopback && address.is_loopback()),
        }
    }
}

/// By IANA's register of special addresses: what is not globally reachable, or only a wrapping of something else.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        // This network; private; shared (carriers' NAT); loopback; link-local.
        [0 | 10 | 127, ..] | [100, 64..=127, ..] | [169, 254, ..] => true,
        // Private.
        [172, 16..=31, ..] | [192, 168, ..] => true,
        // Protocol assignments; documentation; the old relay of 6to4.
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [192, 88, 99, _] => true,
        // Benchmarks; multicast; reserved, and broadcast with it.
        [198, 18..=19, ..] | [224..=255, ..] => true,
        _ => false,
    };
    !special
}

/// Only global unicast (2000::/3) is public, which leaves out mapped, compatible and translated IPv4, unique local,
/// link-local, multicast, loopback and unspecified; and of it not what documents or wraps something else.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Protocol assignments (Teredo, benchmarks, ORCHID …); documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        // 6to4.
        [0x2002, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(reach: EgressPolicy, text: &str) -> bool {
        reach.allows(text.parse().unwrap())
    }

    #[test]
    fn only_public_addresses_are_called_and_this_machine_by_the_sandbox() {
        for public in [
            "8.8.8.8",
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:200::1",
            "2a00:1450::1",
            "3fff:1000::1",
        ] {
            assert!(allows(EgressPolicy::Public, public), "{public}");
        }
        for special in [
            "0.0.0.0",
            "0.1.2.3",
            "10.255.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::ffff:8.8.8.8",
            "::ffff:127.0.0.1",
            "::8.8.8.8",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:808:808::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!allows(EgressPolicy::Public, special), "{special}");
            assert!(!allows(EgressPolicy::PublicOrLoopback, special), "{special}");
        }
        for own in ["127.0.0.1", "127.255.255.254", "::1"] {
            assert!(!allows(EgressPolicy::Public, own), "{own}");
            assert!(allows(EgressPolicy::PublicOrLoopback, own), "{own}");
        }
    }
}
