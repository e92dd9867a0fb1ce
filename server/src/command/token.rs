//! `nanobot token`: works beside a running server, since both use the same database.

use nanobot_runtime::clock::{Clock, SystemClock};
use nanobot_store::{Store, StoreError};

use super::open::locate;
use super::{Failure, TokenAction, TokenArgs};
use crate::audit::{RESERVED, TERMINAL};
use crate::auth::{hash, new_token};

pub(super) async fn run(args: TokenArgs) -> Result<(), Failure> {
    let home = locate(args.home);
    std::fs::create_dir_all(&home)
        .map_err(|error| Failure::configuration(format!("cannot use {}: {error}", home.display())))?;
    let store =
        Store::open(&home.join("nanobot.db")).await.map_err(|error| Failure::configuration(error.to_string()))?;
    let done = act(&store, args.action).await;
    store.close().await;
    done
}

async fn act(store: &Store, action: TokenAction) -> Result<(), Failure> {
    let failed = |error: StoreError| Failure::failed(error.to_string());
    let now = SystemClock.now();
    match action {
        TokenAction::Create { name } => {
            if RESERVED.contains(&name.as_str()) {
                return Err(Failure::configuration(format!(
                    "{name:?} stands for somebody else in the audit log; choose another name"
                )));
            }
            let token = new_token();
            match store.create_token(&name, &hash(&token), &["owner".to_owned()], TERMINAL, now).await {
                Ok(()) => {}
                Err(StoreError::Conflict(_)) => {
                    return Err(Failure::failed(format!(
                        "there is a token named {name:?} already; revoke it or choose another name"
                    )));
                }
                Err(error) => return Err(failed(error)),
            }
            eprintln!(
                "Token {name:?}; it is shown only now. Send it as `Authorization: Bearer …` or paste it at /login."
            );
            println!("{token}");
        }
        TokenAction::List => {
            for token in store.tokens().await.map_err(failed)? {
                let state = if token.revoked_at.is_some() { "revoked" } else { "valid" };
                println!("{}\t{state}", token.name);
            }
        }
        TokenAction::Revoke { name } => {
            store.revoke_token(&name, TERMINAL, now).await.map_err(failed)?;
            println!("revoked {name}");
        }
    }
    Ok(())
}
