//! The part of an address that limits count.

use std::net::IpAddr;

/// An IPv6 /64 network counts as one address: a single customer has all of it.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) if v6.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        other => other.to_canonical(),
    }
}
