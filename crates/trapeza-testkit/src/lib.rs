//! Trapeza testkit.
