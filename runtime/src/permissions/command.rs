//! The segments of a shell command, so that rules judge each command of a chain and not only the first.
//!
//! This is no shell: it finds where commands begin. What it cannot see through (variables, aliases, scripts) is the sandbox's to
//! hold; in doubt it gives more segments, never fewer.

/// The simple commands of a command line, in order and with inner white space made single: of chains (`&&`, `||`, `;`, `|`, `&`,
/// line ends), of groups, and of substitutions (`$(…)`, backticks, `<(…)`), those in double quotes too. Never empty.
#[must_use]
pub fn segments(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    split(command, &mut found);
    if found.is_empty() {
        found.push(squeezed(command));
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|segment| seen.insert(segment.clone()));
    found
}

fn split(command: &str, found: &mut Vec<String>) {
    let mut chars = command.chars().peekable();
    let mut segment = String::new();
    let mut quote: Option<char> = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') => {
                quote = None;
                segment.push(c);
            }
            (Some('\''), _) => segment.push(c),
            (_, '\\') => {
                // A line that goes on; any other escaped character is no operator.
                match chars.next() {
                    Some('\n') => segment.push(' '),
                    Some(next) => segment.extend([c, next]),
                    None => segment.push(c),
                }
            }
            (Some('"'), '"') => {
                quote = None;
                segment.push(c);
            }
            (_, '$') if chars.peek() == Some(&'(') => {
                chars.next();
                let inner = until_closed(&mut chars);
                split(&inner, found);
                segment.push_str(&format!("$({inner})"));
            }
            (_, '`') => {
                let inner: String = chars.by_ref().take_while(|c| *c != '`').collect();
                split(&inner, found);
                segment.push_str(&format!("`{inner}`"));
            }
            (Some(_), _) => segment.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                segment.push(c);
            }
            (None, '<' | '>') if chars.peek() == Some(&'(') => {
                chars.next();
                let inner = until_closed(&mut chars);
                split(&inner, found);
                segment.push_str(&format!("{c}({inner})"));
            }
            // `>&2`, `&>file`, `<&3`: no end of a command.
            (None, '&') if segment.ends_with(['>', '<']) || chars.peek() == Some(&'>') => segment.push(c),
            (None, '{' | '}') if is_part_of_word(&segment, chars.peek().copied()) => segment.push(c),
            (None, ';' | '|' | '&' | '\n' | '(' | ')' | '{' | '}') => keep(&mut segment, found),
            (None, _) => segment.push(c),
        }
    }
    keep(&mut segment, found);
}

/// A brace groups commands when it is a word of its own; else it belongs to a word, as in `a{b,c}` and `${HOME}`.
fn is_part_of_word(before: &str, next: Option<char>) -> bool {
    let inside = !before.is_empty() && !before.ends_with(char::is_whitespace);
    inside || next.is_some_and(|next| !next.is_whitespace() && !matches!(next, ';' | '}'))
}

fn keep(segment: &mut String, found: &mut Vec<String>) {
    let text = squeezed(segment);
    segment.clear();
    let text = without_keywords(&text);
    if !text.is_empty() {
        found.push(text.to_owned());
    }
}

/// What stands after the words of control flow that may stand before a command.
fn without_keywords(mut text: &str) -> &str {
    const KEYWORDS: [&str; 9] = ["if", "then", "else", "elif", "while", "until", "do", "!", "time"];
    loop {
        let Some((first, rest)) = text.split_once(' ') else {
            return if matches!(text, "fi" | "done" | "esac") || KEYWORDS.contains(&text) { "" } else { text };
        };
        if !KEYWORDS.contains(&first) {
            return text;
        }
        text = rest;
    }
}

/// Up to the parenthesis that closes, which is taken as well.
fn until_closed(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut depth = 1;
    let mut inner = String::new();
    let mut quote: Option<char> = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                inner.push(c);
                inner.extend(chars.next());
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
        inner.push(c);
    }
    inner
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_of_a_chain_is_a_segment() {
        for (command, expected) in [
            ("ls", &["ls"][..]),
            ("  git   push  ", &["git push"]),
            ("", &[""]),
            ("a && b || c; d | e & f", &["a", "b", "c", "d", "e", "f"]),
            ("ls\ngit push", &["ls", "git push"]),
            ("echo 'a && b'", &["echo 'a && b'"]),
            ("echo \"a; b\"", &["echo \"a; b\""]),
            ("echo \"$(git push)\"", &["git push", "echo \"$(git push)\""]),
            ("echo `git push`", &["git push", "echo `git push`"]),
            ("echo $(echo $(rm x))", &["rm x", "echo $(rm x)", "echo $(echo $(rm x))"]),
            ("diff <(curl x) y", &["curl x", "diff <(curl x) y"]),
            ("(cd a; rm b)", &["cd a", "rm b"]),
            ("{ rm a; }", &["rm a"]),
            ("echo a{b,c}", &["echo a{b,c}"]),
            ("make >out 2>&1", &["make >out 2>&1"]),
            ("make &>out", &["make &>out"]),
            ("if true; then rm x; fi", &["true", "rm x"]),
            ("while ! ping x; do sleep 1; done", &["ping x", "sleep 1"]),
            ("echo a\\;b", &["echo a\\;b"]),
            ("git \\\n push", &["git push"]),
            ("echo '", &["echo '"]),
            ("echo $(rm x", &["rm x", "echo $(rm x)"]),
        ] {
            assert_eq!(segments(command), expected, "{command:?}");
        }
    }

    #[test]
    fn a_forbidden_command_is_found_wherever_it_stands() {
        for around in
            ["{}", "true && {}", "a|{}", "a;{}", "a\n{}", "(a;{})", "echo $({})", "echo `{}`", "a & {}", "! {}"]
        {
            let command = around.replace("{}", "git push -f");
            assert!(segments(&command).iter().any(|segment| segment == "git push -f"), "{command}");
        }
    }
}
