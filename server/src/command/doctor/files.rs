//! The home folder: is it there, can it be written, can others read what is in it; and is there room.

use std::path::Path;

use super::report::Check;

/// Under this the next writes fail.
const FEW_BYTES: u64 = 64 * 1024 * 1024;
/// Under this it is time to make room.
const LITTLE_BYTES: u64 = 1024 * 1024 * 1024;

/// Looks at the folder and the file system that it is on.
pub(super) fn check(home: &Path) -> Vec<Check> {
    if !home.exists() {
        let detail = format!("{} is not there yet; the first start makes it", home.display());
        return vec![Check::warn("home", detail)];
    }
    if !home.is_dir() {
        let detail = format!("{} is not a folder", home.display());
        return vec![Check::fail("home", detail, "move it away or choose another home with --home DIR")];
    }
    let mut checks = permissions(home);
    checks.extend(free_bytes(home).map(room));
    checks
}

#[cfg(unix)]
fn permissions(home: &Path) -> Vec<Check> {
    use rustix::fs::{Access, access};
    use std::os::unix::fs::PermissionsExt;

    let mode = |path: &Path| std::fs::metadata(path).ok().map(|found| found.permissions().mode() & 0o777);
    let open = |path: &Path| mode(path).filter(|mode| mode & 0o077 != 0);
    let mut checks = Vec::new();
    if access(home, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let detail = format!("{} cannot be written by this user", home.display());
        checks.push(Check::fail("home", detail, format!("give it to this user, or run: chmod u+rwx {}", quoted(home))));
    }
    // Within a folder that is closed to others, a file's own mode keeps nobody out that is not out already.
    let closed = open(home).is_none();
    let open_files: Vec<_> = secrets(home).into_iter().filter_map(|file| Some((open(&file)?, file))).collect();
    for (mode, file) in &open_files {
        let fix = format!("run: chmod 600 {}", quoted(file));
        checks.push(if closed {
            let detail = format!("{} has the mode {mode:04o}, though its folder is closed; {fix}", file.display());
            Check::warn("home", detail)
        } else {
            Check::fail("home", format!("others can read {} (mode {mode:04o})", file.display()), fix)
        });
    }
    if let Some(mode) = open(home) {
        let fix = quoted(home);
        let detail = format!("others can look into {} (mode {mode:04o}); run: chmod 700 {fix}", home.display());
        checks.push(Check::warn("home", detail));
    }
    if checks.is_empty() {
        checks.push(Check::ok("home", format!("{} is for this user alone", home.display())));
    }
    checks
}

#[cfg(not(unix))]
fn permissions(home: &Path) -> Vec<Check> {
    vec![Check::ok("home", format!("{} is there; this system's permissions are not looked at", home.display()))]
}

/// Files with secrets or conversations in them.
#[cfg(unix)]
fn secrets(home: &Path) -> Vec<std::path::PathBuf> {
    let named =
        ["config.toml", "config.toml.bak", "config.toml.last-good", "nanobot.db", "nanobot.db-wal", "nanobot.db-shm"];
    let backups = std::fs::read_dir(home.join("backups")).into_iter().flatten().flatten().map(|entry| entry.path());
    named.map(|name| home.join(name)).into_iter().chain(backups).filter(|file| file.is_file()).collect()
}

/// As one word of a shell.
#[cfg(unix)]
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(unix)]
fn free_bytes(home: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(home).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

fn room(free: u64) -> Check {
    let detail = format!("{} are free", size(free));
    match free {
        0..FEW_BYTES => Check::fail("disk", detail, "free some space; until then nothing new can be kept"),
        FEW_BYTES..LITTLE_BYTES => Check::warn("disk", format!("{detail}; free some space soon")),
        _ => Check::ok("disk", detail),
    }
}

/// Bytes for people.
pub(super) fn size(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    match bytes / MIB {
        0 => format!("{} KiB", bytes.div_ceil(1024)),
        whole @ 1..10_240 => format!("{whole} MiB"),
        whole => format!("{} GiB", whole / 1024),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Status;
    use super::*;

    #[test]
    fn room_is_judged_at_its_limits() {
        for (free, status) in [
            (0, Status::Fail),
            (FEW_BYTES - 1, Status::Fail),
            (FEW_BYTES, Status::Warn),
            (LITTLE_BYTES - 1, Status::Warn),
            (LITTLE_BYTES, Status::Ok),
        ] {
            assert_eq!(room(free).status, status, "{free}");
        }
    }

    #[test]
    fn sizes_are_whole_numbers_of_a_fitting_unit() {
        for (bytes, words) in
            [(0, "0 KiB"), (1, "1 KiB"), (1 << 20, "1 MiB"), ((10 << 30) - 1, "10239 MiB"), (10 << 30, "10 GiB")]
        {
            assert_eq!(size(bytes), words);
        }
    }

    #[cfg(unix)]
    #[test]
    fn open_secrets_fail_only_where_others_can_reach_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("nanobot-doctor-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("config.toml");
        std::fs::write(&file, "").unwrap();
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        for (home, config, expected) in [
            (0o700, 0o600, vec![Status::Ok]),
            (0o700, 0o644, vec![Status::Warn]),
            (0o755, 0o600, vec![Status::Warn]),
            (0o755, 0o640, vec![Status::Fail, Status::Warn]),
            (0o711, 0o604, vec![Status::Fail, Status::Warn]),
        ] {
            mode(&folder, home);
            mode(&file, config);
            let found: Vec<_> = permissions(&folder).iter().map(|check| check.status).collect();
            assert_eq!(found, expected, "{home:o} {config:o}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
