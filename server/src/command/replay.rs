//! `nanobot replay`: plays a recorded turn again and compares. Reads only, and works beside a running server.

use nanobot_engine::id::TurnId;
use nanobot_runtime::replay::{ReplayError, Replayed, replay};
use nanobot_store::Store;

use super::open::locate;
use super::{Failure, ReplayArgs};

pub(super) async fn run(args: ReplayArgs) -> Result<(), Failure> {
    let unknown =
        || Failure::configuration(format!("{:?} is not the id of a turn; the page shows ids of turns", args.turn));
    let id: TurnId = args.turn.parse().map_err(|_| unknown())?;
    let file = locate(args.home).join("nanobot.db");
    if !file.exists() {
        return Err(Failure::configuration(format!("{} is not there; name the folder with --home", file.display())));
    }
    let store = Store::open_for_reading(&file).await.map_err(|error| Failure::configuration(error.to_string()))?;
    let replayed = replay(&store, id).await;
    store.close().await;
    match replayed {
        Ok(Replayed::Same { requests, calls }) => {
            println!("{}, {}: the same", counted(requests, "request"), counted(calls, "call"));
            Ok(())
        }
        Ok(Replayed::Differs(difference)) => {
            println!("{difference}");
            Err(Failure::failed("the turn is not what it was; the first difference stands above"))
        }
        Err(ReplayError::NotFound) => {
            Err(Failure::configuration(format!("there is no turn {id} in {}", file.display())))
        }
        Err(error @ (ReplayError::NotOnRecord(_) | ReplayError::Store(_))) => Err(Failure::failed(error.to_string())),
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
