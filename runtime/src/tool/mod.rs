//! The tools a model may call, and the boundary they work within.

mod arguments;
mod blocking;
mod decode;
mod find_files;
mod grep;
mod list_dir;
mod name_filter;
mod read_file;
pub(crate) mod registry;
mod resolve;
mod scope;
mod walk;

pub use find_files::FindFiles;
pub use grep::Grep;
pub use list_dir::ListDir;
pub use read_file::ReadFile;
pub use registry::{DuplicateTool, StoredResults, Tool, ToolContext, ToolRegistry};
pub(crate) use resolve::open_file;
pub use resolve::{Place, PlaceKind};
pub use scope::{Access, Grant, ScopeError, WorkspaceScope};
