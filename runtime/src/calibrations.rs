//! How far our token estimates are off, for each model, learned while the process runs.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use nanobot_engine::govern::Calibration;

/// The corrections of all models, by provider and model.
#[derive(Debug, Default)]
pub struct Calibrations(Mutex<HashMap<String, Calibration>>);

impl Calibrations {
    /// The correction for a model; none for one of which nothing was learned.
    pub fn of(&self, model: &str) -> Calibration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied().unwrap_or_default()
    }

    /// A request of so many estimated tokens cost so many.
    pub fn observe(&self, model: &str, estimated: u64, reported: u64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(model.to_owned()).or_default().observe(estimated, reported);
    }

    /// A request of so many estimated tokens did not fit into the window.
    pub fn exceeded(&self, model: &str, estimated: u64, window_tokens: u64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(model.to_owned()).or_default().exceeded(estimated, window_tokens);
    }
}
