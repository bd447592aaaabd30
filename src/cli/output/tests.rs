//! Tests of destinations.

use super::*;

#[test]
fn damaged_files_have_scrambles_if_a_member_says_so() {
    for (text, expected) in [
        (r#"{"name": "scrambles", "scrambles" : ["R"#, true),
        (r#"{"name": "scrambles", "other": ["R"#, false),
        (r#"{"encryptedScrambles":"#, true),
    ] {
        assert_eq!(names_scrambles(text), expected, "{text}");
    }
}

/// As on a stick, whose file system does not know how.
#[test]
fn new_files_get_names_that_are_new_on_every_file_system() {
    let directory = tempfile::tempdir().unwrap();
    let unable = |path, _| {
        let error = ErrorKind::PermissionDenied.into();
        Err(PathPersistError { error, path })
    };
    let path = directory.path().join("file");
    for (content, is_named) in [("new", true), ("other", false)] {
        let mut file = tempfile::NamedTempFile::new_in(&directory).unwrap();
        file.write_all(content.as_bytes()).unwrap();
        let named = name_new(file.into_temp_path(), &path, unable);
        assert_eq!(named.is_ok(), is_named, "{named:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }
}

/// Only this test opens files, as the list of unfinished files is for all, and the lock is kept for ever.
#[test]
fn nothing_is_written_over_a_change_or_after_the_unfinished_file_has_been_removed() {
    let directory = tempfile::tempdir().unwrap();
    let names = || fs::read_dir(&directory).unwrap().count();
    let output = OutputArgs {
        output: Some(directory.path().join("file")),
    };
    let path = directory.path().join("file");
    for (before, meanwhile, is_replaced) in [
        (None, None, true),
        (None, Some("edit"), false),
        (Some("old"), Some("old"), true),
        (Some("old"), Some("edit"), false),
        (Some("old"), Some(""), false),
        (Some("old"), None, true),
    ] {
        let set = |content: Option<&str>| match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => drop(fs::remove_file(&path)),
        };
        set(before);
        let opened = output.open(SECRET).unwrap();
        set(meanwhile);
        let result = opened.write_document(["new"]);
        assert_eq!(result.is_ok(), is_replaced, "{before:?} {meanwhile:?}");
        let error = result.err().map(|error| error.to_string());
        assert!(error.is_none_or(|error| error.contains("has changed since the command began")));
        let expected = if is_replaced {
            "new"
        } else {
            meanwhile.unwrap()
        };
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(names(), 1);
    }
    fs::remove_file(&path).unwrap();
    // A link perhaps leads to another file system, to which the file cannot be moved.
    #[cfg(unix)]
    {
        let other = tempfile::tempdir().unwrap();
        let [target, link] = ["target", "link"].map(|name| other.path().join(name));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        std::os::unix::fs::symlink(&link, &path).unwrap();
        let opened = output.open(SECRET).unwrap();
        assert_eq!(fs::read_dir(&other).unwrap().count(), 2);
        opened.write_document(["new"]).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        fs::remove_file(&path).unwrap();
    }
    // A directory in another file system, to which files cannot be moved either.
    #[cfg(target_os = "linux")]
    if let Ok(other) = tempfile::tempdir_in("/dev/shm") {
        std::os::unix::fs::symlink(other.path(), &path).unwrap();
        let file = path.join("file");
        create_all(
            std::slice::from_ref(&file),
            [Ok(b"new".to_vec())].into_iter(),
        )
        .unwrap();
        assert_eq!(fs::read_to_string(file).unwrap(), "new");
        // Each file is made in its own directory, since renaming does not cross file systems.
        let both = [path.join("set"), directory.path().join("codes")];
        create_all(&both, both.iter().map(|_| Ok(b"new".to_vec()))).unwrap();
        fs::remove_file(&both[1]).unwrap();
        fs::remove_file(&path).unwrap();
    }
    // A name that another program has taken meanwhile.
    let theirs = directory.path().join("theirs");
    let late = std::iter::once_with(|| {
        fs::write(&theirs, "theirs")?;
        Ok(b"ours".to_vec())
    });
    create_all(std::slice::from_ref(&theirs), late).unwrap_err();
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    fs::remove_file(&theirs).unwrap();
    // A name that exists when the files are complete.
    let new = directory.path().join("new").join("file");
    let twice = [new.clone(), new];
    let error = create_all(&twice, twice.iter().map(|_| Ok(b"new".to_vec()))).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "), "{error}");
    assert_eq!(names(), 0);
    let mut opened = output.open(SECRET).unwrap();
    opened.write(|out| out.write_all(b"R U")).unwrap();
    unfinished_file(directory.path(), SECRET).unwrap();
    assert_eq!(names(), 2);
    remove_unfinished();
    assert_eq!(names(), 0);
    assert!(UNFINISHED.try_lock().is_err());
    // Dropping it would wait for the lock.
    std::mem::forget(opened);
}
