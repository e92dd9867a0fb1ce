//! Pages of lists.

/// One page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The items, in the order of the list.
    pub items: Vec<T>,
    /// Where the next page begins; `None` on the last one. Its text means nothing to a client.
    pub next_cursor: Option<String>,
}
