//! The scripts of our pages: few, short, part of the page, and named by their hash in its policy, so that nothing else
//! runs. A page works without its script wherever it can.

/// What a page does beyond what a page does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Leads back to whoever sent the customer, unless they stay.
    End,
    /// Waits for the answer in the app.
    Wait,
    /// The app: its key, its signatures, its news.
    App,
}

impl Script {
    pub const ALL: [Self; 3] = [Self::End, Self::Wait, Self::App];

    pub const fn text(self) -> &'static str {
        match self {
            Self::End => include_str!("../templates/scripts/end.js"),
            Self::Wait => include_str!("../templates/scripts/wait.js"),
            Self::App => include_str!("../templates/scripts/app.js"),
        }
    }
}
