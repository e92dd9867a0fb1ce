//! Requests to models: what is stored of each, and their sums by day, session and preset.

use nanobot_engine::id::{SessionId, TurnId};
use nanobot_store::{
    ModelRequestRecord, Op, Spend, SpendOf, StoreError, UsageBy, UsageGroup, UsageKey, UsageReport, UsageSums, conflict,
};
use proptest::option;
use proptest::prelude::*;
use uuid::Uuid;

use crate::kit::{Kit, model_request};

const HOUR: i64 = 3_600_000;
const ALL: [i64; 2] = [0, i64::MAX];

fn turn_id() -> TurnId {
    TurnId(Uuid::now_v7())
}

impl Kit {
    async fn requested(&self, request: ModelRequestRecord) {
        self.commit(request.session_id, vec![Op::ModelRequest(Box::new(request))]).await;
    }

    async fn usage(&self, by: UsageBy, boundaries: &[i64]) -> UsageReport {
        self.store.usage(by, boundaries, 500).await.unwrap()
    }
}

/// Sums of this many requests as [`model_request`] makes them.
fn sums(requests: u64) -> UsageSums {
    UsageSums {
        requests,
        failed_requests: 0,
        input_tokens: 100 * requests,
        cached_tokens: 40 * requests,
        output_tokens: 10 * requests,
        cost_usd: Some(0.25 * requests as f64),
        unpriced_requests: 0,
        estimated_requests: 0,
    }
}

fn keys(report: &UsageReport) -> Vec<UsageKey> {
    report.groups.iter().map(|group| group.key.clone()).collect()
}

fn session_key(id: SessionId, title: &str) -> UsageKey {
    UsageKey::Session { id, title: title.to_owned() }
}

prop_compose! {
    fn any_request()(
        (id, turn_id) in (any::<u128>(), any::<u128>()),
        words in any::<[String; 4]>(),
        (iteration, attempt) in (any::<u32>(), any::<u32>()),
        started_at in any::<i64>(),
        (duration_ms, first_output_ms) in (0..u64::MAX / 2, option::of(0..u64::MAX / 2)),
        tokens in [0..=1_000_000_000_000_u64, 0..=1_000_000_000_000, 0..=1_000_000_000_000],
        cost_usd in option::of(any::<f64>().prop_filter("finite", |cost| cost.is_finite())),
        (estimated, ok) in any::<(bool, bool)>(),
        worked_ms in 0..1_000_000_000_000_u64,
    ) -> ModelRequestRecord {
        let [preset, provider, model, outcome] = words.map(|word| word.replace('\0', ""));
        let [input_tokens, cached_tokens, output_tokens] = tokens;
        ModelRequestRecord {
            id: Uuid::from_u128(id), session_id: SessionId(Uuid::nil()), turn_id: TurnId(Uuid::from_u128(turn_id)),
            preset, provider, model, iteration, attempt, started_at, duration_ms, first_output_ms,
            input_tokens, cached_tokens, output_tokens, cost_usd, estimated, outcome, ok, worked_ms,
        }
    }
}

#[test]
fn requests_are_read_as_they_were_stored() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (kit, session_id) = runtime.block_on(async {
        let kit = Kit::new().await;
        let session = kit.session().await;
        (kit, session)
    });
    proptest!(ProptestConfig::with_cases(200), |(request in any_request())| {
        let request = ModelRequestRecord { session_id, ..request };
        let read = runtime.block_on(async {
            kit.requested(request.clone()).await;
            kit.store.model_requests_of_turn(request.turn_id).await.unwrap()
        });
        prop_assert_eq!(read, [request]);
    });
}

#[tokio::test]
async fn a_request_belongs_to_the_session_of_its_step_and_is_added_once() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let request = model_request(SessionId(Uuid::nil()), turn_id(), 1);
    kit.commit(session, vec![Op::ModelRequest(Box::new(request.clone()))]).await;
    let stored = kit.store.model_requests_of_turn(request.turn_id).await.unwrap();
    assert_eq!(stored, [ModelRequestRecord { session_id: session, ..request.clone() }]);

    let again = vec![Op::TouchSession { at: 9_000 }, Op::ModelRequest(Box::new(request.clone()))];
    let error = kit.store.commit(session, again).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::ID)), "{error}");
    assert_ne!(kit.store.session(session).await.unwrap().unwrap().updated_at, 9_000, "the step is gone as a whole");
    let error = kit.store.commit(SessionId(Uuid::nil()), vec![Op::ModelRequest(Box::new(request))]).await.unwrap_err();
    assert!(matches!(error, StoreError::SessionGone(_)), "{error}");
}

#[tokio::test]
async fn the_requests_of_a_turn_come_in_order() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let turn = turn_id();
    // Stored out of order. The turn was taken up after a kill: iteration 1 begins again with attempt 1.
    for (iteration, attempt, at) in [(1, 1, 30), (2, 1, 60), (1, 1, 50), (0, 2, 20), (1, 2, 40), (0, 1, 10)] {
        kit.requested(ModelRequestRecord { iteration, attempt, ..model_request(session, turn, at) }).await;
    }
    kit.requested(model_request(session, turn_id(), 15)).await;
    let requests = kit.store.model_requests_of_turn(turn).await.unwrap();
    let order: Vec<_> = requests.iter().map(|r| (r.iteration, r.attempt, r.started_at)).collect();
    assert_eq!(order, [(0, 1, 10), (0, 2, 20), (1, 1, 30), (1, 2, 40), (1, 1, 50), (2, 1, 60)]);
}

#[tokio::test]
async fn nothing_was_used_yet() {
    let kit = Kit::new().await;
    for by in [UsageBy::Day, UsageBy::Session, UsageBy::Preset] {
        for boundaries in [&[][..], &[5], &ALL, &[0, 1, 2, 3]] {
            assert_eq!(kit.usage(by, boundaries).await, UsageReport::default(), "{by:?} {boundaries:?}");
        }
    }
}

#[tokio::test]
async fn a_day_begins_at_its_boundary_and_days_without_requests_are_left_out() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    for at in [99, 100, 199, 200, 400, 499, 500] {
        kit.requested(model_request(session, turn_id(), at)).await;
    }
    // The day from 300 to 300 is one that a zone skipped.
    let usage = kit.usage(UsageBy::Day, &[100, 200, 300, 300, 400, 500]).await;
    let expected = [(0, 2), (1, 1), (4, 2)].map(|(day, n)| UsageGroup { key: UsageKey::Day(day), sums: sums(n) });
    assert_eq!(usage, UsageReport { groups: expected.to_vec(), total: sums(5) });
    for by in [UsageBy::Session, UsageBy::Preset] {
        let usage = kit.usage(by, &[100, 300, 500]).await;
        assert_eq!((usage.groups[0].sums, usage.total), (sums(5), sums(5)), "{by:?}");
    }
}

#[tokio::test]
async fn the_day_that_clocks_go_back_has_25_hours() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    // Europe/Berlin, 2026-10-24 to 2026-10-26, as UTC: the 25th begins at 22:00 of the 24th, the 26th at 23:00 of the 25th.
    let midnight_24 = 1_792_792_800_000;
    let boundaries = [0, 24, 24 + 25, 24 + 25 + 24].map(|hours| midnight_24 + hours * HOUR);
    for hour in 0..24 + 25 + 24 {
        kit.requested(model_request(session, turn_id(), midnight_24 + hour * HOUR)).await;
    }
    let usage = kit.usage(UsageBy::Day, &boundaries).await;
    assert_eq!(usage.groups.iter().map(|day| day.sums).collect::<Vec<_>>(), [sums(24), sums(25), sums(24)]);
}

#[tokio::test]
async fn failures_estimates_and_missing_prices_are_counted() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let request = || model_request(session, turn_id(), 50);
    let failed = |code: &str| ModelRequestRecord {
        ok: false,
        outcome: code.to_owned(),
        first_output_ms: None,
        input_tokens: 0,
        cached_tokens: 0,
        output_tokens: 0,
        cost_usd: None,
        ..request()
    };
    kit.requested(failed("provider_rate_limit")).await;
    let day = || kit.usage(UsageBy::Day, &[0, 100]);
    let nothing = UsageSums { requests: 1, failed_requests: 1, ..UsageSums::default() };
    assert_eq!(day().await.total, nothing, "no tokens: nothing that lacks a price");
    kit.requested(ModelRequestRecord { cost_usd: None, ..request() }).await;
    kit.requested(ModelRequestRecord { cost_usd: None, input_tokens: 0, cached_tokens: 0, ..request() }).await;
    assert_eq!((day().await.total.cost_usd, day().await.total.unpriced_requests), (None, 2));
    kit.requested(ModelRequestRecord { estimated: true, ..request() }).await;
    kit.requested(ModelRequestRecord { cost_usd: Some(0.0), ..request() }).await;
    let expected = UsageSums {
        requests: 5,
        failed_requests: 1,
        input_tokens: 300,
        cached_tokens: 120,
        output_tokens: 40,
        cost_usd: Some(0.25),
        unpriced_requests: 2,
        estimated_requests: 1,
    };
    let day = day().await;
    assert_eq!((day.groups[0].sums, day.total), (expected, expected));
}

#[tokio::test]
async fn a_removed_session_keeps_its_usage_and_loses_its_name() {
    let kit = Kit::new().await;
    let (kept, removed) = (kit.titled("Kept", 1).await, kit.titled("Removed", 1).await);
    let turn = turn_id();
    kit.requested(model_request(kept, turn_id(), 10)).await;
    for at in [10, 20] {
        kit.requested(model_request(removed, turn, at)).await;
    }
    let expected = |title: &str| [session_key(removed, title), session_key(kept, "Kept")];
    let before = kit.usage(UsageBy::Session, &ALL).await;
    assert_eq!(keys(&before), expected("Removed"));

    kit.store.delete_session(removed, 5).await.unwrap();
    assert_eq!(keys(&kit.usage(UsageBy::Session, &ALL).await), expected(""));
    kit.store.restore_session(removed).await.unwrap();
    assert_eq!(kit.usage(UsageBy::Session, &ALL).await, before);

    kit.store.delete_session(removed, 5).await.unwrap();
    assert_eq!(kit.store.purge_deleted(6).await.unwrap(), 1);
    let after = kit.usage(UsageBy::Session, &ALL).await;
    assert_eq!(keys(&after), expected(""));
    let sums = |report: &UsageReport| report.groups.iter().map(|group| group.sums).collect::<Vec<_>>();
    assert_eq!((sums(&after), after.total), (sums(&before), before.total));
    assert_eq!(kit.store.model_requests_of_turn(turn).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_preset_is_named_with_its_newest_model_of_that_time() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let request = |preset: &str, model: &str, at: i64| ModelRequestRecord {
        preset: preset.to_owned(),
        model: model.to_owned(),
        ..model_request(session, turn_id(), at)
    };
    for (preset, model, at) in [
        ("changed", "new", 80),
        ("changed", "old", 20),
        ("rare", "one", 80),
        ("changed", "latest", 120),
        // At once with another of the same preset: the one that was made later.
        ("both", "first", 50),
        ("both", "second", 50),
        ("both", "zero", 40),
    ] {
        kit.requested(request(preset, model, at)).await;
    }
    let key = |name: &str, model: &str| UsageKey::Preset { name: name.to_owned(), model: format!("mock/{model}") };
    let usage = kit.usage(UsageBy::Preset, &[0, 100]).await;
    assert_eq!(keys(&usage), [key("both", "second"), key("changed", "new"), key("rare", "one")]);
    assert_eq!(usage.groups.iter().map(|group| group.sums).collect::<Vec<_>>(), [sums(3), sums(2), sums(1)]);
    let usage = kit.usage(UsageBy::Preset, &[0, 121]).await;
    assert_eq!(keys(&usage), [key("both", "second"), key("changed", "latest"), key("rare", "one")]);
}

#[tokio::test]
async fn the_largest_groups_come_first_and_the_total_counts_them_all() {
    let kit = Kit::new().await;
    let mut sessions = Vec::new();
    for output_tokens in [5, 50, 500] {
        let session = kit.session().await;
        kit.requested(ModelRequestRecord { output_tokens, ..model_request(session, turn_id(), 10) }).await;
        sessions.push(session);
    }
    let usage = kit.store.usage(UsageBy::Session, &ALL, 2).await.unwrap();
    assert_eq!(keys(&usage), [session_key(sessions[2], ""), session_key(sessions[1], "")]);
    assert_eq!((usage.total.requests, usage.total.output_tokens), (3, 555));
}

#[tokio::test]
async fn nonsense_of_a_provider_does_not_spoil_the_sums() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    for cost_usd in [f64::NAN, f64::INFINITY, 0.5] {
        let tokens = u64::MAX;
        kit.requested(ModelRequestRecord {
            input_tokens: tokens,
            cached_tokens: tokens,
            output_tokens: tokens,
            cost_usd: Some(cost_usd),
            ..model_request(session, turn_id(), 10)
        })
        .await;
    }
    let total = kit.usage(UsageBy::Day, &ALL).await.total;
    assert_eq!((total.input_tokens, total.output_tokens), (3_000_000_000_000, 3_000_000_000_000));
    assert_eq!((total.cost_usd, total.unpriced_requests), (Some(0.5), 2));
}

#[tokio::test]
async fn a_whole_year_of_days_is_one_question() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let boundaries: Vec<i64> = (0..=400).map(|day| day * 24 * HOUR).collect();
    for day in [0, 200, 399] {
        kit.requested(model_request(session, turn_id(), boundaries[day] + 1)).await;
    }
    let usage = kit.usage(UsageBy::Day, &boundaries).await;
    assert_eq!(keys(&usage), [UsageKey::Day(0), UsageKey::Day(200), UsageKey::Day(399)]);
    assert_eq!(usage.total, sums(3));
}

#[tokio::test]
async fn tokens_money_and_time_are_summed_by_turn_session_and_day() {
    let kit = Kit::new().await;
    let (one, other, turn) = (kit.session().await, kit.session().await, turn_id());
    kit.requested(model_request(one, turn, 10)).await;
    kit.requested(ModelRequestRecord { cost_usd: None, ..model_request(one, turn, 20) }).await;
    kit.requested(model_request(one, turn_id(), 30)).await;
    kit.requested(ModelRequestRecord { worked_ms: u64::MAX, ..model_request(other, turn_id(), 40) }).await;
    let spend = async |of| kit.store.spend(of).await.unwrap();
    assert_eq!(spend(SpendOf::Turn(turn)).await, Spend { tokens: 220, usd: 0.25, worked_ms: 3_000 });
    assert_eq!(spend(SpendOf::Session(one)).await, Spend { tokens: 330, usd: 0.5, worked_ms: 4_500 });
    let nonsense = 1_000_000_000_000;
    assert_eq!(spend(SpendOf::Since(20)).await, Spend { tokens: 330, usd: 0.5, worked_ms: nonsense + 3_000 });
    assert_eq!(spend(SpendOf::Since(41)).await, Spend::default());
}
