//! The pages in a real browser.

mod app;
mod browser_test;
mod console;
mod layout;
mod lending;
mod pages;
mod portal;
mod reference;
mod samples;
