//! From rows to our types. A row that cannot be read is left out with a warning; it never hides the others.

use std::str::FromStr;

use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Row as _, Sqlite};

use crate::error::StoreError;
use crate::names::Named;

/// Why a row cannot be read.
#[derive(Debug)]
pub(crate) struct Broken(String);

impl From<Broken> for StoreError {
    fn from(broken: Broken) -> Self {
        Self::Corrupt(broken.0)
    }
}

/// The columns of a row, read from left to right.
pub(crate) struct Columns<'r> {
    row: &'r SqliteRow,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(crate) fn new(row: &'r SqliteRow) -> Self {
        Self { row, next: 0 }
    }

    fn take<T: Decode<'r, Sqlite>>(&mut self) -> Result<T, Broken> {
        let column = self.next;
        self.next += 1;
        self.row.try_get_unchecked(column).map_err(|error| Broken(error.to_string()))
    }

    pub(crate) fn text(&mut self) -> Result<String, Broken> {
        self.take()
    }

    pub(crate) fn optional_text(&mut self) -> Result<Option<String>, Broken> {
        self.take()
    }

    pub(crate) fn integer(&mut self) -> Result<i64, Broken> {
        self.take()
    }

    pub(crate) fn optional_integer(&mut self) -> Result<Option<i64>, Broken> {
        self.take()
    }

    pub(crate) fn optional_real(&mut self) -> Result<Option<f64>, Broken> {
        self.take()
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Broken> {
        Ok(self.integer()? != 0)
    }

    /// A number that is never negative.
    pub(crate) fn number<T: TryFrom<i64>>(&mut self) -> Result<T, Broken> {
        let value = self.integer()?;
        T::try_from(value).map_err(|_| Broken(format!("the number {value} is out of range")))
    }

    pub(crate) fn optional_number<T: TryFrom<i64>>(&mut self) -> Result<Option<T>, Broken> {
        self.optional_integer()?
            .map(|value| T::try_from(value).map_err(|_| Broken(format!("the number {value} is out of range"))))
            .transpose()
    }

    pub(crate) fn id<T: FromStr>(&mut self) -> Result<T, Broken> {
        let text: &str = self.take()?;
        parse_id(text)
    }

    pub(crate) fn optional_id<T: FromStr>(&mut self) -> Result<Option<T>, Broken> {
        let text: Option<&str> = self.take()?;
        text.map(parse_id).transpose()
    }

    pub(crate) fn named<T: Named>(&mut self) -> Result<T, Broken> {
        let word: &str = self.take()?;
        parse_word(word)
    }

    pub(crate) fn optional_named<T: Named>(&mut self) -> Result<Option<T>, Broken> {
        let word: Option<&str> = self.take()?;
        word.map(parse_word).transpose()
    }

    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> Result<T, Broken> {
        let text: &str = self.take()?;
        parse_json(text)
    }

    pub(crate) fn optional_json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Broken> {
        let text: Option<&str> = self.take()?;
        text.map(parse_json).transpose()
    }
}

fn parse_id<T: FromStr>(text: &str) -> Result<T, Broken> {
    text.parse().map_err(|_| Broken("an id is not a UUID".to_owned()))
}

fn parse_word<T: Named>(word: &str) -> Result<T, Broken> {
    T::from_word(word).ok_or_else(|| Broken(format!("the word {word:?} is unknown")))
}

fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, Broken> {
    serde_json::from_str(text).map_err(|error| Broken(format!("broken JSON: {error}")))
}

/// Reads all rows that can be read.
pub(crate) fn all<T>(rows: &[SqliteRow], what: &'static str, read: fn(&mut Columns) -> Result<T, Broken>) -> Vec<T> {
    rows.iter().filter_map(|row| one(row, what, read)).collect()
}

/// Reads one row if it can be read.
pub(crate) fn one<T>(row: &SqliteRow, what: &'static str, read: fn(&mut Columns) -> Result<T, Broken>) -> Option<T> {
    match read(&mut Columns::new(row)) {
        Ok(value) => Some(value),
        Err(Broken(reason)) => {
            tracing::warn!(what, reason, "a stored {what} cannot be read and is left out");
            None
        }
    }
}
