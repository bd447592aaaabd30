//! Writing, reading, mapping and checking table files, with the table of a small graph.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cube444::CancelFlag;
use cube444::method::{Built, Monitor, NibbleTable, RowGraph, RowStep, build};
use cube444::table::{
    BuildError, Encoding, Identity, Mapping, Store, Table, TableError, TableProblem,
};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use test_support::forged::{forge_entry, with_header};
use test_support::wait::PATIENCE;

/// The number of entries. It is odd, so that half of the last byte is unused, and large enough that some
/// distances do not fit into 4 bits.
const ENTRIES: u16 = 41;

/// Entries in a ring with edges between neighbours. The goal is entry 0.
struct Ring {
    forwards: Vec<u16>,
    backwards: Vec<u16>,
}

impl Ring {
    fn new() -> Ring {
        let steps = |by| (0..ENTRIES).map(|i| (i + by) % ENTRIES).collect();
        Ring {
            forwards: steps(1),
            backwards: steps(ENTRIES - 1),
        }
    }
}

impl RowGraph for Ring {
    fn rows(&self) -> usize {
        1
    }
    fn row_shape(&self) -> (usize, usize) {
        (1, ENTRIES as usize)
    }
    fn costs(&self) -> &[u8] {
        &[1, 1]
    }
    fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
        let second = [&self.forwards, &self.backwards][generator];
        RowStep {
            row,
            first: &[0],
            second,
        }
    }
    fn self_images(&self, _: usize) -> Vec<RowStep<'_>> {
        Vec::new()
    }
    fn symmetries(&self) -> usize {
        1
    }
    fn goals(&self) -> Vec<usize> {
        vec![0]
    }
}

fn identity() -> Identity {
    Identity {
        label: "ring".to_owned(),
        metric: "steps".to_owned(),
        fingerprint: "0123".to_owned(),
        entries: u64::from(ENTRIES),
        encoding: Encoding::NIBBLES,
    }
}

/// Puts the table of the ring into a store.
fn put(store: &Store) -> Table {
    let lock = store.lock(|| ()).unwrap();
    store.put(&lock, &identity(), build_ring).unwrap()
}

fn build_ring() -> Result<Built, BuildError> {
    let (distances, distribution) = build(&Ring::new(), &Monitor::default())?;
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
        assert_eq!(u16::from(distances.get(i as usize)), distance, "entry {i}");
    }
    table.verify().unwrap();
    assert!(table.recount(&Ring::new()));
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
fn a_table_that_was_read_does_not_depend_on_its_file() {
    let (_directory, path) = ring_table();
    let table = Arc::new(read_table(&path, None).unwrap());
    let length = fs::metadata(&path).unwrap().len() as usize;
    fs::write(&path, vec![0xaa; length]).unwrap();
    assert_is_ring(&table);
    fs::write(&path, "").unwrap();
    assert_is_ring(&table);
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

fn problem_in(error: TableError) -> TableProblem {
    match error {
        TableError::File { problem, .. } => problem,
        other => panic!("not an error of a file: {other}"),
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
        problem_in(error)
    };
    let read = read_table(path, Some(&identity())).map_err(problem);
    let mapped =
        Table::open(path, Some(&identity()), map_all(), &CancelFlag::default()).map_err(problem);
    let [read, mapped] = [read, mapped].map(|opened| {
        let verified = opened.and_then(|table| table.verify().map_err(problem));
        verified.expect_err("a bad table was accepted")
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
        problem(&path)
    };
    let flipped = |at: usize| {
        let mut contents = good.clone();
        contents[at] ^= 1;
        contents
    };

    for foreign in [
        &b"S4"[1..],
        b"S444DISK",
        b"not a table",
        &flipped(0),
        &flipped(7),
    ] {
        assert!(matches!(problem_of(foreign), TableProblem::Foreign));
    }
    // The disk was full.
    for length in [0, 1, 8, 23] {
        assert!(
            matches!(problem_of(&good[..length]), TableProblem::Header),
            "{length}"
        );
    }
    assert!(matches!(
        problem_of(&flipped(8)),
        TableProblem::Version { found: 0 }
    ));
    for at in [12, 15, 16, 23, 24, 100] {
        assert!(
            matches!(problem_of(&flipped(at)), TableProblem::Header),
            "{at}"
        );
    }
    assert!(matches!(problem_of(&good[..100]), TableProblem::Header));

    let expected = good.len() as u64;
    let longer = [&good[..], &[0]].concat();
    for (contents, found) in [
        (&good[..good.len() - 1], expected - 1),
        (&good[..4096], 4096),
        (&longer, expected + 1),
    ] {
        let problem = problem_of(contents);
        assert!(
            matches!(problem, TableProblem::Length { found: f, expected: e } if (f, e) == (found, expected)),
            "{problem}"
        );
    }
    // Any byte of the header and of the entries; between them are zeros without meaning.
    let length = u32::from_le_bytes(good[12..16].try_into().unwrap());
    for at in (0..24 + length as usize).chain(4096..good.len()) {
        problem_of(&flipped(at));
    }
    // The first and the last byte of the entries.
    for at in [4096, 4096 + 20] {
        let TableProblem::Checksum { found, expected } = problem_of(&flipped(at)) else {
            panic!("the checksum of the entries does not cover byte {at}");
        };
        assert_eq!(found, format!("{:016x}", xxh3_64(&flipped(at)[4096..])));
        assert_eq!(expected, format!("{:016x}", xxh3_64(&good[4096..])));
    }

    // Valid headers with another encoding or identity.
    let changed = |key: &str, value: Value| with_header(&good, |header| header[key] = value);
    assert!(matches!(
        problem_of(&changed("entry_bits", json!(8))),
        TableProblem::Identity { found, expected }
            if found.encoding.entry_bits == 8 && *expected == identity()
    ));
    assert!(matches!(
        problem_of(&changed("largest_code", json!(14))),
        TableProblem::Identity { found, expected }
            if found.encoding.largest_code == 14 && *expected == identity()
    ));
    assert!(matches!(
        problem_of(&changed("entry_bits", json!("four"))),
        TableProblem::Header
    ));
    for (key, value) in [
        ("label", json!("line")),
        ("metric", json!("jumps")),
        ("fingerprint", json!("4567")),
        ("entries", json!(u64::MAX)),
    ] {
        let problem = problem_of(&changed(key, value.clone()));
        let message = problem.to_string();
        let TableProblem::Identity { found, expected } = problem else {
            panic!("a table with another {key} was accepted");
        };
        assert_eq!(*expected, identity());
        assert_eq!(json!(found)[key], value);
        // The message contains both identities.
        let requested =
            format!("ring in steps of {ENTRIES} entries of 4 bits from 0 to 15, fingerprint 0123");
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let (actual, wanted) = message.split_once(", instead of ").unwrap();
        assert!(actual.contains(&value), "{message}");
        assert_eq!(wanted, requested);
    }
    // An unchanged header is accepted.
    fs::write(&path, with_header(&good, |_| ())).unwrap();
    let table = read_table(&path, Some(&identity())).unwrap();
    assert_is_ring(&Arc::new(table));
}

#[test]
fn an_impossible_number_of_entries_is_rejected() {
    let (_directory, path) = ring_table();
    let good = fs::read(&path).unwrap();
    let huge = with_header(&good, |header| header["entries"] = json!(u64::MAX));
    fs::write(&path, huge).unwrap();
    // Accepts any identity.
    let error = read_table(&path, None).unwrap_err();
    assert!(matches!(problem_in(error), TableProblem::Length { .. }));
    // With the header, these bytes are more than a number can count.
    let larger = with_header(&good, |header| {
        header["entries"] = json!(u64::MAX);
        header["entry_bits"] = json!(8);
    });
    fs::write(&path, larger).unwrap();
    let error = read_table(&path, None).unwrap_err();
    let problem = problem_in(error);
    assert!(
        matches!(problem, TableProblem::TooLarge { entries: u64::MAX }),
        "{problem}"
    );
}

/// A program must not divide by the number of bits, or subtract codes, before it knows that they make sense.
#[test]
fn impossible_encodings_are_rejected() {
    let (_directory, path) = ring_table();
    let good = fs::read(&path).unwrap();
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
        fs::write(&path, changed).unwrap();
        let opened = read_table(&path, None).map_err(problem_in);
        let is_refused = matches!(opened, Err(TableProblem::Header));
        assert_eq!(is_refused, !is_possible, "{bits}, {least}, {largest}");
    }
}

/// A damaged length must not make the program allocate gigabytes.
#[test]
fn headers_are_at_most_64_kilobytes_long() {
    let (_directory, path) = ring_table();
    let good = fs::read(&path).unwrap();
    let length = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
    for (padded, is_accepted) in [(1 << 16, true), ((1 << 16) + 1, false)] {
        let mut header = good[24..24 + length].to_vec();
        header.resize(padded, b' ');
        let mut file = good[..8 + 4].to_vec();
        file.extend((padded as u32).to_le_bytes());
        file.extend(xxh3_64(&header).to_le_bytes());
        file.extend(header);
        file.resize(file.len().next_multiple_of(4096), 0);
        file.extend(&good[4096..]);
        fs::write(&path, file).unwrap();
        let opened = read_table(&path, Some(&identity()));
        match opened.map_err(problem_in) {
            Ok(table) => assert!(is_accepted && table.verify().is_ok()),
            Err(problem) => {
                assert!(
                    !is_accepted && matches!(problem, TableProblem::Header),
                    "{problem}"
                );
            }
        }
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

#[test]
fn a_recount_detects_wrong_entries() {
    let (_directory, path) = ring_table();
    forge_entry(&path);
    let table = read_table(&path, Some(&identity())).unwrap();
    table.verify().unwrap();
    assert!(!table.recount(&Ring::new()));
}

#[test]
fn only_regular_files_are_opened() {
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(problem(directory.path()), TableProblem::NotAFile));
    #[cfg(unix)]
    {
        let device = directory.path().join("device");
        std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
        assert!(matches!(problem(&device), TableProblem::NotAFile));
    }
}

/// Opening a pipe for reading would block until it is opened for writing.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_rejected_without_blocking() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let (sender, receiver) = channel();
    std::thread::spawn(move || sender.send(problem(&pipe)));
    let problem = receiver.recv_timeout(Duration::from_secs(60));
    assert!(matches!(
        problem.expect("still waiting after a minute"),
        TableProblem::NotAFile
    ));
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
    let (waiting, waits) = std::sync::mpsc::channel();
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
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let cancel = CancelFlag::default();
        let locked = store.cancelled_by(&cancel).lock(|| cancel.cancel());
        sender.send(locked.map(drop)).unwrap();
    });
    let error = ended.recv_timeout(PATIENCE).unwrap().unwrap_err();
    assert!(matches!(error, TableError::Cancelled), "{error}");
}
