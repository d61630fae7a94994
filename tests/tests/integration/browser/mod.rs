//! The pages in a real browser.

mod layout;
mod pages;
mod reference;
mod scene;
