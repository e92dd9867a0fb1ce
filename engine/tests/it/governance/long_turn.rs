//! One long turn in a small window: never over the budget, and the prefix stays between decisions.

use nanobot_engine::govern::{Decisions, Surroundings, fixed_cost};
use nanobot_engine::message::{Block, Message};

use super::{Talk, budget, governed, results};

/// A turn of 100 iterations with results of 20 KB in a window of 32k. Gives the number of requests whose prefix broke.
fn hundred_iterations(tool: &str) -> usize {
    let mut talk = Talk::default();
    talk.ask("The task: go through all 100 files.");
    let budget = nanobot_engine::govern::ContextBudget::new(32_768, 4_096, 16_000);
    let around = Surroundings { fixed: fixed_cost(&"You are nanobot. ".repeat(100), &[]), ..Surroundings::default() };
    let mut decisions = Decisions::default();
    let (mut sent, mut breaks): (Vec<Message>, usize) = (Vec::new(), 0);
    for n in 0..100 {
        talk.call(&format!("c{n}"), tool, &format!("file {n}\n{}", "line of text\n".repeat(1_540)));
        let now = governed(&talk.rows, budget, &decisions, &around).unwrap();
        assert!(now.tokens <= budget.input_tokens());
        let stable = now.messages.starts_with(&sent);
        let changing = now.steps.iter().any(|step| step.name != "snip");
        assert_eq!(stable, !changing, "at {n}: {:?}", now.steps);
        breaks += usize::from(changing);
        let newest = results(&now.messages);
        assert_eq!(newest.last().unwrap().0, format!("c{n}"));
        assert!(newest.last().unwrap().1.len() > 14_000, "the newest result is there");
        assert!(now.messages.iter().any(|message| message.text().contains("The task: go through all 100 files.")));
        assert!(now.messages.iter().flat_map(Message::calls).count() >= 3.min(n + 1), "three rounds");
        let before = now.decisions.clone();
        assert_eq!(governed(&talk.rows, budget, &before, &around).unwrap().messages, now.messages);
        (sent, decisions) = (now.messages, before);
    }
    let calls: usize =
        talk.rows.iter().flat_map(|row| &row.message.blocks).filter(|b| matches!(b, Block::Call(_))).count();
    assert_eq!(calls, 100);
    breaks
}

#[test]
fn a_hundred_iterations_of_results_that_can_be_had_again() {
    let breaks = hundred_iterations("read_file");
    assert!((10..=45).contains(&breaks), "{breaks}");
}

#[test]
fn a_hundred_iterations_of_results_that_cannot() {
    let breaks = hundred_iterations("write_file");
    assert!((10..=60).contains(&breaks), "{breaks}");
}

#[test]
fn a_flood_of_short_rounds_is_cut_seldom() {
    let mut talk = Talk::default();
    talk.ask("go");
    let mut decisions = Decisions::default();
    let mut breaks = 0;
    for n in 0..400 {
        talk.call(&format!("c{n}"), "write_file", "written, 12 lines");
        let now = governed(&talk.rows, budget(8_000), &decisions, &Surroundings::default()).unwrap();
        breaks += usize::from(!now.steps.is_empty());
        decisions = now.decisions;
    }
    assert!((1..=8).contains(&breaks), "{breaks}");
    assert!(decisions.cuts.is_empty() && decisions.head.is_some());
}
