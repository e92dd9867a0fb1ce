//! Finds tool calls that a model wrote into its text, since its server did not turn its markup into calls.
//!
//! Only markup that begins a line outside of a code fence counts; in a fence, in back-ticks or after other words it is what the answer is
//! about. It is read strictly: what cannot be read stays text. The scanner holds back no more than what may be such markup. The forms are
//! those of the chat templates of Hermes and Qwen (`<tool_call>`), Qwen Coder and MiMo (`<function=…>`), GLM (`<arg_key>`), Seed
//! (`<seed:tool_call>`), MiniMax (`<minimax:tool_call>`, `[TOOL_CALL]`), Kimi (`<|tool_calls_section_begin|>`) and Phi (`<|tool_call|>`).

use nanobot_engine::message::ToolCall;

use super::markup_forms::{Reading, read};

/// How markup begins, and how it ends.
const MARKERS: [(&str, &str); 9] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function=", "</function>"),
    ("<seed:tool_call>", "</seed:tool_call>"),
    ("<minimax:tool_call>", "</minimax:tool_call>"),
    ("[TOOL_CALL]", "[/TOOL_CALL]"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ("<|tool_call_begin|>", "<|tool_call_end|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
];
/// Deepest indentation that is no code block.
const MAX_INDENT: usize = 3;
/// As much of a line as is looked at for a fence.
const MAX_LINE_CHARS: usize = 200;

/// Calls and the text that they stood in for.
#[derive(Debug, PartialEq)]
pub(crate) struct MarkedCalls {
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) raw: String,
}

/// The scanner's state between two pieces of text.
#[derive(Debug, Default)]
pub(crate) struct MarkupScanner {
    /// What may become markup, or is markup that is not over.
    held: String,
    /// The marker that `held` begins with, once that is certain.
    inside: Option<&'static (&'static str, &'static str)>,
    /// Where the search for the end goes on.
    searched: usize,
    /// The line so far.
    line: String,
    fence: Option<Fence>,
    found: Vec<MarkedCalls>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

impl MarkupScanner {
    /// Takes the next text and hands on what is surely no markup.
    pub(crate) fn feed(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        let mut whole = std::mem::take(&mut self.held);
        whole.push_str(text);
        let mut rest = whole.as_str();
        let kept = loop {
            if rest.is_empty() {
                break 0;
            }
            if let Some(marker) = self.inside {
                match self.read_inside(rest, marker) {
                    Inside::Over(after) => rest = after,
                    Inside::NoMarkup => {
                        self.inside = None;
                        rest = self.pass(rest, Pass::Marker, &mut emit);
                    }
                    Inside::Open => break rest.len(),
                }
            } else if self.may_begin() && rest.starts_with(['<', '[']) {
                if let Some(marker) = MARKERS.iter().find(|(open, _)| rest.starts_with(open)) {
                    self.inside = Some(marker);
                    self.searched = marker.0.len();
                } else if MARKERS.iter().any(|(open, _)| open.starts_with(rest)) {
                    break rest.len();
                } else {
                    rest = self.pass(rest, Pass::Marker, &mut emit);
                }
            } else {
                rest = self.pass(rest, Pass::Text, &mut emit);
            }
        };
        // Long markup comes in many pieces: what is held is moved, not copied.
        let start = whole.len().saturating_sub(kept);
        self.held = if start == 0 { whole } else { whole.split_off(start) };
    }

    /// The text is over: what was held back is no markup.
    pub(crate) fn finish(&mut self, mut emit: impl FnMut(&str)) {
        let held = std::mem::take(&mut self.held);
        self.inside = None;
        if !held.is_empty() {
            emit(&held);
        }
    }

    /// The calls that were found, in order.
    pub(crate) fn take_found(&mut self) -> Vec<MarkedCalls> {
        std::mem::take(&mut self.found)
    }

    fn may_begin(&self) -> bool {
        self.fence.is_none() && self.line.len() <= MAX_INDENT && self.line.bytes().all(|byte| byte == b' ')
    }

    /// Hands on the next stretch of `rest` that can be decided on at once, and returns what follows.
    fn pass<'a>(&mut self, rest: &'a str, what: Pass, emit: &mut impl FnMut(&str)) -> &'a str {
        let is_indent = what == Pass::Text && self.may_begin() && rest.starts_with(' ');
        let end = match (what, memchr::memchr(b'\n', rest.as_bytes())) {
            _ if is_indent => 1,
            (Pass::Marker, _) => 1,
            (Pass::Text, Some(newline)) => newline + 1,
            (Pass::Text, None) => rest.len(),
        };
        let (stretch, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        match stretch.strip_suffix('\n') {
            Some(line) => {
                self.extend_line(line);
                self.end_line();
            }
            None => self.extend_line(stretch),
        }
        emit(stretch);
        after
    }

    fn extend_line(&mut self, more: &str) {
        let room = MAX_LINE_CHARS.saturating_sub(self.line.len());
        self.line.extend(more.chars().take(room));
    }

    /// Opens or closes a code fence, by the rules of Markdown.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = line.trim_start_matches(' ');
        if line.len() - text.len() > MAX_INDENT {
            return;
        }
        let Some(mark) = text.chars().next().filter(|mark| matches!(mark, '`' | '~')) else { return };
        let after = text.trim_start_matches(mark);
        let length = text.len() - after.len();
        match self.fence {
            None if length >= 3 && !(mark == '`' && after.contains('`')) => self.fence = Some(Fence { mark, length }),
            Some(open) if open.mark == mark && length >= open.length && after.trim().is_empty() => self.fence = None,
            _ => {}
        }
    }

    fn read_inside<'a>(&mut self, text: &'a str, marker: &'static (&'static str, &'static str)) -> Inside<'a> {
        let (open, close) = *marker;
        // The end may have come in part already.
        let mut from = self.searched.max(open.len());
        while let Some(at) = text.get(from..).and_then(|tail| tail.find(close)).map(|at| from + at) {
            let end = at + close.len();
            let (Some(body), Some(raw), Some(after)) = (text.get(open.len()..at), text.get(..end), text.get(end..))
            else {
                return Inside::NoMarkup;
            };
            let reading = if open == "<function=" { read(raw) } else { read(body) };
            match reading {
                Reading::Calls(calls) => {
                    self.found.push(MarkedCalls { calls, raw: raw.to_owned() });
                    self.inside = None;
                    return Inside::Over(after);
                }
                // The end stood inside a string.
                Reading::Unfinished => from = end,
                Reading::Nothing => return Inside::NoMarkup,
            }
        }
        let mut next = text.len().saturating_sub(close.len()).max(from);
        while !text.is_char_boundary(next) {
            next -= 1;
        }
        self.searched = next;
        Inside::Open
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Text,
    /// The first character alone: it begins no markup.
    Marker,
}

enum Inside<'a> {
    Over(&'a str),
    NoMarkup,
    Open,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn scan<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, Vec<String>) {
        let mut scanner = MarkupScanner::default();
        let mut text = String::new();
        for piece in pieces {
            scanner.feed(piece, |more| text.push_str(more));
        }
        scanner.finish(|more| text.push_str(more));
        let found = scanner.take_found().into_iter().flat_map(|found| found.calls);
        (text, found.map(|call| format!("{} {}", call.name, Value::Object(call.arguments))).collect())
    }

    #[test]
    fn markup_at_the_top_level_becomes_calls() {
        let json = r#"{"name":"x","arguments":{"a":1}}"#;
        for (input, text) in [
            (format!("<tool_call>{json}</tool_call>"), ""),
            (format!("<tool_call>\n```json\n{json}\n```\n</tool_call>"), ""),
            (format!("ok\n  <tool_call>\n{json}\n</tool_call>\nbye"), "ok\n  \nbye"),
            (format!("[TOOL_CALL]{json}[/TOOL_CALL]"), ""),
            (format!("<|tool_call|>[{json}]<|/tool_call|>"), ""),
            (format!("```\nx\n```\n<tool_call>{json}</tool_call>"), "```\nx\n```\n"),
        ] {
            assert_eq!(scan([input.as_str()]), (text.to_owned(), vec!["x {\"a\":1}".to_owned()]), "{input}");
        }
        let two = format!("<tool_call>{json}</tool_call>\n<tool_call>{json}</tool_call>");
        assert_eq!(scan([two.as_str()]).1.len(), 2);
        let tricky = r#"<tool_call>{"name":"x","arguments":{"a":"</tool_call>"}}</tool_call>"#;
        assert_eq!(scan([tricky]), (String::new(), vec!["x {\"a\":\"</tool_call>\"}".to_owned()]));
    }

    #[test]
    fn other_forms_are_known() {
        for (input, call) in [
            ("<function=x>{\"a\":1}</function>", "x {\"a\":1}"),
            (
                "<tool_call>\n<function=x>\n<parameter=a>\n1\n2\n</parameter>\n</function>\n</tool_call>",
                "x {\"a\":\"1\\n2\"}",
            ),
            ("<seed:tool_call><function=x><parameter=a>1</parameter></function></seed:tool_call>", "x {\"a\":\"1\"}"),
            ("<tool_call>x\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>", "x {\"a\":\"1\"}"),
            (
                "<minimax:tool_call><invoke name=\"x\"><parameter name=\"a\">1</parameter></invoke></minimax:tool_call>",
                "x {\"a\":\"1\"}",
            ),
            (
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.x:0<|tool_call_argument_begin|>{\"a\":1}<|tool_call_end|><|tool_calls_section_end|>",
                "x {\"a\":1}",
            ),
        ] {
            assert_eq!(scan([input]), (String::new(), vec![call.to_owned()]), "{input}");
        }
    }

    #[test]
    fn what_is_talked_about_stays_text() {
        let call = r#"<tool_call>{"name":"x","arguments":{}}</tool_call>"#;
        for input in [
            format!("Example:\n```\n{call}\n```"),
            format!("~~~xml\n{call}\n~~~\n"),
            format!("````\n```\n{call}\n````"),
            format!("`{call}`"),
            format!("write {call}"),
            format!("    {call}"),
            "<tool_call>not json</tool_call>".to_owned(),
            "<tool_call>{\"name\":\"\"}</tool_call>".to_owned(),
            "<tool_call>{\"name\":\"x\",\"arguments\":[1]}</tool_call>".to_owned(),
            "<tool_call>{\"name\":\"x\"".to_owned(),
            "<tool_calling>".to_owned(),
            "<b>bold</b>\n[TOOL]".to_owned(),
            "<|tool".to_owned(),
        ] {
            assert_eq!(scan([input.as_str()]), (input.clone(), vec![]), "{input}");
        }
    }

    #[test]
    fn markup_does_not_flash_and_other_text_is_not_held() {
        let mut scanner = MarkupScanner::default();
        let mut seen = Vec::new();
        for piece in ["Let me", " look.\n", "<tool", "_call>{\"name\":", "\"x\"}</tool_", "call>\n<", "b>"] {
            scanner.feed(piece, |more| seen.push(more.to_owned()));
        }
        assert_eq!(seen, ["Let me", " look.\n", "\n", "<", "b>"]);
        assert_eq!(scanner.take_found().len(), 1);
    }

    proptest! {
        #[test]
        fn any_split_gives_what_the_whole_gives(
            parts in proptest::collection::vec(
                "(<tool_call>|</tool_call>|\\{\"name\":\"x\"\\}|\\{\"name\":\"é|<function=x>|</function>|<|\\[|```|~~~|\n|\n| |a|☀)",
                0..16,
            ),
        ) {
            let whole = parts.concat();
            let want = scan([whole.as_str()]);
            prop_assert_eq!(&scan(parts.iter().map(String::as_str)), &want);
            let singles: Vec<String> = whole.chars().map(String::from).collect();
            prop_assert_eq!(&scan(singles.iter().map(String::as_str)), &want);
        }
    }
}
