//! G7: the estimate is corrected by what providers report, and the budget is kept in real tokens.

use nanobot_engine::govern::{Calibration, Decisions, Surroundings, answer_limit};

use super::{Talk, budget, governed, plain, step_names};

#[test]
fn g7_a_model_that_counts_more_is_governed_earlier() {
    let mut talk = Talk::default();
    for n in 0..40 {
        talk.ask(&format!("question {n} {}", "q".repeat(380)));
        talk.answer(&format!("answer {n} {}", "a".repeat(380)));
    }
    talk.ask("now?");
    let plainly = plain(&talk.rows, 12_000, &Decisions::default());
    assert_eq!(plainly.steps, []);
    let mut calibration = Calibration::default();
    for _ in 0..30 {
        calibration.observe(plainly.raw_tokens, plainly.raw_tokens * 3 / 2);
    }
    let around = Surroundings { calibration, ..Surroundings::default() };
    let tight = governed(&talk.rows, budget(12_000), &Decisions::default(), &around).unwrap();
    assert_eq!(step_names(&tight), ["inflight"]);
    let expected = plainly.raw_tokens * 3 / 2;
    assert!(tight.steps[0].before_tokens.abs_diff(expected) < 10, "{:?} for {expected}", tight.steps);
    assert!(tight.tokens.abs_diff(tight.raw_tokens * 3 / 2) < 10);
}

#[test]
fn request_and_answer_share_the_window() {
    let mut talk = Talk::default();
    talk.ask(&"word ".repeat(100_000));
    for (window, max_tokens) in [(8_000, 8_192), (8_000, 1_000), (4_096, 4_096), (128_000, 8_192)] {
        let budget = nanobot_engine::govern::ContextBudget::new(window, max_tokens, 16_000);
        let sent = governed(&talk.rows, budget, &Decisions::default(), &Surroundings::default()).unwrap();
        let answer = answer_limit(window, sent.tokens, max_tokens);
        assert!(sent.tokens + answer <= window, "{} and {answer} in {window}", sent.tokens);
        assert!(answer >= max_tokens.min(window / 4), "{answer} of {max_tokens} in {window}");
    }
}
