//! Branches, siblings and pages of rows.

use nanobot_engine::id::{MessageId, SessionId};
use nanobot_engine::message::{Branch, Role};
use nanobot_store::{Op, SessionPatch, StoreError};
use uuid::Uuid;

use crate::kit::{Kit, row};

/// ```text
/// a(1) ─ b(2) ─┬─ c(3) ─ d(4)
///              └─ e(5) ─ f(6) ─ g(7)
/// h(8), a second root
/// ```
struct Tree {
    kit: Kit,
    session: SessionId,
    ids: [MessageId; 8],
}

async fn tree() -> Tree {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let a = kit.row(session, 1, None, Role::User, "a").await;
    let b = kit.row(session, 2, Some(a), Role::Assistant, "b").await;
    let c = kit.row(session, 3, Some(b), Role::User, "c").await;
    let d = kit.row(session, 4, Some(c), Role::Assistant, "d").await;
    let e = kit.row(session, 5, Some(b), Role::User, "e").await;
    let f = kit.row(session, 6, Some(e), Role::Assistant, "f").await;
    let g = kit.row(session, 7, Some(f), Role::Tool, "g").await;
    let h = kit.row(session, 8, None, Role::User, "h").await;
    kit.commit(session, vec![Op::SetActive { message_id: d }]).await;
    Tree { kit, session, ids: [a, b, c, d, e, f, g, h] }
}

#[tokio::test]
async fn a_branch_goes_from_the_root_to_its_leaf() {
    let Tree { kit, session, ids: [a, b, c, d, e, f, g, h] } = tree().await;
    let branch = async |leaf| {
        let rows = kit.store.branch_rows(session, leaf).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(branch(d).await, [a, b, c, d]);
    assert_eq!(branch(g).await, [a, b, e, f, g]);
    assert_eq!(branch(h).await, [h]);
    assert_eq!(branch(MessageId(Uuid::now_v7())).await, []);
    let other = kit.session().await;
    assert_eq!(kit.store.branch_rows(other, d).await.unwrap(), []);
    let (owner, found) = kit.store.message(f).await.unwrap().unwrap();
    assert_eq!((owner, found.id, found.parent_id), (session, f, Some(e)));
}

#[tokio::test]
async fn siblings_are_the_user_rows_of_one_parent() {
    let Tree { kit, session, ids: [a, b, c, d, e, f, _, h] } = tree().await;
    assert_eq!(kit.store.siblings(session, None).await.unwrap(), [a, h]);
    assert_eq!(kit.store.siblings(session, Some(b)).await.unwrap(), [c, e]);
    assert_eq!(kit.store.siblings(session, Some(a)).await.unwrap(), []);
    let branch_of = async |id| {
        let (_, row) = kit.store.message(id).await.unwrap().unwrap();
        kit.store.branch_of(&row).await.unwrap()
    };
    assert_eq!(branch_of(e).await, Some(Branch { index: 1, count: 2, siblings: vec![c, e] }));
    assert_eq!(branch_of(a).await, Some(Branch { index: 0, count: 2, siblings: vec![a, h] }));
    assert_eq!(branch_of(d).await, None);
    assert_eq!(branch_of(f).await, None);
    let missing = row(1, None, Role::User, "never stored");
    assert!(matches!(kit.store.branch_of(&missing).await, Err(StoreError::NotFound(_))));
}

#[tokio::test]
async fn the_newest_leaf_follows_the_newest_child() {
    let Tree { kit, session, ids: [a, b, c, d, e, _, g, h] } = tree().await;
    for (from, leaf) in [(a, g), (b, g), (c, d), (d, d), (e, g), (g, g), (h, h)] {
        assert_eq!(kit.store.newest_leaf_below(session, from).await.unwrap(), leaf);
    }
    let missing = kit.store.newest_leaf_below(session, MessageId(Uuid::now_v7())).await;
    assert!(matches!(missing, Err(StoreError::NotFound("message"))));
}

#[tokio::test]
async fn pages_walk_a_branch_in_both_directions() {
    let Tree { kit, session, ids: [_, b, c, _, e, _, g, _] } = tree().await;
    let page = async |leaf, after, before, limit| {
        let page = kit.store.messages_page(session, leaf, after, before, limit).await.unwrap();
        (page.items.iter().map(|(row, _)| row.seq).collect::<Vec<_>>(), page.next_cursor)
    };
    let cursor = |seq: u64| Some(seq.to_string());
    assert_eq!(page(None, None, None, 10).await, (vec![1, 2, 3, 4], None));
    assert_eq!(page(None, None, None, 2).await, (vec![3, 4], cursor(3)));
    assert_eq!(page(None, None, Some(3), 2).await, (vec![1, 2], None));
    assert_eq!(page(Some(g), None, None, 3).await, (vec![5, 6, 7], cursor(5)));
    assert_eq!(page(Some(g), None, Some(5), 3).await, (vec![1, 2], None));
    assert_eq!(page(Some(g), Some(0), None, 3).await, (vec![1, 2, 5], cursor(5)));
    assert_eq!(page(Some(g), Some(5), None, 3).await, (vec![6, 7], None));
    assert_eq!(page(Some(g), Some(1), Some(7), 9).await, (vec![2, 5, 6], None));
    assert_eq!(page(Some(g), Some(99_999), None, 3).await, (vec![], None));
    assert_eq!(page(Some(g), None, Some(1), 3).await, (vec![], None));

    let with_branches = kit.store.messages_page(session, Some(g), None, None, 10).await.unwrap();
    let (row, branch) = &with_branches.items[2];
    assert_eq!((row.id, branch.as_ref().map(|b| b.siblings.clone())), (e, Some(vec![c, e])));
    let (row, branch) = &with_branches.items[1];
    assert_eq!((row.id, branch), (b, &None));

    let empty = kit.session().await;
    assert_eq!(kit.store.messages_page(empty, None, None, None, 5).await.unwrap().items, []);
}

#[tokio::test]
async fn the_active_branch_can_be_chosen_among_the_rows_of_the_session() {
    let Tree { kit, session, ids: [.., g, _] } = tree().await;
    let patch = |id| SessionPatch { active_message_id: Some(id), ..SessionPatch::default() };
    assert_eq!(kit.store.patch_session(session, patch(g)).await.unwrap().active_message_id, Some(g));
    let other = kit.session().await;
    let error = kit.store.patch_session(other, patch(g)).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound("message")));
    assert_eq!(kit.store.session(other).await.unwrap().unwrap().active_message_id, None);
}

#[tokio::test]
async fn a_row_that_cannot_be_read_hides_no_other() {
    let Tree { kit, session, ids: [a, b, c, d, ..] } = tree().await;
    let mut raw = kit.raw().await;
    sqlx::query("UPDATE messages SET blocks = '[{\"type\":' WHERE id = ?")
        .bind(b.to_string())
        .execute(&mut raw)
        .await
        .unwrap();
    let rows = kit.store.branch_rows(session, d).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [a, c, d]);
}
