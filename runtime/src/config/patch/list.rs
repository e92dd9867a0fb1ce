//! Setting a list of sections as a whole. A section that stays as it is keeps its comments, wherever in the list it goes.

use serde_json::{Map, Value as Json};
use toml_edit::{ArrayOfTables, Item, Table, Value};

use super::super::error::ConfigError;
use super::super::schema::{Shape, join};
use super::{same, to_toml};

/// The new list as sections with headers of their own.
pub(super) fn sections(existing: Option<&Item>, items: &[Json], shape: Shape, path: &str) -> Result<Item, ConfigError> {
    let mut old = existing.map(tables).unwrap_or_default();
    let mut result = ArrayOfTables::new();
    for (index, item) in items.iter().enumerate() {
        let Json::Object(keys) = item else { continue };
        let wanted = table(keys, shape.item(), &format!("{path}[{index}]"))?;
        let kept = old.iter().position(|old| is_same(old, &wanted)).map(|at| old.remove(at));
        let mut section = kept.unwrap_or(wanted);
        // Else it would be written where it was before.
        section.set_position(None);
        result.push(section);
    }
    Ok(Item::ArrayOfTables(result))
}

fn tables(item: &Item) -> Vec<Table> {
    match item {
        Item::ArrayOfTables(tables) => tables.iter().cloned().collect(),
        Item::Value(Value::Array(items)) => {
            items.iter().filter_map(|item| item.as_inline_table().cloned()).map(|table| table.into_table()).collect()
        }
        Item::None | Item::Value(_) | Item::Table(_) => Vec::new(),
    }
}

fn table(keys: &Map<String, Json>, shape: Shape, path: &str) -> Result<Table, ConfigError> {
    let mut table = Table::new();
    for (key, value) in keys {
        let here = join(path, key);
        let value = to_toml(value, shape.child(key).unwrap_or(Shape::Opaque), &here)?;
        table.insert(key, Item::Value(value));
    }
    Ok(table)
}

fn is_same(old: &Table, new: &Table) -> bool {
    old.len() == new.len()
        && new.iter().all(|(key, value)| match (old.get(key).and_then(Item::as_value), value.as_value()) {
            (Some(old), Some(new)) => same(old, new),
            _ => false,
        })
}
