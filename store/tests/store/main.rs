//! The store through its public interface, on real SQLite files.

#[cfg(test)]
mod access;
#[cfg(test)]
mod approvals;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod commit;
#[cfg(test)]
mod events;
#[cfg(test)]
mod fork;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod kit;
#[cfg(test)]
mod migration;
#[cfg(test)]
mod parallel;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod search;
#[cfg(test)]
mod sendable;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod turns;
#[cfg(test)]
mod usage;
