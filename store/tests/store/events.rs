//! The event log: reading from any number on, also from within a joined delta.

use nanobot_store::{Op, Piece, StoredEvent, TurnRecord};

use crate::kit::{Kit, delta, event, start, turn};

fn joined() -> StoredEvent {
    let pieces = [(4, 2), (5, 3), (6, 7)].map(|(seq, end)| Piece { seq, end });
    StoredEvent { first_seq: 4, pieces: pieces.to_vec(), ..event(6, None, delta("abcdefg")) }
}

#[tokio::test]
async fn a_joined_delta_is_read_from_each_of_its_borders() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let all = vec![event(2, None, delta("x")), event(3, None, delta("y")), joined(), event(9, None, delta("z"))];
    kit.commit(session, vec![Op::AppendEvents(all.clone())]).await;
    let seqs = |after: u64, upto: Option<u64>, limit: u32| {
        let store = kit.store.clone();
        async move {
            let events = store.events_after(session, after, upto, limit).await.unwrap();
            events.into_iter().map(|event| event.seq).collect::<Vec<_>>()
        }
    };
    assert_eq!(kit.store.events_after(session, 0, None, 100).await.unwrap(), all);
    assert_eq!(seqs(2, None, 100).await, [3, 6, 9]);
    for after in 3..=5 {
        assert_eq!(seqs(after, None, 100).await, [6, 9], "after {after}");
    }
    assert_eq!(seqs(6, None, 100).await, [9]);
    assert_eq!(seqs(9, None, 100).await, [0; 0]);
    assert_eq!(seqs(99_999, None, 100).await, [0; 0]);
    assert_eq!(seqs(0, Some(3), 100).await, [2, 3]);
    for upto in 4..=8 {
        assert_eq!(seqs(0, Some(upto), 100).await, [2, 3, 6], "up to {upto}");
    }
    assert_eq!(seqs(0, None, 2).await, [2, 3]);
    assert_eq!(kit.store.last_event_seq(session).await.unwrap(), 9);
    assert_eq!(kit.store.count_events_after(session, 4).await.unwrap(), 2);
    assert_eq!(kit.store.session(session).await.unwrap().unwrap().last_event_seq, 9);
    assert_eq!(kit.store.last_event_seq(kit.session().await).await.unwrap(), 0);
}

#[tokio::test]
async fn a_turn_has_its_request_and_its_own_events() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let (mut first, second) = (turn(session, 1), turn(session, 6));
    kit.commit(
        session,
        vec![
            Op::InsertTurn(Box::new(first.clone())),
            start(&first, 4),
            Op::AppendEvents(vec![
                event(1, Some(first.id), delta("request")),
                event(4, Some(first.id), delta("a")),
                event(5, None, delta("of the session")),
                event(6, Some(second.id), delta("request of the next")),
                event(7, Some(first.id), delta("b")),
                event(8, Some(first.id), delta("after the end")),
            ]),
        ],
    )
    .await;
    let seqs = async |record: TurnRecord| {
        let events: Vec<StoredEvent> = kit.store.turn_events(session, &record).await.unwrap();
        events.into_iter().map(|event| event.seq).collect::<Vec<_>>()
    };
    assert_eq!(seqs(second).await, [6]);
    first.started_seq = Some(4);
    assert_eq!(seqs(first.clone()).await, [1, 4, 7, 8]);
    first.ended_seq = Some(7);
    assert_eq!(seqs(first.clone()).await, [1, 4, 7]);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_hides_no_other() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    kit.commit(session, vec![Op::AppendEvents((1..=3).map(|seq| event(seq, None, delta("x"))).collect())]).await;
    let mut raw = kit.raw().await;
    for body in ["{\"event\":", "{\"event\":\"from_the_future\"}", "null"] {
        sqlx::query("UPDATE events SET body = ? WHERE seq = 2").bind(body).execute(&mut raw).await.unwrap();
        let read = kit.store.events_after(session, 0, None, 10).await.unwrap();
        assert_eq!(read.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 3]);
    }
}

#[tokio::test]
async fn counting_ends_where_replaying_does() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    kit.commit(session, vec![Op::AppendEvents((1..=20_002).map(|seq| event(seq, None, delta("x"))).collect())]).await;
    assert_eq!(kit.store.count_events_after(session, 0).await.unwrap(), 20_001);
    assert_eq!(kit.store.count_events_after(session, 2).await.unwrap(), 20_000);
}
