//! The portable code and the vector instructions give the same solutions.

use cube444::Method;
use serde_json::Value;

use crate::common::program::{program, run_command};
use test_support::tables::{solver_of, tables_dir};

/// The report of `bench` for fixed states, without the times.
fn report(method: Method, portable: bool) -> Value {
    let mut command = program();
    command.args(["bench", "--json", "--count", "12", "--effort", "2"]);
    command.args(["--profile", "compact", "--method", method.name()]);
    command.arg("--tables-dir").arg(tables_dir());
    if portable {
        command.env("SCRAMBLE444_PORTABLE", "1");
    }
    let output = run_command(&mut command, b"");
    assert!(output.status.success());
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in ["cpu_ms", "per_second"] {
        assert!(report.as_object_mut().unwrap().remove(key).is_some());
    }
    report
}

#[test]
fn portable_code_and_vector_instructions_find_the_same_solutions() {
    for method in [Method::FIVE_STAGE, Method::REDUCTION] {
        // Builds missing tables.
        drop(solver_of(method, cube444::cube::Metric::Obtm));
        let vector = report(method, false);
        assert_eq!(vector["count"], 12);
        assert_eq!(vector, report(method, true));
    }
}
