//! The tool `read_file`: a window of numbered lines of a text file, or of an earlier tool result.

mod near_names;
mod window;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use cap_std::fs::Metadata;
use nanobot_engine::text;
use nanobot_engine::tool::{CallStatus, Concurrency, ToolOutcome, ToolSpec};
use serde_json::{Map, Value, json};

use crate::tool::blocking::{self, Stop};
use crate::tool::decode::{Encoding, NotText, decode};
use crate::tool::resolve::{Place, PlaceKind, open_file};
use crate::tool::{Access, Tool, ToolContext, WorkspaceScope, arguments};
use near_names::near_names;
pub(crate) use window::MAX_RESULT_CHARS;
use window::{DEFAULT_LINES, Window};

/// A path with this prefix names an earlier tool result.
const RESULT_PREFIX: &str = "result:";

/// Largest file that is read at all.
pub(crate) const MAX_FILE_BYTES: u64 = 100 * 1024 * 1024;

/// Time for one read.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Reads text files.
#[derive(Clone, Debug)]
pub struct ReadFile {
    spec: ToolSpec,
}

impl Default for ReadFile {
    fn default() -> Self {
        let description = "Read a text file. Lines come numbered as `N| text`; use offset and limit to page through \
            long files. Paths are relative to the workspace. The path `result:CALL_ID` reads the full text of an \
            earlier tool result that was shortened. Folders, images and binary files cannot be read.";
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1, "description": "File to read, or result:CALL_ID"},
                "offset": {"type": ["integer", "null"], "minimum": 1, "description": "First line, from 1 (default 1)"},
                "limit": {
                    "type": ["integer", "null"],
                    "minimum": 1,
                    "description": format!("Number of lines (default {DEFAULT_LINES})")
                }
            },
            "required": ["path"],
            "additionalProperties": false
        });
        Self {
            spec: ToolSpec {
                name: "read_file".to_owned(),
                description: description.to_owned(),
                parameters,
                concurrency: Concurrency::Shared,
            },
        }
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hint(&self, arguments: &Map<String, Value>) -> String {
        let path = text::one_line(arguments::text(arguments, "path").unwrap_or_default(), 200);
        let window = Window::of(arguments);
        match (arguments.get("offset"), arguments.get("limit")) {
            (None | Some(Value::Null), None | Some(Value::Null)) => path,
            (_, None | Some(Value::Null)) => format!("{path}:{}", window.offset),
            _ => format!("{path}:{}-{}", window.offset, window.last()),
        }
    }

    async fn run(&self, context: &ToolContext, arguments: Map<String, Value>) -> ToolOutcome {
        let path = arguments::text(&arguments, "path").unwrap_or_default().to_owned();
        let window = Window::of(&arguments);
        if let Some(call_id) = path.strip_prefix(RESULT_PREFIX) {
            return match context.results.read(context.session_id, call_id.trim()).await {
                Some(stored) => match window.render(&stored, &path) {
                    Ok(text) => ToolOutcome::ok(text),
                    Err(problem) => ToolOutcome::failed(CallStatus::Error, problem),
                },
                None => ToolOutcome::failed(
                    CallStatus::Error,
                    format!("there is no stored result of a call {:?} in this session", text::ellipsis(call_id, 80)),
                ),
            };
        }
        let scope = Arc::clone(&context.scope);
        blocking::run(context, TIME_LIMIT, move |stop| read(&scope, &path, window, stop)).await
    }
}

fn read(scope: &WorkspaceScope, path: &str, window: Window, stop: &Stop) -> Result<String, String> {
    let place = scope.resolve(path, Access::Read).map_err(|error| error.to_string())?;
    let metadata = match &place.kind {
        PlaceKind::File(metadata) => metadata,
        PlaceKind::Folder => return Err(format!("{} is a folder; use list_dir to see what is in it", place.shown)),
        PlaceKind::Special => {
            return Err(format!("{} is a device, pipe or socket, which cannot be read", place.shown));
        }
        PlaceKind::Missing { rest } => return Err(missing(scope, &place, rest.is_empty())),
    };
    let bytes = bytes_of(&place, metadata, MAX_FILE_BYTES, stop)?;
    let size = size(bytes.len() as u64);
    let decoded = decode(&bytes, Path::new(&place.name)).map_err(|reason| match reason {
        NotText::Image(kind) => {
            format!("{} is an image ({kind}, {size}); images cannot be read yet", place.shown)
        }
        NotText::Known(kind) => format!("{} is a binary file: {kind} ({size}); only text can be read", place.shown),
        NotText::Binary => format!(
            "{} is a binary file or text in an unknown encoding ({size}); only UTF-8 and UTF-16 can be read",
            place.shown
        ),
    })?;
    if bytes.is_empty() {
        return Ok(format!("(Empty file: {})", place.shown));
    }
    let mut text = window.render(&decoded.text, &place.shown)?;
    match decoded.encoding {
        Encoding::Utf8 => {}
        Encoding::Utf16 => text.push_str("\n(the file is UTF-16)"),
        Encoding::Latin1 => text.push_str("\n(the file is not UTF-8; it was read as Latin-1 and may look wrong)"),
    }
    Ok(text)
}

/// All bytes of a file that was found at `place`, refused beyond `max_bytes` before anything is read.
pub(crate) fn bytes_of(place: &Place, metadata: &Metadata, max_bytes: u64, stop: &Stop) -> Result<Vec<u8>, String> {
    let shown = &place.shown;
    let failed = |error: std::io::Error| format!("failed to read {shown}: {error}");
    if metadata.len() > max_bytes {
        return Err(format!(
            "{shown} is too large to read ({}; the limit is {})",
            size(metadata.len()),
            size(max_bytes)
        ));
    }
    let file = open_file(&place.directory, &place.name, metadata).map_err(failed)?;
    read_all(file, max_bytes, stop).map_err(failed)
}

/// Reads to the end in pieces, so that a stop is noticed and a growing file stays bounded.
pub(crate) fn read_all(mut file: impl Read, max_bytes: u64, stop: &Stop) -> std::io::Result<Vec<u8>> {
    const PIECE_BYTES: u64 = 1024 * 1024;
    let mut bytes = Vec::new();
    loop {
        if stop.reason().is_some() {
            return Err(std::io::Error::other("stopped before it was done"));
        }
        let read = file.by_ref().take(PIECE_BYTES).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max_bytes {
            return Err(std::io::Error::other("it grew beyond the limit while it was read"));
        }
        if (read as u64) < PIECE_BYTES {
            return Ok(bytes);
        }
    }
}

fn missing(scope: &WorkspaceScope, place: &Place, only_the_file: bool) -> String {
    if !only_the_file {
        return format!("there is no file {}: its folder does not exist", place.shown);
    }
    let near = near_names(scope, place);
    if near.is_empty() {
        format!("there is no file {}", place.shown)
    } else {
        format!("there is no file {}. Similar names: {}", place.shown, near.join(", "))
    }
}

/// A size for people and models.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = "KB";
    for larger in UNITS.iter().skip(1) {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests;
