//! The client that sent a request.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ipnet::IpNet;

use crate::http::state::AppState;
use crate::pool::Client;

/// A client is identified by the name of its token, which a layer has looked up, otherwise by its address.
impl FromRequestParts<AppState> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Client, Infallible> {
        if let Some(client) = parts.extensions.get() {
            return Ok(*client);
        }
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(peer.map_or_else(Client::default, |ConnectInfo(peer)| {
            let trusted = &state.settings.trusted_proxies;
            let address = address(peer.ip(), &parts.headers, trusted);
            Client::identified_by(&network(address))
        }))
    }
}

/// The client's address: the last one in `X-Forwarded-For`, followed by `peer`, that is not a trusted
/// proxy's.
fn address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let lines = headers.get_all("x-forwarded-for").iter().rev();
    // Entries before an invalid one are not trusted.
    let mut forwarded = lines
        .flat_map(|line| line.to_str().unwrap_or_default().rsplit(','))
        .map_while(|address| forwarded_address(address.trim()));
    let mut address = peer.to_canonical();
    while trusted.iter().any(|network| network.contains(&address)) {
        match forwarded.next() {
            Some(before) => address = before.to_canonical(),
            None => break,
        }
    }
    address
}

/// An address in `X-Forwarded-For`, to which some proxies add the port.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse().or_else(|_| with_port()).ok()
}

/// The address, or for IPv6 its /64 network, which usually belongs to one client.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_proxies_are_trusted() {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "::1/128"]
            .map(|network| network.parse().unwrap())
            .into();
        let address = |peer: &str, lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(
                    "x-forwarded-for",
                    HeaderValue::from_bytes(line.as_bytes()).unwrap(),
                );
            }
            address(peer.parse().unwrap(), &headers, &trusted).to_string()
        };
        for (peer, lines, expected) in [
            ("10.1.2.3", &["192.0.2.7"][..], "192.0.2.7"),
            ("::ffff:10.1.2.3", &["192.0.2.7"], "192.0.2.7"),
            ("::1", &["192.0.2.7, 10.9.9.9"], "192.0.2.7"),
            ("10.1.2.3", &["::ffff:192.0.2.7"], "192.0.2.7"),
            ("10.1.2.3", &["192.0.2.7, ::ffff:10.9.9.9"], "192.0.2.7"),
            ("10.1.2.3", &["192.0.2.7", "10.9.9.9,10.9.9.8"], "192.0.2.7"),
            ("10.1.2.3", &["192.0.2.7:4711, 10.9.9.9:80"], "192.0.2.7"),
            ("10.1.2.3", &["[2001:db8::7]:4711"], "2001:db8::7"),
            // Entries that the client has sent itself are ignored.
            ("10.1.2.3", &["192.0.2.1, 192.0.2.7"], "192.0.2.7"),
            ("10.1.2.3", &["192.0.2.1", "192.0.2.7"], "192.0.2.7"),
            ("192.0.2.7", &["192.0.2.1"], "192.0.2.7"),
            ("10.1.2.3", &["192.0.2.7, unknown"], "10.1.2.3"),
            ("10.1.2.3", &["192.0.2.7, x, 10.9.9.9"], "10.9.9.9"),
            ("10.1.2.3", &["192.0.2.7", "192.0.2.8, \u{e9}"], "10.1.2.3"),
            ("10.1.2.3", &[], "10.1.2.3"),
            ("10.1.2.3", &["10.9.9.9"], "10.9.9.9"),
        ] {
            assert_eq!(address(peer, lines), expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn an_ipv6_client_is_a_network() {
        let network = |address: &str| network(address.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
    }
}
