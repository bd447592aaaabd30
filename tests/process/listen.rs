//! Addresses to listen on, on a host without IPv6.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::program::program;
use crate::common::server::Server;

/// Makes a network that has loopback only, and no IPv6.
const NETWORK: &str =
    "ip link set lo up && echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && exec \"$@\"";

/// A command in a network of its own.
fn isolated(command: &Command) -> Command {
    let mut isolated = Command::new("unshare");
    isolated.args(["--map-root-user", "--net", "sh", "-c", NETWORK, "sh"]);
    isolated.arg(command.get_program()).args(command.get_args());
    isolated
}

fn listening_on(addresses: &str) -> Command {
    let mut command = program();
    command.args(["--profile", "pocket", "--method", "reduction"]);
    command.args(["--method", "reduction", "--listen", addresses]);
    isolated(&command)
}

#[test]
fn an_address_of_a_family_that_the_host_lacks_is_left_out() {
    let mut possible = isolated(&Command::new("true"));
    let possible = possible.stderr(Stdio::null()).status();
    if !possible.is_ok_and(|status| status.success()) {
        // Unlike `eprintln`, not captured.
        let why = "listen: left out for want of unshare, ip or the right to make a network";
        writeln!(std::io::stderr(), "{why}").unwrap();
        return;
    }
    for (addresses, left_out) in [
        ("127.0.0.1:0,[::1]:0", "[::1]:0"),
        ("[::1]:0,127.0.0.1:0", "[::1]:0"),
        ("127.0.0.1:0,[2001:db8::1]:0", "[2001:db8::1]:0"),
    ] {
        let server = Server::spawn(&mut listening_on(addresses));
        assert!(server.address.starts_with("127.0.0.1:"));
        server.terminate();
        let (code, log) = server.wait();
        assert_eq!(code, Some(0), "{log}");
        let warnings = log.lines().filter(|line| line.contains("WARN"));
        let warnings: Vec<&str> = warnings
            .filter(|line| line.contains(&format!("cannot listen on {left_out}")))
            .collect();
        assert_eq!(warnings.len(), 1, "{log}");
    }
    for (addresses, error) in [
        // None is left.
        ("[::1]:0", "cannot listen on [::1]:0 (--listen)"),
        // A mistake.
        (
            "127.0.0.1:0,192.0.2.1:0",
            "cannot listen on 192.0.2.1:0 (--listen)",
        ),
        // In use.
        (
            "127.0.0.1:4444,0.0.0.0:4444",
            "cannot listen on 0.0.0.0:4444 (--listen)",
        ),
    ] {
        let output = listening_on(addresses).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{addresses}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(error), "{text}");
    }
}
