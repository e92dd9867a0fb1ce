//! Identifiers: newtypes over UUIDv7, and the names that live within a turn.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        #[schema(value_type = String)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// A conversation; the protocol's `chat_id`.
    SessionId
);
uuid_id!(
    /// One inbound message worked to its end.
    TurnId
);
uuid_id!(
    /// One stored row of a session.
    MessageId
);
uuid_id!(
    /// A question to a person that a turn waits for.
    ApprovalId
);

/// A stretch of one kind of output within a turn, minted by the machine: `<seq of the turn in base 36>.<index>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
#[schema(value_type = String)]
pub struct StreamId(pub String);

impl StreamId {
    /// The id of stretch number `index` of the turn that began at `turn_seq`.
    #[must_use]
    pub fn new(turn_seq: u64, index: u32) -> Self {
        Self(format!("{}.{index}", base36(turn_seq)))
    }

    /// The running number within the turn.
    #[must_use]
    pub fn index(&self) -> Option<u32> {
        self.0.rsplit_once('.').and_then(|(_, index)| index.parse().ok())
    }
}

fn base36(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut out = Vec::new();
    loop {
        out.push(DIGITS.get((number % 36) as usize).copied().unwrap_or(b'0'));
        number /= 36;
        if number == 0 {
            break;
        }
    }
    out.reverse();
    out.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_ids_name_turn_and_index() {
        assert_eq!(StreamId::new(81, 3).0, "29.3");
        assert_eq!(StreamId::new(0, 0).0, "0.0");
        assert_eq!(StreamId::new(81, 3).index(), Some(3));
    }
}
