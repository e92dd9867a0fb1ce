//! OpenAI Chat Completions and the many servers that speak it.

mod calls;
mod decode;
mod details;
mod dialect;
mod messages;
mod models;
mod parts;
mod request;
mod shape;
mod terms;
mod usage;
mod wire;

pub use decode::ChatDecoder;
pub use dialect::ProviderDialect;
pub use models::list_models;
pub use request::ChatBody;
pub use wire::ChatWire;

#[cfg(test)]
mod projection_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod stream_tests;
