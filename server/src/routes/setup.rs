//! First run: what this machine offers.

use axum::extract::State;
use nanobot_runtime::config::process_env;
use nanobot_runtime::discovery::{SetupView, discover, usual_targets};

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::Json;

/// What was found on this machine.
#[utoipa::path(get, path = "/setup", tag = "setup", responses((status = 200, body = SetupView)))]
pub(crate) async fn setup(State(app): State<AppState>) -> Result<Json<SetupView>, ApiError> {
    let own = app.auth.port();
    let targets: Vec<_> = usual_targets().into_iter().filter(|target| target.address.port() != own).collect();
    let found = match app.runtime.models().clients().local() {
        Ok(client) => discover(client, &targets, &process_env()).await,
        Err(error) => {
            tracing::warn!(%error, "this machine cannot be searched for model servers");
            Vec::new()
        }
    };
    Ok(Json(SetupView::new(&app.runtime.config().current(), found)))
}
