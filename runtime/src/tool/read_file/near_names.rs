//! Names in a folder that look like one that does not exist.

use crate::tool::resolve::Place;
use crate::tool::scope::{WorkspaceScope, display};

/// Entries of the folder that are compared.
const MAX_COMPARED: usize = 2_000;

/// Names offered.
const MAX_OFFERED: usize = 3;

/// Longest name that is compared, in Unicode scalars.
const MAX_NAME_CHARS: usize = 255;

/// Up to three paths beside the missing one, the most similar first.
pub(crate) fn near_names(scope: &WorkspaceScope, place: &Place) -> Vec<String> {
    let wanted = folded(&place.name.to_string_lossy());
    let Ok(entries) = place.directory.entries() else { return Vec::new() };
    let mut near = Vec::new();
    for entry in entries.take(MAX_COMPARED).flatten() {
        let name = entry.file_name();
        let Some(distance) = distance(&wanted, &folded(&name.to_string_lossy())) else { continue };
        let mut names = place.names.clone();
        names.pop();
        names.push(name);
        let metadata = entry.metadata().ok();
        if scope.grant(place.grant).is_some_and(|grant| !scope.is_closed(grant, &names, metadata.as_ref())) {
            near.push((distance, scope.shown(place.grant, &names)));
        }
    }
    near.sort();
    near.into_iter().take(MAX_OFFERED).map(|(_, shown)| shown).collect()
}

fn folded(name: &str) -> Vec<char> {
    display(name.as_ref()).to_lowercase().chars().take(MAX_NAME_CHARS).collect()
}

/// Edits between two names, or `None` when they are not similar.
fn distance(wanted: &[char], candidate: &[char]) -> Option<usize> {
    let stem = |name: &[char]| name.rsplitn(2, |c| *c == '.').last().map(<[char]>::to_vec).unwrap_or_default();
    let edits = edits(wanted, candidate);
    if edits <= (wanted.len() / 3).max(1) {
        return Some(edits);
    }
    let wanted_stem = stem(wanted);
    (!wanted_stem.is_empty() && wanted_stem == stem(candidate)).then_some(edits)
}

/// Levenshtein distance.
fn edits(left: &[char], right: &[char]) -> usize {
    let mut row = (0..=right.len()).collect::<Vec<_>>();
    for (index, from) in left.iter().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (cell, to) in row.iter_mut().zip(std::iter::once(None).chain(right.iter().map(Some))) {
            let Some(to) = to else {
                *cell = before;
                continue;
            };
            let above = *cell;
            *cell = (diagonal + usize::from(from != to)).min(above + 1).min(before + 1);
            diagonal = above;
            before = *cell;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (left, right, expect) in
            [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)]
        {
            let (left, right) = (left.chars().collect::<Vec<_>>(), right.chars().collect::<Vec<_>>());
            assert_eq!(edits(&left, &right), expect, "{left:?} {right:?}");
        }
    }
}
