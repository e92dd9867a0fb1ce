//! The configuration of a running server: what is in force, how it changes, and who is told.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::error::{ConfigError, ConfigWarning};
use super::load::{ConfigLoad, Overrides, ReferenceProblem, reference_problems};
use super::patch::SettingsPatch;
use super::types::Config;
use super::write::{self, FileState};

/// Name of the file in the home folder.
const FILE_NAME: &str = "config.toml";

/// How often a save starts again because the file changed under it.
const SAVE_ATTEMPTS: usize = 3;

/// The settings of one home folder. Clones share them.
#[derive(Clone)]
pub struct ConfigStore(Arc<Inner>);

/// The environment has secrets in it and is not shown.
impl fmt::Debug for ConfigStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ConfigStore").field("file", &self.0.file).finish_non_exhaustive()
    }
}

/// What a patch changed.
#[derive(Clone, Debug)]
pub struct Patched {
    /// The settings that the patch was applied to, with edits of others to the file.
    pub before: Arc<Config>,
    /// The settings in force now.
    pub after: Arc<Config>,
}

struct Inner {
    file: PathBuf,
    env: BTreeMap<String, String>,
    overrides: Overrides,
    /// The settings in force; every change is sent here.
    current: watch::Sender<Arc<Config>>,
    /// Held while the file is read or written, so that changes come one after the other. Never held across an await.
    state: Mutex<State>,
}

struct State {
    /// What the file held when it was last looked at and taken over, or at the start.
    loaded: FileState,
    /// Why the file is not what is in force, when it is not.
    problem: Option<ConfigWarning>,
    /// About the settings in force.
    warnings: Vec<ConfigWarning>,
}

impl ConfigStore {
    /// Reads `config.toml` of a home folder; no file means defaults. When the file cannot be read as a configuration, the last one that
    /// could is used, and a warning says so.
    ///
    /// # Errors
    /// When the file is invalid and there is no last good copy, when it cannot be read at all, or when a `NANOBOT__…` variable has a
    /// value that its key does not take.
    pub fn open(
        home: &Path,
        overrides: Overrides,
        env: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let file = home.join(FILE_NAME);
        let env: BTreeMap<String, String> = env.into_iter().collect();
        let loaded = FileState::read(&file)?;
        let mut problem = None;
        let load = match read_checked(&loaded, &file, &env, &overrides) {
            Ok(load) => kept_as_last_good(load, &file, &loaded),
            Err(error @ ConfigError::Invalid { .. }) => {
                let Some(load) = last_good(&file, &env, &overrides) else { return Err(error) };
                let copy = write::last_good_path(&file);
                let detail =
                    format!("{error}; running with the last valid settings ({}) until it is corrected", copy.display());
                problem = Some(whole_file(detail));
                load
            }
            Err(error) => return Err(error),
        };
        let (current, _) = watch::channel(Arc::new(load.config));
        let state = Mutex::new(State { loaded, problem, warnings: load.warnings });
        Ok(Self(Arc::new(Inner { file, env, overrides, current, state })))
    }

    /// The settings in force.
    #[must_use]
    pub fn current(&self) -> Arc<Config> {
        self.0.current.borrow().clone()
    }

    /// What a person should look at.
    #[must_use]
    pub fn warnings(&self) -> Vec<ConfigWarning> {
        let state = self.state();
        state.problem.iter().chain(&state.warnings).cloned().collect()
    }

    /// Tells of every change; the value is the settings in force.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<Arc<Config>> {
        self.0.current.subscribe()
    }

    /// The file that holds the settings, whether it exists or not.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// Reads the file again. When it is invalid, the settings in force stay and a warning says so.
    ///
    /// Reads from the disk: call it where blocking is allowed.
    ///
    /// # Errors
    /// When the file is invalid or cannot be read.
    pub fn reload(&self) -> Result<Arc<Config>, ConfigError> {
        self.look_at_file(&mut self.state())?;
        Ok(self.current())
    }

    /// Applies a patch to the file and puts the result in force. Comments, order, unknown keys and `${VAR}` stay as they are. An edit that
    /// somebody else made to the file is read first. Nothing is written unless the whole result is valid.
    ///
    /// Reads and writes the disk: call it where blocking is allowed.
    ///
    /// # Errors
    /// When the patch is not acceptable, the file on disk is invalid, or it cannot be written.
    pub fn patch(&self, patch: &SettingsPatch) -> Result<Patched, ConfigError> {
        let mut state = self.state();
        for _ in 0..SAVE_ATTEMPTS {
            self.look_at_file(&mut state)?;
            let in_force = self.current();
            let before = state.loaded.text(&self.0.file)?;
            let text = patch.apply(before, &self.0.file)?;
            if text == before {
                return Ok(Patched { before: in_force.clone(), after: in_force });
            }
            let load = self.check(patch, &text)?;
            patch.check_size(before, &text)?;
            let Some(loaded) = write::replace(&self.0.file, &state.loaded, &text)? else { continue };
            self.put_in_force(&mut state, load, loaded);
            return Ok(Patched { before: in_force, after: self.current() });
        }
        Err(ConfigError::Conflict { file: self.0.file.clone() })
    }

    /// Reads the patched text, and refuses references that did not lead nowhere before.
    fn check(&self, patch: &SettingsPatch, text: &str) -> Result<ConfigLoad, ConfigError> {
        let load =
            ConfigLoad::from_text(text, &self.0.file, &self.0.env, &self.0.overrides).map_err(|error| match error {
                ConfigError::Invalid { key, detail, .. } => {
                    ConfigError::Refused { path: key.unwrap_or_else(|| patch.first_path()), detail }
                }
                other => other,
            })?;
        let known = reference_problems(&self.0.current.borrow());
        let is_new = |problem: &ReferenceProblem| !known.iter().any(|known| known.is_same(problem));
        match reference_problems(&load.config).into_iter().find(is_new).map(ReferenceProblem::into_warning) {
            Some(ConfigWarning { path, detail }) => Err(ConfigError::Refused { path, detail }),
            None => Ok(load),
        }
    }

    /// Puts what the file holds in force when it was changed by somebody else.
    fn look_at_file(&self, state: &mut State) -> Result<(), ConfigError> {
        let Inner { file, env, overrides, .. } = &*self.0;
        let found = FileState::read(file)?;
        if found == state.loaded && state.problem.is_none() {
            return Ok(());
        }
        match read_checked(&found, file, env, overrides) {
            Ok(load) => {
                self.put_in_force(state, load, found);
                Ok(())
            }
            Err(error) => {
                state.problem =
                    Some(whole_file(format!("{error}; the settings from before stay in force until it is corrected")));
                Err(error)
            }
        }
    }

    fn put_in_force(&self, state: &mut State, load: ConfigLoad, loaded: FileState) {
        let load = kept_as_last_good(load, &self.0.file, &loaded);
        *state = State { loaded, problem: None, warnings: load.warnings };
        self.0.current.send_replace(Arc::new(load.config));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConfigLoad {
    /// Reads `config.toml` of a home folder as [`ConfigStore::open`] does, without the last good copy and without writing
    /// anything.
    ///
    /// # Errors
    /// When the file is invalid or cannot be read, or a `NANOBOT__…` variable has a value that its key does not take.
    pub fn of_home(
        home: &Path,
        overrides: &Overrides,
        env: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let file = home.join(FILE_NAME);
        read_checked(&FileState::read(&file)?, &file, &env.into_iter().collect(), overrides)
    }
}

/// Reads the text, and takes an empty file for one that is being written when the last good one was not empty.
fn read_checked(
    found: &FileState,
    file: &Path,
    env: &BTreeMap<String, String>,
    overrides: &Overrides,
) -> Result<ConfigLoad, ConfigError> {
    let text = found.text(file)?;
    if found.exists() && text.trim().is_empty() && write::has_last_good(file) {
        return Err(ConfigError::Invalid {
            file: file.to_owned(),
            line: 1,
            key: None,
            detail: "the file is empty, but it was not before; delete it to start with defaults".to_owned(),
        });
    }
    ConfigLoad::from_text(text, file, env, overrides)
}

/// Makes the last good copy; when that fails, the settings say so and work.
fn kept_as_last_good(mut load: ConfigLoad, file: &Path, loaded: &FileState) -> ConfigLoad {
    if let Err(error) = write::keep_last_good(file, loaded) {
        load.warnings.push(whole_file(error.to_string()));
    }
    load
}

/// What the last good copy says; `None` when there is none or it is of no use either.
fn last_good(file: &Path, env: &BTreeMap<String, String>, overrides: &Overrides) -> Option<ConfigLoad> {
    let copy = write::last_good_path(file);
    let found = FileState::read(&copy).ok().filter(FileState::exists)?;
    ConfigLoad::from_text(found.text(&copy).ok()?, &copy, env, overrides).ok()
}

fn whole_file(detail: String) -> ConfigWarning {
    ConfigWarning { path: String::new(), detail }
}

#[cfg(test)]
mod tests;
