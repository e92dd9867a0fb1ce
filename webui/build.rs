//! Compresses the text files of `static/` once, at build time, so that a running server never compresses anything.

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};

/// Files up to this size fit into one packet either way.
const SMALLEST_BYTES: usize = 1024;
const TEXT: [&str; 9] = ["css", "html", "js", "json", "map", "mjs", "svg", "txt", "webmanifest"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let files = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../static");
    let compressed = PathBuf::from(std::env::var("OUT_DIR")?).join("gzip");
    if compressed.exists() {
        fs::remove_dir_all(&compressed)?;
    }
    fs::create_dir_all(&compressed)?;
    compress_folder(&files, &compressed)
}

/// A folder is watched even while it is missing, so that the first build of the UI is noticed.
fn compress_folder(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", from.display());
    if !from.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            compress_folder(&path, &target)?;
        } else {
            println!("cargo:rerun-if-changed={}", path.display());
            compress_file(&path, &target)?;
        }
    }
    Ok(())
}

fn compress_file(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let extension = from.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if !TEXT.contains(&extension) {
        return Ok(());
    }
    let plain = fs::read(from)?;
    if plain.len() <= SMALLEST_BYTES {
        return Ok(());
    }
    // No name and no time in the header: the same input always gives the same binary.
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(&plain)?;
    let packed = encoder.finish()?;
    if packed.len() < plain.len() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(to, packed)?;
    }
    Ok(())
}
