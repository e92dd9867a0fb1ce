//! Turns a leading inline `<think>…</think>` of an answer into reasoning while it streams.
//!
//! Only a tag at the very start opens a block, since that is where models put their reasoning. Tags further on, in prose, back-ticks or
//! code fences, are what the answer is about and stay as they are. Left-overs at the edges are removed: a closing or self-closing tag
//! without a block, a channel marker or a damaged tag at the start, the first half of a tag at the end. The scanner holds back no more
//! than what may still become a tag.

/// Names of the tags that models use.
const NAMES: [&str; 3] = ["think", "thinking", "thought"];
/// What is left of the channel markers of gpt-oss when a server takes them apart badly.
const CHANNELS: [&str; 2] = ["<|channel|>", "<channel|>"];
/// The first half of a tag has at least so many letters; fewer are more likely something else.
const MIN_PARTIAL_LETTERS: usize = 3;

/// Where a piece of content belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Reasoning.
    Reasoning(&'a str),
    /// Visible text.
    Text(&'a str),
}

/// The scanner's state between two pieces of content.
#[derive(Debug, Default)]
pub struct ThinkScanner {
    state: State,
    /// What may still become a tag.
    held: String,
    /// The text so far ends with a back-tick, so that a tag after it is quoted.
    after_tick: bool,
    /// The text opened a block that is not reasoning, so that an end tag belongs to it.
    opened: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing but white space and a possible start of a tag has come.
    #[default]
    Start,
    /// Inside the block, before its first visible character.
    Opened(&'static str),
    /// Inside the block.
    Inside(&'static str),
    /// After the block, before the answer's first visible character.
    Closed,
    /// In the answer; nothing is looked for any more.
    Answer,
}

impl ThinkScanner {
    /// Takes the next content and hands on what is certain.
    pub fn feed(&mut self, content: &str, mut emit: impl FnMut(Piece<'_>)) {
        if self.held.is_empty() {
            self.scan(content, &mut emit);
        } else {
            let mut whole = std::mem::take(&mut self.held);
            whole.push_str(content);
            self.scan(&whole, &mut emit);
        }
    }

    /// The content is over: what was held back is no tag.
    pub fn finish(&mut self, mut emit: impl FnMut(Piece<'_>)) {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        let is_leftover = is_partial_tag(held.trim_start()) || is_stray_tag(held.trim_start());
        match self.state {
            _ if is_leftover && !self.opened => {}
            State::Opened(_) | State::Inside(_) => emit(Piece::Reasoning(&held)),
            State::Start | State::Closed | State::Answer => emit(Piece::Text(&held)),
        }
        self.state = State::Answer;
    }

    fn scan(&mut self, mut rest: &str, emit: &mut impl FnMut(Piece<'_>)) {
        while !rest.is_empty() {
            match self.state {
                State::Start => match leading_tag(rest.trim_start()) {
                    Leading::Open(name, after) => {
                        self.state = State::Opened(name);
                        rest = after;
                    }
                    Leading::Orphan(after) => {
                        self.state = State::Closed;
                        rest = after;
                    }
                    Leading::Undecided => {
                        self.held.push_str(rest);
                        return;
                    }
                    Leading::None => self.state = State::Answer,
                },
                State::Opened(name) => {
                    rest = rest.trim_start();
                    if !rest.is_empty() {
                        self.state = State::Inside(name);
                    }
                }
                State::Inside(name) => {
                    let (reasoning, after) = split_at_close(rest, name);
                    if !reasoning.is_empty() {
                        emit(Piece::Reasoning(reasoning));
                    }
                    match after {
                        Close::After(after) => {
                            self.state = State::Closed;
                            rest = after;
                        }
                        Close::Held(held) => {
                            self.held.push_str(held);
                            return;
                        }
                    }
                }
                State::Closed => {
                    rest = rest.trim_start();
                    if !rest.is_empty() {
                        self.state = State::Answer;
                    }
                }
                State::Answer => {
                    let (text, held) = split_at_last_tag(rest, self.after_tick);
                    if let Some(last) = text.chars().next_back() {
                        self.opened |= has_open_tag(text, self.after_tick);
                        self.after_tick = last == '`';
                        emit(Piece::Text(text));
                    }
                    self.held.push_str(held);
                    return;
                }
            }
        }
    }
}

enum Leading<'a> {
    Open(&'static str, &'a str),
    /// A closing or self-closing tag without a block.
    Orphan(&'a str),
    Undecided,
    None,
}

fn leading_tag(text: &str) -> Leading<'_> {
    let mut undecided = text.is_empty();
    for channel in CHANNELS {
        match text.strip_prefix(channel) {
            Some(rest) => return Leading::Orphan(rest),
            None => undecided |= channel.starts_with(text),
        }
    }
    for name in NAMES {
        if let Some(rest) = after_damaged_tag(text, name) {
            return Leading::Orphan(rest);
        }
        for (before, after) in [("<", ">"), ("</", ">"), ("<", "/>")] {
            match after_tag(text, before, name, after) {
                Some(Ok(rest)) if before == "<" && after == ">" => return Leading::Open(name, rest),
                Some(Ok(rest)) => return Leading::Orphan(rest),
                Some(Err(Prefix)) => undecided = true,
                None => {}
            }
        }
    }
    if undecided { Leading::Undecided } else { Leading::None }
}

/// What follows `<think` when the next character can belong to no tag.
fn after_damaged_tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let Some(Ok(rest)) = after_tag(text, "<", name, "") else { return None };
    let next = rest.chars().next()?;
    let goes_on = next.is_ascii_alphanumeric() || matches!(next, '_' | '-' | ':' | '>' | '/');
    (!goes_on).then_some(rest)
}

/// Cuts off what may be a stray tag at the very end of the text.
fn split_at_last_tag(text: &str, after_tick: bool) -> (&str, &str) {
    let Some(at) = memchr::memrchr(b'<', text.as_bytes()) else { return (text, "") };
    let (before, tag) = text.split_at_checked(at).unwrap_or((text, ""));
    let is_quoted = if before.is_empty() { after_tick } else { before.ends_with('`') };
    let may_be_stray = !is_quoted && (is_stray_tag(tag) || may_become_stray_tag(tag));
    if may_be_stray { (before, tag) } else { (text, "") }
}

/// Is there an opening tag that is not quoted?
fn has_open_tag(text: &str, after_tick: bool) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
        let (before, tag) = text.split_at_checked(at).unwrap_or((text, ""));
        let is_quoted = if before.is_empty() { after_tick } else { before.ends_with('`') };
        !is_quoted && NAMES.iter().any(|name| matches!(after_tag(tag, "<", name, ">"), Some(Ok(_))))
    })
}

/// Forms of tags that mean nothing without a block.
const STRAY: [(&str, &str); 2] = [("</", ">"), ("<", "/>")];

fn is_stray_tag(text: &str) -> bool {
    NAMES.iter().any(|name| {
        STRAY.iter().any(
            |(before, after)| matches!(after_tag(text, before, name, after), Some(Ok(rest)) if rest.trim().is_empty()),
        )
    })
}

fn may_become_stray_tag(text: &str) -> bool {
    CHANNELS.iter().any(|channel| channel.starts_with(text))
        || NAMES.iter().any(|name| {
            STRAY.iter().any(|(before, after)| matches!(after_tag(text, before, name, after), Some(Err(Prefix))))
        })
}

/// Is this the first half of a tag, too long to be anything else?
fn is_partial_tag(text: &str) -> bool {
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    let may_open = NAMES.iter().any(|name| matches!(after_tag(text, "<", name, ">"), Some(Err(Prefix))));
    letters >= MIN_PARTIAL_LETTERS && (may_open || may_become_stray_tag(text))
}

/// The text is over before the tag is.
struct Prefix;

/// What follows the tag in `text`; `None` when the text is something else.
fn after_tag<'a>(text: &'a str, before: &str, name: &str, after: &str) -> Option<Result<&'a str, Prefix>> {
    let mut rest = text;
    for part in [before, name, after] {
        let common = rest.len().min(part.len());
        let (Some(have), Some(want)) = (rest.get(..common), part.get(..common)) else { return None };
        if !have.eq_ignore_ascii_case(want) {
            return None;
        }
        if common < part.len() {
            return Some(Err(Prefix));
        }
        rest = rest.get(common..).unwrap_or_default();
    }
    Some(Ok(rest))
}

enum Close<'a> {
    /// The block was closed; this follows.
    After(&'a str),
    /// This may still become the closing tag; empty when nothing may.
    Held(&'a str),
}

fn split_at_close<'a>(text: &'a str, name: &str) -> (&'a str, Close<'a>) {
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let (before, candidate) = text.split_at_checked(at).unwrap_or((text, ""));
        match after_tag(candidate, "</", name, ">") {
            Some(Ok(rest)) => return (before, Close::After(rest)),
            Some(Err(Prefix)) => return (before, Close::Held(candidate)),
            None => {}
        }
    }
    (text, Close::Held(""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scan<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut scanner = ThinkScanner::default();
        let (mut reasoning, mut text) = (String::new(), String::new());
        let mut take = |piece: Piece<'_>| match piece {
            Piece::Reasoning(more) => reasoning.push_str(more),
            Piece::Text(more) => text.push_str(more),
        };
        for piece in pieces {
            scanner.feed(piece, &mut take);
        }
        scanner.finish(&mut take);
        (reasoning, text)
    }

    #[test]
    fn only_a_leading_tag_counts() {
        for (input, reasoning, text) in [
            ("<think>a</think>b", "a", "b"),
            (" \n<thinking>\na</thinking>\n\n b", "a", "b"),
            ("<thought>a</thought>", "a", ""),
            ("<THINK>a</Think>b", "a", "b"),
            ("<think>never closed", "never closed", ""),
            ("<think>\n\n</think>\n\nb", "", "b"),
            ("<think>a</thinking>b</think>c", "a</thinking>b", "c"),
            ("<think>a < b </thin", "a < b ", ""),
            ("</think>b", "", "b"),
            ("\n</think>\n\nb", "", "b"),
            ("<thinking/>b", "", "b"),
            ("b<think>c</think>", "", "b<think>c</think>"),
            ("`<think>` is a tag", "", "`<think>` is a tag"),
            ("```\n<think>x</think>\n```", "", "```\n<think>x</think>\n```"),
            ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
            ("b</think>c", "", "b</think>c"),
            ("<think-foo>b", "", "<think-foo>b"),
            ("<thinker>b", "", "<thinker>b"),
            ("<think1>b", "", "<think1>b"),
            (" plain", "", " plain"),
            ("<thi", "", ""),
            ("<th", "", "<th"),
            ("b </thou", "", "b "),
            ("b <|chan", "", "b "),
            ("b <t", "", "b <t"),
            ("b\n</think>\n", "", "b\n"),
            ("b <thinking/>", "", "b "),
            ("b <thinking/> c", "", "b <thinking/> c"),
            ("b <think>", "", "b <think>"),
            ("the end tag is `</think>", "", "the end tag is `</think>"),
            ("<|channel|>b", "", "b"),
            ("<channel|> b", "", "b"),
            ("b <channel|> c", "", "b <channel|> c"),
            ("<think你好", "", "你好"),
            ("<think so", "", "so"),
            ("<think:x>b", "", "<think:x>b"),
            ("<think_foo>b", "", "<think_foo>b"),
            ("<think>a</think>b</think>", "a", "b"),
            ("  ", "", "  "),
            ("<日本", "", "<日本"),
            ("", "", ""),
        ] {
            assert_eq!(scan([input]), (reasoning.to_owned(), text.to_owned()), "{input:?}");
        }
    }

    #[test]
    fn reasoning_is_shown_while_it_arrives() {
        let mut scanner = ThinkScanner::default();
        let mut seen = Vec::new();
        for piece in ["<thi", "nk>sec", "ret plan</th", "ink>Vis", "ible."] {
            scanner.feed(piece, |p| seen.push(format!("{p:?}")));
        }
        assert_eq!(seen, [r#"Reasoning("sec")"#, r#"Reasoning("ret plan")"#, r#"Text("Vis")"#, r#"Text("ible.")"#]);
    }

    proptest! {
        #[test]
        fn any_split_gives_what_the_whole_gives(
            parts in proptest::collection::vec("(<think>|</think>|<thinking>|</thinking>|<|</|thi|nk|>|/>| |\n|a|é☀|`)", 0..14),
        ) {
            let whole = parts.concat();
            let want = scan([whole.as_str()]);
            prop_assert_eq!(&scan(parts.iter().map(String::as_str)), &want);
            let singles: Vec<String> = whole.chars().map(String::from).collect();
            prop_assert_eq!(&scan(singles.iter().map(String::as_str)), &want);
        }
    }
}
