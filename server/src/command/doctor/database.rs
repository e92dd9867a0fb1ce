//! The database and the audit log in it, only looked at.

use std::path::Path;

use nanobot_store::{AuditReport, Inspection};

use super::files::size;
use super::report::Check;

/// Looks at the database of a home.
pub(super) async fn check(home: &Path) -> Vec<Check> {
    let file = home.join("nanobot.db");
    let Ok(found) = std::fs::metadata(&file) else {
        return vec![Check::warn("database", format!("{} is not there yet; the first start makes it", file.display()))];
    };
    let mut look = match Inspection::open(&file).await {
        Ok(look) => look,
        Err(error) => {
            let advice = format!("look at {}", file.display());
            return vec![Check::fail("database", error.to_string(), advice)];
        }
    };
    let mut checks = vec![sound(&mut look, found.len()).await];
    checks.extend(audit(&mut look).await);
    look.close().await;
    checks
}

async fn sound(look: &mut Inspection, bytes: u64) -> Check {
    let problems = match look.quick_check().await {
        Ok(problems) => problems,
        Err(error) => vec![error.to_string()],
    };
    if let Some(problem) = problems.first() {
        let advice =
            "stop nanobot, keep a copy of the file, and put the newest backup from the folder \"backups\" in its place";
        return Check::fail("database", format!("the file is damaged: {problem}"), advice);
    }
    let (version, newest) = (look.version(), Inspection::newest_version());
    let detail = format!("sound, {}, version {version}", size(bytes));
    if version < newest {
        return Check::warn("database", format!("{detail}; the next start brings it to {newest} and keeps a backup"));
    }
    Check::ok("database", detail)
}

async fn audit(look: &mut Inspection) -> Option<Check> {
    let checked = match look.verify_audit().await {
        Ok(report) => report.map(judge),
        Err(error) => Some(Check::fail("audit", error.to_string(), "look at the line \"database\"")),
    };
    // An older file has no log; the line of the database says that it is older.
    checked
}

fn judge(report: AuditReport) -> Check {
    match report.first_fault {
        None => {
            let head: String = report.head_hash.chars().take(16).collect();
            Check::ok(
                "audit",
                format!("the chain of {} rows is whole, its newest hash begins with {head}", report.rows),
            )
        }
        Some(fault) => {
            let detail = format!("the log is not as it was written, at row {}: {}", fault.n, fault.what);
            let advice = "somebody wrote into the file past nanobot; find out who could, and keep a copy as proof";
            Check::fail("audit", detail, advice)
        }
    }
}
