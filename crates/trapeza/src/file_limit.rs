//! The limit of open files. Every connection is one, and the usual soft limit of 1,024 ends service at that many idle ones.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that the process needs besides its connections: the database, the log, outgoing connections.
const OTHER_FILES: u64 = 256;

/// Raises the soft limit to the hard limit, and warns when that is too low for the configured connections.
pub fn raise(connections: usize) {
    let limit = getrlimit(Resource::Nofile);
    let needed = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(OTHER_FILES);
    if limit.current.is_some_and(|current| current < needed) {
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "file limit: cannot be raised");
        }
    }
    if let Some(current) = getrlimit(Resource::Nofile).current.filter(|current| *current < needed) {
        tracing::warn!(
            limit = current,
            needed,
            "file limit: too low for limits.connections; raise the hard limit (LimitNOFILE, ulimit -Hn)"
        );
    }
}
