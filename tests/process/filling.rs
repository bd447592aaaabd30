//! The `wcif` command: its flags together, compared with the library.

use std::fs;

use cube444_competition::check::check;
use cube444_competition::{FillOptions, Replace};
use serde_json::Value;

use crate::common::program::{run_with_input, text};
use test_support::pairs;
use test_support::tables::{ensure_tables, tables_dir};
use test_support::wcif::{assert_filled, filled, half_filled};

#[derive(Default)]
struct Wanted {
    options: FillOptions,
    sets: Vec<&'static str>,
}

type Flag = (&'static str, fn(&mut Wanted));

const FLAGS: [Flag; 7] = [
    ("--only", |it| it.options.only = true),
    ("--replace=444-r1", |it| {
        it.options.replace = "444-r1".parse().unwrap()
    }),
    ("--replace", |it| it.options.replace = Replace::All),
    ("--sets=444-r2=3", |it| it.sets.push("444-r2=3")),
    ("--sets=444-r1=3,444bf-r1=2", |it| {
        it.sets.push("444-r1=3,444bf-r1=2")
    }),
    ("--extras=1", |it| it.options.extras = Some(1)),
    ("--extras=0", |it| it.options.extras = Some(0)),
];

#[test]
fn flags_of_wcif_work_together() {
    ensure_tables();
    let given = half_filled();
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("filled.json");
    let name = |index: usize| FLAGS[index].0.split('=').next().unwrap();
    // A flag may be given once.
    for [one, other] in
        pairs(FLAGS.len()).filter(|[one, other]| one == other || name(*one) != name(*other))
    {
        let mut wanted = Wanted::default();
        FLAGS[one].1(&mut wanted);
        let mut arguments = vec!["wcif", "--effort=1", "--method=reduction", FLAGS[one].0];
        if one != other {
            FLAGS[other].1(&mut wanted);
            arguments.push(FLAGS[other].0);
        }
        let what = arguments[3..].join(" ");
        let (expected, mut notes) = filled(&given, wanted.options, &wanted.sets.join(","));
        arguments.extend(["--output", output.to_str().unwrap()]);
        let _ = fs::remove_file(&output);
        let done = run_with_input(&tables_dir(), &arguments, given.to_string().as_bytes());
        let last = notes.pop().map(|sets| format!("new sets: {sets}"));
        notes.extend(last);
        let notes: String = notes
            .iter()
            .map(|note| format!("scramble444: note: {note}\n"))
            .collect();
        assert_eq!(text(&done.stderr), notes, "{what}");
        assert!(done.stdout.is_empty() && done.status.success());
        let found = fs::read_to_string(&output).unwrap();
        assert_eq!(check(found.as_bytes()).unwrap().findings, [], "{what}");
        let found: Value = found.parse().unwrap();
        assert_filled(found, expected, &what);
    }
}
