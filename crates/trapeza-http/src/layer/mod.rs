//! What stands around every request.

mod edge;
mod series;

pub use edge::edge;
pub use series::Series;
