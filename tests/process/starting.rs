//! The service as a process before it is ready: its flags and variables, and the order of its tables.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::healthcheck::check;
use crate::common::program::{program, tables_without, words};
use crate::common::server::{Server, free_address, try_exchange};
use test_support::wait::wait_until;

/// A service that waits for its tables until the lock is dropped.
fn locked(tables: &TempDir) -> File {
    let lock = File::create(tables.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    lock
}

#[test]
fn flags_and_variables_reach_the_service_and_flags_take_precedence() {
    const OTHER: &str = "4 6 8 10 reduction https://c.example full";
    let wanted = [
        // White space around values does not matter.
        ("effort", " 2"),
        ("max-effort", "5 "),
        ("max-stream", "4\n"),
        ("max-connections", "9"),
        ("method", "five-stage , five-stage"),
        ("cors-origin", "https://a.example, https://b.example "),
        ("profile", " compact"),
    ];
    // As variables, as flags, and as flags beside other variables.
    for (has_flags, has_variables) in [(false, true), (true, false), (true, true)] {
        let tables = tempfile::tempdir().unwrap();
        let _lock = locked(&tables);
        let mut command = program();
        command.args(["--listen", "127.0.0.1:0"]);
        command.env("SCRAMBLE444_TABLES_DIR", tables.path());
        for ((flag, value), other) in wanted.into_iter().zip(words(OTHER)) {
            if has_flags {
                command.arg(format!("--{flag}={value}"));
            }
            if has_variables {
                let variable = flag.replace('-', "_").to_uppercase();
                let value = if has_flags { other } else { value };
                command.env(format!("SCRAMBLE444_{variable}"), value);
            }
        }
        let server = Server::spawn(&mut command);
        for (path, detail) in [
            (
                "/v1/scrambles?effort=6",
                "effort must be a whole number from 1 to 5",
            ),
            (
                "/v1/scrambles?method=reduction",
                "method must be five-stage",
            ),
            (
                "/api/v0/scramble/444?numScrambles=5",
                "numScrambles must be a whole number from 0 to 4",
            ),
        ] {
            assert_eq!(server.get(path).1["detail"], detail);
        }
        let request = |head: &str| {
            let request = format!("{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            server.exchange(&request)
        };
        let page = request("GET / HTTP/1.1\r\nAccept: text/html");
        assert!(
            page.contains(r#"<option value="2" selected>2</option>"#),
            "{page}"
        );
        for (origin, is_allowed) in [("a", true), ("b", true), ("c", false)] {
            let head = format!("GET /livez HTTP/1.1\r\nOrigin: https://{origin}.example");
            let allowed = request(&head).contains("access-control-allow-origin");
            assert_eq!(allowed, is_allowed, "{origin}");
        }
        assert_eq!(server.metric("scramble444_connections_capacity "), 9.0);
        let waiting = "waiting for another process that builds tables";
        let waiting = json!({"step": waiting, "done": 0.0});
        wait_until("it waits for the tables", || {
            server.get("/readyz").1["progress"] == waiting
        });
        assert_eq!(
            check(&server.address, &["--live"]),
            (Some(0), String::new())
        );
        let (code, message) = check(&server.address, &[]);
        let is_starting = message.contains("responded 503: the service is starting");
        assert!(code == Some(1) && is_starting, "{message}");
        // Without a token file, there is nothing to read.
        server.signal(Signal::HUP);
        wait_until("it is logged", || {
            server.log().contains("no token file to read")
        });
        // A service that is starting stops, too.
        server.terminate();
        let (code, log) = server.wait();
        assert!(code == Some(0) && log.contains("stopped"), "{log}");
    }
}

/// The nice values of the threads of a process, by the thread's name.
#[cfg(target_os = "linux")]
fn nice_values(process: u32) -> Vec<(String, i64)> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    // A thread may have ended.
    let stats =
        tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).ok());
    let parsed = stats.map(|stat| {
        let (before, after) = stat.rsplit_once(") ").unwrap();
        let (_, name) = before.split_once('(').unwrap();
        // The nineteenth field, of which two are before.
        let nice = after.split(' ').nth(16).unwrap().parse().unwrap();
        (name.to_owned(), nice)
    });
    parsed.collect()
}

#[test]
fn tables_of_the_default_method_are_built_first_and_with_low_priority() {
    let missing = ["reduction-axis-centers-exact", "five-stage-solved-second"];
    let tables = tables_without(&missing);
    let lock = locked(&tables);
    let methods = ["--method", "reduction,five-stage"];
    let server = Server::start(tables.path(), &methods, "info");
    server.wait_until_ready();
    #[cfg(target_os = "linux")]
    {
        let own = nice_values(std::process::id())[0].1;
        let of = |is_building: bool| {
            let mut nice = nice_values(server.child.id());
            nice.retain(|(name, _)| (name == "tables") == is_building);
            nice.into_iter().map(|(_, nice)| nice).collect::<Vec<i64>>()
        };
        wait_until("one thread builds", || of(true) == [19]);
        // The others answer requests.
        assert!(of(false).iter().all(|&nice| nice == own));
    }
    wait_until("it waits for the lock", || {
        server.log().contains("waiting for it")
    });
    let (_, ready) = server.get("/readyz");
    let preparing = json!({"step": "preparing", "done": 0.0});
    let expected = json!([
        {"name": "reduction", "status": "ready", "tables": "pocket"},
        {"name": "five-stage", "status": "starting", "progress": preparing},
    ]);
    assert_eq!(ready["methods"], expected);
    drop(lock);
    wait_until("all tables are built", || {
        let (_, ready) = server.get("/readyz");
        let compact = |method: &Value| method["tables"] == "compact";
        ready["methods"].as_array().unwrap().iter().all(compact)
    });
    server.terminate();
    let (_, log) = server.wait();
    let built: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split_once("built table ")?.1.split(' ').next())
        .collect();
    assert_eq!(built, missing, "{log}");
    // Those in memory are made once.
    assert_eq!(log.matches("tables=\"pocket\"").count(), 1, "{log}");
}

/// Hosting services say the port in `PORT`.
#[test]
fn the_service_listens_on_the_port_of_the_environment_unless_it_has_an_address() {
    let tables = tempfile::tempdir().unwrap();
    let _lock = locked(&tables);
    let [port, other] = [(); 2].map(|()| free_address().rsplit(':').next().unwrap().to_owned());
    let own = format!("127.0.0.1:{other}");
    for (listen, flag, expected) in [
        ("", None, format!("0.0.0.0:{port}")),
        (&own, None, own.clone()),
        ("", Some(&own), own.clone()),
    ] {
        let mut command = program();
        command.env("SCRAMBLE444_TABLES_DIR", tables.path());
        command.env("PORT", &port).env("SCRAMBLE444_LISTEN", listen);
        command.args(flag.map(|address| format!("--listen={address}")));
        assert_eq!(Server::spawn(&mut command).address, expected);
    }
}

/// A damaged table is set aside, and built anew.
#[test]
fn damaged_tables_are_built_anew() {
    let tables = tables_without(&[]);
    let path = tables
        .path()
        .join("reduction-axis-centers-exact-obtm.table");
    let intact = std::fs::read(&path).unwrap();
    let mut damaged = intact.clone();
    *damaged.last_mut().unwrap() ^= 1;
    // The file may be a link to one that other tests use.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, &damaged).unwrap();
    // Also if one is missing, and another damaged in another way.
    let near_goal = tables.path().join("reduction-near-goal-obtm.table");
    std::fs::remove_file(&near_goal).unwrap();
    std::fs::write(&near_goal, "").unwrap();
    std::fs::remove_file(tables.path().join("reduction-pairings-obtm.table")).unwrap();
    let server = Server::start(tables.path(), &["--method", "reduction"], "info");
    wait_until("the tables are ready", || {
        server.get("/readyz").1["tables"] == "compact"
    });
    let log = server.log();
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains(" WARN ")).collect();
    let mut found = warnings.iter().map(|warning| {
        assert!(warning.contains("was set aside"), "{log}");
        ["axis-centers", "near-goal"].map(|name| warning.contains(name))
    });
    let expected = [[true, false], [false, true]];
    assert!(found.by_ref().eq(expected), "{log}");
    assert!(
        log.contains("building table reduction-axis-centers-exact"),
        "{log}"
    );
    let aside = tables
        .path()
        .join("reduction-axis-centers-exact-obtm.table.damaged");
    assert_eq!(std::fs::read(aside).unwrap(), damaged);
    let header = |table: &[u8]| table[..8].to_owned();
    let built = std::fs::read(&path).unwrap();
    assert_eq!(
        (header(&built), built.len()),
        (header(&intact), intact.len())
    );
}

/// A service whose default method has tables in memory serves with them if its files cannot be built.
#[test]
fn a_default_method_with_tables_in_memory_goes_on_when_building_its_files_fails() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    File::create(&file).unwrap();
    // Even root cannot make a directory below a file.
    let tables = file.join("tables");
    let arguments = ["--method", "reduction", "--profile", "compact"];
    let server = Server::start(&tables, &arguments, "info");
    wait_until("building has failed", || {
        server.log().contains("cannot write tables")
    });
    let (status, response) = server.get("/v1/scrambles?effort=1");
    assert_eq!(status, 200, "{response}");
    assert_eq!(response["generator"]["tables"], "pocket");
    let (status, ready) = server.get("/readyz");
    assert_eq!((status, &ready["tables"]), (200, &json!("pocket")));
}

/// By default the service loads both methods. Another serves before the default only if the default has no tables, and
/// is not prepared again. The address of the page is logged when the default and all methods that need no building are
/// ready, so that the first request for any of them succeeds.
#[test]
fn the_page_is_announced_when_requests_for_methods_with_quick_tables_succeed() {
    const POCKET: &str = "ready method=\"reduction\" tables=\"pocket\"";
    const REDUCTION: &str = "ready method=\"reduction\" tables=\"compact\"";
    const FIVE_STAGE: &str = "ready method=\"five-stage\" tables=\"compact\"";
    const PAGE: &str = "open http";
    let [axis, solved] = ["reduction-axis-centers-exact", "five-stage-solved-second"];
    for (missing, methods, expected) in [
        (
            &[axis, solved][..],
            "five-stage,reduction",
            &[POCKET, FIVE_STAGE, PAGE, REDUCTION][..],
        ),
        (
            &[axis],
            "five-stage,reduction",
            &[FIVE_STAGE, POCKET, PAGE, REDUCTION],
        ),
        (
            &[solved],
            "five-stage,reduction",
            &[REDUCTION, FIVE_STAGE, PAGE],
        ),
        (&[], "five-stage,reduction", &[FIVE_STAGE, REDUCTION, PAGE]),
        (
            &[axis, solved],
            "reduction,five-stage",
            &[POCKET, PAGE, REDUCTION, FIVE_STAGE],
        ),
    ] {
        let tables = tables_without(missing);
        let server = Server::start(tables.path(), &["--method", methods], "info");
        let page = format!("open http://{}/", server.address);
        wait_until("the page is announced", || server.log().contains(&page));
        for uri in ["/v1/scrambles", "/v1/scrambles?method=reduction"] {
            assert_eq!(server.get(uri).0, 200, "{uri} {missing:?}");
        }
        wait_until("all tables are built", || {
            let (_, ready) = server.get("/readyz");
            let methods = ready["methods"].as_array().unwrap();
            methods.iter().all(|method| method["tables"] == "compact")
        });
        server.terminate();
        let (_, log) = server.wait();
        let events: Vec<&str> = log
            .lines()
            .filter_map(|line| line.split_once("prepare: ")?.1.split("://").next())
            .filter_map(|event| event.split(" seconds").next())
            .filter(|event| event.starts_with("ready") || event.starts_with("open"))
            .collect();
        assert_eq!(events, expected, "{log}");
    }
}

#[test]
fn the_limit_of_open_files_limits_connections() {
    // Half of few descriptors is reserved, of which eight are for connections beyond the limit; otherwise 128.
    for (files, flags, expected) in [
        (64, "", 24.0),
        (300, "", 172.0),
        (100_000, "", 256.0),
        (64, "--max-connections 24", 24.0),
        (64, "--max-connections 350", 24.0),
        (24, "--max-connections 350", 4.0),
    ] {
        let tables = tempfile::tempdir().unwrap();
        let _lock = locked(&tables);
        let mut command = std::process::Command::new("sh");
        let script =
            format!("ulimit -n {files}; exec \"$0\" --listen 127.0.0.1:0 --workers 1 {flags}");
        command.args(["-c", &script]).arg(program().get_program());
        command.env("SCRAMBLE444_TABLES_DIR", tables.path());
        let server = Server::spawn(&mut command);
        let capacity = server.metric("scramble444_connections_capacity ");
        assert_eq!(capacity, expected, "{files} {flags}");
        let is_lowered = server.log().contains("--max-connections (350) is lowered");
        assert_eq!(is_lowered, flags.ends_with("350"), "{}", server.log());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_service_without_file_descriptors_warns_once_and_goes_on_when_connections_end() {
    let tables = tempfile::tempdir().unwrap();
    let _lock = locked(&tables);
    let arguments = ["--workers", "1", "--max-connections", "99"];
    let server = Server::start(tables.path(), &arguments, "info");
    // The service reads the limit once, after it has logged its address. A lower one would lower that of connections.
    assert_eq!(server.metric("scramble444_connections_capacity "), 99.0);
    server.limit_open_files(64);
    assert_eq!(server.metric("scramble444_connections_capacity "), 99.0);
    let connect = |_| TcpStream::connect(&server.address).unwrap();
    let silent: Vec<TcpStream> = (0..80).map(connect).collect();
    let warnings = || server.log().matches("cannot accept connections").count();
    wait_until("descriptors are used up", || warnings() > 0);
    // Time for more attempts; the test passes with any.
    std::thread::sleep(Duration::from_millis(300));
    // A connection that has been accepted in between allows another warning.
    assert!(warnings() < 5, "{}", server.log());
    drop(silent);
    // As long as the service has no descriptors, a connection may be reset.
    wait_until("connections are accepted again", || {
        let response = try_exchange(&server.address, "GET /livez HTTP/1.0\r\n\r\n");
        response.is_ok_and(|response| response.contains(" 200 "))
    });
}

/// The address for metrics has 32 connections, and eight more, of which the oldest makes room for a new one.
#[test]
fn the_address_for_metrics_has_32_connections() {
    let tables = tempfile::tempdir().unwrap();
    let _lock = locked(&tables);
    let address = free_address();
    let server = Server::start(tables.path(), &["--metrics-listen", &address], "info");
    wait_until("it listens", || {
        server.log().contains("listening for /metrics")
    });
    let begin = |stream: &mut TcpStream| {
        // The rest of the head never comes.
        stream.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
    };
    let mut silent: Vec<TcpStream> = (0..41)
        .map(|_| TcpStream::connect(&address).unwrap())
        .collect();
    silent.iter_mut().for_each(begin);
    let is_closed = |stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        let read = (&*stream).read(&mut [0; 1]);
        !read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    wait_until("one is closed", || silent.iter().any(is_closed));
    let closed: Vec<usize> = (0..41).filter(|&at| is_closed(&silent[at])).collect();
    assert_eq!(closed, [32]);
    // Those of the service are others.
    assert_eq!(server.get("/livez").0, 200);
}
