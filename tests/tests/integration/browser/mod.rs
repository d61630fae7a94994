//! The pages in a real browser.

mod app;
mod console;
mod layout;
mod lending;
mod pages;
mod portal;
mod reference;
mod samples;
mod scene;
