//! Requests made again from their recipes, with rows and shared texts read from the store once.

use std::collections::HashMap;
use std::sync::Arc;

use nanobot_engine::govern::Decisions;
use nanobot_engine::id::SessionId;
use nanobot_engine::message::Row;
use nanobot_engine::model::ModelRequest;
use nanobot_engine::tool::ToolSpec;
use nanobot_store::{Store, StoreError};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::recipe::{Body, Ingredients, Recipe};

const DIFFERS: &str = "Made again from what is stored, it is not what was sent: something stored was changed, or this version makes \
                       requests in another way.";
const BODY_IS_GONE: &str =
    "A text that this request was made from is not in the database any more, or was changed there.";
const ROW_IS_GONE: &str = "The messages that this request was made from are not in the database any more.";

/// Bodies that were read, by their hash.
type Known<T> = HashMap<String, T>;

/// A request that was made again.
#[derive(Clone, Debug)]
pub(crate) struct Rebuilt {
    /// Of the request on record.
    pub(crate) id: Uuid,
    pub(crate) request: ModelRequest,
    /// Is it what was sent, to the last byte?
    pub(crate) exact: bool,
    /// Why not.
    pub(crate) note: Option<String>,
    /// Hashes of system prompt and tools, where they are known.
    pub(crate) shared: Option<(String, String)>,
}

impl Rebuilt {
    /// A request of which nothing can be shown.
    pub(crate) fn unknown(why: impl Into<String>) -> Self {
        let request = ModelRequest::default();
        Self { id: Uuid::nil(), request, exact: false, note: Some(why.into()), shared: None }
    }

    /// Is there nothing to show?
    pub(crate) fn is_unknown(&self) -> bool {
        self.shared.is_none()
    }
}

/// What requests of a session are made from.
pub(crate) struct Sources {
    store: Store,
    session_id: SessionId,
    systems: Known<Option<Arc<str>>>,
    tools: Known<Option<Arc<[ToolSpec]>>>,
    decisions: Known<Option<Arc<Decisions>>>,
    /// A branch that was read; requests of a turn are made from beginnings of the same one.
    rows: Arc<Vec<Row>>,
}

impl Sources {
    pub(crate) fn new(store: Store, session_id: SessionId) -> Self {
        Self {
            store,
            session_id,
            systems: Known::new(),
            tools: Known::new(),
            decisions: Known::new(),
            rows: Arc::default(),
        }
    }

    /// Texts that a recipe names; `None` when one of them is gone.
    pub(crate) async fn ingredients(&mut self, recipe: &Recipe) -> Result<Option<Ingredients>, StoreError> {
        if !self.systems.contains_key(&recipe.system) {
            let body = self.body(&recipe.system).await?;
            self.systems.insert(recipe.system.clone(), body.map(Arc::from));
        }
        let tools = self.tools(&recipe.tools).await?;
        let decisions = match &recipe.decisions {
            None => Some(Arc::default()),
            Some(hash) => {
                if !self.decisions.contains_key(hash) {
                    let body = self.body(hash).await?;
                    self.decisions.insert(hash.clone(), body.and_then(|body| parse(&body)).map(Arc::new));
                }
                self.decisions.get(hash).cloned().flatten()
            }
        };
        let system = self.systems.get(&recipe.system).cloned().flatten();
        let (Some(system), Some(tools), Some(decisions)) = (system, tools, decisions) else { return Ok(None) };
        Ok(Some(Ingredients { system, tools, decisions }))
    }

    /// The list of tools with this hash.
    pub(crate) async fn tools(&mut self, hash: &str) -> Result<Option<Arc<[ToolSpec]>>, StoreError> {
        if !self.tools.contains_key(hash) {
            let body = self.body(hash).await?;
            let tools = body.and_then(|body| parse::<Vec<ToolSpec>>(&body)).map(Arc::from);
            self.tools.insert(hash.to_owned(), tools);
        }
        Ok(self.tools.get(hash).cloned().flatten())
    }

    /// A shared text, if it is what it was.
    async fn body(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let body = self.store.journal_body(self.session_id, hash).await?;
        Ok(body.filter(|body| Body::new(body.as_str()).hash == hash))
    }

    /// Makes the request of a recipe again.
    pub(crate) async fn rebuild(&mut self, recipe: &Recipe) -> Result<Rebuilt, StoreError> {
        let Some(ingredients) = self.ingredients(recipe).await? else { return Ok(Rebuilt::unknown(BODY_IS_GONE)) };
        let Some(count) = self.count_of_rows(recipe).await? else { return Ok(Rebuilt::unknown(ROW_IS_GONE)) };
        let (rows, recipe) = (Arc::clone(&self.rows), recipe.clone());
        // A long history takes a while, and others want this thread.
        let made = tokio::task::spawn_blocking(move || {
            let made = recipe.make(rows.get(..count).unwrap_or_default(), &ingredients);
            let shared = Some((recipe.system.clone(), recipe.tools.clone()));
            match made {
                Ok(made) => {
                    let exact = made.hash == recipe.hash;
                    let note = (!exact).then(|| DIFFERS.to_owned());
                    Rebuilt { id: Uuid::nil(), request: made.request, exact, note, shared }
                }
                Err(error) => Rebuilt { shared, ..Rebuilt::unknown(format!("{DIFFERS} Now {error}.")) },
            }
        });
        made.await.map_err(|error| StoreError::Other(error.to_string()))
    }

    /// How many rows of the branch in memory are those of the recipe; reads the branch when it is another one.
    async fn count_of_rows(&mut self, recipe: &Recipe) -> Result<Option<usize>, StoreError> {
        let Some(leaf) = recipe.leaf else { return Ok(Some(0)) };
        let count = |rows: &[Row]| rows.iter().rposition(|row| row.id == leaf).map(|at| at + 1);
        if let Some(count) = count(&self.rows) {
            return Ok(Some(count));
        }
        self.rows = Arc::new(self.store.branch_rows(self.session_id, leaf).await?);
        Ok(count(&self.rows))
    }
}

fn parse<T: DeserializeOwned>(body: &str) -> Option<T> {
    serde_json::from_str(body).ok()
}
