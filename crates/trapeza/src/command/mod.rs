//! What the commands do, one file each. They return what to print and how to exit; only `main` touches the terminal.

pub mod config_check;
pub mod openapi;
pub mod page;
