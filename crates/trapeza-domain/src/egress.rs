//! Egress policy: which network addresses the server may connect to. Merchants choose their callback URLs, so a URL must
//! never reach the bank's own network (SSRF): only addresses that are known to be public are allowed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which addresses are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgressPolicy {
    Public,
    /// Also loopback: for the sandbox, where developers run their receivers on the same machine.
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

/// Excludes IANA's special-purpose IPv4 addresses.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        // This network; private; shared (carriers' NAT); loopback; link-local.
        [0 | 10 | 127, ..] | [100, 64..=127, ..] | [169, 254, ..] => true,
        // Private.
        [172, 16..=31, ..] | [192, 168, ..] => true,
        // Protocol assignments; documentation; the deprecated 6to4 relay.
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [192, 88, 99, _] => true,
        // Benchmarking; multicast; reserved, including broadcast.
        [198, 18..=19, ..] | [224..=255, ..] => true,
        _ => false,
    };
    !special
}

/// Allows global unicast (2000::/3) only, which excludes mapped, compatible and translated IPv4, unique local, link-local,
/// multicast, loopback and unspecified addresses; within it, excludes documentation and tunnelling prefixes.
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

    fn allows(egress_policy: EgressPolicy, text: &str) -> bool {
        egress_policy.allows(text.parse().unwrap())
    }

    #[test]
    fn policy_allows_public_addresses_and_loopback_only_in_the_sandbox() {
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
