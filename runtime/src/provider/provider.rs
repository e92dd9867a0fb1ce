//! The seam between the driver of a turn and any model.

use async_trait::async_trait;
use nanobot_engine::model::{ModelError, ModelRequest, Reply, StreamEnd, StreamItem};

/// Something that answers model requests.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Sends one request. A failure to connect comes as the stream's end, so that there is one place to look at.
    ///
    /// Dropping the future gives the request up.
    async fn start(&self, request: ModelRequest) -> Box<dyn ModelStream>;
}

/// One answer on its way. Dropping it closes the connection, which tells the provider to stop.
#[async_trait]
pub trait ModelStream: Send {
    /// Waits for news and appends all of it to `items`. After a `StreamItem::End` nothing more comes.
    ///
    /// Cancel-safe: when the future is dropped, nothing is lost.
    async fn next(&mut self, items: &mut Vec<StreamItem>);
}

/// A stream that fails at once.
pub(crate) struct FailedStream(Option<ModelError>);

impl FailedStream {
    pub(crate) fn boxed(error: ModelError) -> Box<dyn ModelStream> {
        Box::new(Self(Some(error)))
    }
}

#[async_trait]
impl ModelStream for FailedStream {
    async fn next(&mut self, items: &mut Vec<StreamItem>) {
        if let Some(error) = self.0.take() {
            let reply = Reply { end: StreamEnd::Error(error), blocks: Vec::new(), usage: None };
            items.push(StreamItem::End(Box::new(reply)));
        }
    }
}
