//! The client that sent a request.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use cube444::Effort;
use ipnet::IpNet;

use crate::http::describe::{Describe, Detail};
use crate::http::elapsed::Began;
use crate::http::line::{Client, Job};
use crate::http::problem::{ApiError, FOREIGN_HOST, FOREIGN_SITE, Result};
use crate::http::state::{AppState, Unavailable};
use crate::settings::Settings;

/// The client of a request that makes work, and the state of the service.
pub(crate) struct Caller {
    pub(crate) state: AppState,
    pub(crate) client: Client,
    began: Began,
    /// Whether the client only wants the head of the response.
    pub(crate) is_head: bool,
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Caller> {
        Ok(Caller {
            state: state.clone(),
            client: client(parts, state)?,
            began: Began::of(&mut parts.extensions),
            is_head: parts.method == Method::HEAD,
        })
    }
}

impl Describe for Caller {
    fn details() -> Vec<Detail> {
        [FOREIGN_SITE, FOREIGN_HOST].map(Detail::Error).into()
    }
}

impl Caller {
    /// Options of jobs for the named method, or the default.
    pub(crate) async fn options(
        &self,
        method: Option<&str>,
        effort: Effort,
    ) -> Result<Job, Unavailable> {
        let engine = self.state.engines.get(method).await?;
        let mut job = Job::new(self.client, engine, effort);
        job.began = self.began.at().into();
        Ok(job)
    }
}

/// A client is identified by the name of its token, which a layer has looked up, otherwise by its address.
///
/// Without tokens, web pages of other sites must not make work for a service on their visitor's machine. A loopback
/// address shows that, but not behind the network of a container, where the allowed hosts of the settings apply to all.
fn client(parts: &Parts, state: &AppState) -> Result<Client> {
    if let Some(client) = parts.extensions.get() {
        return Ok(*client);
    }
    let Some(ConnectInfo(peer)) = parts.extensions.get::<ConnectInfo<SocketAddr>>() else {
        return Ok(Client::default());
    };
    let (peer, settings) = (peer.ip().to_canonical(), &state.settings);
    let is_open = state.tokens.borrow().is_none();
    let is_own = peer.is_loopback() && !is_trusted(peer, &settings.trusted_proxies);
    if is_open && (is_own || !settings.allowed_hosts.is_empty()) {
        require_own_site(&parts.headers, settings)?;
    }
    let address = address(peer, &parts.headers, &settings.trusted_proxies);
    Ok(Client::identified_by(&network(address)))
}

/// Stands for all origins.
pub(crate) const ANY_ORIGIN: &str = "*";

/// The relation of a web page to the service, as the browser sees it.
pub(crate) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses requests that a browser sent for a page of another site, unless its origin is allowed. Such a page may have given
/// its own name the address of this machine.
fn require_own_site(headers: &HeaderMap, settings: &Settings) -> Result<()> {
    let (allowed, hosts) = (&settings.cors_origins, &settings.allowed_hosts);
    let text = |name| headers.get(name)?.to_str().ok();
    let (authority, origin) = (text(header::HOST).unwrap_or_default(), text(header::ORIGIN));
    let (any, host) = (allowed.iter().any(|it| it == ANY_ORIGIN), host(authority));
    let is_host_of = |it: &HeaderValue| it.to_str().is_ok_and(|it| self::host(it) == host);
    if !any && !is_local(&host) && !hosts.contains(&host) && !allowed.iter().any(is_host_of) {
        return Err(ApiError::ForeignHost);
    }
    let is_own = match (text(SEC_FETCH_SITE), origin) {
        (Some(site), _) => ["same-origin", "none"].contains(&site),
        // An old browser.
        (None, Some(origin)) => origin.split("://").nth(1) == Some(authority),
        (None, None) => true,
    };
    let is_allowed = |origin| allowed.iter().any(|it| it == origin);
    let is_fine = any || is_own || origin.is_some_and(is_allowed);
    is_fine.then_some(()).ok_or(ApiError::ForeignSite)
}

/// The host of an origin or of a `Host` header, in lower case.
fn host(text: &str) -> String {
    let authority = text.rsplit("://").next().unwrap_or_default();
    let authority = authority.parse::<Authority>();
    let host = authority.map_or_else(|_| String::new(), |it| it.host().to_ascii_lowercase());
    host.trim_end_matches('.').to_owned()
}

/// The ends of names that the internet does not have: of this machine, and of networks at home and of containers.
const LOCAL: [&str; 4] = [".localhost", ".local", ".internal", ".home.arpa"];

/// Whether a host is an address, or a name that no page of the internet can have.
fn is_local(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    !host.contains('.') || address.is_ok() || LOCAL.iter().any(|end| host.ends_with(end))
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
    while is_trusted(address, trusted) {
        match forwarded.next() {
            Some(before) => address = before.to_canonical(),
            None => break,
        }
    }
    address
}

fn is_trusted(address: IpAddr, proxies: &[IpNet]) -> bool {
    proxies.iter().any(|network| network.contains(&address))
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
