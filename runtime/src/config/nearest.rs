//! Finds the key that somebody meant.

use super::schema::{ROOT, Shape, join};

/// What to say about a key that nobody knows: the nearest one of the same section, else the place where it belongs.
pub(crate) fn unknown_key(section: Shape, key: &str) -> String {
    match nearest(section.keys(), key).map(str::to_owned).or_else(|| elsewhere(ROOT, "", key)) {
        Some(known) => format!("unknown key; did you mean `{known}`?"),
        None => "unknown key".to_owned(),
    }
}

/// The known name that is spelled most like this one, when one is near enough.
pub(crate) fn nearest<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let given = plain(name);
    let close_enough = (given.chars().count() / 2).clamp(1, 4);
    known
        .map(|known| {
            let name = plain(known);
            (if is_start(&given, &name) { 1 } else { distance(&given, &name) }, known)
        })
        .filter(|(distance, _)| *distance <= close_enough)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn is_start(key: &str, name: &str) -> bool {
    key.len() > 2 && name.starts_with(key)
}

/// The full path of a key of this name, or of one that is a character off, in another section.
fn elsewhere(shape: Shape, path: &str, key: &str) -> Option<String> {
    match shape {
        Shape::Section(keys) => keys.iter().find_map(|(name, shape)| {
            let here = join(path, name);
            if *name == key || (key.len() > 4 && distance(name, key) == 1) {
                Some(here)
            } else {
                elsewhere(*shape, &here, key)
            }
        }),
        Shape::Named(shape) => elsewhere(*shape, &format!("{path}.NAME"), key),
        Shape::Text | Shape::Value | Shape::List(_) | Shape::Free | Shape::Any | Shape::Opaque => None,
    }
}

/// How many characters must be added, removed, changed or swapped with their neighbour (optimal string alignment).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut previous_left = None;
    for (index, left) in left.chars().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(index + 1);
        let mut previous_right = None;
        for (column, right) in right.iter().enumerate() {
            let at = |cells: &[usize], column: usize| cells.get(column).copied().unwrap_or(usize::MAX - 1);
            let replaced = at(&row, column) + usize::from(left != *right);
            let mut best = replaced.min(at(&row, column + 1) + 1).min(at(&next, column) + 1);
            if previous_left == Some(*right) && previous_right == Some(left) && column > 0 {
                best = best.min(at(&before, column - 1) + 1);
            }
            next.push(best);
            previous_right = Some(*right);
        }
        previous_left = Some(left);
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (left, right, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("port", "prot", 1),
            ("kitten", "sitting", 3),
            ("host", "hosts", 1),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn the_nearest_key_is_named() {
        let server = ROOT.child("server").unwrap();
        assert_eq!(unknown_key(server, "prot"), "unknown key; did you mean `port`?");
        assert_eq!(unknown_key(server, "maxBodyBytes"), "unknown key; did you mean `max_body_bytes`?");
        assert_eq!(unknown_key(ROOT, "max_iterations"), "unknown key; did you mean `agent.max_iterations`?");
        assert_eq!(unknown_key(ROOT, "base_url"), "unknown key; did you mean `providers.NAME.base_url`?");
        assert_eq!(unknown_key(ROOT, "wholly_different"), "unknown key");
    }
}
