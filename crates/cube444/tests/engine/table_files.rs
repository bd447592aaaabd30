//! Writing, reading, mapping and checking table files, with the table of a small graph.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use cube444::CancelFlag;
use cube444::method::{Built, Monitor, NibbleTable, build};
use cube444::table::{
    BuildError, Encoding, Identity, Mapping, Store, Table, TableError, TableProblem,
};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::table_builds::Torus;
use test_support::forged::with_header;
use test_support::robust::with_checksum;
use test_support::wait::PATIENCE;

/// The number of entries of a ring. It is odd, so that half of the last byte is unused, and large enough that some
/// distances do not fit into 4 bits.
const ENTRIES: usize = 41;

fn ring() -> Torus {
    Torus::new([1, 1, ENTRIES], [0, 0, 1])
}

fn identity() -> Identity {
    Identity {
        label: "ring".to_owned(),
        metric: "steps".to_owned(),
        fingerprint: "0123".to_owned(),
        entries: ENTRIES as u64,
        encoding: Encoding::NIBBLES,
    }
}

/// Puts the table of the ring into a store.
fn put(store: &Store) -> Table {
    let lock = store.lock(|| ()).unwrap();
    store.put(&lock, &identity(), build_ring).unwrap()
}

fn build_ring() -> Result<Built, BuildError> {
    let (distances, distribution) = build(&ring(), &Monitor::default())?;
    Ok(Built::new(Encoding::NIBBLES.pack(distances), distribution))
}

/// A directory with the table of the ring, and the path of the table.
fn ring_table() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let path = put(&store).path().to_owned();
    (directory, path)
}

#[allow(unsafe_code, reason = "mapping is to be tested")]
fn map_all() -> Mapping {
    // SAFETY: the tests change no file that they have mapped.
    unsafe { Mapping::of_files_from(0) }
}

fn assert_is_ring(table: &Arc<Table>) {
    let distances = NibbleTable::new(Arc::clone(table)).unwrap();
    for i in 0..ENTRIES {
        let distance = i.min(ENTRIES - i).min(15);
        assert_eq!(usize::from(distances.get(i)), distance, "entry {i}");
    }
    table.verify().unwrap();
    assert!(table.recount(&ring()));
}

/// Reads a table file into memory.
fn read_table(path: &Path, identity: Option<&Identity>) -> Result<Table, TableError> {
    Table::open(path, identity, Mapping::NEVER, &CancelFlag::default())
}

#[test]
fn reading_and_mapping_give_the_same_table() {
    let (directory, path) = ring_table();
    for mapping in [Mapping::NEVER, map_all()] {
        let store = Store::new(directory.path()).with_mapping(mapping);
        let table = Arc::new(store.open(&identity()).unwrap().unwrap());
        assert_is_ring(&table);
        assert_eq!(table.path(), path);
        assert_eq!(table.bytes(), fs::metadata(&path).unwrap().len());
        assert_eq!(table.header().distribution.positions.len(), 21);
        // An open table is not affected when its file is replaced.
        put(&store);
        fs::remove_file(&path).unwrap();
        assert_is_ring(&table);
        put(&store);
    }
    // One that was read does not depend on its file.
    let table = Arc::new(read_table(&path, None).unwrap());
    fs::write(&path, vec![0xaa; table.bytes() as usize]).unwrap();
    assert_is_ring(&table);
    fs::write(&path, "").unwrap();
    assert_is_ring(&table);
}

#[cfg(target_os = "linux")]
#[test]
#[allow(unsafe_code, reason = "mapping is to be tested")]
fn files_of_the_minimum_length_are_mapped() {
    let (directory, path) = ring_table();
    let path = path.canonicalize().unwrap();
    let is_mapped = |mapping| {
        let store = Store::new(directory.path()).with_mapping(mapping);
        let _table = store.open(&identity()).unwrap().unwrap();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        maps.contains(path.to_str().unwrap())
    };
    let length = fs::metadata(&path).unwrap().len();
    // SAFETY: no one else changes the file.
    let (equal, longer) = unsafe {
        (
            Mapping::of_files_from(length),
            Mapping::of_files_from(length + 1),
        )
    };
    assert!(is_mapped(equal));
    assert!(!is_mapped(longer));
    assert!(!is_mapped(Mapping::NEVER));
}

#[test]
fn a_missing_table_is_not_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let absent = directory.path().join("absent");
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    for directory in [directory.path(), &absent, &file] {
        assert!(Store::new(directory).open(&identity()).unwrap().is_none());
    }
}

/// The problem of a file that must be rejected.
fn problem(path: &Path) -> TableProblem {
    let problem = |error: TableError| {
        let message = error.to_string();
        assert!(message.contains(&path.display().to_string()), "{message}");
        // The library gives no advice about flags and commands.
        assert!(
            !message.contains("--") && !message.contains('`'),
            "{message}"
        );
        match error {
            TableError::File { problem, .. } => problem,
            other => panic!("not an error of a file: {other}"),
        }
    };
    let [read, mapped] = [Mapping::NEVER, map_all()].map(|mapping| {
        let opened = Table::open(path, Some(&identity()), mapping, &CancelFlag::default());
        let verified = opened.and_then(|table| table.verify());
        problem(verified.expect_err("a bad table was accepted"))
    });
    assert_eq!(read.to_string(), mapped.to_string());
    read
}

#[test]
fn damaged_files_are_rejected_with_their_problem() {
    let (_directory, path) = ring_table();
    let good = fs::read(&path).unwrap();
    assert_eq!(good.len(), 4096 + 21);
    let problem_of = |contents: &[u8]| {
        fs::write(&path, contents).unwrap();
        problem(&path).to_string()
    };
    let flipped = |at: usize| {
        let mut contents = good.clone();
        contents[at] ^= 1;
        contents
    };
    let foreign = [
        &b"S4"[1..],
        b"S444DISK",
        b"not a table",
        &flipped(0),
        &flipped(7),
    ];
    for contents in foreign {
        assert_eq!(problem_of(contents), TableProblem::Foreign.to_string());
    }
    let version = TableProblem::Version { found: 0 };
    assert_eq!(problem_of(&flipped(8)), version.to_string());
    let is_damaged = |contents: &[u8]| problem_of(contents) == TableProblem::Header.to_string();
    // The disk was full.
    assert!(
        [0, 1, 8, 23, 100]
            .iter()
            .all(|&length| is_damaged(&good[..length]))
    );
    assert!(
        [12, 15, 16, 23, 24, 100]
            .iter()
            .all(|&at| is_damaged(&flipped(at)))
    );
    for length in [good.len() - 1, 4096, good.len() + 1] {
        let mut contents = good.clone();
        contents.resize(length, 0);
        let (found, expected) = (length as u64, good.len() as u64);
        let problem = TableProblem::Length { found, expected };
        assert_eq!(problem_of(&contents), problem.to_string());
    }
    // Any byte of the header and of the entries; between them are zeros without meaning.
    let length = u32::from_le_bytes(good[12..16].try_into().unwrap());
    for at in (0..24 + length as usize).chain(4096..good.len()) {
        problem_of(&flipped(at));
    }
    // The first and the last byte of the entries.
    for at in [4096, 4096 + 20] {
        let of = |contents: &[u8]| format!("{:016x}", xxh3_64(&contents[4096..]));
        let (found, expected) = (of(&flipped(at)), of(&good));
        let problem = TableProblem::Checksum { found, expected };
        assert_eq!(problem_of(&flipped(at)), problem.to_string());
    }

    // Valid headers with another encoding or identity.
    let changed = |key: &str, value: Value| with_header(&good, |header| header[key] = value);
    assert!(is_damaged(&changed("entry_bits", json!("four"))));
    for (key, value) in [
        ("entry_bits", json!(8)),
        ("largest_code", json!(14)),
        ("label", json!("line")),
        ("metric", json!("jumps")),
        ("fingerprint", json!("4567")),
        ("entries", json!(u64::MAX)),
    ] {
        fs::write(&path, changed(key, value.clone())).unwrap();
        let problem = problem(&path);
        let message = problem.to_string();
        let TableProblem::Identity { found, expected } = problem else {
            panic!("a table with another {key} was accepted");
        };
        assert_eq!(*expected, identity());
        assert_eq!(json!(found)[key], value);
        // The message contains both identities.
        let (actual, wanted) = message.split_once(", instead of ").unwrap();
        assert!(
            actual.contains(value.to_string().trim_matches('"')),
            "{message}"
        );
        let requested = "ring in steps of 41 entries of 4 bits from 0 to 15, fingerprint 0123";
        assert_eq!(wanted, requested);
    }
    // An unchanged header is accepted.
    fs::write(&path, with_header(&good, |_| ())).unwrap();
    let table = read_table(&path, Some(&identity())).unwrap();
    assert_is_ring(&Arc::new(table));
}

/// A program must not divide by the number of bits, or subtract codes, before it knows that they make sense. A damaged
/// length must not make it allocate gigabytes.
#[test]
fn impossible_headers_are_rejected() {
    let (_directory, path) = ring_table();
    let good = fs::read(&path).unwrap();
    let problem = |contents: Vec<u8>| {
        fs::write(&path, contents).unwrap();
        // Accepts any identity.
        match read_table(&path, None) {
            Err(TableError::File { problem, .. }) => Some(problem),
            other => other.map(|_| None).unwrap(),
        }
    };
    for (bits, least, largest, is_possible) in [
        (4, 0, 15, true),
        (8, 0, 255, true),
        (1, 254, 255, true),
        (0, 0, 15, false),
        (3, 0, 7, false),
        (16, 0, 15, false),
        (4, 16, 15, false),
        (4, 241, 255, false),
        (8, 1, 255, false),
    ] {
        let changed = with_header(&good, |header| {
            header["entry_bits"] = json!(bits);
            header["least_code"] = json!(least);
            header["largest_code"] = json!(largest);
        });
        let is_refused = matches!(problem(changed), Some(TableProblem::Header));
        assert_eq!(is_refused, !is_possible, "{bits}, {least}, {largest}");
    }
    // With the header, these bytes are more than a number can count.
    for (bits, is_countable) in [(4, true), (8, false)] {
        let problem = problem(with_header(&good, |header| {
            header["entries"] = json!(u64::MAX);
            header["entry_bits"] = json!(bits);
        }));
        match problem.unwrap() {
            TableProblem::Length { .. } => assert!(is_countable),
            TableProblem::TooLarge { entries } => assert!(!is_countable && entries == u64::MAX),
            other => panic!("{other}"),
        }
    }
    // Headers have at most 64 kB.
    let length = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
    for (padded, is_accepted) in [(1 << 16, true), ((1 << 16) + 1, false)] {
        let mut header = good[24..24 + length].to_vec();
        header.resize(padded, b' ');
        let problem = problem(with_checksum(&header, 21));
        assert_eq!(problem.is_none(), is_accepted);
        assert!(is_accepted || matches!(problem, Some(TableProblem::Header)));
    }
}

#[test]
fn the_header_has_the_time_of_the_build_in_seconds() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let lock = store.lock(|| ()).unwrap();
    let pause = std::time::Duration::from_millis(20);
    let built = || {
        std::thread::sleep(pause);
        build_ring()
    };
    let started = std::time::Instant::now();
    let table = store.put(&lock, &identity(), built).unwrap();
    let seconds = table.header().build_seconds;
    // Rounded to milliseconds.
    let most = started.elapsed().as_secs_f64() + 0.001;
    assert!((pause.as_secs_f64()..most).contains(&seconds), "{seconds}");
}

/// Opening a pipe for reading would block until it is opened for writing.
#[test]
fn only_regular_files_are_opened() {
    let directory = tempfile::tempdir().unwrap();
    #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
    let mut others = vec![directory.path().to_owned()];
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        others.extend(["device", "pipe"].map(|name| directory.path().join(name)));
        std::os::unix::fs::symlink("/dev/zero", &others[1]).unwrap();
        mknodat(CWD, &others[2], FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
    for path in others {
        let (sender, receiver) = channel();
        std::thread::spawn(move || sender.send(problem(&path)));
        let problem = receiver.recv_timeout(PATIENCE).expect("it does not end");
        assert!(matches!(problem, TableProblem::NotAFile), "{problem}");
    }
}

#[test]
fn errors_name_a_directory_that_cannot_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a-file");
    fs::write(&file, "").unwrap();
    let error = Store::new(&file).lock(|| ()).unwrap_err();
    assert!(matches!(&error, TableError::Unwritable { directory, .. } if *directory == file));
    assert!(error.to_string().contains("a-file"), "{error}");
    assert!(!error.to_string().contains("--"), "{error}");
}

/// Another process may be writing them.
#[test]
fn unfinished_files_are_kept_until_their_lock_is_free() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let lock = store.lock(|| ()).unwrap();
    let unfinished = directory.path().join("some-obtm.table.partial");
    fs::write(&unfinished, "").unwrap();
    let (waiting, waits) = channel();
    let other = std::thread::spawn(move || {
        drop(store.lock(|| waiting.send(()).unwrap()).unwrap());
    });
    waits.recv().unwrap();
    assert!(unfinished.exists());
    drop(lock);
    other.join().unwrap();
    assert!(!unfinished.exists());
}

#[test]
fn reading_tables_can_be_cancelled() {
    let (directory, _) = ring_table();
    let cancel = CancelFlag::default();
    let store = Store::new(directory.path()).cancelled_by(&cancel);
    assert!(store.open(&identity()).unwrap().is_some());
    cancel.cancel();
    let error = store.open(&identity()).unwrap_err();
    assert!(matches!(error, TableError::Cancelled), "{error}");
}

#[test]
fn waiting_for_the_lock_can_be_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let _lock = store.lock(|| ()).unwrap();
    let (sender, ended) = channel();
    std::thread::spawn(move || {
        let cancel = CancelFlag::default();
        let locked = store.cancelled_by(&cancel).lock(|| cancel.cancel());
        sender.send(locked.map(drop)).unwrap();
    });
    let error = ended.recv_timeout(PATIENCE).unwrap().unwrap_err();
    assert!(matches!(error, TableError::Cancelled), "{error}");
}
