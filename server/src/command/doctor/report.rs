//! What the checks found, as lines for people or as JSON for programs.

use std::path::Path;

use serde::Serialize;

use crate::routes::settings::VERSION;

/// Longest line, in characters.
const MAX_LINE_CHARS: usize = 600;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// As it should be.
    Ok,
    /// Works, and a person should look at it.
    Warn,
    /// Does not work, or is open to others.
    Fail,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One line of the report.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    /// What was looked at.
    name: &'static str,
    /// How it is.
    pub(super) status: Status,
    /// What was found.
    detail: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, detail: detail.into(), advice: None }
    }

    /// The detail says what to do.
    pub(super) fn warn(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, status: Status::Warn, detail: detail.into(), advice: None }
    }

    pub(super) fn fail(name: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, status: Status::Fail, detail: detail.into(), advice: Some(advice.into()) }
    }

    /// A failure of this status: what is no failure where it matters less.
    pub(super) fn with_status(self, status: Status) -> Self {
        Self { status, ..self }
    }

    fn line(&self) -> String {
        let advice = self.advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
        let words = format!("{:<4}  {:<9} {}{advice}", self.status.word(), self.name, self.detail);
        // Only breaks are taken out, so that the columns stay.
        let words = words.replace(['\n', '\r'], " ");
        nanobot_engine::text::ellipsis(&words, MAX_LINE_CHARS)
    }
}

/// All checks, in the order they were made.
#[derive(Serialize)]
pub(super) struct Report {
    version: &'static str,
    home: String,
    /// Nothing failed.
    ok: bool,
    checks: Vec<Check>,
}

impl Report {
    pub(super) fn new(home: &Path) -> Self {
        Self { version: VERSION, home: home.display().to_string(), ok: true, checks: Vec::new() }
    }

    pub(super) fn add(&mut self, check: Check) {
        self.ok &= check.status != Status::Fail;
        self.checks.push(check);
    }

    pub(super) fn extend(&mut self, checks: impl IntoIterator<Item = Check>) {
        for check in checks {
            self.add(check);
        }
    }

    pub(super) fn failed(&self) -> usize {
        self.checks.iter().filter(|check| check.status == Status::Fail).count()
    }

    pub(super) fn len(&self) -> usize {
        self.checks.len()
    }

    pub(super) fn print(&self, json: bool) {
        if json {
            // Strings and enums alone: this cannot fail.
            println!("{}", serde_json::to_string_pretty(self).unwrap_or_default());
            return;
        }
        println!("nanobot {} · {}", self.version, self.home);
        for check in &self.checks {
            println!("{}", check.line());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_one_line_that_says_what_to_do() {
        let check = Check::fail("disk", "3 MB are\nfree", "free some space");
        assert_eq!(check.line(), "fail  disk      3 MB are free; free some space");
        let mut report = Report::new(Path::new("/h"));
        report.extend([Check::ok("a", "x"), Check::warn("b", "y")]);
        assert_eq!((report.ok, report.failed()), (true, 0));
        report.add(check);
        assert_eq!((report.ok, report.failed(), report.len()), (false, 1, 3));
    }
}
