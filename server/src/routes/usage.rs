//! Usage: what was asked of models and what it cost, by day, session or preset.

use axum::extract::State;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use nanobot_store::{UsageBy, UsageGroup, UsageKey, UsageSums};
use serde::{Deserialize, Serialize};

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::{Json, Params};

/// Days that are summed when nobody says which.
const USUAL_DAYS: i32 = 30;
const MOST_DAYS: i32 = 400;
/// Most sessions or presets in an answer.
const MOST_ITEMS: u32 = 500;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageParams {
    /// `day` (when absent), `session` or `preset`.
    by: Option<String>,
    /// First day, `YYYY-MM-DD` in the zone of `agent.timezone`; 29 days before `until` when absent.
    since: Option<String>,
    /// Last day, which is part of it; today when absent. At most 400 days.
    until: Option<String>,
}

#[derive(Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grouping {
    Day,
    Session,
    Preset,
}

impl From<Grouping> for UsageBy {
    fn from(by: Grouping) -> Self {
        match by {
            Grouping::Day => Self::Day,
            Grouping::Session => Self::Session,
            Grouping::Preset => Self::Preset,
        }
    }
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct UsageAnswer {
    by: Grouping,
    /// First day.
    since: String,
    /// Last day.
    until: String,
    /// The zone that days are of.
    timezone: String,
    /// Days with requests in time, or the 500 sessions or presets with the most tokens.
    items: Vec<UsageItem>,
    /// Over all requests of these days.
    total: UsageTotals,
    /// Always null: there is one page.
    next_cursor: Option<String>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct UsageItem {
    /// The day, the session's id, or the preset's name.
    key: String,
    /// The day, the session's title (empty when it has none or is deleted), or `provider/model` of the preset's newest request.
    label: String,
    #[serde(flatten)]
    sums: UsageTotals,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct UsageTotals {
    /// Attempts, failed ones included.
    requests: u64,
    /// Attempts that failed.
    failed_requests: u64,
    /// Tokens sent, cached ones included.
    input_tokens: u64,
    /// The part of `input_tokens` that providers read from their caches.
    cached_tokens: u64,
    /// Tokens produced.
    output_tokens: u64,
    /// Price of the requests that have one; null when none has.
    cost_usd: Option<f64>,
    /// Requests that used tokens and have no price.
    unpriced_requests: u64,
    /// Requests whose tokens are an estimate.
    estimated_requests: u64,
}

/// Sums requests to models.
#[utoipa::path(get, path = "/usage", tag = "usage", params(UsageParams),
    responses((status = 200, body = UsageAnswer), (status = 422, body = ApiError)))]
pub(crate) async fn usage(
    State(app): State<AppState>,
    Params(params): Params<UsageParams>,
) -> Result<Json<UsageAnswer>, ApiError> {
    let by = grouping(params.by.as_deref())?;
    let (zone, timezone) = zone(&app.runtime.config().current().agent.timezone);
    let today = Timestamp::from_millisecond(app.runtime.now()).unwrap_or_default().to_zoned(zone.clone()).date();
    let days = Days::parse(params.since.as_deref(), params.until.as_deref(), today)?;
    let boundaries = days.boundaries(&zone).map_err(|_| out_of_range("until"))?;
    let report = app.runtime.store().usage(by.into(), &boundaries, MOST_ITEMS).await?;
    Ok(Json(UsageAnswer {
        by,
        since: days.first.to_string(),
        until: days.last.to_string(),
        timezone,
        items: report.groups.into_iter().map(|group| item(&days, group)).collect(),
        total: report.total.into(),
        next_cursor: None,
    }))
}

fn grouping(by: Option<&str>) -> Result<Grouping, ApiError> {
    match by {
        None | Some("day") => Ok(Grouping::Day),
        Some("session") => Ok(Grouping::Session),
        Some("preset") => Ok(Grouping::Preset),
        Some(other) => {
            let detail = format!("there is no grouping {other:?}; use day, session or preset");
            Err(ApiError::invalid("by", detail))
        }
    }
}

/// A zone and its name. An unknown one is UTC, as in the time that a model is told.
fn zone(name: &str) -> (TimeZone, String) {
    match TimeZone::get(name) {
        Ok(zone) => (zone, name.to_owned()),
        Err(_) => (TimeZone::UTC, "UTC".to_owned()),
    }
}

/// Days without a gap, both ends included.
#[derive(Debug, PartialEq)]
struct Days {
    first: Date,
    last: Date,
    count: i32,
}

impl Days {
    fn parse(since: Option<&str>, until: Option<&str>, today: Date) -> Result<Self, ApiError> {
        let last = until.map_or(Ok(today), |text| parse_date("until", text))?;
        let first = match since {
            Some(text) => parse_date("since", text)?,
            None => last.checked_sub((USUAL_DAYS - 1).days()).map_err(|_| out_of_range("until"))?,
        };
        if first > last {
            let detail = format!("since ({first}) is after until ({last}); give the earlier day first");
            return Err(ApiError::invalid("since", detail));
        }
        let count = first.until(last).map_err(|_| out_of_range("since"))?.get_days() + 1;
        if count > MOST_DAYS {
            let detail = format!("{first} to {last} are {count} days; ask for at most {MOST_DAYS}");
            return Err(ApiError::invalid("since", detail));
        }
        Ok(Self { first, last, count })
    }

    /// Where each day begins and the last one ends, in UTC milliseconds. Where clocks skip midnight, a day begins at its
    /// first instant; a day that a zone skipped is empty.
    fn boundaries(&self, zone: &TimeZone) -> Result<Vec<i64>, jiff::Error> {
        (0..=self.count)
            .map(|day| Ok(self.first.checked_add(day.days())?.to_zoned(zone.clone())?.timestamp().as_millisecond()))
            .collect()
    }

    /// The day at this place, from 0.
    fn name(&self, place: usize) -> String {
        let day = i32::try_from(place).ok().filter(|day| *day < self.count);
        day.and_then(|day| self.first.checked_add(day.days()).ok()).unwrap_or(self.last).to_string()
    }
}

fn parse_date(path: &'static str, text: &str) -> Result<Date, ApiError> {
    // jiff reads other forms too; one form is enough for one day.
    let date = text.parse::<Date>().ok().filter(|date| date.to_string() == text);
    date.ok_or_else(|| ApiError::invalid(path, format!("{text:?} is no day; write it as 2026-11-30")))
}

fn out_of_range(path: &'static str) -> ApiError {
    ApiError::invalid(path, "this day is too far away; choose a nearer one")
}

fn item(days: &Days, group: UsageGroup) -> UsageItem {
    let (key, label) = match group.key {
        UsageKey::Day(place) => (days.name(place), days.name(place)),
        UsageKey::Session { id, title } => (id.to_string(), title),
        UsageKey::Preset { name, model } => (name, model),
    };
    UsageItem { key, label, sums: group.sums.into() }
}

impl From<UsageSums> for UsageTotals {
    fn from(sums: UsageSums) -> Self {
        Self {
            requests: sums.requests,
            failed_requests: sums.failed_requests,
            input_tokens: sums.input_tokens,
            cached_tokens: sums.cached_tokens,
            output_tokens: sums.output_tokens,
            cost_usd: sums.cost_usd,
            unpriced_requests: sums.unpriced_requests,
            estimated_requests: sums.estimated_requests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    /// Hours of each of the days.
    fn hours(since: &str, until: &str, name: &str) -> Vec<i64> {
        let (zone, found) = zone(name);
        assert_eq!(found, name, "this machine has no time zones; install tzdata");
        let days = Days::parse(Some(since), Some(until), date("2000-01-01")).unwrap();
        let boundaries = days.boundaries(&zone).unwrap();
        boundaries.windows(2).map(|day| (day[1] - day[0]) / HOUR).collect()
    }

    #[test]
    fn days_are_as_long_as_their_zone_makes_them() {
        assert_eq!(hours("2026-10-24", "2026-10-26", "Europe/Berlin"), [24, 25, 24]);
        assert_eq!(hours("2026-03-28", "2026-03-30", "Europe/Berlin"), [24, 23, 24]);
        assert_eq!(hours("2026-10-25", "2026-10-25", "UTC"), [24]);
        // Clocks go from 24:00 to 01:00, and back from 24:00 to 23:00.
        assert_eq!(hours("2018-11-03", "2018-11-05", "America/Sao_Paulo"), [24, 23, 24]);
        assert_eq!(hours("2018-02-16", "2018-02-18", "America/Sao_Paulo"), [24, 25, 24]);
        // A day that never was.
        assert_eq!(hours("2011-12-29", "2011-12-31", "Pacific/Apia"), [24, 0, 24]);
    }

    #[test]
    fn days_begin_at_midnight_of_their_zone() {
        let (zone, _) = zone("Asia/Kolkata");
        let days = Days::parse(Some("1970-01-02"), Some("1970-01-02"), date("2000-01-01")).unwrap();
        assert_eq!(days.boundaries(&zone).unwrap(), [24 * HOUR - 11 * HOUR / 2, 48 * HOUR - 11 * HOUR / 2]);
    }

    #[test]
    fn an_unknown_zone_is_utc() {
        assert_eq!(zone("Mars/Olympus"), (TimeZone::UTC, "UTC".to_owned()));
    }

    #[test]
    fn absent_ends_are_filled_in() {
        let today = date("2026-03-01");
        let parse = |since, until| Days::parse(since, until, today).unwrap();
        let days = |first, last, count| Days { first: date(first), last: date(last), count };
        assert_eq!(parse(None, None), days("2026-01-31", "2026-03-01", 30));
        assert_eq!(parse(None, Some("2024-03-01")), days("2024-02-01", "2024-03-01", 30));
        assert_eq!(parse(Some("2026-02-27"), None), days("2026-02-27", "2026-03-01", 3));
        assert_eq!(parse(Some("2026-03-01"), None), days("2026-03-01", "2026-03-01", 1));
        assert_eq!(parse(Some("2025-01-26"), None), days("2025-01-26", "2026-03-01", 400));
        assert_eq!(parse(None, None).name(0), "2026-01-31");
        assert_eq!(parse(None, None).name(29), "2026-03-01");
    }
}
