//! Choosing files by glob and by type, the same way for finding and for searching.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Which files are meant. Without any condition all are.
pub(crate) struct NameFilter {
    paths: Option<GlobSet>,
    names: Option<GlobSet>,
    kinds: Option<GlobSet>,
}

impl NameFilter {
    /// A `glob` with a slash, or that begins with `**`, is held against the path, any other against the name.
    /// A `kind` is a short name such as `py`, or any other extension.
    ///
    /// # Errors
    /// A sentence for the model when the glob cannot be understood.
    pub(crate) fn new(glob: Option<&str>, kind: Option<&str>) -> Result<Self, String> {
        let glob = glob.map(str::trim).filter(|glob| !glob.is_empty());
        let kind = kind.map(|kind| kind.trim().trim_start_matches(['.', '*'])).filter(|kind| !kind.is_empty());
        let mut filter = Self { paths: None, names: None, kinds: None };
        if let Some(glob) = glob {
            if glob.contains('/') || glob.starts_with("**") {
                filter.paths = Some(globs(&[glob.trim_start_matches("./").to_owned()])?);
            } else {
                filter.names = Some(globs(&[glob.to_owned()])?);
            }
        }
        if let Some(kind) = kind {
            filter.kinds = Some(globs(&extensions(&kind.to_lowercase()))?);
        }
        Ok(filter)
    }

    /// Is the file meant? `relative` begins at the folder of the search, `shown` at the workspace; a glob may be
    /// written either way.
    pub(crate) fn accepts(&self, relative: &Path, shown: &str) -> bool {
        let name = Path::new(relative.file_name().unwrap_or_default());
        self.paths.as_ref().is_none_or(|globs| globs.is_match(relative) || globs.is_match(shown))
            && self.names.as_ref().is_none_or(|globs| globs.is_match(name))
            && self.kinds.as_ref().is_none_or(|globs| globs.is_match(name))
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|problem| format!("the glob {pattern:?} is not valid: {}", problem.kind()))?);
    }
    set.build().map_err(|problem| format!("the glob is not valid: {}", problem.kind()))
}

fn extensions(kind: &str) -> Vec<String> {
    let extensions: &[&str] = match kind {
        "py" | "python" => &["py", "pyi"],
        "js" | "javascript" => &["js", "mjs", "cjs", "jsx"],
        "ts" | "typescript" => &["ts", "mts", "cts", "tsx"],
        "md" | "markdown" => &["md", "mdx", "markdown"],
        "rs" | "rust" => &["rs"],
        "sh" | "shell" => &["sh", "bash", "zsh"],
        "yaml" | "yml" => &["yaml", "yml"],
        "html" => &["html", "htm"],
        "css" => &["css", "scss", "sass", "less"],
        other => return vec![format!("*.{}", globset::escape(other))],
    };
    extensions.iter().map(|extension| format!("*.{extension}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(glob: Option<&str>, kind: Option<&str>, path: &str, expect: bool) {
        let filter = NameFilter::new(glob, kind).unwrap();
        assert_eq!(filter.accepts(Path::new(path), &format!("ws/{path}")), expect, "{glob:?} {kind:?} {path}");
    }

    #[test]
    fn globs_with_a_slash_meet_the_path() {
        check(Some("*.rs"), None, "src/deep/main.rs", true);
        check(Some("src/*.rs"), None, "src/main.rs", true);
        check(Some("src/*.rs"), None, "src/deep/main.rs", false);
        check(Some("**/*.rs"), None, "main.rs", true);
        check(Some("ws/src/**"), None, "src/main.rs", true);
        check(Some("./src/*"), None, "src/main.rs", true);
        check(Some("*.{rs,md}"), None, "a.md", true);
    }

    #[test]
    fn types_are_short_names_or_extensions() {
        check(None, Some("py"), "a.pyi", true);
        check(None, Some(".PY"), "a.py", true);
        check(None, Some("zig"), "a.zig", true);
        check(None, Some("*"), "anything", true);
        check(Some("a*"), Some("ts"), "b.tsx", false);
        check(None, Some("["), "a.rs", false);
        assert!(NameFilter::new(Some("[a"), None).is_err());
    }
}
