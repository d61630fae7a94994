//! The program: its commands, its configuration, and how the parts are put together.

pub mod demo;
