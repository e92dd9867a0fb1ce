//! Where the home is, and what a person is told when it cannot be used.

use super::*;

fn dir(flag: Option<&str>, env: &[(&str, &str)]) -> PathBuf {
    home_dir(flag.map(PathBuf::from), |name| {
        env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn the_flag_wins_over_the_environment() {
    let env = [("NANOBOT_HOME", "/env"), ("HOME", "/h"), ("XDG_DATA_HOME", "/x")];
    assert_eq!(dir(Some("/flag"), &env), Path::new("/flag"));
    assert_eq!(dir(None, &env), Path::new("/env"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_platform_has_a_place_for_data() {
    assert_eq!(dir(None, &[("HOME", "/h"), ("XDG_DATA_HOME", "/x")]), Path::new("/x/nanobot"));
    assert_eq!(dir(None, &[("HOME", "/h"), ("XDG_DATA_HOME", "relative")]), Path::new("/h/.local/share/nanobot"));
    assert_eq!(dir(None, &[("HOME", "/h"), ("NANOBOT_HOME", "")]), Path::new("/h/.local/share/nanobot"));
}

#[test]
fn a_new_home_has_its_folders() {
    let parent = tempfile::tempdir().unwrap();
    let home = Home::prepare(&parent.path().join("a/b")).unwrap();
    for folder in [home.workspace(), home.skills(), home.media(), home.logs(), home.backups()] {
        assert!(folder.is_dir());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(home.path()), mode(&home.logs()), mode(&home.path().join(LOCK_NAME))), (0o700, 0o700, 0o600));
    }
    let mut names: Vec<_> =
        fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["backups", "logs", "media", "nanobot.lock", "skills", "workspace"]);
}

#[test]
fn one_home_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(Home::read_address(path), None);
    let home = Home::prepare(path).unwrap();
    assert_eq!(Home::read_address(path), None);
    home.note_address("http://127.0.0.1:8765").unwrap();
    home.note_address("http://127.0.0.1:1").unwrap();
    assert_eq!(Home::read_address(path).as_deref(), Some("http://127.0.0.1:1"));
    let error = Home::prepare(path).unwrap_err();
    let place = format!("{} (process {}, at http://127.0.0.1:1)", path.display(), std::process::id());
    assert_eq!(
        error.to_string(),
        format!("another nanobot server uses {place}; stop it or choose another home with --home DIR")
    );
    drop(home);
    // What a server that is gone wrote is not believed.
    assert_eq!(Home::read_address(path), None);
    assert!(Home::prepare(path).is_ok());
}

#[test]
fn a_file_in_the_way_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("home")] {
        let error = Home::prepare(&path).unwrap_err();
        let expected =
            format!("{} is not a folder; move it away or choose another home with --home DIR", file.display());
        assert_eq!(error.to_string(), expected);
    }
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("logs"), "").unwrap();
    assert!(
        matches!(Home::prepare(&home).unwrap_err(), HomeError::NotADirectory { path } if path == home.join("logs"))
    );
}

#[cfg(unix)]
#[test]
fn who_may_not_write_is_told_what_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("o'brien");
    let shown = path.display();
    let quoted = format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let missing = not_writable(path.clone(), Some(1000)).to_string();
    assert_eq!(
        missing,
        format!("{shown} cannot be created by this user; run: sudo mkdir -p {quoted} && sudo chown 1000 {quoted}")
    );
    fs::create_dir(&path).unwrap();
    let own = uid_of(&path).unwrap();
    let start = format!("{shown} cannot be written by this user (it belongs to user {own}); run:");
    assert_eq!(not_writable(path.clone(), Some(own)).to_string(), format!("{start} chmod u+rwx {quoted}"));
    assert_eq!(
        not_writable(path.clone(), Some(own + 1)).to_string(),
        format!("{start} sudo chown {} {quoted}", own + 1)
    );
    fs::write(path.join("config.toml"), "").unwrap();
    assert_eq!(not_writable(path.clone(), None).to_string(), format!("{start} sudo chown -R \"$(id -u)\" {quoted}"));
}

#[test]
fn other_errors_are_told_apart() {
    let read_only = home_error(Path::new("/"), io::ErrorKind::ReadOnlyFilesystem.into()).to_string();
    let advice = "mount it writable (for Docker: without `:ro`) or choose another home with --home DIR";
    assert_eq!(read_only, format!("/ is on a read-only file system; {advice}"));
    assert!(matches!(
        home_error(Path::new("/"), io::ErrorKind::PermissionDenied.into()),
        HomeError::NotWritable { .. }
    ));
    assert!(matches!(home_error(Path::new("/"), io::ErrorKind::StorageFull.into()), HomeError::Io { .. }));
}
