//! Subcommands, flags, environment variables, completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::program::{program, run_command, subcommands, tables_without, text, words};

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = program();
    command.args(arguments).envs(variables.iter().copied());
    run_command(&mut command, b"")
}

/// Asserts that the program exits with `code` and a message that contains `expected`.
fn assert_error(arguments: &[&str], variables: &[(&str, &str)], code: i32, expected: &str) {
    let output = run(arguments, variables);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    assert!(message.contains(expected), "{expected:?} not in {message}");
}

#[test]
fn serve_is_the_default_command() {
    // Each error names a flag of `serve`.
    let low = "--max-effort (1) must be at least --effort (4)";
    for line in ["--max-effort 1", "--max-effort=1", "serve --max-effort 1"] {
        assert_error(&words(line), &[("SCRAMBLE444_MAX_EFFORT", "9")], 2, low);
    }
    for arguments in [&[][..], &["serve"]] {
        assert_error(arguments, &[("SCRAMBLE444_MAX_EFFORT", "1")], 2, low);
    }
    let token = "cannot read serve (--token-file)";
    assert_error(&["--token-file", "serve"], &[], 1, token);
    // The flags of a command must follow its name.
    let misplaced = "unexpected argument 'scramble'";
    assert_error(&["--method", "reduction", "scramble"], &[], 2, misplaced);
    let help = text(&run(&["serve", "--help"], &[]).stdout);
    assert!(
        help.contains("SCRAMBLE444_MAX_EFFORT") && help.contains("[default: 127.0.0.1:4444]"),
        "{help}"
    );
    for flag in ["--help", "-h"] {
        let help = text(&run(&[flag], &[]).stdout);
        assert!(help.contains("Commands:\n  audit"), "{help}");
    }
    for flag in ["--version", "-V"] {
        let version = concat!("scramble444 ", env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!(text(&run(&[flag], &[]).stdout), version);
    }
    let similar = "similar argument exists: '--max-effort'";
    assert_error(&["--max-efort", "3"], &[], 2, similar);
}

#[test]
fn invalid_arguments_exit_with_2_and_say_what_is_allowed() {
    let numbers = "not a whole number from 1 to 1000000";
    let methods = "[possible values: five-stage, reduction]";
    let subsets = "values: centers, wings, reduced, last-layer, pll, last-eight-edges]";
    for (line, expected) in [
        ("scramble --count x", numbers),
        ("scramble --count 0", numbers),
        ("scramble --count 99999999999", numbers),
        ("--buffer 100001", "not a whole number from 0 to 100000"),
        ("scramble --effort 11", "--effort"),
        ("scramble --method thistlethwaite", methods),
        ("--method reduction,norskog", methods),
        ("bench --metric stm", "unexpected argument '--metric'"),
        ("analyze", "tip: the commands are audit, bench, check, "),
        (
            "tables check",
            "tip: the commands are build, info, verify\n",
        ),
        ("scramble --numbered --json", "cannot be used with '--json'"),
        ("scramble --event 333", "[possible values: 444, 444bf]"),
        ("scramble --event 444bf --padded", "only for event 444"),
        ("scramble --event 444bf --subset pll", "only for event 444"),
        ("scramble --padded --subset pll", "cannot be used with"),
        ("scramble --subset oll", subsets),
        ("solve", "TURNS"),
        ("verify R --state U", "cannot be used with"),
        (
            "--effort 8",
            "--max-effort (7) must be at least --effort (8)",
        ),
        ("--queue 5", "the flag was removed: requests are refused"),
        ("--methods reduction", "list all methods in --method"),
        ("--cors-origin example.org", "--cors-origin"),
        ("--cors-origin https://*", "or * for all"),
        ("picture", "TURNS"),
        (
            "picture R --output a.jpg",
            "a.jpg (--output) has an unknown",
        ),
        ("picture R --output a", "use .svg or .png, or give --format"),
        ("picture R --format gif", "[possible values: svg, png]"),
        ("picture R --scale 9", "a whole number from 1 to 8"),
        ("picture R --scale 4", "--scale is only for PNG"),
        ("picture R --scheme y,b,r,g,o,p", "for face B: \"y\" is not"),
        ("sheets --passcodes p", "--output-dir <DIR>"),
        ("sheets --passcodes p --output a.pdf", "cannot be used with"),
        ("wcif --sets 444-r1=27", "1 to 26 sets, such as 444-r1=3"),
        (
            "--listen 127.0.0.1:1,[::1]:1,127.0.0.1:1",
            "127.0.0.1:1 twice",
        ),
        ("tables build --profile pocket", "has no files"),
        ("audit init --root -", "name a file"),
        (
            "audit sets --root=- --wcif=- --auditor-salt=x",
            "--root and --wcif cannot both be standard input",
        ),
        (
            "audit check --root - -",
            "--root and FILE cannot both be standard input",
        ),
        ("bench --count 0", "from 1 to 100000000"),
        ("bench --padded --subset pll", "cannot be used"),
        ("healthcheck --timeout 0", "from 1 to 3600"),
        ("healthcheck --timeout 3601", "from 1 to 3600"),
    ] {
        assert_error(&words(line), &[], 2, expected);
    }
    for (line, expected) in [
        (
            "--token-file /nowhere",
            "cannot read /nowhere (--token-file)",
        ),
        (
            "picture R --output /no/a.png",
            "cannot write /no/a.png (--output)",
        ),
        ("solve --state UUU", "a state has 96 facelets"),
        ("verify RQ7", "turn 1 (\"RQ7\") is invalid"),
    ] {
        assert_error(&words(line), &[], 1, expected);
    }
}

/// Unit tests of the engine have the other hints.
#[test]
fn facelets_that_are_no_state_get_hints() {
    let state = ["U", "R", "F", "D", "L", "B"]
        .map(|face| face.repeat(16))
        .concat();
    let as_turns = "scramble444: error: these letters look like facelets, not turns; put spaces between turns, or give \
                    facelets as state (--state)\n";
    assert_error(&["verify", &state.replace('U', "W")], &[], 1, as_turns);
    let smaller = "a 3x3x3 has 54 facelets, a 4x4x4 has 96";
    assert_error(&["verify", "--state", &"URFDLB".repeat(9)], &[], 1, smaller);
    let repeated = "as in (R U)3, for repetitions";
    assert_error(&["verify", "(R U R' U') x3"], &[], 1, repeated);
}

#[test]
fn other_commands_ignore_the_variables_of_the_service() {
    let of_service = ("SCRAMBLE444_WORKERS", "none");
    let of_tables = ("SCRAMBLE444_METHOD", "none");
    for arguments in [&["verify", "R"][..], &["audit", "state"]] {
        let output = run(arguments, &[of_service, of_tables]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let directory = tempfile::tempdir().unwrap();
    let tables = directory.path().to_str().unwrap();
    let info = ["tables", "info", "--tables-dir", tables];
    assert_error(&info, &[of_service], 1, "is missing; build it");
    assert_error(&info, &[of_tables], 2, "'none' for 'SCRAMBLE444_METHOD'");
}

#[test]
fn errors_name_the_variable_that_has_a_wrong_value() {
    for (line, name, value) in [
        ("scramble", "EFFORT", "abc"),
        ("scramble", "EFFORT", "0"),
        ("scramble", "PROFILE", "small"),
        (
            "audit sets --root=x --auditor-salt=x --wcif=x",
            "METHOD",
            "x",
        ),
        ("serve --max-stream 5", "WORKERS", "none"),
        ("serve", "LISTEN", "localhost:80"),
        ("serve", "METHOD", "reduction,x"),
        ("serve", "LOG_FORMAT", "xml"),
        ("healthcheck", "LISTEN", "x"),
    ] {
        let variable = format!("SCRAMBLE444_{name}");
        let value_of_list = value.rsplit(',').next().unwrap();
        let expected = format!("invalid value '{value_of_list}' for '{variable}'");
        assert_error(&words(line), &[(&variable, value)], 2, &expected);
    }
    // Empty ones count as not set.
    let empty = ["METHOD", "WORKERS", "EFFORT"].map(|name| format!("SCRAMBLE444_{name}"));
    let empty = empty.each_ref().map(|name| (&**name, ""));
    assert_error(
        &["--max-effort", "1"],
        &empty,
        2,
        "--max-effort (1) must be",
    );
    // A flag takes precedence.
    let wrong = [("SCRAMBLE444_EFFORT", "abc")];
    let flag = "invalid value '11' for '--effort <LEVEL>'";
    for line in ["scramble --effort 11", "scramble --effort=11"] {
        assert_error(&words(line), &wrong, 2, flag);
    }
    let count = "invalid value '0' for '--count <N>'";
    assert_error(&["scramble", "-c", "0"], &[], 2, count);
}

#[cfg(unix)]
#[test]
fn the_service_warns_about_tokens_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let metrics = taken.local_addr().unwrap().to_string();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, "0123456789abcdef\n").unwrap();
    let name = file.path().to_str().unwrap();
    // The service exits after it has read the tokens, as the other port is in use.
    let serve = ["--listen", "127.0.0.1:0", "--metrics-listen", &metrics];
    let serve = [&serve[..], &["--token-file", name]].concat();
    for (mode, is_exposed) in [(0o600, false), (0o440, false), (0o644, true), (0o602, true)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let log = text(&run(&serve, &[]).stderr);
        let warning = format!("{name} is secret, but other users have access (mode 0{mode:o})");
        assert!(log.contains("listening"), "{log}");
        assert_eq!(log.contains(&warning), is_exposed, "{log}");
        assert!(!log.contains("0123456789abcdef"), "{log}");
    }
}

#[test]
fn the_service_warns_about_unknown_variables() {
    // The service exits immediately.
    let arguments = ["--token-file", "/nowhere"];
    let known = [
        ("SCRAMBLE444_EFFORT", "3"),
        ("SCRAMBLE444_PORT", "tcp://10.0.0.1:80"),
        ("SCRAMBLE444_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("SCRAMBLE444_SERVICE_HOST", "10.0.0.1"),
        ("SCRAMBLE444_SERVICE_PORT_HTTP", "80"),
    ];
    let log = text(&run(&arguments, &known).stderr);
    assert!(!log.contains("unknown"), "{log}");
    let misspelt = [("SCRAMBLE444_WORKER", "12345")];
    let log = text(&run(&arguments, &misspelt).stderr);
    let warning =
        "WARN scramble444::cli::serve: unknown environment variables: SCRAMBLE444_WORKER\n";
    assert!(log.contains(warning) && !log.contains("12345"), "{log}");
    let log = text(&run(&arguments, &[("SCRAMBLE444_MAX_COUNT", "50")]).stderr);
    let warning = "SCRAMBLE444_MAX_COUNT was removed: a response has at most 100 scrambles";
    assert!(log.contains(warning), "{log}");
}

#[test]
fn log_filters_are_validated_and_default_to_info() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let metrics = taken.local_addr().unwrap().to_string();
    // The service exits after it has logged its address, as the other port is in use.
    let arguments = ["--listen", "127.0.0.1:0", "--metrics-listen", &metrics];
    for (filter, is_logged) in [
        ("", true),
        ("info", true),
        ("error", false),
        // Spaces and empty directives are allowed.
        ("error, info,", true),
        (" ,", true),
        // A target alone is logged at every level.
        ("scramble444::cli", true),
        ("scramble444::http", false),
    ] {
        let log = text(&run(&arguments, &[("SCRAMBLE444_LOG", filter)]).stderr);
        assert_eq!(log.contains("listening"), is_logged, "{filter:?}: {log}");
    }
    // A misspelt level would be taken for a target.
    let misspelt = [("SCRAMBLE444_LOG", "hyper=warn,inf")];
    let level = "\"inf\" is not a level; the levels are off";
    assert_error(&arguments, &misspelt, 1, level);
    for flag in ["--listen", "--metrics-listen"] {
        let named = [flag, "localhost:4444"];
        assert_error(&named, &[], 2, "such as localhost are not looked up");
    }
    let wrong = [("SCRAMBLE444_LOG", "scramble444=loud")];
    assert_error(&arguments, &wrong, 1, "SCRAMBLE444_LOG is not a log filter");
    #[cfg(unix)]
    {
        let filter: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"info\xff");
        let mut command = program();
        command.args(arguments).env("SCRAMBLE444_LOG", filter);
        let output = run_command(&mut command, b"");
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.contains("error: SCRAMBLE444_LOG: "), "{message}");
    }
}

#[test]
fn completions_name_every_command() {
    let names = subcommands();
    for (shell, own) in [
        ("bash", "complete -F"),
        ("elvish", "set edit:completion"),
        ("fish", "complete -c scramble444"),
        ("powershell", "Register-ArgumentCompleter"),
        ("zsh", "#compdef scramble444"),
    ] {
        let output = run(&["completions", shell], &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let script = text(&output.stdout);
        for name in &names {
            assert!(script.contains(name), "{shell}: {name}");
        }
        assert!(script.contains("max-effort"), "{shell}");
        if ["bash", "fish", "zsh"].contains(&shell) {
            for value in ["reduction", "compact", "444bf", "last-eight-edges"] {
                assert!(script.contains(value), "{shell}: {value}");
            }
        }
        assert!(script.contains(own), "{shell}: {own}");
    }
    let shells = "[possible values: bash, elvish, fish";
    assert_error(&["completions", "tcsh"], &[], 2, shells);
}

#[cfg(unix)]
#[test]
fn bash_reads_its_completions() {
    use std::process::{Command, Stdio};

    let script = run(&["completions", "bash"], &[]).stdout;
    let mut bash = Command::new("bash");
    match bash
        .arg("-n")
        .stderr(Stdio::piped())
        .stdin(Stdio::piped())
        .spawn()
    {
        Ok(mut bash) => {
            use std::io::Write;
            bash.stdin.take().unwrap().write_all(&script).unwrap();
            let output = bash.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
        // Bash need not be installed.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let page = text(&run(&["man"], &[]).stdout);
    assert!(page.contains(".TH scramble444 1"), "{page}");
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("share/man1");
    let output = run(&["man", "--output-dir", pages.to_str().unwrap()], &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        fs::read_to_string(pages.join("scramble444.1")).unwrap(),
        page
    );
    for name in subcommands() {
        assert!(page.contains(&format!("scramble444\\-{name}(1)")), "{name}");
        let own = fs::read_to_string(pages.join(format!("scramble444-{name}.1"))).unwrap();
        assert!(own.contains(".SH SYNOPSIS"), "{own}");
    }
    assert!(pages.join("scramble444-tables-build.1").exists());
    assert!(!pages.join("scramble444-help.1").exists());
    let serve = fs::read_to_string(pages.join("scramble444-serve.1")).unwrap();
    for variable in ["SCRAMBLE444_WORKERS", "SCRAMBLE444_TABLES_DIR"] {
        assert!(serve.contains(variable), "{serve}");
    }

    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let directory = file.to_str().unwrap();
    let error = format!("cannot write manual pages to {directory} (--output-dir)");
    assert_error(&["man", "--output-dir", directory], &[], 1, &error);
}

#[test]
fn without_a_directory_tables_are_in_the_users_cache_unless_the_folder_tables_has_some() {
    let directory = || tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let [folder, cache] = [directory(), directory()];
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.current_dir(&folder).args(arguments);
        run_command(command.env("XDG_CACHE_HOME", cache.path()), b"")
    };
    let names = |directory: &Path| fs::read_dir(directory).unwrap().count();
    let usual = cache.path().join("scramble444");
    let usual = usual.to_str().unwrap();

    // A command uses tables in memory, and says how to get files.
    let scramble = ["scramble", "--method", "reduction", "--effort", "1"];
    let output = run(&scramble);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let advice = format!("tables build --tables-dir {usual} --method reduction --profile compact");
    // This is one line: tables in memory are not named.
    let message = text(&output.stderr);
    assert!(
        message.contains(&advice) && message.lines().count() == 1,
        "{message}"
    );
    assert_eq!([names(folder.path()), names(cache.path())], [0, 0]);

    let info = ["tables", "info", "--method", "five-stage"];
    let missing = text(&run(&info).stderr);
    assert!(
        missing.contains(&format!("{usual}/five-stage-")),
        "{missing}"
    );
    // All but one are there, so this takes no time.
    let table = "five-stage-lr-centers-first";
    let others = tables_without(&[table]);
    fs::rename(others.path(), usual).unwrap();
    let build = ["tables", "build", "--method", "five-stage"];
    let built = text(&run(&build).stdout);
    let file = format!("{usual}/{table}-obtm.table");
    assert!(built.contains(&format!("\n{file}\n")), "{built}");
    assert_eq!(names(folder.path()), 0);
    // The folder of another project, and then those of this one.
    let local = folder.path().join("tables");
    fs::create_dir(&local).unwrap();
    let is_local = || {
        let output = run(&info);
        let found = text(&output.stdout) + &text(&output.stderr);
        let is_local = found.contains("tables/five-stage-") && !found.contains(usual);
        assert_ne!(
            is_local,
            found.contains(&format!("\n{usual}/five-stage-")),
            "{found}"
        );
        is_local
    };
    assert!(!is_local());
    for name in ["users.table", ".lock", "obtm.table", "README.md"] {
        fs::write(local.join(name), "# Tables\n").unwrap();
        assert!(!is_local(), "{name}");
    }
    fs::remove_file(&file).unwrap();
    let build_again = run(&build);
    assert!(build_again.status.success() && names(&local) == 4);
    let read_me = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/README.md");
    fs::copy(read_me, local.join("README.md")).unwrap();
    assert!(is_local());
    fs::remove_file(local.join("README.md")).unwrap();
    assert!(!is_local());
    fs::write(local.join("five-stage-solved-first-obtm.table"), "").unwrap();
    assert!(is_local());
}
