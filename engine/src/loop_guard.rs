//! The loop guard: notices that the same calls give the same results again and again.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Longest cycle that is looked for, in calls.
const MAX_PERIOD: usize = 4;
/// Repeats at which the model is told.
const HINT_AT: usize = 3;
/// Repeats at which the turn ends.
const STOP_AT: usize = 6;

/// Watches (tool, arguments, result) triples of one turn. A poll whose result changes is never a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopGuard {
    recent: VecDeque<u64>,
    /// Did the model get to read a hint about the calls that repeat?
    #[serde(default)]
    warned: bool,
}

/// What the guard says after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing repeats.
    Fine,
    /// The last `period` calls have now come `times` times; tell the model.
    Hint {
        /// Calls in the cycle.
        period: usize,
        /// How often it was seen.
        times: usize,
    },
    /// The cycle came too often; end the turn.
    Stop {
        /// Calls in the cycle.
        period: usize,
        /// How often it was seen.
        times: usize,
    },
}

impl LoopGuard {
    /// Takes note of a finished call.
    pub fn observe(&mut self, tool: &str, arguments: &Map<String, Value>, result: &str) -> Verdict {
        let mut hasher = DefaultHasher::new();
        tool.hash(&mut hasher);
        canonical(arguments).hash(&mut hasher);
        result.hash(&mut hasher);
        self.recent.push_back(hasher.finish());
        if self.recent.len() > MAX_PERIOD * STOP_AT {
            self.recent.pop_front();
        }
        let (period, times) = (1..=MAX_PERIOD)
            .map(|period| (period, self.repeats(period)))
            .fold((1, 1), |best, candidate| if candidate.1 > best.1 { candidate } else { best });
        if times >= STOP_AT {
            Verdict::Stop { period, times }
        } else if times >= HINT_AT {
            Verdict::Hint { period, times }
        } else {
            Verdict::Fine
        }
    }

    /// The results are on their way to the model, with a hint among them or not. Gives whether it had read one before: a turn ends only
    /// behind a warning, however many calls one answer makes.
    pub fn answered(&mut self, hinted: bool) -> bool {
        std::mem::replace(&mut self.warned, hinted)
    }

    /// How often the last `period` triples stand at the end without a gap.
    fn repeats(&self, period: usize) -> usize {
        let newest_first: Vec<u64> = self.recent.iter().rev().copied().collect();
        let matching = newest_first.iter().zip(newest_first.iter().skip(period)).take_while(|(a, b)| a == b).count();
        1 + matching / period
    }
}

/// Arguments as text in which the order of keys does not matter.
fn canonical(arguments: &Map<String, Value>) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Object(fields) => {
                let mut keys: Vec<_> = fields.iter().collect();
                keys.sort_by_key(|(key, _)| key.as_str());
                out.push('{');
                for (key, value) in keys {
                    out.push_str(key);
                    out.push(':');
                    write(value, out);
                    out.push(',');
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for item in items {
                    write(item, out);
                    out.push(',');
                }
                out.push(']');
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&value.to_string()),
        }
    }
    let mut out = String::new();
    for (key, value) in arguments.iter().collect::<std::collections::BTreeMap<_, _>>() {
        out.push_str(key);
        out.push(':');
        write(value, &mut out);
        out.push(',');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(calls: &[(&str, Value, &str)]) -> Vec<Verdict> {
        let mut guard = LoopGuard::default();
        calls
            .iter()
            .map(|(tool, arguments, result)| guard.observe(tool, arguments.as_object().unwrap(), result))
            .collect()
    }

    #[test]
    fn same_call_same_result_is_hinted_at_the_third_and_stopped_at_the_sixth() {
        let verdicts = run(&vec![("status", json!({}), "clean"); 6]);
        assert_eq!(verdicts[1], Verdict::Fine);
        assert_eq!(verdicts[2], Verdict::Hint { period: 1, times: 3 });
        assert_eq!(verdicts[4], Verdict::Hint { period: 1, times: 5 });
        assert_eq!(verdicts[5], Verdict::Stop { period: 1, times: 6 });
    }

    #[test]
    fn a_poll_whose_result_changes_is_never_stopped() {
        let lines: Vec<String> = (0..40).map(|n| format!("line {n}")).collect();
        let calls: Vec<_> = lines.iter().map(|line| ("job_output", json!({"id": "j1"}), line.as_str())).collect();
        assert!(run(&calls).iter().all(|verdict| *verdict == Verdict::Fine));
    }

    #[test]
    fn cycles_up_to_four_are_found() {
        for period in 2..=4 {
            let names = ["read", "edit", "test", "list"];
            let calls: Vec<_> = (0..period * 6).map(|n| (names[n % period], json!({"f": "a"}), "same")).collect();
            let verdicts = run(&calls);
            assert_eq!(verdicts[period * 3 - 1], Verdict::Hint { period, times: 3 }, "period {period}");
            assert_eq!(verdicts[period * 6 - 1], Verdict::Stop { period, times: 6 }, "period {period}");
        }
    }

    #[test]
    fn a_warning_counts_until_an_answer_without_one() {
        let mut guard = LoopGuard::default();
        assert!(!guard.answered(true));
        assert!(guard.answered(true));
        assert!(guard.answered(false));
        assert!(!guard.answered(false));
    }

    #[test]
    fn order_of_keys_does_not_matter() {
        let verdicts = run(&[
            ("t", json!({"a": 1, "b": {"x": 1, "y": 2}}), "r"),
            ("t", json!({"b": {"y": 2, "x": 1}, "a": 1}), "r"),
            ("t", json!({"a": 1, "b": {"x": 1, "y": 2}}), "r"),
        ]);
        assert_eq!(verdicts[2], Verdict::Hint { period: 1, times: 3 });
    }
}
