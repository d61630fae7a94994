//! The pages in a real browser.

mod layout;
mod pages;
mod portal;
mod reference;
mod samples;
mod scene;
