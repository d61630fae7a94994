//! What stands around every request.

mod edge;

pub use edge::edge;
