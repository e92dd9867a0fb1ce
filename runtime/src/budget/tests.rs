//! The books under load, over days, and after a restart.

use uuid::Uuid;

use super::*;

const PRICE: Option<Price> = Some(Price { input: 1.0, cached: None, output: 10.0 });

fn wanted(session: u128, turn: u128, input_tokens: u64, max_tokens: u64) -> Wanted {
    let (session_id, turn_id) = (SessionId(Uuid::from_u128(session)), TurnId(Uuid::from_u128(turn)));
    Wanted { session_id, turn_id, input_tokens, max_tokens, price: PRICE, worked_ms: 0 }
}

async fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("n.db")).await.expect("a store");
    (folder, store)
}

fn used(input: u64, output: u64) -> Usage {
    let cost_usd = Some(cost(input, output, PRICE).usd);
    Usage { input_tokens: input, output_tokens: output, cost_usd, ..Usage::default() }
}

/// 64 turns at once under one day's budget: what is spent and reserved never passes it, at no instant.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_turns_at_once_stay_under_the_day() {
    let (_folder, store) = store().await;
    let budgets = Arc::new(Budgets::default());
    let limits = BudgetConfig { day_tokens: Some(100_000), day_usd: Some(0.5), ..BudgetConfig::default() };
    let checked = |budgets: &Budgets| {
        let books = budgets.books();
        let today = &books.today;
        assert!(today.spent.tokens + today.reserved.tokens <= 100_000, "{today:?}");
        assert!(today.spent.usd + today.reserved.usd <= 0.5 + 1e-9, "{today:?}");
    };
    let mut turns = tokio::task::JoinSet::new();
    for turn in 0..64_u128 {
        let (budgets, store) = (Arc::clone(&budgets), store.clone());
        turns.spawn(async move {
            let mut made = 0_u64;
            for _ in 0..20 {
                let request = wanted(turn % 5, turn, 700, 1_000);
                match budgets.reserve(&store, &limits, 1_000, "UTC", request).await.expect("a store") {
                    Ok(reservation) => {
                        checked(&budgets);
                        tokio::task::yield_now().await;
                        let answer = reservation.max_tokens / 2;
                        reservation.settle(&used(700, answer), 0);
                        made += 1;
                    }
                    Err(_) => tokio::task::yield_now().await,
                }
                checked(&budgets);
            }
            made
        });
    }
    let made: u64 = turns.join_all().await.into_iter().sum();
    assert!(made > 50, "{made} requests");
    let books = budgets.books();
    assert_eq!(books.today.reserved.tokens, 0, "every reservation is given back");
    assert!(books.today.reserved.usd < 1e-9);
}

#[tokio::test]
async fn what_is_used_beyond_a_reservation_is_charged_and_stops_the_next() {
    let (_folder, store) = store().await;
    let budgets = Arc::new(Budgets::default());
    let limits = BudgetConfig { turn_tokens: Some(10_000), ..BudgetConfig::default() };
    let reserve = || budgets.reserve(&store, &limits, 1_000, "UTC", wanted(1, 1, 1_000, 4_000));
    let first = reserve().await.expect("a store").expect("room");
    assert_eq!(first.max_tokens, 4_000);
    first.settle(&used(1_000, 8_500), 0);
    let exceeded = reserve().await.expect("a store").expect_err("no room");
    assert_eq!(exceeded.limit.key(), "turn_tokens");
    assert!(
        exceeded.to_string().contains("(9500 of 10000 tokens used; the next request needs at least 1256)"),
        "{exceeded}"
    );
    // Another turn has a budget of its own.
    let other = budgets.reserve(&store, &limits, 1_000, "UTC", wanted(1, 2, 1_000, 4_000)).await.expect("a store");
    assert!(other.is_ok());
}

#[tokio::test]
async fn the_answer_is_cut_to_what_is_left_and_under_256_nothing_is_asked() {
    let (_folder, store) = store().await;
    let budgets = Arc::new(Budgets::default());
    let limits = BudgetConfig { session_usd: Some(0.01), ..BudgetConfig::default() };
    let first = budgets.reserve(&store, &limits, 1_000, "UTC", wanted(1, 1, 1_000, 4_000)).await.expect("a store");
    // A cent less a tenth of it for the input leaves 900 tokens of the answer.
    let first = first.expect("room");
    assert!((899..=900).contains(&first.max_tokens), "{}", first.max_tokens);
    first.settle(&used(1_000, 700), 0);
    let second = budgets.reserve(&store, &limits, 1_000, "UTC", wanted(1, 2, 100, 4_000)).await.expect("a store");
    assert_eq!(second.expect_err("no room").limit.key(), "session_usd");
    let small = budgets.reserve(&store, &limits, 1_000, "UTC", wanted(1, 3, 100, 100)).await.expect("a store");
    assert_eq!(small.expect("a small answer was all that was wanted").max_tokens, 100);
    let free = Wanted { price: None, ..wanted(1, 4, 100, 4_000) };
    assert!(budgets.reserve(&store, &limits, 1_000, "UTC", free).await.expect("a store").is_ok());
}

#[tokio::test]
async fn a_new_day_begins_anew_in_the_agents_zone() {
    let (_folder, store) = store().await;
    let budgets = Arc::new(Budgets::default());
    let limits = BudgetConfig { day_tokens: Some(5_000), ..BudgetConfig::default() };
    // 2026-11-30 22:30 UTC is half past eleven at night in Berlin.
    let evening = 1_796_077_800_000;
    let ask = |at: i64| budgets.reserve(&store, &limits, at, "Europe/Berlin", wanted(1, 1, 1_000, 4_000));
    ask(evening).await.expect("a store").expect("room").settle(&used(1_000, 4_000), 0);
    assert!(ask(evening + 60_000).await.expect("a store").is_err());
    assert!(ask(evening + 3_600_000).await.expect("a store").is_ok(), "after midnight");
}

/// Tools that ran since the last request count before the next one is made, and a request holds a tenth of a second.
#[tokio::test]
async fn time_is_charged_as_it_goes_by_and_each_request_on_its_way_holds_a_little() {
    let (_folder, store) = store().await;
    let budgets = Arc::new(Budgets::default());
    let limits = BudgetConfig { day_seconds: Some(10), turn_seconds: Some(6), ..BudgetConfig::default() };
    let reserve = async |turn, worked_ms| {
        let request = Wanted { worked_ms, ..wanted(1, turn, 100, 1_000) };
        budgets.reserve(&store, &limits, 1_000, "UTC", request).await.expect("a store")
    };
    let first = reserve(1, 2_000).await.expect("room");
    let second = reserve(2, 4_500).await.expect("room");
    first.settle(&used(100, 10), 3_250);
    // Of the day's 10 s, 9.75 are used and 0.1 are held.
    let third = reserve(3, 0).await.expect("room");
    let exceeded = reserve(4, 0).await.expect_err("the rest is held");
    assert!(exceeded.waits_for_others() && exceeded.limit.key() == "day_seconds", "{exceeded:?}");
    drop(third);
    second.settle(&used(100, 10), 100);
    let exceeded = reserve(2, 1_400).await.expect_err("no room");
    assert_eq!(exceeded.to_string(), "the time budget of this turn is used up (6 of 6 s used)");
    assert!(!exceeded.waits_for_others());
    let exceeded = reserve(1, 750).await.expect_err("no room");
    assert_eq!(exceeded.to_string(), "the time budget of this turn is used up (6 of 6 s used)");
    let exceeded = reserve(5, 0).await.expect_err("no room");
    assert_eq!(exceeded.to_string(), "the time budget of the day is used up (12 of 10 s used)");
    let limits = BudgetConfig { turn_seconds: Some(1), ..BudgetConfig::default() };
    let small = Wanted { worked_ms: 70, ..wanted(1, 6, 100, 1_000) };
    let room = budgets.reserve(&store, &limits, 1_000, "UTC", small).await.expect("a store").expect("room");
    room.settle(&used(100, 10), 2_480);
    let exceeded = budgets.reserve(&store, &limits, 1_000, "UTC", Wanted { worked_ms: 0, ..small }).await;
    let exceeded = exceeded.expect("a store").expect_err("no room");
    let arguments = exceeded.arguments();
    assert_eq!(
        (&arguments["limit"], &arguments["used"], &arguments["needed"], &arguments["more"]),
        (&json!(1), &json!(2.6), &json!(0.1), &json!(2))
    );
}
