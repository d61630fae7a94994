//! Trapeza store.
