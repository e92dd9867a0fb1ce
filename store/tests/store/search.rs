//! Search: what is found, that queries are data, and that the index fills itself.

use nanobot_engine::id::SessionId;
use nanobot_engine::message::Role;
use nanobot_store::Op;

use crate::kit::{Kit, row};

async fn stocked() -> (Kit, SessionId) {
    let kit = Kit::new().await;
    let session = kit.titled("Stock", 1).await;
    let texts = [
        (Role::User, "How do I say \"good morning\" in Japanese?"),
        (Role::Assistant, "おはようございます means good morning. 朝の挨拶です。"),
        (Role::Tool, "good morning from a tool"),
        (Role::Notice, "good morning from a notice"),
        (Role::User, "Größe OR café AND (this* NEAR that)"),
        (Role::User, "100% of go_od things"),
    ];
    for (seq, (role, text)) in (1..).zip(texts) {
        kit.row(session, seq, None, role, text).await;
    }
    (kit, session)
}

async fn seqs(kit: &Kit, query: &str) -> Vec<u64> {
    kit.store.search_messages(query, 50).await.unwrap().into_iter().map(|hit| hit.seq).collect()
}

#[tokio::test]
async fn words_are_found_in_what_people_and_models_wrote() {
    let (kit, session) = stocked().await;
    assert_eq!(seqs(&kit, "MORNING").await, [2, 1]);
    assert_eq!(seqs(&kit, "morning japanese").await, [1]);
    assert_eq!(seqs(&kit, "orni").await, [2, 1]);
    assert_eq!(seqs(&kit, "evening").await, [0; 0]);
    assert_eq!(seqs(&kit, "  ").await, [0; 0]);
    let hit = &kit.store.search_messages("japanese", 1).await.unwrap()[0];
    assert_eq!((hit.session_id, hit.title.as_str(), hit.role, hit.created_at), (session, "Stock", Role::User, 5_000));
    assert_eq!(hit.snippet, "How do I say \"good morning\" in Japanese?");
    assert_eq!(hit.marks, [(31, 8)]);
    kit.store.delete_session(session, 1).await.unwrap();
    assert_eq!(seqs(&kit, "morning").await, [0; 0]);
}

#[tokio::test]
async fn short_words_and_scripts_without_spaces_are_found() {
    let (kit, _) = stocked().await;
    assert_eq!(seqs(&kit, "朝").await, [2]);
    assert_eq!(seqs(&kit, "挨拶").await, [2]);
    assert_eq!(seqs(&kit, "ございます").await, [2]);
    assert_eq!(seqs(&kit, "挨拶 morning").await, [2]);
    assert_eq!(seqs(&kit, "i").await, [6, 5, 2, 1]);
    assert_eq!(seqs(&kit, "ÖS").await, [0; 0]);
    assert_eq!(seqs(&kit, "RÖ").await, [5]);
    assert_eq!(seqs(&kit, "GRÖSS").await, [0; 0]);
    assert_eq!(seqs(&kit, "GRÖ").await, [5]);
    let hit = &kit.store.search_messages("朝", 1).await.unwrap()[0];
    assert_eq!(hit.marks.len(), 1);
    let (start, length) = hit.marks[0];
    let marked: String = hit.snippet.chars().skip(start as usize).take(length as usize).collect();
    assert_eq!(marked, "朝");
}

#[tokio::test]
async fn a_query_is_data_and_never_syntax() {
    let (kit, _) = stocked().await;
    assert_eq!(seqs(&kit, "\"good").await, [1]);
    assert_eq!(seqs(&kit, "morning\"").await, [1]);
    assert_eq!(seqs(&kit, "this*").await, [5]);
    assert_eq!(seqs(&kit, "(this").await, [5]);
    assert_eq!(seqs(&kit, "morning OR café").await, [0; 0]);
    assert_eq!(seqs(&kit, "café AND").await, [5]);
    assert_eq!(seqs(&kit, "0%").await, [6]);
    assert_eq!(seqs(&kit, "o_").await, [6]);
    for query in
        ["\"", "\"\"\"", "*", "NEAR(a b)", "text:good", "^good", "-good", "a\0b", "'; DROP TABLE messages; --", "\\"]
    {
        kit.store.search_messages(query, 5).await.unwrap();
        kit.store.search_sessions(query, 5).await.unwrap();
    }
    assert_eq!(seqs(&kit, "morning").await, [2, 1]);
    let many = "word ".repeat(5_000);
    assert_eq!(seqs(&kit, &many).await, [0; 0]);
}

#[tokio::test]
async fn the_index_is_filled_in_steps() {
    let (kit, session) = stocked().await;
    assert!(kit.store.index_pending(2).await.unwrap());
    assert!(kit.store.index_pending(2).await.unwrap());
    assert!(!kit.store.index_pending(2).await.unwrap());
    assert!(!kit.store.index_pending(2).await.unwrap());
    kit.row(session, 90, None, Role::User, "a later morning").await;
    assert_eq!(seqs(&kit, "morning").await, [90, 2, 1]);
}

#[tokio::test]
async fn only_the_beginning_of_a_huge_message_is_indexed() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let text = format!("beginning {} ending", "日".repeat(30_000));
    kit.commit(session, vec![Op::InsertMessage(Box::new(row(1, None, Role::User, &text)))]).await;
    assert_eq!(seqs(&kit, "beginning").await, [1]);
    assert_eq!(seqs(&kit, "ending").await, [0; 0]);
}

#[tokio::test]
async fn sessions_are_found_by_title() {
    let kit = Kit::new().await;
    let old = kit.titled("Reise nach ÖSTERREICH", 1).await;
    let new = kit.titled("reise nach Japan", 2).await;
    let found = async |query: &str| {
        let hits = kit.store.search_sessions(query, 10).await.unwrap();
        hits.into_iter().map(|hit| (hit.session_id, hit.marks)).collect::<Vec<_>>()
    };
    assert_eq!(found("REISE").await, [(new, vec![(0, 5)]), (old, vec![(0, 5)])]);
    assert_eq!(found("österreich reise").await, [(old, vec![(0, 5), (11, 10)])]);
    assert_eq!(found("").await, []);
}
