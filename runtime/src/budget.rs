//! Budgets: hard limits of what models may cost. Each request reserves what it may use at most before it is sent, so that requests at the
//! same time cannot pass a limit together; what it really used takes the reservation's place.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::usage::Usage;
use nanobot_store::{ApprovalRecord, Spend, SpendOf, Store, StoreError};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::clock::day_start;
use crate::config::{BudgetConfig, Price};

/// Fewer tokens than this are no answer; a request that could not have as many is not made.
const MIN_ANSWER_TOKENS: u64 = 256;

/// What was spent and what is reserved, by whom. Shared by everything that asks models.
#[derive(Debug, Default)]
pub struct Budgets {
    books: Mutex<Books>,
    /// Counts up when there may be room again: a request ended, or a person allowed more.
    moved: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Books {
    /// When the day of `today` began.
    day: i64,
    today: Account,
    sessions: HashMap<SessionId, Account>,
    turns: HashMap<TurnId, Account>,
}

/// One limit's side of the books.
#[derive(Clone, Debug, Default)]
struct Account {
    /// What the store knew when the account was opened, and what was used since.
    spent: Spend,
    reserved: Spend,
    /// What people allowed beyond the limits, by key and in its unit.
    more: BTreeMap<String, f64>,
    open: bool,
}

/// A request that wants to be made.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Session.
    pub session_id: SessionId,
    /// Turn.
    pub turn_id: TurnId,
    /// Estimate of what is sent.
    pub input_tokens: u64,
    /// Longest answer.
    pub max_tokens: u64,
    /// What it costs, when that is known. Without a price only tokens count.
    pub price: Option<Price>,
}

/// Room for one request. Dropping it gives the room back; [`Reservation::settle`] puts what was used in its place.
#[derive(Debug)]
pub struct Reservation {
    budgets: Arc<Budgets>,
    wanted: Wanted,
    reserved: Spend,
    day: i64,
    /// Tokens that the answer may have.
    pub max_tokens: u64,
}

/// A limit is reached.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} is used up ({spent})")]
pub struct Exceeded {
    /// Whose limit, in words.
    pub what: &'static str,
    /// The key of the configuration.
    pub key: &'static str,
    /// What is spent and needed, and of what, in words.
    pub spent: String,
    /// Dollars or tokens.
    pub unit: Unit,
    /// The limit with what was allowed before, in the unit.
    pub limit_number: f64,
    /// What is spent, in the unit.
    pub used: f64,
    /// What other requests have reserved at present, in the unit.
    pub reserved: f64,
    /// What the next request needs at least, in the unit.
    pub needed: f64,
    /// The limit as it is configured, in the unit.
    pub configured: f64,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// US dollars.
    Usd,
    /// Tokens.
    Tokens,
}

impl Exceeded {
    /// Is there room once the requests that are on their way have ended, if they use as little as they can?
    #[must_use]
    pub fn waits_for_others(&self) -> bool {
        self.reserved > 0.0 && self.used + self.needed <= self.limit_number
    }

    /// The question for more, as programs read it. It offers as much again as the limit, or what the next request needs when that
    /// is more.
    #[must_use]
    pub fn arguments(&self) -> Map<String, Value> {
        let missing = self.used + self.needed - self.limit_number;
        let more = match self.unit {
            Unit::Usd => (self.configured.max(missing) * 1e4).ceil() / 1e4,
            Unit::Tokens => self.configured.max(missing).ceil(),
        };
        let number = |value: f64| match self.unit {
            Unit::Usd => json!(value),
            // A float to integer cast saturates.
            Unit::Tokens => json!(value.max(0.0) as u64),
        };
        let unit = match self.unit {
            Unit::Usd => "usd",
            Unit::Tokens => "tokens",
        };
        let fields = [
            ("key", json!(self.key)),
            ("unit", json!(unit)),
            ("limit", number(self.limit_number)),
            ("used", number(self.used)),
            ("needed", number(self.needed)),
            ("more", number(more)),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl Budgets {
    /// Makes room for a request under all limits, or names the one that is in the way.
    ///
    /// # Errors
    /// When the store cannot say what was spent before.
    pub async fn reserve(
        self: &Arc<Self>,
        store: &Store,
        limits: &BudgetConfig,
        now: i64,
        zone: &str,
        wanted: Wanted,
    ) -> Result<Result<Reservation, Exceeded>, StoreError> {
        let day = day_start(now, zone);
        self.open(store, limits, day, (wanted.session_id, wanted.turn_id)).await?;
        let mut books = self.books();
        let max_tokens = match room(&books, limits, wanted) {
            Ok(max_tokens) => max_tokens,
            Err(exceeded) => return Ok(Err(exceeded)),
        };
        let reserved = cost(wanted.input_tokens, 0, max_tokens, wanted.price);
        for account in books.of(wanted, day) {
            account.reserved.tokens = account.reserved.tokens.saturating_add(reserved.tokens);
            account.reserved.usd += reserved.usd;
        }
        Ok(Ok(Reservation { budgets: Arc::clone(self), wanted, reserved, day, max_tokens }))
    }

    /// Opens the accounts that are needed with what the store knows.
    async fn open(
        &self,
        store: &Store,
        limits: &BudgetConfig,
        day: i64,
        (session_id, turn_id): (SessionId, TurnId),
    ) -> Result<(), StoreError> {
        let (new_day, new_session, new_turn) = {
            let books = self.books();
            let is_new = |account: Option<&Account>| account.is_none_or(|account| !account.open);
            (
                (limits.day_usd.is_some() || limits.day_tokens.is_some()) && (books.day != day || !books.today.open),
                limits.session_usd.is_some() && is_new(books.sessions.get(&session_id)),
                (limits.turn_usd.is_some() || limits.turn_tokens.is_some()) && is_new(books.turns.get(&turn_id)),
            )
        };
        if new_day {
            let of = SpendOf::Since(day);
            let (spent, more) = (store.spend(of).await?, allowed(store, of).await?);
            let mut books = self.books();
            if books.day != day || !books.today.open {
                books.day = day;
                books.today = Account { spent, more, open: true, ..Account::default() };
            }
        }
        if new_session {
            let of = SpendOf::Session(session_id);
            let (spent, more) = (store.spend(of).await?, allowed(store, of).await?);
            open_with(self.books().sessions.entry(session_id).or_default(), spent, more);
        }
        if new_turn {
            let of = SpendOf::Turn(turn_id);
            let (spent, more) = (store.spend(of).await?, allowed(store, of).await?);
            open_with(self.books().turns.entry(turn_id).or_default(), spent, more);
        }
        Ok(())
    }

    /// A person allowed more, as the approval says. It is in the store already, so an account that is opened later has it.
    pub fn allow(&self, approval: &ApprovalRecord) {
        let key = limit_key(approval);
        let mut books = self.books();
        let account = match key.split_once('_') {
            Some(("turn", _)) => books.turns.get_mut(&approval.turn_id),
            Some(("session", _)) => books.sessions.get_mut(&approval.session_id),
            _ => Some(&mut books.today),
        };
        if let Some(account) = account.filter(|account| account.open) {
            *account.more.entry(key).or_default() += approval.more();
        }
        drop(books);
        self.moved.send_modify(|count| *count += 1);
    }

    /// Tells when there may be room again: a request ended, or a person allowed more.
    pub fn moved(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// Has a limit room for what a turn that waits at it needs: after it was raised, or on another day?
    ///
    /// # Errors
    /// When the store cannot say what was spent before.
    pub async fn has_room(
        &self,
        store: &Store,
        limits: &BudgetConfig,
        (now, zone): (i64, &str),
        ids: (SessionId, TurnId),
        pause: &Map<String, Value>,
    ) -> Result<bool, StoreError> {
        let day = day_start(now, zone);
        self.open(store, limits, day, ids).await?;
        let key = pause.get("key").and_then(Value::as_str).unwrap_or_default();
        let needed = pause.get("needed").and_then(Value::as_f64).unwrap_or(f64::MAX);
        let books = self.books();
        let (limit, account) = match key {
            "turn_tokens" => (limits.turn_tokens.map(as_number), books.turns.get(&ids.1)),
            "day_tokens" => (limits.day_tokens.map(as_number), Some(&books.today)),
            "turn_usd" => (limits.turn_usd, books.turns.get(&ids.1)),
            "session_usd" => (limits.session_usd, books.sessions.get(&ids.0)),
            "day_usd" => (limits.day_usd, Some(&books.today)),
            _ => return Ok(false),
        };
        let (Some(limit), Some(account)) = (limit, account) else { return Ok(limit.is_none()) };
        let used = if key.ends_with("_usd") {
            account.spent.usd + account.reserved.usd
        } else {
            as_number(account.spent.tokens.saturating_add(account.reserved.tokens))
        };
        Ok(limit + account.more.get(key).copied().unwrap_or_default() - used >= needed)
    }

    /// A turn is over; its account is closed.
    pub fn forget_turn(&self, turn_id: TurnId) {
        self.books().turns.remove(&turn_id);
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn as_number(tokens: u64) -> f64 {
    tokens as f64
}

fn open_with(account: &mut Account, spent: Spend, more: BTreeMap<String, f64>) {
    if !account.open {
        *account = Account { spent, more, open: true, ..Account::default() };
    }
}

/// The key of the limit that an approval is about.
fn limit_key(approval: &ApprovalRecord) -> String {
    approval.arguments.get("key").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// What was allowed beyond the limits, by key.
async fn allowed(store: &Store, of: SpendOf) -> Result<BTreeMap<String, f64>, StoreError> {
    let mut more = BTreeMap::new();
    for approval in store.budget_approvals(of).await? {
        *more.entry(limit_key(&approval)).or_default() += approval.more();
    }
    Ok(more)
}

impl Books {
    /// The accounts that a request counts in; those that no limit needed are not open and count nothing that matters.
    fn of(&mut self, wanted: Wanted, day: i64) -> impl Iterator<Item = &mut Account> {
        let today = (self.day == day).then_some(&mut self.today);
        let session = self.sessions.get_mut(&wanted.session_id);
        let turn = self.turns.get_mut(&wanted.turn_id);
        today.into_iter().chain(session).chain(turn)
    }
}

/// The longest answer that fits under every limit.
fn room(books: &Books, limits: &BudgetConfig, wanted: Wanted) -> Result<u64, Exceeded> {
    let none = Account::default();
    let today = &books.today;
    let session = books.sessions.get(&wanted.session_id).unwrap_or(&none);
    let turn = books.turns.get(&wanted.turn_id).unwrap_or(&none);
    let mut max_tokens = wanted.max_tokens;
    for (limit, account, what, key) in [
        (limits.turn_tokens, turn, "the token budget of this turn", "turn_tokens"),
        (limits.day_tokens, today, "the token budget of the day", "day_tokens"),
    ] {
        let Some(configured) = limit else { continue };
        let more = account.more.get(key).copied().unwrap_or_default();
        // A float to integer cast saturates.
        let limit = configured.saturating_add(more.max(0.0) as u64);
        let used = account.spent.tokens.saturating_add(account.reserved.tokens);
        let left = limit.saturating_sub(used).saturating_sub(wanted.input_tokens);
        max_tokens = max_tokens.min(left);
        if max_tokens < MIN_ANSWER_TOKENS.min(wanted.max_tokens) {
            let (spent, reserved) = (account.spent.tokens, account.reserved.tokens);
            let needed = wanted.input_tokens.saturating_add(MIN_ANSWER_TOKENS.min(wanted.max_tokens));
            return Err(Exceeded {
                what,
                key,
                spent: format!("{spent} tokens used and at least {needed} for the next request, of {limit}"),
                unit: Unit::Tokens,
                limit_number: as_number(limit),
                used: as_number(spent),
                reserved: as_number(reserved),
                needed: as_number(needed),
                configured: as_number(configured),
            });
        }
    }
    let Some(price) = wanted.price else { return Ok(max_tokens) };
    let input_usd = cost(wanted.input_tokens, 0, 0, wanted.price).usd;
    for (limit, account, what, key) in [
        (limits.turn_usd, turn, "the money budget of this turn", "turn_usd"),
        (limits.session_usd, session, "the money budget of this session", "session_usd"),
        (limits.day_usd, today, "the money budget of the day", "day_usd"),
    ] {
        let Some(configured) = limit else { continue };
        let limit = configured + account.more.get(key).copied().unwrap_or_default();
        let used = account.spent.usd + account.reserved.usd;
        let left = limit - used - input_usd;
        // A float to integer cast saturates; a price of nothing leaves room for everything.
        let tokens = if price.output > 0.0 { (left.max(0.0) / price.output * 1e6).floor() as u64 } else { u64::MAX };
        if left < 0.0 || tokens < MIN_ANSWER_TOKENS.min(wanted.max_tokens) {
            let needed = cost(wanted.input_tokens, 0, MIN_ANSWER_TOKENS.min(wanted.max_tokens), wanted.price).usd;
            return Err(Exceeded {
                what,
                key,
                spent: format!(
                    "${:.4} used and at least ${needed:.4} for the next request, of ${limit}",
                    account.spent.usd
                ),
                unit: Unit::Usd,
                limit_number: limit,
                used: account.spent.usd,
                reserved: account.reserved.usd,
                needed,
                configured,
            });
        }
        max_tokens = max_tokens.min(tokens);
    }
    Ok(max_tokens)
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn cost(input: u64, cached: u64, output: u64, price: Option<Price>) -> Spend {
    let usd = price.map_or(0.0, |price| {
        let fresh = input.saturating_sub(cached);
        (fresh as f64 * price.input
            + cached as f64 * price.cached.unwrap_or(price.input)
            + output as f64 * price.output)
            / 1e6
    });
    Spend { tokens: input.saturating_add(output), usd }
}

impl Reservation {
    /// Puts what was really used in the place of the reservation, also when it is more.
    pub fn settle(mut self, usage: &Usage) {
        let spent = Spend {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            usd: usage.cost_usd.unwrap_or(0.0),
        };
        self.close(spent);
    }

    /// Takes the reservation back and charges what was spent, in one step: at no instant are both in the books, or neither.
    fn close(&mut self, spent: Spend) {
        let reserved = std::mem::take(&mut self.reserved);
        let mut books = self.budgets.books();
        for account in books.of(self.wanted, self.day) {
            account.reserved.tokens = account.reserved.tokens.saturating_sub(reserved.tokens);
            account.reserved.usd = (account.reserved.usd - reserved.usd).max(0.0);
            account.spent.tokens = account.spent.tokens.saturating_add(spent.tokens);
            account.spent.usd += spent.usd;
        }
        drop(books);
        self.budgets.moved.send_modify(|count| *count += 1);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.close(Spend::default());
    }
}

#[cfg(test)]
mod tests;
