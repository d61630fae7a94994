//! The scripts of the pages. They are inline and allowed by their hash, so that no other script runs; pages work without them
//! where possible.

/// The script of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Redirects back after a delay, unless the customer stays.
    End,
    /// Waits for the approval in the app.
    Wait,
    /// The app: its device key, signatures and events.
    App,
    /// Announces the end of the session, and ends it on the page.
    Session,
}

impl Script {
    pub const ALL: [Self; 4] = [Self::End, Self::Wait, Self::App, Self::Session];

    pub const fn text(self) -> &'static str {
        match self {
            Self::End => include_str!("../templates/scripts/end.js"),
            Self::Wait => include_str!("../templates/scripts/wait.js"),
            Self::App => include_str!("../templates/scripts/app.js"),
            Self::Session => include_str!("../templates/scripts/session.js"),
        }
    }
}
