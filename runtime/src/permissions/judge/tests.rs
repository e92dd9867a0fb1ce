//! Rules, modes and what was allowed, in tables.

use super::*;
use PermissionDecision::{Allow as YES, Ask as MAYBE, Deny as NO};

fn rule(tool: &str, pattern: &str, decision: PermissionDecision) -> PermissionRule {
    PermissionRule { tool: tool.to_owned(), pattern: pattern.to_owned(), decision }
}

fn call(reach: Reach, subjects: &[&str], about: About) -> Permission {
    Permission { reach, subjects: subjects.iter().map(|it| (*it).to_owned()).collect(), about }
}

fn allowance(tool: &str, pattern: &str) -> Allowance {
    Allowance { tool: tool.to_owned(), pattern: pattern.to_owned() }
}

fn word(judgement: &Judgement) -> &'static str {
    match judgement {
        Judgement::Allow => "allow",
        Judgement::Ask { .. } => "ask",
        Judgement::Deny { .. } => "deny",
    }
}

#[test]
fn modes_where_no_rule_matches() {
    for (reach, ask, workspace, full) in [
        (Reach::Reads, "allow", "allow", "allow"),
        (Reach::Writes, "ask", "allow", "allow"),
        (Reach::Runs, "ask", "allow", "allow"),
        (Reach::Fetches, "ask", "allow", "allow"),
        (Reach::Beyond, "ask", "ask", "allow"),
    ] {
        for (access, expected) in [(Access::Ask, ask), (Access::Workspace, workspace), (Access::Full, full)] {
            let judged = judge("t", &call(reach, &["x"], About::Other), &[], &[], access);
            assert_eq!(word(&judged), expected, "{reach:?} {access:?}");
        }
    }
}

#[test]
fn the_first_rule_that_matches_wins_over_the_mode() {
    let rules = [
        rule("exec", "git status*", YES),
        rule("exec", "git push*", MAYBE),
        rule("exec", "git *", NO),
        rule("write_*", "*.env", NO),
        rule("read_file", "*", MAYBE),
    ];
    for (tool, subject, expected) in [
        ("exec", "git status -s", "allow"),
        ("exec", "git push origin", "ask"),
        ("exec", "git reset", "deny"),
        ("exec", "ls", "allow"),
        ("write_file", "a/.env", "deny"),
        ("write_file", "a/b", "allow"),
        ("read_file", "a", "ask"),
    ] {
        for access in [Access::Full, Access::Workspace] {
            let judged = judge(tool, &call(Reach::Reads, &[subject], About::Other), &rules, &[], access);
            assert_eq!(word(&judged), expected, "{tool} {subject}");
        }
    }
}

#[test]
fn every_segment_of_a_chain_is_judged() {
    let rules = [rule("exec", "git push*", MAYBE), rule("exec", "rm *", NO), rule("exec", "ls*", YES)];
    let exec =
        |segments: &[&str]| judge("exec", &call(Reach::Runs, segments, About::Commands), &rules, &[], Access::Full);
    assert_eq!(exec(&["ls", "ls -l"]), Judgement::Allow);
    assert_eq!(word(&exec(&["ls && git push", "ls", "git push"])), "ask");
    assert_eq!(word(&exec(&["git push", "rm x"])), "deny");
    let Judgement::Ask { covers, reason } = exec(&["git push a", "git push b*"]) else { panic!("no question") };
    assert_eq!(covers, [allowance("exec", "git push a"), allowance("exec", "git push b\\*")]);
    assert_eq!(reason, "a rule asks about exec git push*");
}

#[test]
fn what_was_allowed_for_the_session_answers_questions_and_lifts_no_denial() {
    let rules = [rule("write_file", "*.lock", NO), rule("write_file", "src/*", MAYBE)];
    let write = |subject: &str, session: &[Allowance]| {
        word(&judge("write_file", &call(Reach::Writes, &[subject], About::Other), &rules, session, Access::Ask))
    };
    assert_eq!(write("a", &[]), "ask");
    let whole = [allowance("write_file", "*")];
    assert_eq!(write("a", &whole), "allow");
    // What was allowed because of the mode does not answer a rule that asks about some.
    assert_eq!(write("src/a", &whole), "ask");
    assert_eq!(write("Cargo.lock", &whole), "deny");
    let sources = [allowance("write_file", "src/*")];
    assert_eq!(write("src/a", &sources), "allow");
    assert_eq!(write("src/Cargo.lock", &sources), "deny");
    assert_eq!(write("a", &sources), "ask");
}

#[test]
fn what_is_allowed_for_good_opens_nothing_that_was_denied() {
    let before = [rule("write_file", "*.env", NO), rule("write_file", "src/*", MAYBE), rule("write_file", "*.key", NO)];
    let judge_all = |rules: &[PermissionRule], access| {
        ["a.env", "src/a", "src/a.env", "b.key", "b"].map(|subject| {
            word(&judge("write_file", &call(Reach::Writes, &[subject], About::Other), rules, &[], access))
        })
    };
    assert_eq!(judge_all(&before, Access::Ask), ["deny", "ask", "deny", "deny", "ask"]);
    let by_rule = with_allowed(&before, "write_file", &[allowance("write_file", "src/*")]);
    assert_eq!(judge_all(&by_rule, Access::Ask), ["deny", "allow", "deny", "deny", "ask"]);
    let by_mode = with_allowed(&before, "write_file", &[allowance("write_file", "*")]);
    assert_eq!(judge_all(&by_mode, Access::Ask), ["deny", "ask", "deny", "deny", "allow"]);
    // Twice is once.
    assert_eq!(with_allowed(&by_mode, "write_file", &[allowance("write_file", "*")]), by_mode);
}
