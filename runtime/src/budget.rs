//! Budgets: hard limits of what turns may cost, in money, tokens and time. Each request reserves what it may use at most before it is
//! sent, so that requests at the same time cannot pass a limit together; what it really used takes the reservation's place.

mod limit;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::usage::Usage;
use nanobot_store::{ApprovalRecord, Spend, SpendOf, Store, StoreError};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use self::limit::Span;
pub use self::limit::{Limit, Unit};
use crate::clock::day_start;
use crate::config::{BudgetConfig, Price};

/// Fewer tokens than this are no answer; a request that could not have as many is not made.
const MIN_ANSWER_TOKENS: u64 = 256;
/// Nobody knows how long a request will take; this is what it reserves.
const MIN_REQUEST_MS: u64 = 100;

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
    /// What people allowed beyond the limits, in their units.
    more: BTreeMap<Limit, f64>,
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
    /// What it costs, when that is known. Without a price only tokens and time count.
    pub price: Option<Price>,
    /// How long the turn worked since that was charged last.
    pub worked_ms: u64,
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

/// A limit is reached. Amounts are in its unit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{} is used up ({})", limit.words(), limit.unit.words(*used, *allowed, *needed))]
pub struct Exceeded {
    /// Which one.
    pub limit: Limit,
    /// As it is configured.
    pub configured: f64,
    /// The same with what people allowed beyond it.
    pub allowed: f64,
    /// What is spent.
    pub used: f64,
    /// What other requests have reserved at present.
    pub reserved: f64,
    /// What the next request needs at least.
    pub needed: f64,
}

impl Exceeded {
    /// Is there room once the requests that are on their way have ended, if they use as little as they can?
    #[must_use]
    pub fn waits_for_others(&self) -> bool {
        self.reserved > 0.0 && self.used + self.needed <= self.allowed
    }

    /// The question for more, as programs read it. It offers as much again as the limit, or what the next request needs when that
    /// is more.
    #[must_use]
    pub fn arguments(&self) -> Map<String, Value> {
        let missing = self.used + self.needed - self.allowed;
        let more = self.configured.max(missing);
        let more = match self.limit.unit {
            Unit::Usd => (more * 1e4).ceil() / 1e4,
            Unit::Tokens | Unit::Seconds => more.ceil(),
        };
        let number = |value: f64| self.limit.unit.number(value);
        let fields = [
            ("key", json!(self.limit.key())),
            ("unit", json!(self.limit.unit.name())),
            ("limit", number(self.allowed)),
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
        for account in books.of(wanted, day) {
            account.spent.worked_ms = account.spent.worked_ms.saturating_add(wanted.worked_ms);
        }
        let max_tokens = match room(&books, limits, wanted) {
            Ok(max_tokens) => max_tokens,
            Err(exceeded) => return Ok(Err(exceeded)),
        };
        let reserved = cost(wanted.input_tokens, max_tokens, wanted.price);
        for account in books.of(wanted, day) {
            account.reserved.tokens = account.reserved.tokens.saturating_add(reserved.tokens);
            account.reserved.usd += reserved.usd;
            account.reserved.worked_ms = account.reserved.worked_ms.saturating_add(reserved.worked_ms);
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
            let has = |span| Limit::all().any(|limit| limit.span == span && limit.configured(limits).is_some());
            let is_new = |account: Option<&Account>| account.is_none_or(|account| !account.open);
            (
                has(Span::Day) && (books.day != day || !books.today.open),
                has(Span::Session) && is_new(books.sessions.get(&session_id)),
                has(Span::Turn) && is_new(books.turns.get(&turn_id)),
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
        let mut books = self.books();
        if let Some(limit) = limit_of(approval)
            && let Some(account) = books.account_mut(limit.span, (approval.session_id, approval.turn_id))
            && account.open
        {
            *account.more.entry(limit).or_default() += approval.more();
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
        let Some(limit) = pause.get("key").and_then(Value::as_str).and_then(Limit::from_key) else { return Ok(false) };
        let needed = pause.get("needed").and_then(Value::as_f64).unwrap_or(f64::MAX);
        let Some(configured) = limit.configured(limits) else { return Ok(true) };
        let books = self.books();
        let Some(account) = books.account(limit.span, ids) else { return Ok(false) };
        Ok(account.allowed(limit, configured) - account.used(limit) - account.held(limit) >= needed)
    }

    /// A turn is over; its account is closed.
    pub fn forget_turn(&self, turn_id: TurnId) {
        self.books().turns.remove(&turn_id);
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open_with(account: &mut Account, spent: Spend, more: BTreeMap<Limit, f64>) {
    if !account.open {
        *account = Account { spent, more, open: true, ..Account::default() };
    }
}

/// The limit that an approval is about.
fn limit_of(approval: &ApprovalRecord) -> Option<Limit> {
    Limit::from_key(approval.arguments.get("key")?.as_str()?)
}

/// What was allowed beyond the limits.
async fn allowed(store: &Store, of: SpendOf) -> Result<BTreeMap<Limit, f64>, StoreError> {
    let mut more = BTreeMap::new();
    for approval in store.budget_approvals(of).await? {
        if let Some(limit) = limit_of(&approval) {
            *more.entry(limit).or_default() += approval.more();
        }
    }
    Ok(more)
}

impl Account {
    fn used(&self, limit: Limit) -> f64 {
        limit.unit.of(self.spent)
    }

    fn held(&self, limit: Limit) -> f64 {
        limit.unit.of(self.reserved)
    }

    fn allowed(&self, limit: Limit, configured: f64) -> f64 {
        configured + self.more.get(&limit).copied().unwrap_or_default()
    }
}

impl Books {
    /// The accounts that a request counts in; those that no limit needed are not open and count nothing that matters.
    fn of(&mut self, wanted: Wanted, day: i64) -> impl Iterator<Item = &mut Account> {
        let today = (self.day == day).then_some(&mut self.today);
        let session = self.sessions.get_mut(&wanted.session_id);
        let turn = self.turns.get_mut(&wanted.turn_id);
        today.into_iter().chain(session).chain(turn)
    }

    fn account(&self, span: Span, (session_id, turn_id): (SessionId, TurnId)) -> Option<&Account> {
        match span {
            Span::Turn => self.turns.get(&turn_id),
            Span::Session => self.sessions.get(&session_id),
            Span::Day => Some(&self.today),
        }
    }

    fn account_mut(&mut self, span: Span, (session_id, turn_id): (SessionId, TurnId)) -> Option<&mut Account> {
        match span {
            Span::Turn => self.turns.get_mut(&turn_id),
            Span::Session => self.sessions.get_mut(&session_id),
            Span::Day => Some(&mut self.today),
        }
    }
}

/// The longest answer that fits under every limit.
fn room(books: &Books, limits: &BudgetConfig, wanted: Wanted) -> Result<u64, Exceeded> {
    let ids = (wanted.session_id, wanted.turn_id);
    let shortest = MIN_ANSWER_TOKENS.min(wanted.max_tokens);
    let least = cost(wanted.input_tokens, shortest, wanted.price);
    let input = cost(wanted.input_tokens, 0, wanted.price);
    let none = Account::default();
    let mut max_tokens = wanted.max_tokens;
    for limit in Limit::all() {
        let Some(configured) = limit.configured(limits) else { continue };
        if limit.unit == Unit::Usd && wanted.price.is_none() {
            continue;
        }
        let account = books.account(limit.span, ids).unwrap_or(&none);
        let allowed = account.allowed(limit, configured);
        let left = allowed - account.used(limit) - account.held(limit);
        let needed = limit.unit.of(least);
        if left < needed {
            let (used, reserved) = (account.used(limit), account.held(limit));
            return Err(Exceeded { limit, configured, allowed, used, reserved, needed });
        }
        // A float to integer cast saturates.
        let tokens = match (limit.unit, wanted.price) {
            (Unit::Tokens, _) => (left - limit.unit.of(input)).floor() as u64,
            (Unit::Usd, Some(price)) if price.output > 0.0 => ((left - input.usd) / price.output * 1e6).floor() as u64,
            _ => u64::MAX,
        };
        max_tokens = max_tokens.min(tokens.max(shortest));
    }
    Ok(max_tokens)
}

/// What a request of so many tokens costs at least.
#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn cost(input: u64, output: u64, price: Option<Price>) -> Spend {
    let usd = price.map_or(0.0, |price| (input as f64 * price.input + output as f64 * price.output) / 1e6);
    Spend { tokens: input.saturating_add(output), usd, worked_ms: MIN_REQUEST_MS }
}

impl Reservation {
    /// Puts what was really used in the place of the reservation, also when it is more; `worked_ms` is the turn's work since it was
    /// made.
    pub fn settle(mut self, usage: &Usage, worked_ms: u64) {
        let spent = Spend {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            usd: usage.cost_usd.unwrap_or(0.0),
            worked_ms,
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
            account.reserved.worked_ms = account.reserved.worked_ms.saturating_sub(reserved.worked_ms);
            account.spent.tokens = account.spent.tokens.saturating_add(spent.tokens);
            account.spent.usd += spent.usd;
            account.spent.worked_ms = account.spent.worked_ms.saturating_add(spent.worked_ms);
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
