//! The context of the template of the statistics.

use crate::layout::{Back, Layout};
use askama::Template;

/// The figures of one quarter.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/statistics.html")]
pub struct StatisticsPage {
    pub layout: Layout,
    pub heading: String,
    /// The newest day first.
    pub rows: Vec<FigureRow>,
    pub csv: String,
    /// Links to other quarters.
    pub others: Vec<Back>,
}

/// The figures of one day.
#[derive(Clone, Debug)]
pub struct FigureRow {
    pub day: String,
    /// Uptime, downtime, account information, payments and errors, each of third parties and of the app; `None` without a request.
    pub figures: [[Option<String>; 2]; 5],
    /// Third parties only: the app confirms no funds.
    pub funds: Option<String>,
}
