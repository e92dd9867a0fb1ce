//! Tokens, logins and remembered answers.

use nanobot_store::{IdempotencyRecord, LoginRecord, StoreError, TokenRecord, conflict};

use crate::kit::Kit;

#[tokio::test]
async fn a_revoked_token_takes_its_logins_with_it() {
    let kit = Kit::new().await;
    let store = &kit.store;
    let scopes = ["chat".to_owned(), "admin".to_owned()];
    store.create_token("laptop", "aa", &scopes, "terminal", 10).await.unwrap();
    store.create_token("phone", "bb", &[], "laptop", 20).await.unwrap();
    let laptop = TokenRecord {
        name: "laptop".into(),
        scopes: scopes.to_vec(),
        created_at: 10,
        last_used_at: None,
        revoked_at: None,
    };
    assert_eq!(store.token_by_hash("aa").await.unwrap(), Some(laptop.clone()));
    assert_eq!(store.token_by_hash("cc").await.unwrap(), None);
    for (name, hash) in [("laptop", "dd"), ("other", "aa")] {
        let error = store.create_token(name, hash, &[], "terminal", 1).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict(conflict::TOKEN_NAME)), "{error}");
    }
    store.touch_token("laptop", 15).await.unwrap();

    let login = |hash: &str, name: &str, created_at| LoginRecord {
        hash: hash.into(),
        token_name: name.into(),
        created_at,
        expires_at: created_at + 50,
    };
    for login in [login("l1", "laptop", 10), login("l2", "laptop", 20), login("p1", "phone", 20)] {
        store.create_login(&login).await.unwrap();
        assert_eq!(store.login_by_hash(&login.hash).await.unwrap(), Some(login));
    }
    assert!(matches!(store.create_login(&login("x", "nobody", 1)).await, Err(StoreError::NotFound(_))));
    store.delete_login("l2").await.unwrap();
    assert_eq!(store.login_by_hash("l2").await.unwrap(), None);
    store.revoke_token("laptop", "phone", 30).await.unwrap();
    assert_eq!(store.login_by_hash("l1").await.unwrap(), None);
    assert!(store.login_by_hash("p1").await.unwrap().is_some());
    assert!(matches!(store.revoke_token("laptop", "phone", 31).await, Err(StoreError::NotFound("token"))));
    let tokens = store.tokens().await.unwrap();
    assert_eq!(tokens[0], TokenRecord { last_used_at: Some(15), revoked_at: Some(30), ..laptop });
    assert_eq!(tokens[1].name, "phone");
    // A new login drops those that have ended.
    store.create_login(&login("p2", "phone", 70)).await.unwrap();
    assert_eq!(store.login_by_hash("p1").await.unwrap(), None);

    // Each change that was made is written, each that was refused is not.
    let rows = store.audit_page(None, 10, None).await.unwrap().items;
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (row.n, row.at, row.actor.as_str(), row.kind.as_str(), row.subject.as_str(), row.detail.as_str()))
        .collect();
    let expected = [
        (3, 30, "phone", "token_revoked", "laptop", "{}"),
        (2, 20, "laptop", "token_created", "phone", "{\"scopes\":[]}"),
        (1, 10, "terminal", "token_created", "laptop", "{\"scopes\":[\"chat\",\"admin\"]}"),
    ];
    assert_eq!(rows, expected);
}

#[tokio::test]
async fn an_answer_is_kept_once_for_each_key_and_route() {
    let kit = Kit::new().await;
    let record = IdempotencyRecord {
        key: "k".into(),
        route: "POST /sessions".into(),
        request_sha256: "00".into(),
        status: 201,
        body: "{\"a\":1}".into(),
        created_at: 10,
    };
    kit.store.save_idempotent(&record).await.unwrap();
    assert_eq!(kit.store.idempotent("k", "POST /sessions").await.unwrap(), Some(record.clone()));
    assert_eq!(kit.store.idempotent("k", "POST /other").await.unwrap(), None);
    let error = kit.store.save_idempotent(&record).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::IDEMPOTENCY_KEY)), "{error}");
    kit.store.save_idempotent(&IdempotencyRecord { created_at: 20, route: "r".into(), ..record }).await.unwrap();
    assert_eq!(kit.store.purge_idempotent(15).await.unwrap(), 1);
    assert!(kit.store.idempotent("k", "r").await.unwrap().is_some());
}
