//! Where the words of a query are in a text, and the piece of the text that shows them.

/// Length of a snippet in Unicode scalars, without the ellipses.
const SNIPPET_CHARS: usize = 160;
/// How much of it comes before the first match.
const SNIPPET_BEFORE: usize = 40;

/// The words of a query; they are data, never syntax.
pub(crate) fn words(query: &str) -> Vec<String> {
    query.split_whitespace().map(|word| word.replace('\0', "")).filter(|word| !word.is_empty()).collect()
}

/// `(start, length)` of each place where a word is, in Unicode scalars, ascending and apart from each other.
pub(crate) fn marks(text: &str, words: &[String]) -> Vec<(u32, u32)> {
    // Folding may change the number of characters, so each folded one remembers where it comes from.
    let mut folded = Vec::new();
    for (index, character) in text.chars().enumerate() {
        folded.extend(character.to_lowercase().map(|lower| (lower, index)));
    }
    let mut found: Vec<(usize, usize)> = Vec::new();
    for word in words {
        let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        let hits = folded
            .windows(word.len().max(1))
            .filter(|window| window.iter().map(|(character, _)| *character).eq(word.iter().copied()));
        for window in hits {
            if let (Some((_, first)), Some((_, last))) = (window.first(), window.last()) {
                found.push((*first, last + 1));
            }
        }
    }
    found.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (start, end) in found {
        match joined.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined.into_iter().filter_map(|(start, end)| Some((narrow(start)?, narrow(end - start)?))).collect()
}

fn narrow(value: usize) -> Option<u32> {
    u32::try_from(value).ok()
}

/// One line around the first match, with the marks of all matches in it.
pub(crate) fn snippet(text: &str, words: &[String]) -> (String, Vec<(u32, u32)>) {
    let first = marks(text, words).first().map_or(0, |(start, _)| *start as usize);
    let start = first.saturating_sub(SNIPPET_BEFORE);
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    let mut rest = text.chars().skip(start);
    out.extend(rest.by_ref().take(SNIPPET_CHARS).map(|character| if character.is_control() { ' ' } else { character }));
    if rest.next().is_some() {
        out.push('…');
    }
    let marks = marks(&out, words);
    (out, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, query: &str, expect: &[&str]) {
        let found: Vec<String> = marks(text, &words(query))
            .into_iter()
            .map(|(start, length)| text.chars().skip(start as usize).take(length as usize).collect())
            .collect();
        assert_eq!(found, expect, "{query:?} in {text:?}");
    }

    #[test]
    fn marks_are_in_scalars_of_the_text() {
        check("Hello hello", "HELLO", &["Hello", "hello"]);
        check("日本語の検索", "検索", &["検索"]);
        check("a 😀 b", "b 😀", &["😀", "b"]);
        check("İstanbul", "stan", &["stan"]);
        check("aaaa", "aa", &["aaaa"]);
        check("nothing", "", &[]);
        check("", "word", &[]);
        check("say \"hi\"", "\"hi\"", &["\"hi\""]);
    }

    #[test]
    fn snippets_show_the_first_match() {
        let text = format!("{}needle{}", "x".repeat(500), "y".repeat(500));
        let (snippet, marks) = snippet(&text, &words("needle"));
        assert_eq!(snippet.chars().count(), 162);
        assert_eq!(marks, [(41, 6)]);
        assert!(snippet.starts_with('…') && snippet.ends_with('…'));
    }

    #[test]
    fn short_texts_are_their_own_snippet() {
        assert_eq!(snippet("one\ntwo", &words("two")), ("one two".to_owned(), vec![(4, 3)]));
    }
}
