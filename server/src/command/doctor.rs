//! `nanobot doctor`: looks at what can be wrong, changes nothing, and says what to do. Works beside a running server.

mod database;
mod files;
mod providers;
mod report;
mod server;

use std::path::Path;

use nanobot_runtime::config::{Config, ConfigLoad, Overrides, process_env};

use super::open::locate;
use super::{DoctorArgs, Failure};
use report::{Check, Report};

pub(super) async fn run(args: DoctorArgs) -> Result<(), Failure> {
    let home = locate(args.home);
    let home = std::path::absolute(&home).unwrap_or(home);
    let mut report = Report::new(&home);
    let config = config(&home, &mut report);
    report.extend(files::check(&home));
    report.extend(database::check(&home).await);
    match &config {
        Some(config) => {
            report.extend(providers::presets(config));
            let reach = if args.offline { providers::Reach::Nobody } else { providers::Reach::Everybody };
            report.extend(providers::check(config, reach).await);
        }
        None => report.add(Check::warn("presets", "not looked at, since the configuration cannot be read")),
    }
    report.add(server::check(&home).await);
    report.extend(absent());
    report.print(args.json);
    match (config, report.failed()) {
        (None, _) => Err(Failure::configuration("the configuration cannot be read; see the line \"config\" above")),
        (Some(_), 0) => Ok(()),
        (Some(_), failed) => Err(Failure::failed(format!("{failed} of {} checks failed", report.len()))),
    }
}

/// The settings as the next start would read them, without the last good copy.
fn config(home: &Path, report: &mut Report) -> Option<Config> {
    match ConfigLoad::of_home(home, &Overrides::default(), process_env()) {
        Ok(load) => {
            if load.warnings.is_empty() {
                let file = home.join("config.toml");
                let what = if file.exists() { "is valid" } else { "is not there; everything has its default" };
                report.add(Check::ok("config", format!("{} {what}", file.display())));
            }
            for warning in &load.warnings {
                let key = if warning.path.is_empty() { "config.toml" } else { &warning.path };
                report.add(Check::warn("config", format!("{key}: {}", warning.detail)));
            }
            Some(load.config)
        }
        Err(error) => {
            report.add(Check::fail("config", error.to_string(), "correct it; until then a server starts with the last good copy, without what is new here, or not at all"));
            None
        }
    }
}

/// Parts that other versions have. A test fails when one of them is there and still stands here.
fn absent() -> [Check; 2] {
    [
        Check::ok("sandbox", "not part of this version; no tool runs commands"),
        Check::ok("mcp", "not part of this version"),
    ]
}
