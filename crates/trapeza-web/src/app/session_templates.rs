//! The contexts of the templates about the session of the app: the locked app, devices and help.

use super::templates::AppHeader;
use crate::layout::{Form, Layout};
use crate::summary::SummaryRow;
use askama::Template;

/// An enrolled device whose session has ended: only the password is asked for.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/locked.html")]
pub struct Locked {
    pub layout: Layout,
    pub form: Form,
    pub text: String,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/devices.html")]
pub struct Devices {
    pub layout: Layout,
    pub top: AppHeader,
    pub devices: Vec<DeviceCard>,
    pub notice: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct DeviceCard {
    pub name: &'static str,
    pub rows: Vec<SummaryRow>,
    /// The page that asks whether it shall be removed.
    pub href: String,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/help.html")]
pub struct Help {
    pub layout: Layout,
    pub top: AppHeader,
    pub address: Option<String>,
    /// Shown where the bank has configured no contact.
    pub no_contact: String,
}
