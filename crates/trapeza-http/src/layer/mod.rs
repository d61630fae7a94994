//! What stands around every request.

mod edge;
mod series;

pub use edge::Edge;
pub use series::Series;
